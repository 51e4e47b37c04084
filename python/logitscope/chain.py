"""Runs the chain on one vector of logits.

A caller's sampler runs first; then C gets settings, logits, history and constraint. chain_apply
records each stage for a trace. A call that needs only a token uses chain_sample, which records
nothing (except with Gumbel-max) and draws the same token.
"""

from __future__ import annotations

import ctypes
import weakref
from array import array
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple

from . import arrays, settings
from .arrays import float32s, ids_of, read, read_ids, words
from .checks import SEED_MAX, check_boolean, check_integer
from .errors import LogitscopeError, Phrase, is_number, must_be, refuse, show, shown
from .library import C, STRUCTS, exchange, fail, need, text_of, utf8, write
from .presets import carried
from .settings import Resolved
from .trace import read_trace
from .types import ConstraintState, Drawn, ListedToken, Reading, Trace, TraceToken

if TYPE_CHECKING:
    from .model import Core

#: A new chain can list at least this many tokens, so that it is seldom replaced by a larger one.
_MIN_TOP_MAX = 64


@dataclass
class Place:
    """Addresses of the logits, the history, a second distribution, and memory for the result of a
    caller's sampler; 0 for the last two if there is none."""

    logits: int
    history: int
    count: int
    second: int = 0
    room: int = 0


@dataclass
class Source:
    """A source of logits. `place` copies them into C's memory; call it after everything else is
    written there. `whole` is true if the trace should have all logits and probabilities."""

    size: int
    place: Callable[[], Place]
    piece: Callable[[int], Tuple[str, bool]] = lambda id: ("", False)
    whole: bool = False


@dataclass
class Choice:
    """The options of a draw. `u` is used in place of the seed's number. p_raw is computed only if
    `raw` is true."""

    step: int = 0
    u: Optional[float] = None
    raw: bool = True


@dataclass
class Ready:
    """A chain that can run once: settings, logits, history and constraint are in C's memory."""

    chain: int
    at: Tuple[int, int, int]
    mask: int
    resolved: Resolved
    source: Source


@dataclass
class Sample:
    drawn: Drawn
    kept: int
    entropy: float
    tokens: Optional[List[ListedToken]] = None


def resolve_choice(
    draw: str,
    step: int = 0,
    u: Optional[float] = None,
    rng: Optional[Callable[[], float]] = None,
    raw: bool = True,
) -> Choice:
    """Checks the options of a draw."""
    step = check_integer("step", step, 0, SEED_MAX)
    check_boolean("raw", raw)
    if u is None and rng is None:
        return Choice(step, None, raw)
    if draw == "gumbel" or (u is not None and rng is not None):
        refuse("invalid_argument", "u_gumbel" if draw == "gumbel" else "u_and_rng")
    if rng is not None and not callable(rng):
        raise must_be("rng", "a_function", rng)
    value = rng() if rng is not None else u
    if not is_number(value) or not 0 <= value < 1:  # type: ignore[operator]
        refuse(
            "out_of_range" if is_number(value) else "invalid_argument",
            "must_be_at_least_below",
            setting=Phrase("what_rng_returns") if rng is not None else "u",
            minimum=0,
            maximum=1,
            value=shown(value),
        )
    return Choice(step, float(value), raw)  # type: ignore[arg-type]


class Chain:
    """Runs the chain of one engine. It keeps C's memory for the last size of vocabulary."""

    def __init__(self, core: "Core") -> None:
        self._core: "Core" = weakref.proxy(core)  # no reference cycle
        self._handles = core.handles
        self._size = 0
        self._top_max = 0
        self._grammar = ""

    # Calls from the public interface

    def read(self, source: Source, resolved: Resolved, choice: Choice) -> Reading:
        """Returns the trace and a drawn token. The chain runs once for both."""
        ready = self._prepared(source, resolved, choice.step)
        trace = self._trace(ready)
        drawn = self._draw(ready, choice).drawn  # draw first: _whole overwrites the exchange
        return Reading(self._whole(ready, trace), drawn)

    def distribution(self, source: Source, resolved: Resolved, step: int) -> Trace:
        ready = self._prepared(source, resolved, check_integer("step", step, 0, SEED_MAX))
        return self._whole(ready, self._trace(ready))

    def draw(self, source: Source, resolved: Resolved, choice: Choice) -> Sample:
        """Draws a token. If `top` is not 0, also lists the first `top` tokens."""
        ready = self._prepared(source, resolved, choice.step)
        if resolved.top:
            tokens = [_listed(token) for token in self._trace(ready).tokens]
            return replace(self._draw(ready, choice), tokens=tokens)
        if resolved.draw == "gumbel":
            self._apply(ready)
            return self._draw(ready, choice)
        u = self._random(resolved, choice)
        return self._sample(C.chain_sample(ready.chain, *ready.at, u, choice.raw), resolved, u)

    def probabilities(self, source: Source, resolved: Resolved, step: int) -> "array[float]":
        """Returns p (vocab_size,) without a trace; empty if a gate leaves no token."""
        ready = self._prepare_run(source, resolved, step)
        try:
            self._apply(ready)
        except LogitscopeError as error:
            if error.code == "nothing_left":
                return array("d")
            raise
        at = exchange(8 * source.size)
        C.chain_probabilities(ready.chain, at, source.size)
        return array("d", ctypes.string_at(at, 8 * source.size))

    def own_input(
        self, source: Source, resolved: Resolved, step: int
    ) -> Tuple[Any, Dict[str, Any], List[int]]:
        """Runs the chain up to the caller's sampler and returns the arguments that this sampler
        would get."""
        order = resolved.order if "own" in resolved.order else [*resolved.order, "own"]
        asked = replace(resolved, own=None, order=order, top=0)
        ready = self._prepare_run(source, asked, step)
        history = read_ids(ready.at[1], ready.at[2])
        self._apply(ready)
        logits = read(C.chain_logits(ready.chain), source.size, "f")
        return logits, resolved.report(), history

    def describe(self, id: int, resolved: Resolved) -> Drawn:
        """Describes a kept token of the last trace as a draw of this token would."""
        return self._sample(C.chain_describe(self._handles.chain, id), resolved, None).drawn

    def check(self, resolved: Resolved, vocab_size: int) -> None:
        """Refuses settings with token ids outside a vocabulary."""
        biases = resolved.values["logit_bias"]
        settings.check_biased(biases, vocab_size)
        self._prepare(resolved, vocab_size, 0, settings.biases_after(biases, None))

    def given(self, logits: Any, history: Any = (), second: Any = None) -> Source:
        """Makes a source of the caller's logits."""
        numbers = float32s("logits", logits)
        size = len(numbers)
        ids = ids_of("history", () if history is None else history, size)
        other = None if second is None else check_second(second, size)

        def place() -> Place:
            at = exchange(4 * (3 * size + len(ids)))
            room, second_at, history_at = at + 4 * size, at + 8 * size, at + 12 * size
            write(at, numbers)
            if other is not None:
                write(second_at, other)
            write(history_at, words(ids))
            return Place(at, history_at, len(ids), second_at if other is not None else 0, room)

        return Source(size, place, whole=True)

    def is_spent(self, gates: Dict[str, Any], ids: Sequence[int]) -> bool:
        """Returns true if the constraint's text is complete and nothing can follow, not even an end
        token."""
        if "constraint" not in gates:
            return False
        self._open_constraint(gates["constraint"]["grammar"])
        at = exchange(4 * len(ids))
        write(at, words(ids))
        state = _constraint_state(self._follow(gates, at, len(ids)))
        return state.complete and state.allowed == 0

    def open(self, vocab_size: int, top: int) -> int:
        """Returns C's handle of a chain that is large enough; opens one if needed."""
        if self._handles.chain and self._size == vocab_size and top <= self._top_max:
            return self._handles.chain
        C.chain_close(self._handles.chain)
        self._handles.chain = 0
        self._size, self._top_max = vocab_size, min(vocab_size, max(_MIN_TOP_MAX, top))
        self._core.choose_loops()
        self._handles.chain = need(C.chain_open(vocab_size, self._top_max))
        return self._handles.chain

    # Preparing C's memory for a run

    def _prepared(self, source: Source, resolved: Resolved, step: int) -> Ready:
        """Calls the caller's sampler and puts its result into the settings."""
        own = resolved.own
        if own is not None:
            if callable(own) and not hasattr(own, "__array__"):
                own = own(*self.own_input(source, resolved, step))
            resolved = replace(resolved, own=check_own(own, source.size))
        return self._prepare_run(source, resolved, step)

    def _prepare_run(self, source: Source, resolved: Resolved, step: int) -> Ready:
        biases = resolved.values["logit_bias"]
        settings.check_biased(biases, source.size)

        def history() -> List[int]:
            placed = source.place()
            return read_ids(placed.history, placed.count)

        chain = self._prepare(resolved, source.size, step, settings.biases_after(biases, history))
        placed = source.place()
        if "own" in resolved.order:
            result = 0
            if resolved.own is not None:
                result = placed.room or exchange(4 * source.size)
                write(result, resolved.own)
            C.settings_own(result, resolved.order.index("own"))
        C.settings_second(placed.second)
        mask = self._follow(resolved.gates, placed.history, placed.count)
        return Ready(chain, (placed.logits, placed.history, placed.count), mask, resolved, source)

    def _prepare(
        self, resolved: Resolved, size: int, step: int, biases: Sequence[Tuple[int, float]]
    ) -> int:
        chain = self.open(size, min(resolved.top, size))
        core = self._core
        settings.apply(
            resolved, core.breakers(resolved, size), core.ends(resolved, size), biases, step
        )
        self._prepare_gates(resolved.gates, size)
        if C.settings_check(size):
            fail()
        return chain

    def _prepare_gates(self, gates: Dict[str, Any], size: int) -> None:
        core = self._core
        if "constraint" in gates:
            core.need_tokenizer("constraint", gates["constraint"], size)
            self._open_constraint(gates["constraint"]["grammar"])
        first = gates.get("forced_first", -1)
        if isinstance(first, str):
            core.need_tokenizer("forced_first", first, size)
        banned: List[List[int]] = []
        for word in gates.get("banned_words", ()):
            if isinstance(word, str):
                core.need_tokenizer("banned_words", word, size)
                spelled = [core.spelling(word), core.spelling(f" {word}")]
                whole = None if len(spelled[0]) == 1 else core.token_of(word)
                banned += [ids for ids in spelled if ids] + ([] if whole is None else [[whole]])
            else:
                banned.append([int(id) for id in (word if isinstance(word, list) else [word])])
        settings.give_sequences(C.settings_banned, banned)
        C.settings_forced(self._one_token(first) if isinstance(first, str) else first)

    def _one_token(self, text: str) -> int:
        ids = self._core.spelling(text)
        if len(ids) == 1:
            return ids[0]
        id = self._core.token_of(text) if text else None
        if id is None:
            n = len(ids) or Phrase("none")
            refuse("invalid_argument", "forced_many", text=show(text), n=n)
        return id

    def _open_constraint(self, grammar: str) -> None:
        if self._handles.constraint and self._grammar == grammar:
            return
        self._handles.lexicon = self._handles.lexicon or need(C.lexicon_open(self._handles.model))
        data = utf8(grammar[1:] if grammar.startswith("\ufeff") else grammar)
        at = exchange(len(data))
        write(at, data)
        opened = need(C.constraint_open(self._handles.lexicon, at, len(data)))
        C.constraint_close(self._handles.constraint)
        self._handles.constraint, self._grammar = opened, grammar

    def _follow(self, gates: Dict[str, Any], history: int, count: int) -> int:
        """Computes the mask of allowed tokens after a history and returns its address; 0 without a
        constraint."""
        start = gates.get("constraint_start", count)
        if start > count:
            refuse("out_of_range", "constraint_start_beyond", limit=count, value=start)
        if start < count:
            C.settings_forced(-1)
        if "constraint" not in gates:
            return 0
        begin = history + 4 * start
        mask = need(C.constraint_follow(self._handles.constraint, begin, count - start))
        C.settings_allowed(mask)
        return mask

    # Running the chain and reading its results

    def _apply(self, ready: Ready) -> int:
        return need(C.chain_apply(ready.chain, *ready.at, ready.resolved.top))

    def _trace(self, ready: Ready) -> Trace:
        trace = read_trace(self._apply(ready), ready.source.piece)
        if ready.mask:
            trace.constraint = _constraint_state(ready.mask)
        return trace

    def _whole(self, ready: Ready, trace: Trace) -> Trace:
        """Adds all logits and probabilities to the trace of given logits. This overwrites the
        exchange."""
        if ready.source.whole:
            size = ready.source.size
            trace.logits = read(C.chain_logits(ready.chain), size, "f")
            at = exchange(8 * size)
            C.chain_probabilities(ready.chain, at, size)
            trace.p = read(at, size, "d")
        return trace

    def _random(self, resolved: Resolved, choice: Choice) -> float:
        return choice.u if choice.u is not None else C.draw_random(resolved.seed, choice.step)

    def _draw(self, ready: Ready, choice: Choice) -> Sample:
        """Draws from the tokens that the chain has kept."""
        resolved = ready.resolved
        if resolved.draw == "gumbel":
            sample = C.chain_draw_gumbel(ready.chain, resolved.seed, choice.step)
            return self._sample(sample, resolved, None)
        u = self._random(resolved, choice)
        return self._sample(C.chain_draw(ready.chain, u), resolved, u)

    def _sample(self, at: int, resolved: Resolved, u: Optional[float]) -> Sample:
        c = STRUCTS["chain_sample"].from_address(need(at))
        d = c.drawn
        mu = C.warp_next(d.p_before) if carried(resolved.values) else None
        drawn = Drawn(d.id, u, d.p, d.p_raw, d.logprob, d.rank, mu)
        return Sample(drawn, c.kept, c.entropy)


def _listed(token: TraceToken) -> ListedToken:
    return ListedToken(token.id, token.text, token.logprob, token.p, token.p_raw, token.rank)


def _constraint_state(at: int) -> ConstraintState:
    mask = STRUCTS["constraint_mask"].from_address(at)
    bits = bytes(memoryview(mask.bytes))
    allowed = [i for i in range(256) if bits[i >> 3] >> (i & 7) & 1]
    return ConstraintState(text_of(mask.rule), mask.complete != 0, mask.count, allowed)


def check_second(logits: Any, size: int) -> Any:
    """Checks the logits of a second distribution. C checks that they are finite."""
    numbers = float32s("logits", logits)
    if len(numbers) != size:
        refuse("invalid_argument", "second_each", limit=size, n=len(numbers))
    return numbers


def check_own(result: Any, size: int) -> Any:
    """Checks the result of a caller's sampler. C checks that its numbers are finite."""
    try:
        numbers = arrays.plain("own", result, "a_list_of_numbers")
    except LogitscopeError as error:
        values = {"value": error.values["value"]}
        if "at" in error.values:
            values["at"] = error.values["at"]
            refuse("invalid_argument", "own_numbers_at", **values)
        refuse("invalid_argument", "own_numbers", **values)
    if len(numbers) != size:
        refuse("invalid_argument", "own_each", limit=size, n=len(numbers))
    return float32s("own", numbers)
