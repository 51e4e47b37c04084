"""Detects watermarks: the evidence of each watermark in a text, and its probability without one.

C computes the hashes; this module counts, with the same operations as `web/engine/detect.js`.
Without a watermark, a count is binomially distributed over random keys. A repeat adds no evidence.
So a context and its next token are counted once (with green_self: the deciding token and the next
token); for SynthID, each context is counted once.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Hashable, List, Sequence

from .checks import check_integer
from .errors import refuse
from .types import Detection, Weighted

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .engine import Logitscope
    from .types import Ids, Settings

#: The mark of a token without a full context.
_NONE = 2**32 - 1
_ROOT_TAU = 2.5066282746310002  # the square root of 2 pi


def upper_tail(n: int, least: int, q: float) -> float:
    """Returns the probability of at least `least` successes in n trials, each with probability q.
    Each term is the one before it times a quotient, starting at the largest, so that every host
    gets the same bits."""
    odds = q / (1 - q)
    mode = min(n, math.floor((n + 1) * q))
    sums = [0.0, 0.0]  # sums of the terms below `least`, and from it on
    i, term = mode, 1.0
    while i <= n and term > 0:
        sums[i >= least] += term
        term *= ((n - i) / (i + 1)) * odds
        i += 1
    i, term = mode - 1, 1.0
    while i >= 0 and term > 0:
        term *= (i + 1) / (n - i) / odds
        sums[i >= least] += term
        i -= 1
    return sums[1] / (sums[1] + sums[0])


def _decay(x: float) -> float:
    """Computes e^-x for x >= 0 with basic operations only, so that every host gets the same
    bits."""
    if x > 745:
        return 0.0
    halvings = 0
    while x > 1 / 16:
        x /= 2
        halvings += 1
    value = 1.0
    for i in range(12, 0, -1):
        value = 1 - (x / i) * value
    for _ in range(halvings):
        value *= value
    return value


def normal_tail(z: float) -> float:
    """Returns the probability that a standard normal number is at least z (Abramowitz and Stegun
    1964: 26.2.11 for z near 0, 26.2.14 for larger z)."""
    if z < 0:
        return 1 - normal_tail(-z)
    density = _decay((z * z) / 2) / _ROOT_TAU
    if z > 3:
        rest = z
        for k in range(60, 0, -1):
            rest = z + k / rest
        return density / rest
    total, term = 0.0, z
    for k in range(1, 80):
        total += term
        term *= (z * z) / (2 * k + 1)
    return 1 / 2 - density * total


def _weigh(scored: List[int], depth: int) -> Weighted:
    """Computes SynthID's weighted mean. The weights of the layers fall in equal steps from 10 to 1;
    the factor (layers - 1) makes them integers."""
    weights = [10 * (depth - 1) - 9 * i if depth > 1 else 1 for i in range(depth)]
    whole, squares = sum(weights), sum(weight * weight for weight in weights)
    won, curve = 0, []
    for i, g in enumerate(scored):
        won += sum(weight for layer, weight in enumerate(weights) if g >> layer & 1)
        curve.append((won - ((i + 1) * whole) / 2) / math.sqrt(((i + 1) * squares) / 4))
    z = curve[-1] if curve else 0.0
    share = won / (len(scored) * whole) if scored else 0.0
    return Weighted(share, z, normal_tail(z) if scored else 1.0, curve)


def _count(
    marks: Sequence[int],
    names: Sequence[Hashable],
    start: int,
    name: str,
    depth: int,
    chance: float,
) -> Detection:
    """Counts the evidence for one watermark. Tokens with equal `names` are counted once. A token
    has `depth` trials; without the watermark, each succeeds with probability `chance`."""
    synthid = name == "synthid_depth"
    # SynthID does not mark a token if its context occurred in the prompt.
    seen = set(names[:start]) if synthid else set()
    ones = [bin(mark).count("1") for mark in marks]
    scored: List[int] = []
    curve: List[float] = []
    count = 0
    for i in range(start, len(marks)):
        if marks[i] == _NONE or names[i] in seen:
            continue
        seen.add(names[i])
        scored.append(i)
        count += ones[i]
        trials = len(scored) * depth
        curve.append((count - trials * chance) / math.sqrt(trials * chance * (1 - chance)))
    n = len(scored)
    return Detection(
        name=name,
        n=n,
        count=count,
        share=count / (n * depth) if n else 0.0,
        expected=chance,
        z=curve[-1] if curve else 0.0,
        p=upper_tail(n * depth, count, chance),
        shares=[None if mark == _NONE else one / depth for mark, one in zip(marks, ones)],
        scored=scored,
        curve=curve,
        weighted=_weigh([marks[i] for i in scored], depth) if synthid else None,
    )


def detect(
    scope: "Logitscope", ids: "Ids", *, start: int = 0, **settings: "Unpack[Settings]"
) -> List[Detection]:
    """The evidence of each watermark that the settings turn on, in a text's ids.

    Key, fraction and contexts must be those of the text's generation; green_bias may have any value
    but 0. `start`: index of the first token that is counted (`from` in JavaScript); the tokens
    before it, the prompt, only give context. Raises `invalid_argument` if no watermark is on.
    """
    start = check_integer("from", start, 0, 2**32 - 1)
    marks = scope.marks(ids, **settings)
    values: Any = marks.values
    given: List[int] = [int(id) for id in ids]

    def grams(width: int, end: int) -> List[Hashable]:
        return [tuple(given[max(0, i - width) : i + end]) for i in range(len(given))]

    found: List[Detection] = []
    if marks.green is not None:
        names: List[Hashable] = grams(values["green_context"], 1)
        if values["green_self"]:
            names = [
                (given[i - (mark >> 1)] if mark != _NONE else None, given[i])
                for i, mark in enumerate(marks.green)
            ]
        greens = [mark if mark == _NONE else mark & 1 for mark in marks.green]
        found.append(_count(greens, names, start, "green_bias", 1, values["green_fraction"]))
    if marks.synthid is not None:
        depth = values["synthid_depth"]
        names = grams(values["synthid_context"], 0)
        found.append(_count(marks.synthid, names, start, "synthid_depth", depth, 1 / 2))
    if not found:
        refuse("invalid_argument", "no_watermark")
    return found
