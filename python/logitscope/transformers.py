"""A chain of samplers for the `generate` of transformers.

    from logitscope.transformers import LogitsProcessor

    chain = LogitsProcessor(temperature=0.7, top_p=0.9, seed=42)
    model.generate(**inputs, do_sample=True, top_k=0, logits_processor=[chain])
    chain.traces[0][0]    # the trace of the first step, first row

This module imports neither transformers nor torch: a processor is any callable.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Callable, List, Optional, Tuple

from . import settings
from .arrays import ids_of
from .chain import Source
from .engine import load
from .library import LOCK
from .presets import carried
from .types import Trace

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .types import Settings


class LogitsProcessor:
    """Applies a chain to each row of scores and keeps the trace of each step.

    `decode` gives the text of an id for the traces, such as `tokenizer.decode`. The other arguments
    are settings; `end_tokens` names the tokens that min_new_tokens removes. The result has the type
    of the scores; a token with probability 0 gets -inf. transformers then draws with numbers of its
    own; `seed` decides only XTC's coin. Raises as `logitscope.warp` does, for settings at once.
    """

    def __init__(
        self, *, decode: Optional[Callable[[int], str]] = None, **options: "Unpack[Settings]"
    ) -> None:
        self._resolved = settings.resolve(dict(options))
        self._decode = decode
        self._core = load()._core
        #: The traces of the last generation, as `traces[step][row]`, without all `logits` and `p`.
        self.traces: List[List[Trace]] = []
        self._ids: List[List[int]] = []
        self._before: List[Tuple[Source, settings.Resolved]] = []

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Applies the chain to `scores` (rows, vocab_size). `input_ids` (rows, length) are the ids
        so far."""
        ids = [ids_of("input_ids", row, 2**32) for row in input_ids]
        if [row[:-1] for row in ids] != self._ids:
            self.traces, self._before = [], []
        with LOCK:
            rows = [self._warp(i, row, scores[i]) for i, row in enumerate(ids)]
        self._ids = ids
        self.traces.append([trace for trace, _ in rows])
        return _like(scores, [warped for _, warped in rows])

    def _warp(self, i: int, ids: List[int], scores: Any) -> Tuple[Trace, List[float]]:
        chain, step = self._core.chain, len(self.traces)
        resolved = self._resolved
        state = carried(resolved.values)
        if state and step:
            source, resolved = self._before[i]
            chain.distribution(source, resolved, step - 1)
            resolved = resolved.with_values(**{state: chain.describe(ids[-1], resolved).mu})
        source = chain.given(scores, ids)
        if self._decode is not None:
            decode = self._decode
            source = replace(source, piece=lambda id: (decode(id), False))
        trace = chain.distribution(source, resolved, step)
        self._before[i : i + 1] = [(source, resolved)]
        warped = [x if p > 0 else -float("inf") for x, p in zip(trace.logits.tolist(), trace.p)]
        return replace(trace, logits=None, p=None), warped


def _like(scores: Any, rows: List[List[float]]) -> Any:
    """Returns the rows as a tensor of torch or an array of NumPy, whichever the scores are."""
    if hasattr(scores, "new_tensor"):
        return scores.new_tensor(rows)
    if hasattr(scores, "dtype"):
        from .arrays import np

        return np.array(rows, dtype=scores.dtype)
    return rows
