"""The types of the package's interface. Entropies are in bits, masses are shares of 1."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Union

from ._settings import Settings as Settings

if TYPE_CHECKING:
    import os

    import numpy as np

    Floats = np.ndarray  # float32 or float64, one dimension
    #: Numbers: a list, a NumPy array, a tensor of torch, or an array with the buffer protocol.
    Numbers = Union[Sequence[float], np.ndarray, Any]
    #: Token ids, in the same forms.
    Ids = Union[Sequence[int], np.ndarray, Any]
    Path = Union[str, "os.PathLike[str]"]

#: The caller's sampler: gets its input logits (vocab_size,), every setting and the ids so far;
#: returns a logit for each token, -inf to remove it.
Own = Callable[[Any, Dict[str, Any], List[int]], Any]


@dataclass
class TableRow:
    """One setting: `neutral` changes nothing; accepted values are from minimum to maximum."""

    name: str
    stage: str  # the sampler's name in an order: 'dry' or 'xtc', else equal to `name`
    kind: str  # 'real', 'integer', 'map', 'list' or 'choice'
    group: str  # 'second', 'penalty', 'shape', 'truncation', 'mark' (watermark) or 'shared'
    warper: bool  # True for a sampler, False for a parameter that samplers share
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
    """Facts of the model file. A file with only a vocabulary has no architecture."""

    name: str
    architecture: Optional[str]
    vocab_size: int
    context_length: int  # number of tokens that a session sees
    model_context_length: int  # number of tokens that the model was made for
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
    variant: str  # 'simd' or 'scalar': the loops in use; both give the same bits


@dataclass
class Piece:
    """A token's text. `text` has U+FFFD for bytes that are not UTF-8."""

    id: int
    text: str
    bytes: bytes
    special: bool


@dataclass
class Fed:
    """The work of a feed: numbers of ids evaluated, and of ids kept from before."""

    evaluated: int
    reused: int


@dataclass
class TraceStage:
    """The effect of one stage on the distribution before it."""

    name: str
    value: float  # the setting's value; for logit_bias the number of biased tokens
    active: bool  # False if the value is neutral
    changed: bool  # True if the stage changed a logit
    kept: int  # number of tokens that remain after the stage
    removed: int
    mass_removed: float
    top_p_mass: float  # 1 - mass_removed
    entropy: float  # bits, after the stage
    perplexity: float  # 2^entropy
    after: Optional[str]  # the earlier stage because of which this one has no effect


@dataclass
class TraceToken:
    """One listed token."""

    id: int
    text: str
    special: bool
    rank: int  # from 1, survivors first
    logit: float  # the model's logit
    warped: float  # logit after the chain, -inf if removed
    p_raw: float  # probability before the chain
    p: float  # probability after the chain
    logprob: float  # ln p, in nats
    stage_p: List[float]  # p after each stage
    removed_by: Optional[str]  # name of the stage that removed the token
    green: Optional[bool] = None  # True if on the green list; None without one


@dataclass
class Rest:
    """The tokens that are not listed: their number, masses, and the survivors among them."""

    count: int
    p_raw: float
    p: float
    kept: int


@dataclass
class Mass:
    """Mass of the green tokens before and after the chain."""

    p_raw: float
    p: float


@dataclass
class ConstraintState:
    """The constraint after the text so far."""

    rule: str  # the grammar's innermost unfinished rule, '' if there is none
    complete: bool  # True if the text may end here
    allowed: int  # number of possible next tokens
    bytes: List[int]  # possible next bytes


@dataclass
class Trace:
    """The chain's record: one pass over the whole vocabulary, the numbers that are drawn from."""

    vocab_size: int
    stages: List[TraceStage]  # in the order applied
    tokens: List[TraceToken]  # survivors by rank, then removed tokens by raw logit
    rest: Rest
    kept: int  # number of survivors
    kept_mass_raw: float  # sum of the survivors' p_raw
    entropy: float
    perplexity: float
    raw_entropy: float
    raw_perplexity: float
    underflowed: int  # survivors with p = 0: below 2^-44 of the best token's probability
    warnings: List[str]
    green: Optional[Mass] = None
    constraint: Optional[ConstraintState] = None
    #: Only of given logits (`warp`, `read_from`): logits after the chain (vocab_size,) float32,
    #: -inf for removed tokens, and probabilities (vocab_size,) float64.
    logits: Any = field(default=None, repr=False)
    p: Any = field(default=None, repr=False)


@dataclass
class Drawn:
    """A drawn token. u is None for Gumbel-max."""

    id: int
    u: Optional[float]  # the random number in [0, 1) that chose it
    p: float
    p_raw: float
    logprob: float  # ln p, in nats
    rank: int
    mu: Optional[float] = None  # state of mirostat or adaptive-p for the next step


@dataclass
class Reading:
    """A distribution and a token drawn from it."""

    trace: Trace
    drawn: Drawn


@dataclass
class ListedToken:
    """A possible token of a step; a removed one has p 0 and logprob -inf."""

    id: int
    text: str
    logprob: float
    p: float
    p_raw: float
    rank: int


@dataclass
class Step(Drawn):
    """One generated token; `text` is its addition to the decoded text."""

    text: str = ""
    entropy: float = 0.0
    kept: int = 0
    ms: float = 0.0
    position: int = 0  # place of the token in the timeline
    top_logprobs: Optional[List[ListedToken]] = None


@dataclass
class Generated:
    """A generated text; `ids` excludes the prompt and includes an end token that was drawn."""

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
    """The log-probability of a text after a prompt, in nats: the sum, and each token's."""

    prompt_ids: List[int]
    ids: List[int]
    logprob: float
    tokens: List[ScoredToken]


@dataclass
class Marks:
    """Watermark values of each id, None for a watermark that is off. `green`: 1 for a green token;
    with green_self, plus twice the distance to the deciding token. `synthid`: the bits of g. Both:
    2^32 - 1 for a token without a full context."""

    green: Optional[List[int]]
    synthid: Optional[List[int]]
    values: Dict[str, Any]


@dataclass
class Weighted:
    """Evidence by SynthID's weighted mean; p is the normal tail."""

    share: float
    z: float
    p: float
    curve: List[float]


@dataclass
class Detection:
    """The evidence of one watermark in a text."""

    name: str  # 'green_bias' or 'synthid_depth'
    n: int  # number of scored tokens
    count: int  # green tokens among them; for SynthID, g bits that are 1
    share: float
    expected: float  # the share expected without the watermark
    z: float  # standard deviations above the expected count
    p: float  # exact probability of a count this high without the watermark
    shares: List[Optional[float]]  # of each token; None without a full context
    scored: List[int]  # indices of the scored tokens
    curve: List[float]  # z after each scored token
    weighted: Optional[Weighted] = None
