"""A timeline of a model: the ids that were fed, the logits after them, and draws from these
logits."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Set, Tuple

from . import settings
from .arrays import ids_of, read, read_ids, words
from .chain import Place, Source, check_second, resolve_choice
from .checks import SEED_MAX, check_boolean, check_integer
from .errors import is_number, refuse
from .generate import Generation
from .library import C, LOCK, STRUCTS, exchange, need, write
from .model import Core
from .types import Drawn, Fed, Generated, Reading, Score, ScoredToken, Trace

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .types import Floats, Ids, Numbers, Settings

#: Most texts that one call writes.
_TEXTS_MAX = 1000


class _Held:
    """The timeline's handle in C, and the address of memory for the logits of a second
    distribution."""

    def __init__(self) -> None:
        self.handle = self.room = 0

    def free(self, core: Core, owned: Set["_Held"]) -> None:
        """Frees both. The argument `core` is unused, but keeps the model open until then."""
        C.session_close(self.handle)
        C.memory_release(self.room)
        self.handle = self.room = 0
        owned.discard(self)


class Session:
    """A timeline: the ids fed so far, and the logits after the last id.

    `scope.session()` opens one; the sessions of a scope share its model. `close()` frees it, and so
    does garbage collection. Every error is a `LogitscopeError`.
    """

    def __init__(self, core: Core, owned: Set[_Held], later: bool = False) -> None:
        self._core = core
        self._owned = owned
        self._later = later
        self._held = _Held()
        self._busy = False
        self._has_second = False
        if not later:
            self._allocate()

    def _allocate(self) -> None:
        core = self._core
        core.need_model()
        core.choose_loops()
        held = self._held = _Held()
        held.handle = need(C.session_open(core.handles.model, core.context))
        self._owned.add(held)
        weakref.finalize(self, held.free, core, self._owned)

    def _open(self) -> Core:
        if not self._held.handle:
            if not self._later:
                refuse("closed", "session_closed")
            self._allocate()
        return self._core

    def _fed(self) -> int:
        """Returns the address of the logits. Raises an error before the first feed."""
        self._open()
        at = C.session_logits(self._held.handle)
        if not at:
            refuse("empty", "nothing_fed")
        return at

    def _feed(self, ids: List[int], cache: bool) -> Fed:
        self._open()
        self._has_second = False
        at = exchange(4 * len(ids))
        write(at, words(ids))
        fed = STRUCTS["session_fed"].from_address(
            need(C.session_feed(self._held.handle, at, len(ids), cache))
        )
        return Fed(fed.evaluated, fed.reused)

    def _source(self) -> Source:
        """Returns the timeline as a source for the chain. The logits are not copied."""
        core = self._open()
        info = core.need_model()

        def place() -> Place:
            logits, handle = self._fed(), self._held.handle
            second = self._held.room if self._has_second else 0
            return Place(logits, C.session_timeline(handle), C.session_length(handle), second)

        def piece(id: int) -> Tuple[str, bool]:
            found = core.piece(id)
            return found.text, found.special

        return Source(info.vocab_size, place, piece if info.tokenizer else lambda id: ("", False))

    def feed(self, ids: "Ids", *, cache: Optional[bool] = None) -> Fed:
        """Makes the timeline exactly these ids, keeping the common prefix unless `cache` is False.

        Raises `unknown_token`, `empty`, `too_long`, `not_finite`, or `busy` during a generation.
        """
        with LOCK:
            core = self._open()
            keep = core.cache if cache is None else check_boolean("cache", cache)
            checked = ids_of("ids", ids, core.need_model().vocab_size)
            if self._busy:
                refuse("busy", "busy")
            return self._feed(checked, keep)

    def timeline(self) -> List[int]:
        """The ids that were fed."""
        with LOCK:
            self._open()
            handle = self._held.handle
            return read_ids(C.session_timeline(handle), C.session_length(handle))

    def logits(self) -> "Floats":
        """A copy of the logits after the last id, (vocab_size,) float32."""
        with LOCK:
            return read(self._fed(), self._core.need_model().vocab_size, "f")

    def hidden(self) -> "Floats":
        """A copy (n_embd,) float32 of the last layer's output after the output norm, from which the
        output matrix computes the logits."""
        with LOCK:
            self._fed()
            return read(C.session_hidden(self._held.handle), self._core.need_model().n_embd, "f")

    def second(self, logits: "Optional[Numbers]") -> None:
        """Sets the logits (vocab_size,) of a second distribution, for guidance_scale or
        contrastive_beta. The next feed or None removes them."""
        with LOCK:
            vocab_size = self._open().need_model().vocab_size
            if logits is not None:
                numbers = check_second(logits, vocab_size)
                self._held.room = self._held.room or need(C.memory_allocate(4 * vocab_size))
                write(self._held.room, numbers)
            self._has_second = logits is not None

    def surprisal(self, ids: Any) -> Any:
        """Returns -ln p of a token under the model's own distribution, in nats: a float for one id,
        an array of float64 for a list."""
        with LOCK:
            logits, vocab_size = self._fed(), self._core.need_model().vocab_size
            one = is_number(ids)
            checked = ids_of("ids", [ids] if one else ids, vocab_size)
            n = len(checked)
            at = exchange(12 * n)
            write(at + 8 * n, words(checked))
            C.measure_surprisal(logits, vocab_size, at + 8 * n, n, at)
            surprisals = read(at, n, "d")
            return float(surprisals[0]) if one else surprisals

    def read(
        self,
        *,
        step: int = 0,
        u: Optional[float] = None,
        rng: Optional[Callable[[], float]] = None,
        **options: "Unpack[Settings]",
    ) -> Reading:
        """The next-token distribution under these settings, and a token drawn from it.

        The chain runs once; the model does not run, and the timeline does not change. The random
        number is `u` in [0, 1), or that of `rng()`, or that of `seed` and `step`. So a loop without
        one of them repeats one token.
        """
        with LOCK:
            source, resolved = self._source(), settings.resolve(options)
            choice = resolve_choice(resolved.draw, step, u, rng)
            return self._core.chain.read(source, resolved, choice)

    def distribution(self, *, step: int = 0, **options: "Unpack[Settings]") -> Trace:
        """Returns the trace of `read` without drawing. `step` is the number of tokens drawn so
        far."""
        with LOCK:
            return self._open().chain.distribution(
                self._source(), settings.resolve(options), step
            )

    def draw(
        self,
        *,
        step: int = 0,
        u: Optional[float] = None,
        rng: Optional[Callable[[], float]] = None,
        raw: bool = True,
        **options: "Unpack[Settings]",
    ) -> Drawn:
        """Returns the drawn token of `read`, but faster. With `raw=False`, p_raw is 0, which saves
        a pass over the vocabulary. `draw(draw="gumbel")` chooses the method."""
        with LOCK:
            source, resolved = self._source(), settings.resolve({**options, "top": 0})
            choice = resolve_choice(resolved.draw, step, u, rng, raw)
            return self._core.chain.draw(source, resolved, choice).drawn

    def generate(
        self,
        prompt: "str | Ids | None" = None,
        *,
        drawn_ids: "Ids" = (),
        max_new_tokens: int = 100,
        cache: Optional[bool] = None,
        stop: Any = (),
        u: Optional[float] = None,
        amateur: Any = None,
        top_logprobs: Optional[int] = None,
        **options: "Unpack[Settings]",
    ) -> Generation:
        """Feeds the prompt and returns an iterator that draws a token at each step.

        `prompt`: a text or its ids. `drawn_ids`: ids that an earlier generation drew after the
        prompt; the text continues as that generation did. `max_new_tokens`: 0 to 262,144. `stop`:
        texts that end the generation. `u` in [0, 1) replaces the first step's number. `amateur`: a
        scope or session over a second model, in place of negative_prompt. `top_logprobs`: number of
        tokens that each step lists. `.result` is the text so far, after the loop the whole text.
        Leave the loop with `break` to end it early. Raises at once for arguments, and `busy` while
        another generation of this session runs.
        """
        with LOCK:
            self._open()
            return Generation(
                self,
                {
                    "prompt": prompt,
                    "drawn_ids": drawn_ids,
                    "max_new_tokens": max_new_tokens,
                    "cache": cache,
                    "stop": stop,
                    "u": u,
                    "amateur": amateur,
                    "top_logprobs": top_logprobs,
                },
                dict(options),
            )

    def write(self, prompt: "str | Ids | None" = None, **options: Any) -> Generated:
        """Calls `generate` and runs it to its end. The result has all steps."""
        generation = self.generate(prompt, **options)
        steps = list(generation)
        result = generation.result
        result.steps = steps
        return result

    def write_many(
        self, prompt: "str | Ids | None" = None, *, n: int = 1, seed: int = 0, **options: Any
    ) -> List[Generated]:
        """Writes `n` texts (1 to 1000) after one prompt. Text i is the same as `write` with seed +
        i."""
        check_integer("n", n, 1, _TEXTS_MAX)
        seed = check_integer("seed", seed, 0, SEED_MAX)
        return [self.write(prompt, seed=seed + i, **options) for i in range(n)]

    def score(self, prompt: "str | Ids", completion: "str | Ids") -> Score:
        """Returns the log-probability of a text after a prompt, in nats, under the model's own
        distribution. Afterwards, the timeline has the prompt and the text without its last
        token."""
        with LOCK:
            core = self._open()
            vocab_size = core.need_model().vocab_size
            given: Dict[str, Any] = {}
            for name, value in {"prompt": prompt, "completion": completion}.items():
                settings.check_text(name, value)
                given[name] = value if isinstance(value, str) else ids_of(name, value, vocab_size)
            before, after = given["prompt"], given["completion"]
            if isinstance(before, str):
                before = core.encode(before)
            if not before:
                refuse("empty", "no_prompt")
            if isinstance(after, str):
                whole = core.encode(prompt + after) if isinstance(prompt, str) else []
                same = whole[: len(before)] == before
                after = whole[len(before) :] if same else core.encode(after, bos=False)
            ids, tokens, total = list(before), [], 0.0
            for id in after:
                self.feed(ids)
                logprob = -self.surprisal(id)
                text = core.piece(id).text if core.need_model().tokenizer else ""
                tokens.append(ScoredToken(id, text, logprob))
                total += logprob
                ids.append(id)
            return Score(before, after, total, tokens)

    def _sibling(self) -> "Session":
        """Opens an empty session of the same model."""
        return Session(self._core, self._owned)

    def fork(self) -> "Session":
        """Opens a session with a copy of the timeline, without running the model."""
        with LOCK:
            core = self._open()
            fork = self._sibling()
            C.session_copy(fork._held.handle, self._held.handle)
            if self._has_second:
                fork.second(read(self._held.room, core.need_model().vocab_size, "f"))
            return fork

    def close(self) -> None:
        """Frees the timeline. Every later call raises an error with code `closed`."""
        with LOCK:
            self._later = False
            if self._held.handle:
                self._held.free(self._core, self._owned)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
