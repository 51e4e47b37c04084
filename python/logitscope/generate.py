"""The decode loop: feeds ids, runs the chain, draws a token and appends it, until the text ends."""

from __future__ import annotations

import codecs
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Dict, Generator, List, Optional

from . import settings
from .arrays import ids_of
from .chain import Choice, resolve_choice
from .checks import check_boolean, check_integer
from .errors import must_be, refuse
from .library import LOCK
from .presets import carried, reads_second
from .settings import Resolved
from .types import Generated, Step

if TYPE_CHECKING:
    from .model import Core
    from .session import Session

_TIMELINE_MAX = 1 << 18  # the same as SESSION_TIMELINE_MAX of src/session.h


class TextStream:
    """Decodes a text token by token. It holds back incomplete UTF-8, and any end that may become a
    stop text."""

    def __init__(self, stops: List[str]) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self._stops = stops
        self.text = ""
        self.stopped = False  # true after a stop text; the result ends before it

    def push(self, data: bytes) -> str:
        """Adds the bytes of a token and returns the text that is final."""
        self._held += self._decoder.decode(data)
        return self._release(False)

    def finish(self) -> str:
        """Ends the text and returns everything that was held back."""
        if self.stopped:
            return ""
        self._held += self._decoder.decode(b"", True)
        return self._release(True)

    def _release(self, last: bool) -> str:
        found = [self._held.find(stop) for stop in self._stops if stop in self._held]
        self.stopped = bool(found)
        certain = len(self._held) - (0 if last else self._pending())
        if found:
            certain = min(found)
        added = self._held[:certain]
        self._held = "" if self.stopped else self._held[certain:]
        self.text += added
        return added

    def _pending(self) -> int:
        """Returns the length of the longest end of the held-back text with which a stop text could
        begin."""
        longest = max((len(stop) - 1 for stop in self._stops), default=0)
        for n in range(min(longest, len(self._held)), 0, -1):
            if any(stop.startswith(self._held[-n:]) for stop in self._stops):
                return n
        return 0


def _check_stops(stop: Any) -> List[str]:
    stops = list(stop) if isinstance(stop, (list, tuple)) else [stop]
    for text in stops:
        if not isinstance(text, str) or text == "":
            raise must_be("stop", "a_string_or_strings", stop)
    return stops


def read_prompt(core: "Core", name: str, given: Any) -> List[int]:
    """Returns the ids of a text; a list of ids is returned as it is."""
    settings.check_text(name, given)
    if isinstance(given, str):
        return core.encode(given)
    return ids_of(name, given, core.need_model().vocab_size)


class Generation:
    """An iterator over the steps of one text.

    During a step the timeline is the text before the drawn token, so `session.distribution` gives
    the distribution of that draw. `result` is the text so far.
    """

    def __init__(self, session: "Session", asked: Dict[str, Any], given: Dict[str, Any]) -> None:
        self._text = _Text(session, asked, given)
        # The generator has no reference to this object, so leaving the loop frees both.
        self._run = self._text.steps()

    def __iter__(self) -> "Generation":
        return self

    def __next__(self) -> Step:
        return next(self._run)

    @property
    def result(self) -> Generated:
        """The text so far. `finish_reason` is 'aborted' until the text has ended."""
        return self._text.result()

    def close(self) -> None:
        """Ends the generation, as `break` in its loop does."""
        self._run.close()


class _Text:
    """A text that is being written: its options, and the loop that extends it."""

    def __init__(self, session: "Session", asked: Dict[str, Any], given: Dict[str, Any]) -> None:
        self._session = session
        core = session._core
        vocab_size = core.need_model().vocab_size
        top = asked["top_logprobs"]
        resolved = settings.resolve(given, list(asked))
        resolved.top = given.get("top", 0) if top is None else top
        resolved.top = check_integer("top_logprobs", resolved.top, 0, 2**32 - 1)
        core.chain.check(resolved, vocab_size)  # raise errors before any id is fed
        self._maximum = check_integer("max_new_tokens", asked["max_new_tokens"], 0, _TIMELINE_MAX)
        cache = asked["cache"]
        self._cache = core.cache if cache is None else check_boolean("cache", cache)
        self._stream = TextStream(_check_stops(asked["stop"]))
        choice = resolve_choice(resolved.draw, 0, asked["u"])
        self._resolved = resolved
        begin = read_prompt(core, "prompt", asked["prompt"])
        if not begin:
            refuse("empty", "no_prompt")
        drawn = ids_of("drawn_ids", asked["drawn_ids"], vocab_size)
        self._ids = [*begin, *drawn]
        self._length, self._begun = len(begin), len(self._ids)
        if self._begun + self._maximum > _TIMELINE_MAX:
            more = {"more": self._maximum, "limit": _TIMELINE_MAX}
            refuse("too_long", "timeline_run", n=self._begun, **more)
        self._choice = Choice(len(drawn), choice.u)
        self._amateur = asked["amateur"]
        self._negative = self._read_negative(core)
        if session._busy:
            refuse("busy", "busy")
        self._finish: Optional[str] = None if self._maximum else "length"

    def _read_negative(self, core: "Core") -> Optional[List[int]]:
        """Returns the ids of the negative prompt; None if the settings need no second
        distribution."""
        if not reads_second(self._resolved.values):
            return None
        given = self._resolved.negative_prompt
        last = self._ids[self._length - 1 : self._length]
        negative = read_prompt(core, "negative_prompt", last if given is None else given)
        if not negative:
            refuse("empty", "no_negative_prompt")
        amateur = self._amateur
        if amateur is not None and not (hasattr(amateur, "feed") and hasattr(amateur, "logits")):
            raise must_be("amateur", "a_scope", amateur)
        return negative

    def result(self) -> Generated:
        return Generated(
            prompt_ids=self._ids[: self._length],
            ids=self._ids[self._begun :],
            text=self._stream.text,
            finish_reason=self._finish or "aborted",
            seed=self._resolved.seed,
            settings=self._resolved.report(),
        )

    def steps(self) -> "Generator[Step, None, None]":
        session, core = self._session, self._session._core
        if session._busy:
            refuse("busy", "busy")
        session._busy = True
        beside: Optional[Session] = None
        try:
            with LOCK:
                session._has_second = False
                if self._negative is not None and self._amateur is None:
                    beside = session._sibling()
                if self._finish:
                    session._feed(self._ids, self._cache)
            gates = {"constraint_start": self._length, **self._resolved.gates}
            now = replace(self._resolved, gates=gates)
            for n in range(self._maximum):
                with LOCK:
                    step = self._step(now, beside, n + 1 == self._maximum)
                state = carried(now.values)
                if state:
                    now = now.with_values(**{state: step.mu})
                yield step
                if self._finish:
                    break
        finally:
            session._busy = False
            self._stream.finish()
            if beside is not None:
                beside.close()

    def _step(self, now: Resolved, beside: "Optional[Session]", is_last: bool) -> Step:
        """Draws one token and finds out if the text ends with it."""
        session, core, ids = self._session, self._session._core, self._ids
        began = time.perf_counter()
        session._feed(ids, self._cache)
        if self._negative is not None:
            session.second(self._second(self._negative, beside))
        sample = core.chain.draw(session._source(), now, self._choice)
        self._choice = Choice(self._choice.step + 1)
        info, drawn, stream = core.need_model(), sample.drawn, self._stream
        ids.append(drawn.id)
        piece = core.piece(drawn.id) if info.tokenizer else None
        added = stream.push(piece.bytes) if piece and not piece.special else ""
        ends = core.ends(now, info.vocab_size)
        if stream.stopped:
            self._finish = "stop"
        elif drawn.id in ends:
            self._finish = "eos"
        elif not ends and core.chain.is_spent(now.gates, ids):
            self._finish = "stop"
        elif is_last:
            self._finish = "length"
        if self._finish:
            added += stream.finish()
            if stream.stopped:
                self._finish = "stop"
        return Step(
            **drawn.__dict__,
            text=added,
            entropy=sample.entropy,
            kept=sample.kept,
            ms=1000 * (time.perf_counter() - began),
            position=len(ids) - 1,
            top_logprobs=sample.tokens,
        )

    def _second(self, negative: List[int], beside: "Optional[Session]") -> Any:
        """Returns the logits of the second distribution."""
        if beside is None:
            self._amateur.feed(self._ids)
            return self._amateur.logits()
        beside._feed([*negative, *self._ids[self._length :]], self._cache)
        return beside.logits()
