"""The types of the package's interface. Entropies are in bits; masses are from 0 to 1."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Union

from ._settings import Settings as Settings

if TYPE_CHECKING:
    import os

    import numpy as np

    Floats = np.ndarray  # one dimension, float32 or float64
    #: Numbers: a list, a NumPy array, a torch tensor, or any array with the buffer protocol.
    Numbers = Union[Sequence[float], np.ndarray, Any]
    #: Token ids, in the same forms as numbers.
    Ids = Union[Sequence[int], np.ndarray, Any]
    Path = Union[str, "os.PathLike[str]"]

#: The caller's sampler: gets its input logits (vocab_size,), every setting and the ids so far;
#: returns a logit for each token, -inf to remove it.
Own = Callable[[Any, Dict[str, Any], List[int]], Any]


@dataclass
class TableRow:
    """One setting. The value `neutral` changes nothing; valid values are from `minimum` to
    `maximum`."""

    name: str
    stage: str  # the sampler's name in an order: 'dry' and 'xtc', else the same as `name`
    kind: str  # 'real', 'integer', 'map', 'list' or 'choice'
    group: str  # 'second', 'penalty', 'shape', 'truncation', 'mark' (watermark) or 'shared'
    sampler: bool  # True for a sampler, False for a parameter that samplers share
    neutral: Any
    minimum: float
    maximum: float
    minimum_included: bool
    maximum_included: bool
    choices: List[str]
    low: float  # ends and step of a slider
    high: float
    step: float
    usual: float  # an example value at which the sampler acts; 0 for a shared parameter
    effect: str  # 'flatten', 'cut', 'penalise', 'steer' or 'mark'; '' for a shared parameter


@dataclass
class Info:
    """Data of the model file. A file with only a vocabulary has no architecture."""

    name: str
    architecture: Optional[str]
    vocab_size: int
    context_length: int  # number of tokens that a session can see
    model_context_length: int  # number of tokens that the model was trained for
    n_layer: int
    n_head: int
    n_head_kv: int
    n_embd: int
    n_ff: int
    parameters: int
    file_type: Optional[str]
    bytes: int
    tokenizer: Optional[str]
    pre: Optional[str]  # pre-tokenizer of a gpt2 tokenizer, if the file states it
    bos_token_id: Optional[int]
    eos_token_id: Optional[int]
    end_token_ids: List[int]  # every token that ends a text
    weight_bytes: int  # memory of the packed weights
    session_bytes: int  # memory of each session, mostly its KV cache
    threads: int  # threads that compute one text: 1
    variant: str  # 'simd' or 'scalar': the loops in use; both give the same bits


@dataclass
class Piece:
    """The text of a token. Bytes that are not UTF-8 are U+FFFD in `text`."""

    id: int
    text: str
    bytes: bytes
    special: bool


@dataclass
class Fed:
    """The work of a feed: how many ids the model evaluated, and how many it had already."""

    evaluated: int
    reused: int


@dataclass
class TraceStage:
    """One stage: its value and its effect on the distribution."""

    name: str
    value: float  # the setting's value; for logit_bias, the number of biased tokens
    active: bool  # false if the value is neutral
    changed: bool  # true if the stage changed a logit
    kept: int  # number of tokens that remain after the stage
    removed: int
    mass_removed: float
    top_p_mass: float  # 1 - mass_removed
    entropy: float  # bits, after the stage
    perplexity: float  # 2^entropy
    after: Optional[str]  # name of the earlier stage that leaves this one without effect


@dataclass
class TraceToken:
    """One token in the list of a trace."""

    id: int
    text: str
    special: bool
    rank: int  # place by probability, from 1; kept tokens come before removed ones
    logit: float  # logit from the model
    warped: float  # logit after the chain, -inf if removed
    p_raw: float  # probability before the chain
    p: float  # probability after the chain
    logprob: float  # ln p, in nats
    stage_p: List[float]  # p after each stage
    removed_by: Optional[str]  # name of the stage that removed the token
    green: Optional[bool] = None  # True if on the green list; None without one


@dataclass
class Rest:
    """All tokens that are not in the list: their number, their probability, and how many of them
    are kept."""

    count: int
    p_raw: float
    p: float
    kept: int


@dataclass
class Mass:
    """Probability of all green tokens, before and after the chain."""

    p_raw: float
    p: float


@dataclass
class ConstraintState:
    """The state of the constraint after the text so far."""

    rule: str  # name of the grammar's innermost open rule; '' if there is none
    complete: bool  # True if the text may end here
    allowed: int  # number of possible next tokens
    bytes: List[int]  # bytes that may come next


@dataclass
class Trace:
    """The record of one run of the chain over the whole vocabulary. A draw uses the same
    numbers."""

    vocab_size: int
    stages: List[TraceStage]  # in the order applied
    tokens: List[TraceToken]  # kept tokens by rank, then removed tokens by the model's logit
    rest: Rest
    kept: int  # number of kept tokens
    kept_mass_raw: float  # probability of the kept tokens before the chain
    entropy: float
    perplexity: float
    raw_entropy: float
    raw_perplexity: float
    underflowed: int  # number of kept tokens with p = 0: below 2^-44 of the best token's probability
    warnings: List[str]
    green: Optional[Mass] = None
    constraint: Optional[ConstraintState] = None
    #: Only of given logits (`warp`, `read_from`): logits after the chain (vocab_size,) float32,
    #: -inf for removed tokens, and probabilities (vocab_size,) float64.
    logits: Any = field(default=None, repr=False)
    p: Any = field(default=None, repr=False)


@dataclass
class Drawn:
    """A drawn token. `u` is None for a Gumbel-max draw."""

    id: int
    u: Optional[float]  # the random number in [0, 1) that chose it
    p: float
    p_raw: float
    logprob: float  # ln p, in nats
    rank: int
    mu: Optional[float] = None  # state of mirostat or adaptive-p, for the next step


@dataclass
class Reading:
    """A distribution and a token drawn from it."""

    trace: Trace
    drawn: Drawn


@dataclass
class ListedToken:
    """A possible token of a step. A removed token has p = 0 and logprob = -inf."""

    id: int
    text: str
    logprob: float
    p: float
    p_raw: float
    rank: int


@dataclass
class Step(Drawn):
    """One generated token. `text` is its part of the decoded text."""

    text: str = ""
    entropy: float = 0.0
    kept: int = 0
    ms: float = 0.0
    position: int = 0  # index of the token in the timeline
    top_logprobs: Optional[List[ListedToken]] = None


@dataclass
class Generated:
    """A generated text. `ids` does not have the prompt, but has an end token that was drawn."""

    prompt_ids: List[int]
    ids: List[int]
    text: str
    finish_reason: str  # 'eos', 'length', 'stop' or 'aborted'
    seed: int
    settings: Dict[str, Any]  # every setting as used
    steps: List[Step] = field(default_factory=list, repr=False)  # only of `write`


@dataclass
class ScoredToken:
    id: int
    text: str
    logprob: float  # ln p, in nats


@dataclass
class Score:
    """The log-probability of a text after a prompt, in nats: the sum, and that of each token."""

    prompt_ids: List[int]
    ids: List[int]
    logprob: float
    tokens: List[ScoredToken]


@dataclass
class LawToken:
    id: int
    text: str
    p: float


@dataclass
class LawText:
    """A text of a law. `beside` has an interval for each law of `alongside`."""

    ids: List[int]  # without the prompt, with the end token if the text ends there
    text: str
    tokens: List[LawToken]
    p: float
    rank: Optional[int]  # from 1; None if the text is less probable than every listed one
    finish_reason: Optional[str] = None  # 'eos', 'length' or 'nothing_left'; None for greedy
    beside: Optional[List[List[float]]] = None


@dataclass
class Beside:
    """Another law: its share of the rest, and its distance from the law, each from and to."""

    rest: List[float]
    total_variation: List[float]
    kl: List[float]  # in nats; infinity if the rest leaves it open


@dataclass
class Law:
    """Whole texts in decreasing probability. `mass` is of those listed; mass + rest = 1."""

    prompt_ids: List[int]
    sentences: List[LawText]
    mass: float
    rest: float
    prefixes: int  # number of prefixes that the search visited
    greedy: LawText
    alongside: List[Beside]


@dataclass
class Marks:
    """A value for each id and each watermark; None for a watermark that is off. `green`: 1 for a
    green token, plus, with green_self, twice the distance to the token that decides. `synthid`: the
    bits of g. Both: 2^32 - 1 for a token without a full context."""

    green: Optional[List[int]]
    synthid: Optional[List[int]]
    values: Dict[str, Any]


@dataclass
class Weighted:
    """SynthID's weighted mean as evidence; p is from the normal distribution."""

    share: float
    z: float
    p: float
    curve: List[float]


@dataclass
class Detection:
    """The evidence for one watermark in a text."""

    name: str  # 'green_bias' or 'synthid_depth'
    n: int  # number of tokens that count
    count: int  # number of green tokens; for SynthID, of g bits that are 1
    share: float
    expected: float  # share that is expected without the watermark
    z: float  # standard deviations above the expected count
    p: float  # exact probability of at least this count without the watermark
    shares: List[Optional[float]]  # for each token; None without a full context
    scored: List[int]  # indices of the tokens that count
    curve: List[float]  # z after each token that counts
    weighted: Optional[Weighted] = None
