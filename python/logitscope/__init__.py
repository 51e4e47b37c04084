"""Logitscope: the sampler's instrument, in Python. The engine is the C code of the page.

    import logitscope

    trace = logitscope.warp(logits, temperature=0.7, top_p=0.9)     # logits: list, array or tensor
    scope = logitscope.load("verbs.gguf")
    for step in scope.generate("Tomorrow she", seed=42, temperature=0.7):
        print(step.text, step.p, end=" ")
    logitscope.bench(model, encode, decode)   # the page over a model of yours

Settings, errors and numbers are those of the JavaScript package; the same inputs give the same
bytes. docs/python.md has examples, docs/samplers.md the rule of each sampler.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional

from .bench_page import Bench, bench, show
from .checks import SEED_MAX
from .detect import detect
from .engine import Logitscope, load
from .errors import DATA, LogitscopeError
from .presets import conventions, presets, strategies
from .session import Session
from .settings import TABLE as table
from .types import (
    Detection,
    Drawn,
    Generated,
    Info,
    Law,
    Piece,
    Reading,
    Settings,
    Step,
    TableRow,
    Trace,
    TraceStage,
    TraceToken,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .types import Ids, Numbers

__version__: str = DATA["version"]
__all__ = [
    "Bench",
    "Detection",
    "Drawn",
    "Generated",
    "Info",
    "Law",
    "Logitscope",
    "LogitscopeError",
    "Piece",
    "Reading",
    "SEED_MAX",
    "Session",
    "Settings",
    "Step",
    "TableRow",
    "Trace",
    "TraceStage",
    "TraceToken",
    "bench",
    "conventions",
    "detect",
    "draw_from",
    "load",
    "presets",
    "read_from",
    "show",
    "strategies",
    "table",
    "warp",
    "warp_rows",
]

#: An engine without a model, for the functions below.
_bare = load()


def warp(
    logits: "Numbers",
    *,
    history: "Ids" = (),
    second: "Optional[Numbers]" = None,
    step: int = 0,
    **settings: "Unpack[Settings]",
) -> Trace:
    """Returns the trace of given logits; see `Logitscope.warp`."""
    return _bare.warp(logits, history=history, second=second, step=step, **settings)


def warp_rows(
    rows: Any, *, histories: Any = None, step: int = 0, **settings: "Unpack[Settings]"
) -> List[Trace]:
    """Calls `warp` for each row of logits; see `Logitscope.warp_rows`."""
    return _bare.warp_rows(rows, histories=histories, step=step, **settings)


def read_from(logits: "Numbers", **options: Any) -> Reading:
    """Returns the trace of given logits and a token drawn from them; see `Logitscope.read_from`."""
    return _bare.read_from(logits, **options)


def draw_from(logits: "Numbers", **options: Any) -> Drawn:
    """Draws a token from given logits; see `Logitscope.draw_from`."""
    return _bare.draw_from(logits, **options)
