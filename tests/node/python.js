/** Samplers in Python as learners write them, and the interpreters that can run them. */
import { spawnSync } from 'node:child_process';

/**
 * Returns a Python that has a module: the one in PATH, otherwise the system's; null if neither has it.
 * @param {string} module
 */
export function pythonWith(module) {
  const asked = `import importlib.util, sys; print(sys.executable if importlib.util.find_spec("${module}") else "")`;
  for (const program of ['python3', '/usr/bin/python3']) {
    const { stdout } = spawnSync(program, ['-c', asked], { encoding: 'utf8' });
    if (stdout?.trim()) return stdout.trim();
  }
  return null;
}

/** The lesson's five functions in Python, correct, under the lesson's names. */
export const PYTHON = `import math


def softmax(logits):
    best = max(logits)
    e = [math.exp(x - best) for x in logits]
    return [x / sum(e) for x in e]


def ranked(logits):
    return sorted(range(len(logits)), key=lambda i: (-logits[i], i))


def top_p_filter(logits, p):
    if not 0 <= p <= 1:
        raise ValueError(p)
    if p == 1:
        return list(logits)
    shares = softmax(logits)
    out = [-math.inf] * len(logits)
    before = 0
    for place, i in enumerate(ranked(logits)):
        if place == 0 or before < p:
            out[i] = logits[i]
        before += shares[i]
    return out


def top_k_filter(logits, k):
    if k < 0:
        raise ValueError(k)
    if k == 0 or k >= len(logits):
        return list(logits)
    least = logits[ranked(logits)[k - 1]]
    return [x if x >= least else -math.inf for x in logits]


def apply_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError(temperature)
    if temperature == 0:
        best = ranked(logits)[0]
        return [x if i == best else -math.inf for i, x in enumerate(logits)]
    return [x / temperature for x in logits]


def apply_repetition_penalty(logits, token_ids, penalty):
    if penalty <= 0:
        raise ValueError(penalty)
    seen = set(token_ids)
    return [(x / penalty if x > 0 else x * penalty) if i in seen else x for i, x in enumerate(logits)]


def generate(model, prompt_ids, max_new_tokens, temperature, top_k, top_p, repetition_penalty, seed, rng):
    if not prompt_ids:
        raise ValueError("no prompt")
    ids = list(prompt_ids)
    draw = rng(seed)
    for _ in range(max_new_tokens):
        logits = model.logits(ids[-model.context_length :])[-1]
        logits = apply_repetition_penalty(logits, ids, repetition_penalty)
        logits = apply_temperature(logits, temperature)
        logits = top_p_filter(top_k_filter(logits, top_k), top_p)
        shares = softmax(logits)
        u = draw()
        mass = 0
        for i in ranked(logits):
            mass += shares[i]
            if shares[i] > 0:
                taken = i
            if mass > u:
                break
        ids.append(taken)
        if taken == model.eos_token_id:
            break
    return ids[len(prompt_ids) :]
`;

/** The homework's stages and loop in NumPy, correct. They get arrays of float32. */
export const NUMPY = `import numpy as np


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def ranked(x):
    return np.lexsort((np.arange(len(x)), -x))


def temperature(logits, temperature):
    if temperature == 0:
        out = np.full_like(logits, -np.inf)
        best = np.argmax(logits)
        out[best] = logits[best]
        return out
    return logits / temperature


def top_k(logits, k):
    if k == 0 or k >= len(logits):
        return logits.copy()
    least = np.sort(logits)[-k]
    return np.where(logits >= least, logits, -np.inf)


def top_p(logits, p):
    if p == 1:
        return logits.copy()
    order = ranked(logits)
    shares = softmax(logits)[order]
    before = np.cumsum(shares) - shares
    kept = before < p
    kept[0] = True
    out = np.full_like(logits, -np.inf)
    out[order[kept]] = logits[order[kept]]
    return out


def repetition_penalty(logits, history, penalty):
    out = logits.copy()
    seen = np.unique(np.asarray(history, dtype=int))
    x = out[seen]
    out[seen] = np.where(x > 0, x / penalty, x * penalty)
    return out


def chain(logits, settings, history):
    x = repetition_penalty(logits, history, settings.repetition_penalty)
    x = temperature(x, settings.temperature)
    return top_p(top_k(x, settings.top_k), settings.top_p)


def generate(model, prompt_ids, settings, rng):
    ids = list(prompt_ids)
    new = []
    draw = rng(settings.seed)
    while len(new) < settings.max_new_tokens:
        rows = model.logits(ids[-model.context_length:])
        x = np.asarray(rows[-1])
        x = repetition_penalty(x, ids, settings.repetition_penalty)
        x = top_p(top_k(temperature(x, settings.temperature), settings.top_k), settings.top_p)
        p = softmax(x.astype(np.float64))
        order = ranked(x)[: int(np.isfinite(x).sum())]
        u = draw()
        at = int(np.searchsorted(np.cumsum(p[order]), u, side="right"))
        token = order[min(at, len(order) - 1)]
        ids.append(token)
        new.append(token)
        if token == model.eos_token_id:
            break
    return new
`;
