"""The law of whole texts: the search of web/engine/law.js over the same C engine, with the same
bytes. Sums are plain loops, since `sum` of Python 3.12 rounds otherwise than JavaScript."""

from __future__ import annotations

import math
from array import array
from dataclasses import replace
from functools import reduce
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import settings
from .checks import check_integer
from .errors import is_number, must_be, refuse
from .generate import read_prompt
from .library import LOCK
from .presets import reads_second
from .types import Beside, Law, LawText, LawToken

_STEP, _FEW, _THRESHOLD_MIN = 4, 2000, 2.0**-44
#: The most bytes of logits, and of probabilities of one chain, that a law keeps.
_KEPT_BYTES = 2**26
_KEYS = ["best_of"], ["condition"], ["power"], ["power", "settings"], ["settings"]
_LN2_HIGH, _LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
_LOG = (
    [0.14798198605116586, 0.15313837699209373, 0.1818357216161805]
    + [0.22222198432149784, 0.2857142874366239, 0.3999999999940942, 0.6666666666666735]
)

Interval = Tuple[float, float]
#: Another law: an interval for each listed text, and one for the rest.
_Other = Tuple[List[Interval], Interval]


class _Found(NamedTuple):
    ids: Tuple[int, ...]
    steps: Tuple[float, ...]
    p: float
    finish_reason: str = ""


def _sum(values: Sequence[float]) -> float:
    return reduce(float.__add__, values, 0.0)


def _product(values: Sequence[float]) -> float:
    return reduce(float.__mul__, values, 1.0)


def _exp(x: float) -> float:
    """e^x with the bits of web/engine/elementary.js."""
    if not -708 <= x <= 709:
        return 0.0 if x < 0 else x
    n = x * 1.4426950408889634 + 6755399441055744 - 6755399441055744
    r = x - n * _LN2_HIGH - n * _LN2_LOW
    return math.ldexp(reduce(lambda p, k: p * r / k + 1, range(14, 0, -1), 1.0), int(n))


def _log(x: float) -> float:
    """The natural logarithm with the bits of web/engine/elementary.js; log(0) is -inf."""
    if x == 0:
        return -math.inf
    m, n = math.frexp(x)
    if m <= math.sqrt(0.5):
        m, n = 2 * m, n - 1
    f = m - 1
    s = f / (2 + f)
    z = s * s
    p = reduce(lambda p, c: p * z + c, _LOG)
    half = 0.5 * f * f
    return n * _LN2_HIGH - (half - (s * (half + p * z) + n * _LN2_LOW) - f)


def _by_p(it: _Found) -> Tuple[float, str]:
    return -it.p, ",".join(map(str, it.ids))


def _keep(kept: Dict[Tuple[int, ...], Any], path: Tuple[int, ...], row: Any) -> Any:
    """Keeps a row while there is room; returns it."""
    if row.itemsize * len(row) * len(kept) < _KEPT_BYTES:
        kept[path] = row
    return row


class _Walk:
    """Reads prefixes under one chain. `kept` has the logits of prefixes, for every chain."""

    def __init__(self, session: Any, prompt: List[int], kept: Dict[Any, Any], given: Any) -> None:
        self._core, self._session, self._prompt, self._kept = session._core, session, prompt, kept
        asked = settings.resolve({**given, "top": 0})
        coin = asked.values["xtc_probability"]
        for name in ("mirostat", "adaptive_target"):
            if asked.values[name]:
                refuse("invalid_argument", "law_state", setting=name)
        if reads_second(asked.values) or asked.own is not None:
            name = "guidance_scale" if reads_second(asked.values) else "own"
            refuse("invalid_argument", "law_stage", setting=name)
        asked = replace(asked, gates={"constraint_start": len(prompt), **asked.gates})
        self._coin = coin if 0 < coin < 1 else 1.0
        outcomes = [1.0, 0.0] if 0 < coin < 1 else [coin]
        self._rows: Dict[Tuple[int, ...], Any] = {}
        self._chains = [asked.with_values(xtc_probability=outcome) for outcome in outcomes]

    def after(self, path: Tuple[int, ...]) -> Sequence[float]:
        """p (vocab_size,) of the next token; empty if a gate leaves none."""
        row = self._rows.get(path)
        return _keep(self._rows, path, self._run(path)) if row is None else row

    def _run(self, path: Tuple[int, ...]) -> Any:
        """Runs the chain. The coin of XTC is averaged."""
        ids = [*self._prompt, *path]
        with LOCK:
            logits = self._kept.get(path)
            if logits is None:
                self._session.feed(ids)
                logits = _keep(self._kept, path, self._session.logits())
            chain = self._core.chain
            source = chain.given(logits, ids)
            rows = [chain.probabilities(source, asked, len(path)) for asked in self._chains]
        if len(rows) == 1:
            return rows[0]
        return array("d", (self._coin * p + (1 - self._coin) * q for p, q in zip(*rows)))

    def along(self, ids: Sequence[int]) -> Tuple[float, ...]:
        """The p of each token of a text; ends at a token that the chain removes."""
        steps: List[float] = []
        while len(steps) < len(ids) and 0.0 not in steps:
            row = self.after(tuple(ids[: len(steps)]))
            steps.append(row[ids[len(steps)]] if row else 0.0)
        return tuple(steps)

    def share(self, ids: Sequence[int]) -> float:
        return _product(self.along(ids))

    def greedy(self, bounds: "_Bounds") -> _Found:
        """The text that takes the most probable token at each step; ties by id."""
        ids: List[int] = []
        while len(ids) < bounds.most and not (ids and ids[-1] in bounds.ends):
            row = self.after(tuple(ids))
            if not row:
                break
            ids.append(max(range(len(row)), key=row.__getitem__))
        return _Found(tuple(ids), self.along(ids), self.share(ids))

    def texts(self, threshold: float, bounds: "_Bounds") -> "Optional[_Pass]":
        """Finds all texts with p >= threshold; None if they need more prefixes than the limit."""
        stack = [_Found((), (), 1.0)]
        found: List[_Found] = []
        rest, visited = 0.0, 0
        while stack:
            at = stack.pop()
            visited += 1
            if visited > bounds.limit:
                return None
            row = self.after(at.ids)
            if not row:
                found.append(at._replace(finish_reason="nothing_left"))
            for id in range(len(row) - 1, -1, -1):
                p = at.p * row[id]
                ends = id in bounds.ends
                if p and p < threshold:
                    rest += p
                elif p:
                    reason = "eos" if ends else "length"
                    longer = _Found((*at.ids, id), (*at.steps, row[id]), p, reason)
                    is_whole = ends or len(longer.ids) == bounds.most
                    (found if is_whole else stack).append(longer)
        return _Pass(found, rest, visited)


class _Bounds(NamedTuple):
    most: int
    ends: List[int]
    limit: int


class _Pass(NamedTuple):
    found: List[_Found]
    rest: float
    visited: int
    all: List[_Found] = []
    last: float = 0.0  # the most that a text can have that is not among `found`


def _search(walk: _Walk, mass: float, bounds: _Bounds) -> _Pass:
    """The texts that hold `mass`, most probable first, and the rest."""
    threshold = max(_THRESHOLD_MIN, (1 - mass) / 8)
    best = walk.texts(threshold, bounds)
    while best is None and threshold < 1:
        threshold *= _STEP
        best = walk.texts(threshold, bounds)
    best = best or _Pass([], 1.0, 0)
    while best.rest and 1 - best.rest < mass and threshold > _THRESHOLD_MIN:
        threshold /= _STEP
        more = walk.texts(threshold, bounds)
        if more is None:
            break
        best = more
    every = sorted(best.found, key=_by_p)
    held, count = 0.0, 0
    while count < len(every) and held < mass:
        held += every[count].p
        count += 1
    rest = best.rest + _sum([it.p for it in every[count:]])
    last = every[count - 1].p if count else 1.0
    return _Pass(every[:count], rest, best.visited, every, last)


def _sharpen(ps: List[float], rest: float, last: float, power: float) -> _Other:
    """p^power; the sum over the rest is at most rest * last^(power - 1)."""
    best = _log(max([last, *ps]))
    weights = [_exp(power * (_log(p) - best)) for p in ps]
    total = _sum(weights)
    tail = _exp(_log(rest) - best + (power - 1) * (_log(last) - best)) if rest > 0 else 0.0
    return [(w / (total + tail), w / total) for w in weights], (0.0, tail / (total + tail))


def _best_of(ps: List[float], n: int) -> _Other:
    """The most probable of n draws."""
    over, each = 1.0, []
    for p in ps:
        before = _exp(n * _log(over))
        over = max(0.0, over - p)
        share = before - _exp(n * _log(over))
        each.append((share, share))
    return each, (_exp(n * _log(over)),) * 2


def _condition(masked: _Walk, listed: List[_Found], rest: float) -> _Other:
    """The law given that a text satisfies the constraint of `masked`."""
    valid = [it.p if masked.share(it.ids) else 0.0 for it in listed]
    total = _sum(valid)
    each = [(p / (total + rest), p / total) if p else (0.0, 0.0) for p in valid]
    return each, (0.0, rest / (total + rest) if total + rest else 0.0)


def _apart(a: float, low: float, high: float) -> Interval:
    return max(0.0, a - high, low - a), max(abs(a - low), abs(a - high))


def _divergence(a: float, b: float) -> float:
    return (a * (_log(a) - _log(b)) if b else math.inf) if a else 0.0


def _distances(ps: List[float], rest: float, other: _Other) -> Tuple[List[float], List[float]]:
    """Total variation and KL divergence, each from and to."""
    each, (low, high) = other
    gaps = [_apart(p, *it) for p, it in zip(ps, each)]
    near, far = (_sum([gap[side] for gap in gaps]) for side in (0, 1))
    least = _sum([_divergence(p, it[1]) for p, it in zip(ps, each)])
    most = _sum([_divergence(p, it[0]) for p, it in zip(ps, each)])
    variation = [(near + _apart(rest, low, high)[0]) / 2, min(1.0, (far + rest + high) / 2)]
    kl = max(0.0, least + (_divergence(rest, high) if rest else 0.0))
    return variation, [kl, math.inf if rest else most]


def law(scope: Any, prompt: Any, asked: Dict[str, Any], given: Dict[str, Any]) -> Law:
    """`law` of Logitscope, with checked options."""
    ids, mass, others, bounds = _check(scope._core, prompt, **asked)
    with scope.session() as session:
        kept: Dict[Any, Any] = {}

        def walk(settings: Dict[str, Any]) -> _Walk:
            return _Walk(session, ids, kept, settings)

        own = walk(given)
        best = _search(own, mass, bounds)
        listed = {it.ids: it for it in best.found}
        searches: List[Any] = []
        for other in others:  # a text that only another law prefers joins the listed ones
            if not {"settings", "condition"} & other.keys():
                searches.append(None)
                continue
            is_mask = "condition" in other
            its = walk({"constraint": other["condition"]} if is_mask else other["settings"])
            few = its.texts(5e-324, bounds._replace(limit=_FEW)) if is_mask else None
            found = few or _search(its, mass, bounds)
            searches.append((its, found.last, few is not None))
            for it in found.found:
                if it.ids not in listed:
                    steps = own.along(it.ids)
                    listed[it.ids] = it._replace(steps=steps, p=_product(steps))
        texts = sorted(listed.values(), key=_by_p)
        ps = [it.p for it in texts]
        held = _sum(ps)
        rest = max(0.0, best.rest - (held - _sum([it.p for it in best.found])))
        each = []
        for other, search in zip(others, searches):
            each.append(_beside(other, search, texts, rest, best.last))
        greedy = own.greedy(bounds)
    ranks = {it.ids: i for i, it in enumerate(best.all, 1)}

    def read(it: _Found, beside: Any = None) -> LawText:
        pieces = [scope._core.piece(id) for id in it.ids]
        text = "".join("" if piece.special else piece.text for piece in pieces)
        steps = [*it.steps, *[0.0] * (len(pieces) - len(it.steps))]
        tokens = [LawToken(piece.id, piece.text, p) for piece, p in zip(pieces, steps)]
        reason = it.finish_reason or None
        return LawText(list(it.ids), text, tokens, it.p, ranks.get(it.ids), reason, beside)

    return Law(
        ids,
        [read(it, [list(law[0][i]) for law in each]) for i, it in enumerate(texts)],
        held,
        rest,
        best.visited,
        read(greedy),
        [Beside(list(it[1]), *_distances(ps, rest, it)) for it in each],
    )


def _beside(other: Dict[str, Any], search: Any, listed: Any, rest: float, last: float) -> _Other:
    ps = [it.p for it in listed]
    if "best_of" in other:
        return _best_of(ps, other["best_of"])
    if "condition" in other:
        return _condition(search[0], listed, 0.0 if search[2] else rest)
    if "settings" in other:
        ps = [search[0].share(it.ids) for it in listed]
        rest, last = max(0.0, 1 - _sum(ps)), search[1]
    if "power" in other:
        return _sharpen(ps, rest, last, other["power"])
    return [(p, p) for p in ps], (rest, rest)


def _check(
    core: Any, prompt: Any, mass: Any, limit: Any, max_new_tokens: Any, power: Any, alongside: Any
) -> Tuple[List[int], float, List[Dict[str, Any]], _Bounds]:
    info = core.need_model()
    ids = read_prompt(core, "prompt", prompt)
    if not ids:
        refuse("empty", "no_prompt")
    room = info.context_length - len(ids)
    if room < 1:
        refuse("too_long", "context_prompt", n=len(ids), limit=info.context_length)

    def check_number(name: str, value: Any, low: float, high: float) -> None:
        if not is_number(value):
            raise must_be(name, "a_number", value)
        if not low <= value <= high or (name == "mass" and not value):
            limits = {"minimum": low, "maximum": high}
            refuse("out_of_range", "must_be_between", setting=name, value=value, **limits)

    check_number("mass", mass, 0, 1)
    check_integer("limit", limit, 1, 2**17)
    given = room if max_new_tokens is None else max_new_tokens
    most = check_integer("max_new_tokens", given, 1, room)
    others = [*alongside, *([] if power is None else [{"power": power}])]
    for i, other in enumerate(others):
        if not isinstance(other, dict) or sorted(other) not in _KEYS:
            raise must_be("alongside", "a_list_of_laws", other, i)
        check_number("power", other.get("power", 1), 1, 1000)
        check_integer("best_of", other.get("best_of", 1), 1, 2**20)
    return ids, mass, others, _Bounds(most, info.end_token_ids, limit)
