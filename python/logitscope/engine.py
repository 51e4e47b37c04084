"""The main class: an engine with a model, or without one for given logits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Set, Tuple

from . import settings
from .arrays import ids_of, words
from .chain import resolve_choice
from .checks import SEED_MAX, check_boolean, check_choice, check_integer
from .errors import is_number, must_be
from .library import C, LOCK, exchange, fail, write
from .model import NO_SESSION, Core
from .session import Session, _Held
from .types import Drawn, Info, Law, Marks, Piece, Reading, TableRow, Trace

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .types import Ids, Numbers, Path, Settings

#: Longest context that a model file may have.
_CONTEXT_MAX = 2**20


class Logitscope(Session):
    """The engine. The methods of `Session` act on its default timeline; `session()` opens others.

    Every error is a `LogitscopeError`, a `ValueError` with `code`, `key` and `values`.
    """

    def __init__(self, core: Core) -> None:
        self._sessions: Set[_Held] = set()
        super().__init__(core, self._sessions, later=True)

    @property
    def info(self) -> Optional[Info]:
        """Data of the model; None without a model."""
        return self._core.info

    @property
    def table(self) -> List[TableRow]:
        """The table of settings, in canonical order."""
        return list(settings.TABLE)

    @property
    def variant(self) -> str:
        """The inner loops in use: 'simd' or 'scalar'. Both give the same bits."""
        return self._core.variant

    def _ready(self) -> Core:
        self._core.need_open()
        return self._core

    def encode(
        self, text: str, *, bos: Any = "auto", special: bool = False, normalize: Any = "auto"
    ) -> List[int]:
        """The ids of a text by the model's tokenizer.

        `bos`: True to begin with the beginning-of-sequence token, 'auto': as the model file says.
        `special`: True to read the name of a special token in the text as that token. `normalize`:
        False to read the text as it is. Raises `unknown_token` if the vocabulary cannot spell it.
        """
        with LOCK:
            if bos != "auto" and not isinstance(bos, bool):
                raise must_be("bos", "auto_or_boolean", bos)
            check_boolean("special", special)
            if normalize != "auto" and normalize is not False:
                raise must_be("normalize", "auto_or_false", normalize)
            return self._ready().encode(text, bos, special, normalize is False)

    def decode(self, ids: "Ids", *, special: bool = False) -> str:
        """Returns the text of ids. Bytes that are not UTF-8 become U+FFFD. Special tokens are left
        out unless `special` is True."""
        with LOCK:
            core = self._ready()
            vocab_size = core.need_model().vocab_size
            check_boolean("special", special)
            return core.decode(ids_of("ids", ids, vocab_size), special)

    def piece(self, id: int) -> Piece:
        """Returns the text and the bytes of a token."""
        with LOCK:
            core = self._ready()
            if not is_number(id):
                raise must_be("id", "a_number", id)
            return core.piece(ids_of("id", [id], core.need_model().vocab_size)[0])

    def tokens(self) -> Tuple[str, ...]:
        """Returns the texts of all tokens, by id: always the same tuple. A sampler of your own can
        read it."""
        with LOCK:
            return self._ready().texts()

    def random(self, seed: int, step: int) -> float:
        """Returns the number u in [0, 1) with which a generation with this seed draws in this
        step."""
        seed = check_integer("seed", seed, 0, SEED_MAX)
        return C.draw_random(seed, check_integer("step", step, 0, SEED_MAX))

    def distinct(self, ids: "Ids", n: int) -> float:
        """Returns the number of different n-grams of a text, divided by the number of all."""
        with LOCK:
            checked = ids_of("ids", ids, 2**32)
            n = check_integer("n", n, 1, 2**32 - 1)
            at = exchange(4 * len(checked))
            write(at, words(checked))
            ratio = C.measure_distinct(at, len(checked), n)
            return fail() if ratio < 0 else ratio

    def marks(self, ids: "Ids", **options: "Unpack[Settings]") -> Marks:
        """Returns a value for each id and each watermark that is on, for `detect` to count."""
        with LOCK:
            return self._ready().marks(ids, settings.resolve(options))

    def warp(
        self,
        logits: "Numbers",
        *,
        history: "Ids" = (),
        second: "Optional[Numbers]" = None,
        step: int = 0,
        **options: "Unpack[Settings]",
    ) -> Trace:
        """The trace of any logits (vocab_size,), with the complete result in `.logits` and `.p`.

        `history`: the ids so far, for penalties. `second`: logits of a second distribution.
        `step`: number of tokens drawn so far. Raises `not_finite` for NaN or infinity, `empty`,
        `out_of_range`, `nothing_left`, `unknown_setting`. Needs no model.
        """
        with LOCK:
            chain = self._ready().chain
            source = chain.given(logits, history, second)
            return chain.distribution(source, settings.resolve(options), step)

    def warp_rows(
        self,
        rows: Any,
        *,
        histories: Any = None,
        step: int = 0,
        **options: "Unpack[Settings]",
    ) -> List[Trace]:
        """Calls `warp` for each row of logits (n, vocab_size) with the same settings. `histories`
        has the ids before each row."""
        given = histories if histories is not None else [()] * len(rows)
        return [
            self.warp(row, history=history, step=step, **options)
            for row, history in zip(rows, given)
        ]

    def own_input(
        self,
        logits: "Numbers",
        *,
        history: "Ids" = (),
        second: "Optional[Numbers]" = None,
        step: int = 0,
        **options: "Unpack[Settings]",
    ) -> Tuple[Any, Dict[str, Any], List[int]]:
        """Returns the arguments that a caller's sampler (`own`) would get: its input logits, all
        settings, the ids so far."""
        with LOCK:
            chain = self._ready().chain
            source = chain.given(logits, history, second)
            step = check_integer("step", step, 0, SEED_MAX)
            return chain.own_input(source, settings.resolve(options), step)

    def read_from(
        self,
        logits: "Numbers",
        *,
        history: "Ids" = (),
        second: "Optional[Numbers]" = None,
        step: int = 0,
        u: Optional[float] = None,
        rng: Optional[Callable[[], float]] = None,
        **options: "Unpack[Settings]",
    ) -> Reading:
        """Returns the trace of `warp` and the token of `draw_from`. The chain runs once for
        both."""
        with LOCK:
            chain = self._ready().chain
            source, resolved = chain.given(logits, history, second), settings.resolve(options)
            return chain.read(source, resolved, resolve_choice(resolved.draw, step, u, rng))

    def draw_from(
        self,
        logits: "Numbers",
        *,
        history: "Ids" = (),
        second: "Optional[Numbers]" = None,
        step: int = 0,
        u: Optional[float] = None,
        rng: Optional[Callable[[], float]] = None,
        raw: bool = True,
        **options: "Unpack[Settings]",
    ) -> Drawn:
        """Draws a token from given logits; no model is needed. In a loop, give `rng` or `step`, or
        every draw is the same."""
        with LOCK:
            chain = self._ready().chain
            source = chain.given(logits, history, second)
            resolved = settings.resolve({**options, "top": 0})
            choice = resolve_choice(resolved.draw, step, u, rng, raw)
            return chain.draw(source, resolved, choice).drawn

    def law(
        self,
        prompt: "str | Ids",
        *,
        mass: float = 0.99,
        limit: int = 60_000,
        max_new_tokens: Optional[int] = None,
        power: Optional[float] = None,
        alongside: Any = (),
        **options: "Unpack[Settings]",
    ) -> Law:
        """Returns whole texts in decreasing probability until they hold `mass`, without sampling.

        `limit`: the most prefixes of one search. `max_new_tokens`: longer texts are cut; default:
        the rest of the context. `alongside`: other laws over the same texts, each a dict with
        `settings`, `power` (p^power of these settings or of the law's own), `condition` (a
        constraint) or `best_of` (the most probable of n draws). `power` is short for the last one
        of them. A sampler with a state or a second distribution is refused.
        """
        from .law import law

        asked = {"mass": mass, "limit": limit, "max_new_tokens": max_new_tokens}
        return law(self, prompt, {**asked, "power": power, "alongside": alongside}, dict(options))

    def session(self) -> Session:
        """Opens an empty timeline of this model."""
        with LOCK:
            return Session(self._ready(), self._sessions)

    def close(self) -> None:
        """Frees all memory. Every later call raises an error with code `closed`."""
        with LOCK:
            for held in list(self._sessions):
                held.free(self._core, self._sessions)
            self._core.close()


def load(
    model: "Path | bytes | None" = None,
    *,
    context: Optional[int] = None,
    cache: bool = True,
    variant: str = "auto",
    session: bool = True,
) -> Logitscope:
    """Opens a model: the path or the bytes of a GGUF file; without one, it takes logits only.

    `context`: number of tokens that a session sees, at most the model's own; default: its own, but
    at most 4,096. `cache=False` evaluates the whole window at each step. `variant`: 'auto', 'simd'
    or 'scalar'; all give the same bits. `session=False` opens a file only for its facts and tokens.
    Raises `load_failed`, `bad_file`, `unsupported`, `out_of_range` or `out_of_memory`.
    """
    if context is not None:
        context = check_integer("context", context, 1, _CONTEXT_MAX)
    check_boolean("cache", cache)
    check_boolean("session", session)
    check_choice("variant", variant, ["auto", "simd", "scalar"])
    with LOCK:
        core = Core("scalar" if variant == "scalar" else "simd", cache)
        if model is not None:
            core.open_model(model, context or (0 if session else NO_SESSION))
        scope = Logitscope(core)
        if session and core.info and core.info.architecture:
            scope._allocate()
        return scope
