"""Copies a trace out of C's memory. Python computes no number of it."""

from __future__ import annotations

from ctypes import addressof
from typing import Any, Callable, List, Tuple

from .errors import number_text
from .library import STRUCTS
from .settings import GATES, ROWS, TABLE
from .types import Mass, Rest, Trace, TraceStage, TraceToken

#: Names of all stages by their numbers in src/stage.h: the rows of the table, then the others.
_STAGES = [row.name for row in TABLE] + [*GATES, "own"]


def _stages_of(trace: Any) -> List[TraceStage]:
    stages: List[TraceStage] = []
    records = (STRUCTS["chain_stage"] * trace.n_stages).from_address(addressof(trace.stages))
    for record in records:
        stages.append(
            TraceStage(
                name=_STAGES[record.stage],
                value=record.value,
                active=record.active != 0,
                changed=record.changed != 0,
                kept=record.kept,
                removed=record.removed,
                mass_removed=record.mass_removed,
                top_p_mass=record.top_p_mass,
                entropy=record.entropy,
                perplexity=record.perplexity,
                after=_STAGES[records[record.after - 1].stage] if record.after else None,
            )
        )
    return stages


def _warnings_of(stages: List[TraceStage], underflowed: int) -> List[str]:
    """Returns warnings about settings that have no effect in this chain, and about kept tokens
    whose p is rounded to 0."""
    warnings: List[str] = []
    mirostat = next((s for s in stages if s.name == "mirostat" and s.active), None)
    for stage in stages:
        _, row = ROWS.get(stage.name, (0, None))
        told = f"{stage.name} {number_text(stage.value)}"
        is_set = row is not None and row.kind != "map" and stage.value != row.neutral
        if mirostat and not stage.active and is_set:
            warnings.append(f"{told} is replaced by mirostat {number_text(mirostat.value)}")
        if not stage.active or stage.changed or row is None:
            continue
        earlier = next((s for s in stages if s.name == stage.after), None)
        warnings.append(
            f"{told} removes nothing after {earlier.name} {number_text(earlier.value)}"
            if earlier
            else f"{told} changes nothing here"
        )
    if underflowed:
        warnings.append(
            f"{underflowed} of the kept tokens are below 2^-44 of the best and cannot be drawn"
        )
    return warnings


def read_trace(at: int, piece: Callable[[int], Tuple[str, bool]]) -> Trace:
    """Reads the trace at an address of C. `piece` returns a token's text, and true for a special
    token."""
    c = STRUCTS["chain_trace"].from_address(at)
    stages = _stages_of(c)
    n = len(stages)
    stage_p = c.stage_p
    tokens: List[TraceToken] = []
    for i in range(c.n_tokens):
        token = c.tokens[i]
        text, special = piece(token.id)
        tokens.append(
            TraceToken(
                id=token.id,
                text=text,
                special=special,
                rank=token.rank,
                logit=token.logit,
                warped=token.warped,
                p_raw=token.p_raw,
                p=token.p,
                logprob=token.logprob,
                stage_p=stage_p[i * n : (i + 1) * n],
                removed_by=stages[token.removed_by - 1].name if token.removed_by else None,
                green=token.green == 2 if c.has_green else None,
            )
        )
    return Trace(
        vocab_size=c.vocab_size,
        stages=stages,
        tokens=tokens,
        rest=Rest(c.rest_count, c.rest_p_raw, c.rest_p, c.rest_kept),
        kept=c.kept,
        kept_mass_raw=c.kept_mass_raw,
        entropy=c.entropy,
        perplexity=c.perplexity,
        raw_entropy=c.raw_entropy,
        raw_perplexity=c.raw_perplexity,
        underflowed=c.underflowed,
        warnings=_warnings_of(stages, c.underflowed),
        green=Mass(c.green_p_raw, c.green_p) if c.has_green else None,
    )
