"""The chains of programs in NumPy and float64, each in the order of its own source at the version that
web/import/settings names. Independent of the readers there: it takes the keys of the program. Called by
settings_twins.js: a case of JSON a line, one line of answer {id: p} each.
"""

import json
import sys

import numpy as np

INF = np.inf


def softmax(l):
    if np.all(np.isinf(l)):  # bans left nothing
        return np.zeros(len(l))
    e = np.exp(l - l.max())
    return e / e.sum()


def keep(l, mask):
    """Removes the others; the best token always stays."""
    mask = mask.copy()
    mask[np.argmax(l)] = True
    return np.where(mask, l, -INF)


def ranked(l):
    return np.lexsort((np.arange(len(l)), -l))


def top_k(l, k, ties):
    if k <= 0 or k >= len(l):
        return l
    order = ranked(l)
    if ties:
        return keep(l, l >= l[order[k - 1]])
    mask = np.zeros(len(l), bool)
    mask[order[:k]] = True
    return keep(l, mask)


def top_p(l, p):
    if p >= 1:
        return l
    order = ranked(l)
    before = np.cumsum(softmax(l)[order])
    mask = np.zeros(len(l), bool)
    mask[order[: 1 + np.searchsorted(before, p)]] = True
    return keep(l, mask & (l > -INF))


def min_p(l, m):
    q = softmax(l)
    return keep(l, q >= m * q.max()) if m > 0 else l


def entropy(q):
    return -np.sum(q[q > 0] * np.log(q[q > 0]))


def typical(l, mass, above):
    """`above`: keeps tokens until their mass is above the bound, as llama.cpp."""
    if mass >= 1:
        return l
    q = softmax(l)
    with np.errstate(divide="ignore"):
        far = np.abs(-np.log(q) - entropy(q))
    order = np.lexsort((np.arange(len(l)), far))
    order = order[q[order] > 0]
    total = np.cumsum(q[order])
    n = 1 + (np.searchsorted(total, mass, "right") if above else np.searchsorted(total, mass))
    mask = np.zeros(len(l), bool)
    mask[order[:n]] = True
    return np.where(mask, l, -INF)


def epsilon(l, e):
    return keep(l, softmax(l) >= e) if e > 0 else l


def eta(l, e):
    if e <= 0:
        return l
    q = softmax(l)
    return keep(l, q >= min(e, np.sqrt(e) * np.exp(-entropy(q))))


def n_sigma(l, n):
    if n <= 0:
        return l
    left = l[l > -INF]
    return keep(l, l >= left.max() - n * left.std())


def top_a(l, a):
    q = softmax(l)
    return keep(l, q >= a * q.max() ** 2) if a > 0 else l


def tail_free(l, z):
    """As koboldcpp: keeps as many tokens as there are sums within z, one at least."""
    if z >= 1 or np.sum(l > -INF) <= 2:
        return l
    order = ranked(l)[: np.sum(l > -INF)]
    bends = np.abs(np.diff(np.diff(softmax(l)[order])))
    total = np.cumsum(bends / bends.sum())
    over = np.nonzero(total > z)[0]
    n = len(order) if len(over) == 0 else max(over[0], 1)
    mask = np.zeros(len(l), bool)
    mask[order[:n]] = True
    return keep(l, mask)


def xtc(l, probability, threshold):
    """The probability is 0 or 1 here, since the coin is another."""
    if probability < 1:
        return l
    q = softmax(l)
    likely = np.nonzero(q >= threshold)[0]
    if len(likely) < 2:
        return l
    stays = max(likely, key=lambda id: (-q[id], id))
    mask = np.ones(len(l), bool)
    mask[likely] = False
    mask[stays] = True
    return np.where(mask, l, -INF)


def temperature(l, t):
    if t <= 0:
        mask = np.zeros(len(l), bool)
        mask[np.argmax(l)] = True
        return np.where(mask, l, -INF)
    return l / t


def dynamic(l, low, high, exponent):
    n = np.sum(l > -INF)
    if n < 2:
        return l
    return temperature(l, low + (high - low) * (entropy(softmax(l)) / np.log(n)) ** exponent)


def smoothing(l, factor, curve):
    if factor <= 0:
        return l
    d = l - l.max()
    k, s = (3 - curve) / 2, (curve - 1) / 2
    with np.errstate(invalid="ignore"):
        made = l.max() - factor * (k * d**2 - s * d**3)
    return np.where(np.isinf(l), -INF, made)


def repetition(l, ids, r, older=None):
    """`older`: the penalty of ids that are only in the older half."""
    near = set(ids[-(len(ids) // 2) :] if len(ids) > 1 else ids) if older is not None else set(ids)
    if older is not None:
        near = {id for i, id in enumerate(ids) if 2 * i >= len(ids)}
    for id in set(ids):
        by = r if id in near else older
        l[id] = l[id] / by if l[id] > 0 else l[id] * by
    return l


def subtract(l, ids, frequency, presence):
    for id in set(ids):
        l[id] -= frequency * ids.count(id) + presence
    return l


def dry(l, ids, multiplier, base, allowed):
    """For each token the longest match, by plain comparison."""
    if multiplier <= 0:
        return l
    best = {}
    for at in range(len(ids)):
        match = 0
        while match < at and match < len(ids) - 1 and ids[at - 1 - match] == ids[len(ids) - 1 - match]:
            match += 1
        best[ids[at]] = max(best.get(ids[at], 0), match)
    for id, match in best.items():
        if match >= max(allowed, 1):
            l[id] -= multiplier * base ** (match - allowed)
    return l


def no_repeat(l, ids, n):
    if n <= 0 or len(ids) < n:
        return l
    for at in range(len(ids) - n + 1):
        if ids[at : at + n - 1] == ids[len(ids) - n + 1 :]:
            l[ids[at + n - 1]] = -INF
    return l


def last(ids, n):
    return ids[-n:] if n > 0 else ids


def transformers(b, l, ids, step):
    prompt = ids[: len(ids) - step]
    r = 1 / b.get("encoder_repetition_penalty", 1)
    for id in set(prompt) if r != 1 else ():
        l[id] = l[id] / r if l[id] > 0 else l[id] * r
    if b.get("repetition_penalty", 1) != 1:
        l = repetition(l, ids, b["repetition_penalty"])
    l = no_repeat(l, ids, b.get("no_repeat_ngram_size", 0))
    for id in b.get("suppress_tokens") or []:
        l[id] = -INF
    if not b.get("do_sample", False):
        return temperature(l, 0)
    l = temperature(l, b.get("temperature", 1))
    l = top_k(l, 50 if "top_k" not in b else b["top_k"] or 0, True)
    l = top_p(l, b.get("top_p", 1))
    l = min_p(l, b.get("min_p") or 0)
    l = typical(l, b.get("typical_p", 1), False)
    l = epsilon(l, b.get("epsilon_cutoff", 0))
    return eta(l, b.get("eta_cutoff", 0))


def vllm(b, l, ids, step):
    made = ids[len(ids) - step :]
    for id, bias in b.get("logit_bias", {}).items():
        l[int(id)] += max(-100, min(100, bias))
    if b.get("repetition_penalty", 1) != 1:
        l = repetition(l, ids, b["repetition_penalty"])
    l = subtract(l, made, b.get("frequency_penalty", 0), b.get("presence_penalty", 0))
    t = b.get("temperature", 1)
    if t < 1e-5:
        return temperature(l, 0)
    l = temperature(l, max(t, 0.01))
    l = min_p(l, b.get("min_p", 0))
    l = top_k(l, b.get("top_k", 0), True)
    return top_p(l, b.get("top_p", 1))


def koboldcpp(b, l, ids, step):
    get = lambda key, usual: b.get(key, usual)
    for id, bias in get("logit_bias", {}).items():
        l[int(id)] += max(-100, min(100, bias))
    window = last(ids, get("dry_penalty_last_n", 320))
    l = dry(l, window, get("dry_multiplier", 0), get("dry_base", 1.75), get("dry_allowed_length", 2))

    def penalties(l):
        window = last(ids, max(get("rep_pen_range", 320), 1))
        r, slope = get("rep_pen", 1), get("rep_pen_slope", 1)
        slope = slope if 0 < slope <= 1 else 1
        l = repetition(l, window, r, 1 + (r - 1) * slope if r > 1 else r)
        return subtract(l, window, 0, get("presence_penalty", 0))

    def heat(l):
        t, r = get("temperature", 0.75), get("dynatemp_range", 0)
        if r > 0:
            l = dynamic(l, max(t - r, 0), t + r, get("dynatemp_exponent", 1))
        else:
            l = temperature(l, t)
        return smoothing(l, get("smoothing_factor", 0), get("smoothing_curve", 1)) if t > 0 or r > 0 else l

    if get("mirostat", 0) == 2:
        l = temperature(penalties(l), get("temperature", 0.75))
        if get("temperature", 0.75) > 0:
            l = smoothing(l, get("smoothing_factor", 0), get("smoothing_curve", 1))
        return keep(l, -np.log2(np.maximum(softmax(l), 1e-300)) <= 2 * get("mirostat_tau", 5))
    stages = [
        lambda l: top_k(l, get("top_k", 100), False),
        lambda l: top_a(l, get("top_a", 0)),
        lambda l: min_p(top_p(l, get("top_p", 0.92)), get("min_p", 0)),
        lambda l: tail_free(l, get("tfs", 1)),
        lambda l: typical(l, get("typical", 1), True),
        lambda l: n_sigma(heat(l), get("nsigma", 0)),
        penalties,
    ]
    for number in get("sampler_order", [6, 0, 1, 3, 4, 2, 5]):
        l = stages[number](l)
    return xtc(l, get("xtc_probability", 0), get("xtc_threshold", 0.2))


def webui(b, l, ids, step):
    get = lambda key, usual: b.get(key, usual)
    window = last(ids, get("repetition_penalty_range", 1024))
    prompt = ids[: len(ids) - step]

    def encoder(l):
        r = 1 / get("encoder_repetition_penalty", 1)
        for id in set(prompt) if r != 1 else ():
            l[id] = l[id] / r if l[id] > 0 else l[id] * r
        return l

    stages = {
        "repetition_penalty": lambda l: repetition(l, window, get("repetition_penalty", 1)),
        "presence_penalty": lambda l: subtract(l, window, 0, get("presence_penalty", 0)),
        "frequency_penalty": lambda l: subtract(l, window, get("frequency_penalty", 0), 0),
        "dry": lambda l: dry(
            l, window, get("dry_multiplier", 0), get("dry_base", 1.75), get("dry_allowed_length", 2)
        ),
        "top_n_sigma": lambda l: n_sigma(l, get("top_n_sigma", 0)),
        "temperature": lambda l: temperature(l, get("temperature", 1)),
        "dynamic_temperature": lambda l: (
            dynamic(l, get("dynatemp_low", 1), get("dynatemp_high", 1), get("dynatemp_exponent", 1))
            if get("dynamic_temperature", False)
            else l
        ),
        "quadratic_sampling": lambda l: smoothing(l, get("smoothing_factor", 0), get("smoothing_curve", 1)),
        "top_k": lambda l: top_k(l, get("top_k", 0), True),
        "top_p": lambda l: top_p(l, get("top_p", 1)),
        "typical_p": lambda l: typical(l, get("typical_p", 1), False),
        "epsilon_cutoff": lambda l: epsilon(l, get("epsilon_cutoff", 0) * 1e-4),
        "eta_cutoff": lambda l: eta(l, get("eta_cutoff", 0) * 1e-4),
        "top_a": lambda l: top_a(l, get("top_a", 0)),
        "min_p": lambda l: min_p(l, get("min_p", 0)),
        "xtc": lambda l: xtc(l, get("xtc_probability", 0), get("xtc_threshold", 0.1)),
        "encoder_repetition_penalty": encoder,
        "no_repeat_ngram": lambda l: no_repeat(l, ids, get("no_repeat_ngram_size", 0)),
    }
    priority = list(get("sampler_priority", list(stages)))
    if get("temperature_last", False):
        for name in ("temperature", "dynamic_temperature", "quadratic_sampling"):
            if name in priority:
                priority.remove(name)
            priority.append(name)
    for name in [name for name in stages if name not in priority] + priority:
        l = stages[name](l)
    return l


def mlx(b, l, ids, step):
    for id, bias in b.get("logit_bias", {}).items():
        l[int(id)] += bias
    window = last(ids, b.get("repetition_context_size", 20))
    if b.get("repetition_penalty", 0) not in (0, 1):
        l = repetition(l, window, b["repetition_penalty"])
    l = subtract(l, last(ids, b.get("presence_context_size", 20)), 0, b.get("presence_penalty", 0))
    l = subtract(l, last(ids, b.get("frequency_context_size", 20)), b.get("frequency_penalty", 0), 0)
    t = b.get("temperature", 0)
    if t == 0:
        return temperature(l, 0)
    l = top_p(l, b.get("top_p", 0) or 1)
    l = min_p(l, b.get("min_p", 0))
    l = xtc(l, b.get("xtc_probability", 0), b.get("xtc_threshold", 0.1))
    return temperature(top_k(l, b.get("top_k", 0), False), t)


def tgi(b, l, ids, step):
    b = b["parameters"]
    if b.get("repetition_penalty", 1) != 1:
        l = repetition(l, ids, b["repetition_penalty"])
    t, k, p, m = b.get("temperature", 1), b.get("top_k", 0), b.get("top_p", 1), b.get("typical_p", 1)
    if not b.get("do_sample", False) and t == 1 and k == 0 and p == 1 and m == 1:
        return temperature(l, 0)
    return typical(top_p(top_k(temperature(l, t), k, True), p), m, False)


TWINS = {
    "transformers": transformers,
    "vllm": vllm,
    "koboldcpp": koboldcpp,
    "text-generation-webui": webui,
    "mlx-lm": mlx,
    "tgi": tgi,
}

for line in sys.stdin:
    case = json.loads(line)
    logits = np.array(np.float32(case["logits"]), dtype=np.float64)
    after = TWINS[case["program"]](case["body"], logits, case["history"], case["step"])
    p = softmax(after)
    print(json.dumps({str(id): float(p[id]) for id in np.nonzero(p > 0)[0]}))
