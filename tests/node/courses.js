/**
 * Correct samplers as courses write them, one for each style of signature. `needs` is the library that the source
 * imports, `as` lists the names of the source's functions, `rules` the conventions that the course uses.
 */

/** The g2c course's Module 11 in Torch, with a batch: logits (B, V), ids (B, T). */
const BATCH = `import torch
from torch import Tensor


def apply_temperature(logits: Tensor, temperature: float) -> Tensor:
    if temperature <= 0:
        raise ValueError("temperature must be above 0")
    return logits / temperature


def top_k_filter(logits: Tensor, k: int) -> Tensor:
    if k < 1:
        raise ValueError("k must be at least 1")
    batch, vocab = logits.shape
    if k >= vocab:
        return logits
    least = torch.topk(logits, k, dim=1).values[:, -1:]
    return logits.masked_fill(logits < least, float("-inf"))


def top_p_filter(logits: Tensor, p: float) -> Tensor:
    if not 0 < p <= 1:
        raise ValueError("p must be in (0, 1]")
    if p == 1:
        return logits
    ranked, order = torch.sort(logits, dim=1, descending=True, stable=True)
    shares = torch.softmax(ranked, dim=1)
    before = shares.cumsum(dim=1) - shares
    remove = before >= p
    remove[:, 0] = False
    mask = torch.zeros_like(remove).scatter(1, order, remove)
    return logits.masked_fill(mask, float("-inf"))


def apply_repetition_penalty(logits: Tensor, token_ids: Tensor, penalty: float) -> Tensor:
    if penalty <= 0:
        raise ValueError("penalty must be above 0")
    if token_ids.dim() == 1:
        token_ids = token_ids.unsqueeze(0).expand(logits.size(0), -1)
    seen = torch.gather(logits, 1, token_ids)
    seen = torch.where(seen > 0, seen / penalty, seen * penalty)
    return logits.scatter(1, token_ids, seen)


@torch.no_grad()
def generate(
    model,
    prompt_ids: Tensor,
    max_new_tokens: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    repetition_penalty: float = 1.0,
    eos_id: int | None = None,
    generator: torch.Generator | None = None,
) -> Tensor:
    if temperature < 0:
        raise ValueError("temperature must not be below 0")
    if prompt_ids.numel() == 0:
        raise ValueError("the prompt is empty")
    full_ids = prompt_ids
    for _ in range(max_new_tokens):
        ctx = full_ids[-model.max_seq_len :].unsqueeze(0)
        logits = model(ctx)[:, -1, :]
        logits = apply_repetition_penalty(logits, full_ids, repetition_penalty)
        if temperature == 0:
            next_id = logits.argmax(dim=-1)
        else:
            logits = apply_temperature(logits, temperature)
            if top_k is not None:
                logits = top_k_filter(logits, top_k)
            if top_p is not None:
                logits = top_p_filter(logits, top_p)
            probs = torch.softmax(logits, dim=-1)
            next_id = torch.multinomial(probs, 1, generator=generator).squeeze(1)
        full_ids = torch.cat([full_ids, next_id])
        if eos_id is not None and next_id.item() == eos_id:
            break
    return full_ids
`
  .replaceAll(/(\w+) \| None/g, 'Optional[$1]')
  .replace('torch.Optional[Generator]', 'Optional[torch.Generator]')
  .replace('import torch\n', 'from typing import Optional\n\nimport torch\n');

/** Module 11 in Torch, for tensors of any rank; the loop takes a batch and a seed. */
const ANY_RANK = `import torch
import torch.nn.functional as F


def apply_temperature(logits, temperature):
    if temperature <= 0:
        raise ValueError(temperature)
    return logits / temperature


def top_k_filter(logits, k):
    if k <= 0:
        raise ValueError(k)
    values, _ = torch.topk(logits, min(k, logits.size(-1)))
    return torch.where(logits < values[..., -1:], torch.full_like(logits, -torch.inf), logits)


def top_p_filter(logits, p):
    if p <= 0 or p > 1:
        raise ValueError(p)
    if p == 1:
        return logits.clone()
    values, order = logits.sort(dim=-1, descending=True, stable=True)
    mass = F.softmax(values, dim=-1).cumsum(dim=-1)
    cut = mass.roll(1, dims=-1) >= p
    cut[..., 0] = False
    values = values.masked_fill(cut, -torch.inf)
    return torch.empty_like(logits).scatter_(-1, order, values)


def apply_repetition_penalty(logits, token_ids, penalty):
    if penalty <= 0:
        raise ValueError(penalty)
    if token_ids.numel() == 0:
        return logits
    out = logits.clone()
    for row, ids in zip(out.view(-1, out.size(-1)), token_ids.view(-1, token_ids.size(-1))):
        seen = ids.unique()
        row[seen] = torch.where(row[seen] > 0, row[seen] / penalty, row[seen] * penalty)
    return out


@torch.no_grad()
def generate(model, idx, max_new_tokens, temperature=1.0, top_k=None, top_p=None,
             repetition_penalty=1.0, eos_token_id=None, seed=None):
    if idx.shape[1] == 0 or temperature < 0:
        raise ValueError("no")
    g = torch.Generator(device=idx.device)
    if seed is not None:
        g.manual_seed(seed)
    model.eval()
    for _ in range(max_new_tokens):
        idx_cond = idx[:, -model.block_size:]
        logits = model(idx_cond)[:, -1, :]
        logits = apply_repetition_penalty(logits, idx, repetition_penalty)
        if temperature == 0:
            idx_next = logits.argmax(-1, keepdim=True)
        else:
            logits = logits / temperature
            if top_k:
                logits = top_k_filter(logits, top_k)
            if top_p is not None:
                logits = top_p_filter(logits, top_p)
            idx_next = torch.multinomial(logits.softmax(-1), num_samples=1, generator=g)
        idx = torch.cat((idx, idx_next), dim=1)
        if eos_token_id is not None and (idx_next == eos_token_id).all():
            break
    return idx
`;

/** The style of a course's Day 27: one function draws a token. Its top-p keeps the first token with which the mass exceeds p. */
const DAY = `import torch
import torch.nn.functional as F


def next_token(logits, temperature=1.0, top_k=None, top_p=None, repetition_penalty=1.0, generated_ids=None):
    if repetition_penalty != 1.0 and generated_ids is not None:
        for t in set(generated_ids.tolist()):
            logits[t] = logits[t] / repetition_penalty if logits[t] > 0 else logits[t] * repetition_penalty
    if temperature == 0.0:
        return logits.argmax().item()
    logits = logits / temperature
    if top_k is not None and top_k > 0:
        least = torch.topk(logits, min(top_k, logits.size(-1)))[0][-1]
        logits[logits < least] = float("-inf")
    if top_p is not None and top_p < 1.0:
        values, order = torch.sort(logits, descending=True)
        over = torch.cumsum(F.softmax(values, dim=-1), dim=-1) > top_p
        over[1:] = over[:-1].clone()
        over[0] = False
        logits[order[over]] = float("-inf")
    return torch.multinomial(F.softmax(logits, dim=-1), num_samples=1).item()


@torch.no_grad()
def generate(model, prompt_ids: torch.Tensor, max_new_tokens: int = 200, temperature: float = 1.0,
             top_k=None, top_p=None, repetition_penalty: float = 1.0) -> torch.Tensor:
    model.eval()
    text = prompt_ids.clone()
    for _ in range(max_new_tokens):
        context = text[-model.block_size:] if len(text) > model.block_size else text
        logits = model(context.unsqueeze(0))[0, -1, :]
        token = next_token(logits.clone(), temperature, top_k, top_p, repetition_penalty, text)
        text = torch.cat([text, torch.tensor([token])])
    return text
`;

/** A step that returns probabilities. Its loop draws from them, without penalty or end token. */
const SHARES = `import torch


def sample(logits, tau, k, p):
    logits = logits / tau
    if k > 0:
        kth = torch.topk(logits, min(k, logits.size(-1))).values[..., -1:]
        logits = logits.masked_fill(logits < kth, -float("inf"))
    if p < 1.0:
        values, order = logits.sort(descending=True, stable=True)
        shares = values.softmax(-1)
        mask = shares.cumsum(-1) - shares >= p
        mask[..., 0] = False
        logits = logits.masked_fill(mask.gather(-1, order.argsort(-1)), -float("inf"))
    return logits.softmax(-1)


@torch.no_grad()
def generate(model, idx, max_new_tokens, block_size, tau, k, p):
    for _ in range(max_new_tokens):
        idx_cond = idx[:, -block_size:]
        logits = model(idx_cond)[:, -1, :]
        if tau == 0:
            next_id = logits.argmax(dim=-1, keepdim=True)
        else:
            next_id = torch.multinomial(sample(logits, tau, k, p), num_samples=1)
        idx = torch.cat((idx, next_id), dim=1)
    return idx
`;

/**
 * A loop that gets the sampler as an argument and never crops ids.
 * @param {string} library @param {string} made expression of the ids
 */
const handed = (library, made) => `${library}
EOS_TOKEN_ID = 3


def generate(model, prompt: list, *, max_tokens: int, sampler) -> list:
    tokens = list(prompt)
    for _ in range(max_tokens):
        logits = model(${made})
        token = sampler(logits[-1])
        tokens.append(token)
        if token == EOS_TOKEN_ID:
            break
    return tokens[len(prompt):]
`;

/** @typedef {{ library: string, made: string, generator: string, drawn: string }} Library */

/** @type {Record<'numpy' | 'torch' | 'plain', Library>} */
const LIBRARIES = {
  numpy: {
    library: 'import numpy as np\n',
    made: 'np.array(tokens)',
    generator: 'np.random.default_rng(seed)',
    drawn: 'int(rng.choice(len(shares), p=shares))',
  },
  torch: {
    library: 'import torch\n\ntorch.set_grad_enabled(False)\n',
    made: 'torch.tensor(tokens)',
    generator: 'torch.Generator().manual_seed(seed)',
    drawn: 'int(torch.multinomial(torch.tensor(shares), 1, generator=rng))',
  },
  plain: {
    library: '',
    made: 'tokens',
    generator: 'random.Random(seed)',
    drawn: 'rng.choices(range(len(shares)), weights=shares)[0]',
  },
};

/** Strategy objects; each is a pure function of the logits. @param {Library} library */
const strategies = ({ library, made, generator, drawn }) => `from __future__ import annotations

import math
import random
from dataclasses import dataclass
${library}
EOS_TOKEN_ID = 0


def softmax(logits):
    top = max(logits)
    e = [math.exp(x - top) for x in logits]
    return [x / sum(e) for x in e]


def keep(shares, ids):
    mass = sum(shares[i] for i in ids)
    return [shares[i] / mass if i in ids else 0.0 for i in range(len(shares))]


@dataclass(frozen=True)
class Greedy:
    def probs(self, logits):
        best = max(range(len(logits)), key=lambda i: logits[i])
        return [1.0 if i == best else 0.0 for i in range(len(logits))]


@dataclass(frozen=True)
class Temperature:
    tau: float = 1.0

    def probs(self, logits):
        return softmax([x / self.tau for x in logits])


@dataclass(frozen=True)
class TopK:
    k: int
    tau: float = 1.0

    def probs(self, logits):
        shares = Temperature(self.tau).probs(logits)
        least = sorted(shares)[-min(self.k, len(shares))]
        return keep(shares, {i for i, p in enumerate(shares) if p >= least})


@dataclass(frozen=True)
class TopP:
    p: float
    tau: float = 1.0

    def probs(self, logits):
        shares = Temperature(self.tau).probs(logits)
        ids, mass = set(), 0.0
        for i in sorted(range(len(shares)), key=lambda i: -shares[i]):
            ids.add(i)
            mass += shares[i]
            if mass >= self.p:
                break
        return keep(shares, ids)


def sample(model, prompt: list[int], *, max_tokens: int, seed: int, strategy) -> list[int]:
    """The generated tokens, without the prompt."""
    rng = ${generator}
    tokens = list(prompt)
    for _ in range(max_tokens):
        logits = [float(x) for x in model(${made})[-1]]
        shares = strategy.probs(logits)
        token = ${drawn}
        tokens.append(token)
        if token == EOS_TOKEN_ID:
            break
    return tokens[len(prompt):]
`;

/** Module 11 in NumPy, with a batch. */
const ARRAYS = `import numpy as np


def apply_temperature(logits, temperature):
    if temperature <= 0:
        raise ValueError(temperature)
    return logits / temperature


def top_k_filter(logits, k):
    if k <= 0:
        raise ValueError(k)
    batch, vocab = logits.shape
    least = np.sort(logits, axis=1)[:, -min(k, vocab)]
    return np.where(logits < least[:, None], -np.inf, logits)


def top_p_filter(logits, p):
    if not 0 < p <= 1:
        raise ValueError(p)
    if p == 1:
        return logits.copy()
    out = np.full_like(logits, -np.inf)
    for b, row in enumerate(logits):
        order = np.argsort(-row, kind="stable")
        shares = np.exp(row[order] - row.max(), dtype=np.float64)
        shares /= shares.sum()
        kept = np.cumsum(shares) - shares < p
        kept[0] = True
        out[b, order[kept]] = row[order[kept]]
    return out


def apply_repetition_penalty(logits, token_ids, penalty):
    if penalty <= 0:
        raise ValueError(penalty)
    out = logits.copy()
    for b in range(out.shape[0]):
        for t in np.unique(np.asarray(token_ids, dtype=int).reshape(-1)):
            out[b, t] = out[b, t] / penalty if out[b, t] > 0 else out[b, t] * penalty
    return out


def generate(model, prompt_ids, max_new_tokens, temperature=1.0, top_k=None, top_p=None,
             repetition_penalty=1.0, eos_id=None, rng: np.random.Generator = None):
    if len(prompt_ids) == 0 or temperature < 0:
        raise ValueError("no")
    ids = np.asarray(prompt_ids)
    for _ in range(max_new_tokens):
        logits = model(ids[None, -model.max_seq_len :])[:, -1, :]
        logits = apply_repetition_penalty(logits, ids, repetition_penalty)
        if temperature == 0:
            token = int(logits[0].argmax())
        else:
            logits = apply_temperature(logits, temperature)
            logits = logits if top_k is None else top_k_filter(logits, top_k)
            logits = logits if top_p is None else top_p_filter(logits, top_p)
            probs = np.exp(logits[0] - logits[0].max(), dtype=np.float64)
            token = rng.choice(len(probs), p=probs / probs.sum())
        ids = np.append(ids, token)
        if token == eos_id:
            break
    return ids
`;

/** A plain loop with other names. It draws by a cumulative sum in the order of the ids. */
const PLAIN = `import math
import random


def softmax(xs):
    m = max(xs)
    e = [math.exp(x - m) for x in xs]
    s = sum(e)
    return [x / s for x in e]


def temperature(logits, T):
    return [x / T for x in logits]


def top_k(logits, k):
    if not 0 < k < len(logits):
        return logits[:]
    least = sorted(logits, reverse=True)[k - 1]
    return [x if x >= least else -math.inf for x in logits]


def top_p(logits, p):
    if p >= 1:
        return logits[:]
    shares, kept, mass = softmax(logits), set(), 0.0
    for i in sorted(range(len(logits)), key=lambda i: (-logits[i], i)):
        kept.add(i)
        mass += shares[i]
        if mass >= p:
            break
    return [x if i in kept else -math.inf for i, x in enumerate(logits)]


def repetition_penalty(logits, prev_ids, penalty):
    out = logits[:]
    for i in set(prev_ids):
        out[i] = out[i] / penalty if out[i] > 0 else out[i] * penalty
    return out


def generate(model, prompt, n, T=1.0, k=0, p=1.0, penalty=1.0, eos=None, seed=0):
    r = random.Random(seed)
    ids = list(prompt)
    for _ in range(n):
        x = repetition_penalty(model(ids[-model.context_length:])[-1], ids, penalty)
        if T == 0:
            i = x.index(max(x))
        else:
            shares = softmax(top_p(top_k(temperature(x, T), k), p))
            u, mass = r.random(), 0.0
            for i, share in enumerate(shares):
                mass += share
                if u < mass:
                    break
        ids.append(i)
        if i == eos:
            break
    return ids
`.replace(
  'def temperature(logits, T):\n',
  `def temperature(logits, T):
    if T == 0:
        best = logits.index(max(logits))
        return [x if i == best else -math.inf for i, x in enumerate(logits)]
`,
);

const SAMPLERS = 'temperature,top_k,top_p,repetition_penalty';

/** @type {Record<string, { source: string, needs?: string, as: string, rules?: string }>} */
export const COURSES = {
  'Torch, a batch of logits': { source: BATCH, needs: 'torch', as: `${SAMPLERS},generate` },
  'Torch, any number of dimensions': {
    source: ANY_RANK,
    needs: 'torch',
    as: `${SAMPLERS},generate`,
  },
  'Torch, one function a token': {
    source: DAY,
    needs: 'torch',
    as: 'generate',
    rules: 'until_above',
  },
  'Torch, probabilities from a step': { source: SHARES, needs: 'torch', as: 'generate' },
  'NumPy, a batch of logits': { source: ARRAYS, needs: 'numpy', as: `${SAMPLERS},generate` },
  ...Object.fromEntries(
    Object.entries(LIBRARIES).flatMap(([name, library]) => [
      [
        `${name}, a sampler handed in`,
        { source: handed(library.library, library.made), needs: name, as: 'generate' },
      ],
      [`${name}, strategy objects`, { source: strategies(library), needs: name, as: 'generate' }],
    ]),
  ),
  'plain, names of its own': { source: PLAIN, as: `${SAMPLERS},generate` },
};

const TORCH = COURSES['Torch, a batch of logits'].source;
const RANKS = COURSES['Torch, any number of dimensions'].source;
const OBJECTS = COURSES['numpy, strategy objects'].source;
const OWN = COURSES['plain, names of its own'].source;
const DRAWN = 'torch.multinomial(probs, 1, generator=generator).squeeze(1)';
const SEEDED = 'torch.multinomial(logits.softmax(-1), num_samples=1, generator=g)';
const CHOSEN = LIBRARIES.numpy.drawn;
const [NUMPY_RNG, PLAIN_RNG] = ['rng = np.random.default_rng(seed)', 'r = random.Random(seed)'];

/**
 * Other correct draws: name, source, replaced pieces, library.
 * @type {[string, string, [string, string][], string?][]}
 */
export const DRAWS = [
  [
    'Categorical',
    TORCH,
    [[DRAWN, 'torch.distributions.Categorical(probs=probs).sample()']],
    'torch',
  ],
  ['a method of tensors', TORCH, [[DRAWN, 'probs.multinomial(1)[:, 0]']], 'torch'],
  [
    'one generator for all of torch',
    RANKS,
    [
      ['    g = torch.Generator(device=idx.device)\n', ''],
      ['g.manual_seed(seed)', 'torch.manual_seed(seed)'],
      [SEEDED, 'torch.multinomial(logits.softmax(-1), 1)'],
    ],
    'torch',
  ],
  [
    'a cumulative sum',
    RANKS,
    [
      [
        SEEDED,
        '(logits.softmax(-1).cumsum(-1) < torch.rand(1, 1, generator=g)).sum(-1, keepdim=True)',
      ],
    ],
    'torch',
  ],
  ['RandomState', OBJECTS, [[NUMPY_RNG, 'rng = np.random.RandomState(seed)']], 'numpy'],
  [
    'one generator for all of NumPy',
    OBJECTS,
    [
      [NUMPY_RNG, 'np.random.seed(seed)'],
      [CHOSEN, 'np.random.choice(len(shares), p=shares)'],
    ],
    'numpy',
  ],
  [
    'searchsorted',
    OBJECTS,
    [[CHOSEN, 'int(np.searchsorted(np.cumsum(shares), rng.random()))']],
    'numpy',
  ],
  [
    'a multinomial count',
    OBJECTS,
    [[CHOSEN, 'int(np.argmax(rng.multinomial(1, shares)))']],
    'numpy',
  ],
  [
    'one generator for all of Python',
    OWN,
    [
      [PLAIN_RNG, 'random.seed(seed)'],
      ['r.random()', 'random.random()'],
    ],
  ],
];

/**
 * Faults in a course's style: code of the fault, source, piece, its replacement, function.
 * @type {[string, string, string, string, string][]}
 */
export const PITFALLS_IN_TORCH = [
  [
    'long_window',
    TORCH,
    'full_ids[-model.max_seq_len :].unsqueeze(0)',
    'full_ids.unsqueeze(0)',
    'generate',
  ],
  [
    'early',
    TORCH,
    'logits = model(ctx)[:, -1, :]',
    'logits = (model(ctx) / 1.0)[:, -1, :]',
    'generate',
  ],
  ['graph', TORCH, '@torch.no_grad()\n', '', 'generate'],
  [
    'reseeded',
    RANKS,
    '        idx_cond =',
    '        g.manual_seed(seed)\n        idx_cond =',
    'generate',
  ],
  ['history_window', TORCH, '(logits, full_ids, rep', '(logits, ctx, rep', 'generate'],
  ['soft_mask', TORCH, 'logits < least, float("-inf")', 'logits < least, -1e9', 'top_k'],
  ['one_too_few', TORCH, 'before >= p', '(before + shares) > p', 'top_p'],
  [
    'on_shares',
    TORCH,
    'return logits / temp',
    'return torch.softmax(logits, -1) / temp',
    'temperature',
  ],
  ['wrote', RANKS, 'out = logits.clone()', 'out = logits', 'repetition_penalty'],
];
