"""The table of settings, read from C, and the caller's settings: completed, checked, given to C.

C checks ranges; this module checks names, types and combinations.
"""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from .arrays import ids_of, words
from .checks import SEED_MAX, check_choice, check_integer, check_names
from .errors import LogitscopeError, is_number, must_be, refuse, show, shown
from .library import C, STRUCTS, exchange, fail, write
from .presets import presets
from .types import TableRow

_KINDS = ("real", "integer", "map", "list", "choice")
GATES = ("constraint", "banned_words", "forced_first")
#: Names of settings that C's table does not have.
OTHERS = (
    "order own preset draw top seed end_tokens negative_prompt "
    "constraint banned_words forced_first constraint_start"
).split()
_LISTED = 10
_GRAMMAR_MAX = 1 << 20


def _read_table() -> List[TableRow]:
    rows: List[TableRow] = []
    while True:
        at = C.warp_row(len(rows))
        if not at:
            return rows
        row = STRUCTS["warp_row"].from_address(at)
        choices: List[str] = []
        while row.choices and row.choices[len(choices)]:
            choices.append(row.choices[len(choices)].decode())
        kind = _KINDS[row.kind]
        name = row.name.decode()
        neutral: Any = int(row.neutral) if kind == "integer" else row.neutral
        rows.append(
            TableRow(
                name=name,
                stage=row.stage.decode() if row.stage else name,
                kind=kind,
                group=row.group.decode(),
                sampler=bool(row.effect),
                neutral={"map": {}, "list": []}.get(kind, neutral)
                if kind != "choice"
                else choices[int(row.neutral)],
                minimum=row.minimum,
                maximum=row.maximum,
                minimum_included=bool(row.minimum_included),
                maximum_included=bool(row.maximum_included),
                choices=choices,
                low=row.low,
                high=row.high,
                step=row.step,
                usual=row.usual,
                effect=row.effect.decode() if row.effect else "",
            )
        )


TABLE = _read_table()
ROWS = {row.name: (i, row) for i, row in enumerate(TABLE)}
CANONICAL = [row.name for row in TABLE if row.sampler]
NAMES = [row.name for row in TABLE] + OTHERS


@dataclass
class Resolved:
    """All settings with their values."""

    values: Dict[str, Any]
    order: List[str]
    draw: str
    top: int
    seed: int
    ends: Optional[List[int]]  # None for the model's own end tokens
    negative_prompt: Any  # None for the last token of the prompt
    gates: Dict[str, Any] = field(default_factory=dict)
    own: Any = None  # the caller's sampler, or later its result

    def with_values(self, **values: Any) -> "Resolved":
        return replace(self, values={**self.values, **values})

    def report(self) -> Dict[str, Any]:
        """Returns the settings as results report them."""
        used = {**self.values, "order": list(self.order), "draw": self.draw}
        if self.negative_prompt is not None:
            used["negative_prompt"] = self.negative_prompt
        if self.ends is not None:
            used["end_tokens"] = list(self.ends)
        return {**used, **self.gates}


def _distance(a: str, b: str) -> float:
    """Returns the edit distance of two names, for suggestions. A missing letter counts half."""
    row = [j / 2 for j in range(len(b) + 1)]
    for i in range(1, len(a) + 1):
        below = [float(i)]
        for j in range(1, len(b) + 1):
            change = row[j - 1] + (a[i - 1] != b[j - 1])
            below.append(min(row[j] + 1, below[j - 1] + 0.5, change))
        row = below
    return row[len(b)]


def unknown_setting(name: str, names: Sequence[str]) -> LogitscopeError:
    """Makes the error for an unknown name. It suggests the most similar one of `names`."""
    plain = name.lower().replace("-", "_")
    near = min(names, key=lambda known: _distance(plain, known))
    if _distance(plain, near) <= min(len(plain) / 2, max(2, 0.4 * len(plain))):
        return LogitscopeError(
            "unknown_setting", "unknown_near", {"name": show(name), "near": show(near)}
        )
    more = len(names) - _LISTED
    listed = ", ".join(names[:_LISTED]) + f" and {more} more" if more > 1 else ", ".join(names)
    values = {"name": show(name), "names": listed}
    return LogitscopeError("unknown_setting", "unknown_setting", values)


def _check_order(order: Any) -> List[str]:
    """Returns the samplers' full names: "dry" and "xtc" are short for names in the table."""
    if not isinstance(order, (list, tuple)):
        raise must_be("order", "a_list_of_names", order)
    short = {row.stage: row.name for row in TABLE if row.sampler}
    stages = CANONICAL + ["own"]
    names: List[str] = []
    for word in order:
        name = short.get(word, word) if isinstance(word, str) else word
        if name not in stages:
            raise unknown_setting(name if isinstance(name, str) else show(name), stages)
        if name in names:
            refuse("invalid_argument", "order_twice", setting=name)
        names.append(name)
    return names


def _check_bias(bias: Any) -> Dict[str, Any]:
    """Returns the biases by keys that are texts of ids. Biases of single tokens come first, sorted
    by id."""
    if not isinstance(bias, dict):
        raise must_be("logit_bias", "an_object_of_biases", bias)
    checked: Dict[str, Any] = {}
    for key, value in bias.items():
        text = " ".join(map(str, key)) if isinstance(key, tuple) else str(key)
        if not re.fullmatch(r"(0|[1-9]\d{0,9})( (0|[1-9]\d{0,9}))*", text, re.ASCII) or any(
            id >= 2**32 for id in _ids_in(text)
        ):
            refuse("unknown_token", "bias_key", id=show(text))
        if not is_number(value) and value is not False:
            refuse("invalid_argument", "bias_number", id=text, value=shown(value))
        checked[text] = value
    single = sorted((key for key in checked if " " not in key), key=int)
    return {key: checked[key] for key in [*single, *(key for key in checked if " " in key)]}


def _ids_in(key: str) -> List[int]:
    """Returns the ids in a key of logit_bias. The bias is for the last one."""
    return [int(id) for id in key.split(" ")]


def check_biased(biases: Dict[str, Any], vocab_size: int) -> None:
    """Refuses biases with ids outside a vocabulary, even if they do not apply yet."""
    for key in biases:
        for id in _ids_in(key):
            if id >= vocab_size:
                refuse(
                    "unknown_token",
                    "setting_names_token",
                    setting="logit_bias",
                    id=id,
                    limit=vocab_size,
                )


def biases_after(
    biases: Dict[str, Any], history: Optional[Callable[[], Sequence[int]]]
) -> List[Tuple[int, float]]:
    """The biases that apply after a history (None: all), ascending by id, as C expects.

    The bias of a sequence applies only if the history ends with its earlier tokens. Biases of one
    token add up; a ban wins.
    """
    sums: Dict[int, float] = {}
    for key, bias in biases.items():
        *before, id = _ids_in(key)
        if before and history is not None and list(history()[-len(before) :]) != before:
            continue
        sums[id] = sums.get(id, 0.0) + (-float("inf") if bias is False else float(bias))
    return sorted(sums.items())


def _is_id(value: Any) -> bool:
    return is_number(value) and 0 <= value < 2**32 and int(value) == value


def check_sequences(name: str, given: Any) -> List[Any]:
    """Checks a list of texts, ids and lists of ids."""
    if not isinstance(given, (list, tuple)):
        raise must_be(name, "a_list_of_texts_or_ids", given)
    for it in given:
        is_list = isinstance(it, (list, tuple)) and len(it) > 0 and all(map(_is_id, it))
        if not (is_list or _is_id(it) or (isinstance(it, str) and it != "")):
            raise must_be(name, "a_list_of_texts_or_ids", it)
    return [list(it) if isinstance(it, tuple) else it for it in given]


def _resolve_gates(asked: Dict[str, Any]) -> Dict[str, Any]:
    gates: Dict[str, Any] = {}
    constraint = asked.get("constraint")
    if constraint is not None:
        if not isinstance(constraint, dict) or not isinstance(constraint.get("grammar"), str):
            refuse("invalid_argument", "constraint_grammar", value=shown(constraint))
        check_names("constraint", constraint, ["grammar"])
        if len(constraint["grammar"]) > _GRAMMAR_MAX:
            refuse("invalid_argument", "grammar_too_large")
        gates["constraint"] = constraint
    if asked.get("banned_words") is not None:
        gates["banned_words"] = check_sequences("banned_words", asked["banned_words"])
    first = asked.get("forced_first")
    if first is not None:
        if not _is_id(first) and not isinstance(first, str):
            raise must_be("forced_first", "a_token_or_text", first)
        gates["forced_first"] = first
    start = asked.get("constraint_start")
    if start is not None:
        if not _is_id(start):
            refuse("out_of_range", "constraint_start", value=shown(start))
        gates["constraint_start"] = int(start)
    return gates


def _check_value(row: TableRow, value: Any) -> Any:
    if row.kind == "map":
        return _check_bias(value)
    if row.kind == "list":
        return check_sequences(row.name, value)
    if row.kind == "choice":
        check_choice(row.name, value, row.choices)
    elif not is_number(value):
        raise must_be(row.name, "a_number", value)
    return value


def check_text(name: str, value: Any) -> None:
    """Refuses a value that is neither a text nor a list of ids."""
    if not isinstance(value, (str, list, tuple, range)) and not hasattr(value, "__len__"):
        raise must_be(name, "a_string_or_ids", value)


def resolve(given: Dict[str, Any], also: Sequence[str] = ()) -> Resolved:
    """The complete settings: neutral values, then the preset, then the given ones.

    `also` has further names to accept, which the caller reads. None means not given.
    """
    own = {name: value for name, value in given.items() if value is not None}
    for name in given:
        if name not in NAMES and name not in also:
            raise unknown_setting(name, [*NAMES, *also])
    if "preset" in own:
        check_choice("preset", own["preset"], presets)
    asked = {**presets.get(own.get("preset", ""), {}), **own}
    values = {row.name: _check_value(row, asked.get(row.name, row.neutral)) for row in TABLE}
    ends, negative = asked.get("end_tokens"), asked.get("negative_prompt")
    if ends is not None:
        ends = list(dict.fromkeys(ids_of("end_tokens", ends, 2**32)))
    if negative is not None:
        check_text("negative_prompt", negative)
    sampler = asked.get("own")
    order = _check_order(asked["order"]) if "order" in asked else list(CANONICAL)
    if sampler is None:
        order = [name for name in order if name != "own"]
    elif "own" not in order:
        order.append("own")
    draw, top = asked.get("draw", "inverse"), asked.get("top", 20)
    check_choice("draw", draw, ["inverse", "gumbel"])
    return Resolved(
        values,
        order,
        draw,
        check_integer("top", top, 0, 2**32 - 1),
        check_integer("seed", asked.get("seed", 0), 0, SEED_MAX),
        ends,
        negative,
        _resolve_gates(asked),
        sampler,
    )


def _words_of(sequences: Sequence[Sequence[int]]) -> Any:
    """Writes sequences of ids as C reads them: the length of each, then its ids."""
    return words([word for ids in sequences for word in (len(ids), *ids)])


def give_sequences(call: Callable[[int, int], int], sequences: Sequence[Sequence[int]]) -> None:
    """Calls a function of C that copies sequences of ids."""
    flat = _words_of(sequences)
    at = exchange(4 * len(flat))
    write(at, flat)
    if call(at, len(flat)):
        fail()


def apply(
    resolved: Resolved,
    breakers: Sequence[Sequence[int]],
    ends: Sequence[int],
    biases: Sequence[Tuple[int, float]],
    step: int,
) -> None:
    """Passes the settings to C, which checks all ranges. The random coins of some samplers depend
    on `step`."""
    C.settings_reset()
    for i, row in enumerate(TABLE):
        value = resolved.values[row.name]
        if row.kind in ("map", "list") or value == row.neutral:
            continue  # settings_reset has set the neutral value
        if C.settings_set(i, row.choices.index(value) if row.kind == "choice" else value):
            fail()
    C.settings_step(resolved.seed, step)
    samplers = [ROWS[name][0] for name in resolved.order if name != "own"]
    at = exchange(4 * len(samplers))
    write(at, words(samplers))
    C.settings_order(at, len(samplers))
    table = (STRUCTS["warp_bias"] * len(biases))(*biases)
    at = exchange(ctypes.sizeof(table))
    write(at, table)
    if C.settings_bias(at, len(biases)):
        fail()
    give_sequences(C.settings_breakers, breakers)
    at = exchange(4 * len(ends))
    write(at, words(ends))
    if C.settings_ends(at, len(ends)):
        fail()
