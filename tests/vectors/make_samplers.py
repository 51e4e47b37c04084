"""Makes samplers.txt: the samplers of docs/samplers.md in NumPy and float64, each written from its source,
independently of the engine. /usr/bin/python3 tests/vectors/make_samplers.py > tests/vectors/samplers.txt
"""

import numpy as np

FLAT = [0.9, 0.8, 0.85, 0.7, 0.95, 0.75, 0.8, 0.65]
SURE = [8.0, 3.5, 1.25, -0.5, 2.0, -4.0, 0.0, -1.0]
MIXED = [2.5, 1.0, 2.25, -1.5, 0.5, 0.0, -3.0, 2.5, 1.75, -0.25]
CUT = [2.0, float("-inf"), 1.0, 0.5, float("-inf"), -1.0]
INPUTS = {"flat": FLAT, "sure": SURE, "mixed": MIXED, "cut": CUT, "one": [3.0]}


def softmax(logits):
    e = np.exp(logits - np.max(logits))
    return e / e.sum()


def adaptive_p(logits, adaptive_target, adaptive_mean=0):
    aim = np.clip(2 * adaptive_target - (adaptive_mean or adaptive_target), 0, 1)
    far = np.abs(softmax(logits) - aim) / 0.3
    return np.where(np.isinf(logits), logits, 5 - 10 * far**2 / (1 + far))


def top_a(logits, top_a):
    p = softmax(logits)
    keep = p >= top_a * p.max() ** 2
    keep[np.argmax(p)] = True
    return np.where(keep, logits, -np.inf)


def p_less(logits, p_less):
    p = softmax(logits)
    bound = (p**2).sum()
    if p_less == 2 and len(p) > 1:
        bound = (len(p) * bound - 1) / (len(p) - 1)
    keep = p >= bound * (1 - 2**-20)
    keep[np.argmax(p)] = True
    return np.where(keep & ~np.isinf(logits), logits, -np.inf)


def top_h(logits, top_h):
    order = sorted(range(len(logits)), key=lambda i: (-logits[i], i))[:100]
    p = softmax(logits[order])
    terms = np.where(p > 0, -p * np.log(np.where(p > 0, p, 1)), 0)
    within = np.cumsum(terms) <= (top_h + 2**-20) * terms.sum()
    within[0] = True
    after = np.full(len(logits), -np.inf)
    for i, id in enumerate(order):
        if within[i] and not np.isinf(logits[id]):
            after[id] = logits[id]
    return after


def dynatemp(logits, dynatemp_range, temperature=1, dynatemp_exponent=1):
    p = softmax(logits)
    n = np.sum(~np.isinf(logits))
    if n < 2:
        return logits
    share = -np.sum(p[p > 0] * np.log(p[p > 0])) / np.log(n)
    low, high = max(0, temperature - dynatemp_range), temperature + dynatemp_range
    return logits / (low + (high - low) * share**dynatemp_exponent)


def smoothing(logits, smoothing_factor, smoothing_curve=1):
    finite = ~np.isinf(logits)
    d = np.where(finite, logits - logits.max(), 0)
    k, s = (3 - smoothing_curve) / 2, (smoothing_curve - 1) / 2
    bent = -(k * smoothing_factor * d**2) + (s * smoothing_factor * d**3) + logits.max()
    return np.where(finite, bent, logits)


ENDS = [1, 3]


def min_new_tokens(logits, min_new_tokens, step):
    after = logits.copy()
    if step < min_new_tokens:
        after[ENDS] = -np.inf
    return after


def length_penalty(logits, step, exponential_decay_length_penalty, exponential_decay_start=0):
    after = logits.copy()
    over = step - exponential_decay_start
    if over > 0:
        after[ENDS] += np.abs(after[ENDS]) * (exponential_decay_length_penalty**over - 1)
    return after


def tfs_z(logits, tfs_z, convention="transformers"):
    order = sorted(np.flatnonzero(~np.isinf(logits)), key=lambda i: (-logits[i], i))
    p = softmax(logits)[order]
    bends = np.abs(np.diff(np.diff(p)))
    if len(order) <= 2 or tfs_z == 1:
        return logits
    within = int(np.sum(np.cumsum(bends) <= (tfs_z + 2**-20) * bends.sum()))
    if within == len(bends):
        return logits
    keep = max(within + (convention != "llama.cpp"), 1)
    after = np.full(len(logits), -np.inf)
    after[order[:keep]] = logits[order[:keep]]
    return after


ADAPTIVE = "llama.cpp src/llama-sampler.cpp, adaptive-p (pull request 17927)"
# The source, the definition, the settings of each case.
SAMPLERS = [
    (
        "tfs_z",
        "text-generation-webui modules/sampler_hijack.py, TailFreeLogitsWarper; koboldcpp sample_tail_free",
        tfs_z,
        [{"tfs_z": z} for z in (0.3, 0.75, 0.95)]
        + [{"tfs_z": z, "convention": "llama.cpp"} for z in (0.3, 0.75, 0.95)],
    ),
    (
        "smoothing",
        "text-generation-webui modules/sampler_hijack.py, QuadraticSamplingLogitsWarper",
        smoothing,
        [
            {"smoothing_factor": 0.3},
            {"smoothing_factor": 1.5},
            {"smoothing_factor": 0.2, "smoothing_curve": 2.5},
            {"smoothing_factor": 0.5, "smoothing_curve": 4},
        ],
    ),
    (
        "dynatemp",
        "llama.cpp, common sampler temp_ext (dynatemp_range, dynatemp_exponent)",
        dynatemp,
        [
            {"dynatemp_range": 0.5},
            {"dynatemp_range": 0.5, "temperature": 0.75},
            {"dynatemp_range": 2, "temperature": 1.5, "dynatemp_exponent": 2},
            {"dynatemp_range": 1, "dynatemp_exponent": 0.5},
        ],
    ),
    (
        "top_h",
        "transformers src/transformers/generation/logits_process.py, TopHLogitsWarper",
        top_h,
        [{"top_h": h} for h in (0.1, 0.4, 0.7, 1)],
    ),
    (
        "p_less",
        "Tan, Wu, Howard: p-less Sampling, ICLR 2026, definitions of p-less and p-less-norm",
        p_less,
        [{"p_less": 1}, {"p_less": 2}],
    ),
    (
        "top_a",
        "BlinkDL, RWKV-LM, top-a (2021); text-generation-webui modules/sampler_hijack.py",
        top_a,
        [{"top_a": a} for a in (0.05, 0.2, 0.75, 4)],
    ),
    (
        "adaptive_p",
        ADAPTIVE,
        adaptive_p,
        [
            {"adaptive_target": 0.3},
            {"adaptive_target": 0.5, "adaptive_mean": 0.7},
            {"adaptive_target": 0.9, "adaptive_mean": 0.1},
            {"adaptive_target": 0.05, "adaptive_mean": 0.6},
        ],
    ),
]


def words(values):
    return " ".join("-inf" if v == -np.inf else repr(float(v)) for v in values)


def print_case(name, source, logits, settings, after, lines=()):
    after = np.asarray(after, dtype=np.float64)
    kept = [i for i, v in enumerate(after) if v != -np.inf]
    print(f"\ncase own/samplers/{name}\nsource {source}\nlogits {words(logits)}")
    for key, value in settings.items():
        print(f"{key} {value}" if key == "convention" else f"set {key} {value}")
    for line in lines:
        print(line)
    print("expect kept " + " ".join(map(str, kept)))
    print(f"expect p {words(softmax(after))} tol 1e-6")
    print("expect mass_one")


HISTORY = [2, 0, 2, 1, 0, 3, 1]


def penalty_decay(logits, frequency_penalty, penalty_decay, presence_penalty=0):
    """Token by token, as RWKV's own loop keeps its occurrences."""
    occurrence = {}
    for id in HISTORY:
        for seen in occurrence:
            occurrence[seen] *= penalty_decay
        occurrence[id] = occurrence.get(id, 0) + 1
    after = logits.copy()
    for id, times in occurrence.items():
        after[id] -= presence_penalty + times * frequency_penalty
    return after


def generated_only(logits, penalty_generated_only, step, frequency_penalty=0, presence_penalty=0, repetition_window=0):
    """apply_penalties of vLLM: bin counts and a mask of the output tokens alone; here of the last ids in a window."""
    window = HISTORY[-repetition_window or None :]
    output = window[max(len(window) - step, 0) :]
    counts = np.bincount(output, minlength=len(logits)) if output else np.zeros(len(logits))
    return logits - frequency_penalty * counts - presence_penalty * (counts > 0)


def rep_pen_slope(logits, repetition_penalty, rep_pen_slope):
    """Uses the two counts of koboldcpp's sample_rep_pen."""
    near = {id for i, id in enumerate(HISTORY) if 2 * i >= len(HISTORY)}
    far = set(HISTORY) - near
    reduced = repetition_penalty
    if reduced > 1:
        reduced = 1 + (reduced - 1) * rep_pen_slope
    after = logits.copy()
    for ids, penalty in ((near, repetition_penalty), (far, reduced)):
        for id in ids:
            after[id] = after[id] * penalty if after[id] <= 0 else after[id] / penalty
    return after


def prompt_ignored(logits, repetition_penalty, prompt_ignore_length, repetition_window=0):
    """RepetitionPenaltyLogitsProcessor's slice, of the last ids if a window is set."""
    places = range(len(HISTORY))[-repetition_window or None :]
    after = logits.copy()
    for id in {HISTORY[i] for i in places if i >= prompt_ignore_length}:
        after[id] = after[id] * repetition_penalty if after[id] < 0 else after[id] / repetition_penalty
    return after


def encoder_repetition_penalty(logits, encoder_repetition_penalty, step=0):
    """EncoderRepetitionPenaltyLogitsProcessor: the inverse, for the ids of the prompt."""
    penalty = 1 / encoder_repetition_penalty
    after = logits.copy()
    for id in set(HISTORY[: len(HISTORY) - step]):
        after[id] = after[id] * penalty if after[id] < 0 else after[id] / penalty
    return after


def renormalize_logits(logits, renormalize_logits):
    """LogitNormalization: log-softmax."""
    m = np.max(logits)
    return logits - m - np.log(np.exp(logits - m).sum())


M64 = 2**64 - 1


def splitmix64(x):
    x = (x + 0x9E3779B97F4A7C15) & M64
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & M64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & M64
    return x ^ (x >> 31)


def mark_bits(tag, key, context, size):
    """The 32 bits of each token, by the hash in docs/samplers.md."""
    seed = splitmix64((splitmix64(key) + 2**32 + tag) & M64)
    for id in context:
        seed = splitmix64((seed + id) & M64)
    pairs = [splitmix64((seed + id // 2) & M64) for id in range(size)]
    return np.array([pair >> 32 if id % 2 else pair % 2**32 for id, pair in enumerate(pairs)])


def self_bits(key, context, size):
    """The same with green_self: of the context and the token, the one with the least hash decides."""
    seed = splitmix64((splitmix64(key) + 2**32 + 3) & M64)
    own = [splitmix64((seed + id) & M64) for id in range(max([size - 1, *context]) + 1)]
    least = [min([own[id], *(own[other] for other in context)]) for id in range(size)]
    return np.array([splitmix64((least[id] + id) & M64) % 2**32 for id in range(size)])


def green_list(
    logits, green_bias, green_fraction=0.25, green_context=1, green_self=0, watermark_key=15485863
):
    context = HISTORY[len(HISTORY) - green_context :]
    size = len(logits)
    bits = self_bits(watermark_key, context, size) if green_self else mark_bits(1, watermark_key, context, size)
    green = bits < green_fraction * 2**32
    if green_bias < 100:
        return np.where(green, logits + green_bias, logits)
    hard = np.where(green, logits, -np.inf)
    return hard if np.any(hard > -np.inf) else logits


def synthid(logits, synthid_depth, synthid_context=4, watermark_key=15485863):
    """Layer by layer over the probabilities, as transformers' update_scores."""
    context = HISTORY[len(HISTORY) - synthid_context :]
    earlier = [HISTORY[i : i + synthid_context] for i in range(len(HISTORY) - synthid_context)]
    if context in earlier:
        return logits
    bits = mark_bits(2, watermark_key, context, len(logits))
    p = softmax(logits)
    for layer in range(synthid_depth):
        g = bits >> layer & 1
        p = p * (1 + g - (g * p).sum())
    return np.log(np.maximum(p, 1e-300), where=~np.isinf(logits), out=np.full(len(p), -np.inf))


def print_with_history(name, source, define, cases, step=None):
    """Prints the cases; the last `step` ids of the history are generated."""
    lines = ["history " + " ".join(map(str, HISTORY))] + ([] if step is None else [f"coin 0 {step}"])
    given = {} if step is None else {"step": step}
    for kind, logits in INPUTS.items():
        if len(logits) < 4:
            continue
        for i, settings in enumerate(cases):
            array = np.array(np.float32(logits), dtype=np.float64)
            after = define(array, **settings, **given)
            print_case(f"{name}/{kind}/{i}", source, logits, settings, after, lines)


def print_with_step(name, source, define, cases):
    for kind, logits in INPUTS.items():
        if len(logits) < 4 or (kind == "cut"):
            continue
        for i, (step, settings) in enumerate(cases):
            array = np.array(np.float32(logits), dtype=np.float64)
            lines = ["ends " + " ".join(map(str, ENDS)), f"coin 0 {step}"]
            after = define(array, step=step, **settings)
            print_case(f"{name}/{kind}/{i}", source, logits, settings, after, lines)


print("# Made by make_samplers.py: change that, not this.")
for name, source, define, cases in SAMPLERS:
    for kind, logits in INPUTS.items():
        for i, settings in enumerate(cases):
            array = np.array(np.float32(logits), dtype=np.float64)
            print_case(f"{name}/{kind}/{i}", source, logits, settings, define(array, **settings))
print_with_history(
    "penalty_decay",
    "BlinkDL, RWKV-LM, the loop of its chat demo (alpha_frequency, alpha_presence, alpha_decay)",
    penalty_decay,
    [
        {"frequency_penalty": 0.4, "penalty_decay": 0.996},
        {"frequency_penalty": 1.5, "penalty_decay": 0.5, "presence_penalty": 0.25},
    ],
)
for step in (0, 3, 99):
    print_with_history(
        f"penalty_generated_only/{step}",
        "vLLM 00388f6, vllm/model_executor/layers/utils.py, apply_penalties",
        generated_only,
        [
            {"penalty_generated_only": 1, "frequency_penalty": 0.7, "presence_penalty": -0.3},
            {"penalty_generated_only": 1, "frequency_penalty": 1.5, "repetition_window": 2},
        ],
        step,
    )
print_with_history(
    "rep_pen_slope",
    "LostRuins/koboldcpp gpttype_adapter.cpp @2da346a, sample_rep_pen",
    rep_pen_slope,
    [
        {"repetition_penalty": 1.5, "rep_pen_slope": 0.7},
        {"repetition_penalty": 1.2, "rep_pen_slope": 0},
        {"repetition_penalty": 0.8, "rep_pen_slope": 0.5},
    ],
)
print_with_history(
    "prompt_ignore_length",
    "Hugging Face transformers, RepetitionPenaltyLogitsProcessor (prompt_ignore_length)",
    prompt_ignored,
    [
        {"repetition_penalty": 1.5, "prompt_ignore_length": 2},
        {"repetition_penalty": 0.7, "prompt_ignore_length": 3, "repetition_window": 4},
        {"repetition_penalty": 2, "prompt_ignore_length": 99},
    ],
)
print_with_history(
    "encoder_repetition_penalty",
    "Hugging Face transformers, EncoderRepetitionPenaltyLogitsProcessor, the prompt as its text",
    encoder_repetition_penalty,
    [{"encoder_repetition_penalty": 1.3}, {"encoder_repetition_penalty": 0.6}],
)
print_with_history(
    "renormalize_logits",
    "Hugging Face transformers, LogitNormalization",
    renormalize_logits,
    [{"renormalize_logits": 1}],
)
print_with_history(
    "green_list",
    "Kirchenbauer et al. 2023, A Watermark for Large Language Models, algorithms 1 (hard) and 2",
    green_list,
    [
        {"green_bias": 2},
        {"green_bias": 1.5, "green_fraction": 0.5, "green_context": 3},
        {"green_bias": 0.75, "green_fraction": 0.5, "green_context": 0, "watermark_key": 42},
        {"green_bias": 100, "green_fraction": 0.5},
        {"green_bias": 2, "green_fraction": 0.5, "green_context": 3, "green_self": 1},
        {"green_bias": 100, "green_fraction": 0.4, "green_context": 0, "green_self": 1},
    ],
)
print_with_history(
    "synthid",
    "Dathathri et al. 2024 (SynthID-Text), as transformers SynthIDTextWatermarkLogitsProcessor",
    synthid,
    [
        {"synthid_depth": 1},
        {"synthid_depth": 9},
        {"synthid_depth": 13, "synthid_context": 2, "watermark_key": 7},
        {"synthid_depth": 30, "synthid_context": 3, "watermark_key": 2**53 - 1},
        {"synthid_depth": 30, "synthid_context": 1},
    ],
)
print_with_step(
    "min_new_tokens",
    "transformers src/transformers/generation/logits_process.py, MinNewTokensLengthLogitsProcessor",
    min_new_tokens,
    [(0, {"min_new_tokens": 1}), (4, {"min_new_tokens": 5}), (5, {"min_new_tokens": 5})],
)
print_with_step(
    "exponential_decay_length_penalty",
    "transformers src/transformers/generation/logits_process.py, ExponentialDecayLengthPenalty",
    length_penalty,
    [
        (0, {"exponential_decay_length_penalty": 1.5}),
        (3, {"exponential_decay_length_penalty": 1.1}),
        (9, {"exponential_decay_length_penalty": 1.25, "exponential_decay_start": 5}),
        (5, {"exponential_decay_length_penalty": 1.25, "exponential_decay_start": 5}),
        (20, {"exponential_decay_length_penalty": 0.9, "exponential_decay_start": 2}),
    ],
)
