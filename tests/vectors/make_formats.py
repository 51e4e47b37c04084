#!/usr/bin/env python3
"""Adds to tests/vectors/forward a small GGUF file of each quantised format, with float64 logits.

Formats are mixed as in llama-quantize: an output of Q6_K, values in a finer format than the others, and
another format if 256 does not divide a row. A block has random bytes, so that every code, factor and
share occurs, and a scale that gives its weights the wanted deviation. The reference reads these bytes
by the definitions in ggml's ggml-common.h and ggml-quants.c (dequantize_row_*), written here over whole
arrays, independently of src/format.c. It uses make_architectures.py for the rest.

    python3 tests/vectors/make_formats.py [NAME ...]     # writes the same bytes every time
"""
import numpy as np

from make_architectures import make_tensors, write_all
from make_forward import Q4_0, Q4_1, Q8_0

Q5_0, Q5_1, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K, IQ4_NL, IQ4_XS = 6, 7, 10, 11, 12, 13, 14, 20, 23
FALLBACK = {Q2_K: IQ4_NL, Q3_K: IQ4_NL, IQ4_XS: IQ4_NL, Q4_K: Q5_0, Q5_K: Q5_1, Q6_K: Q8_0}

WIDE = dict(arch='llama', embd=256, heads=4, kv=2, head=8, ff=32, layers=1, ctx=64, ids=12)
NARROW = dict(WIDE, embd=32)

# `mix`: the type of the matrices, with other types for some by a part of their name
MODELS = {
    'llama_q5_0': dict(NARROW, file_type=8, mix=[Q5_0]),
    'llama_q5_1': dict(NARROW, file_type=9, mix=[Q5_1]),
    'llama_iq4_nl': dict(NARROW, file_type=25, mix=[IQ4_NL]),
    'llama_q4_0': dict(WIDE, file_type=2, mix=[Q4_0, ('token_embd', Q6_K)]),
    'llama_q2_k': dict(WIDE, file_type=10, tied=False,
                       mix=[Q2_K, ('output.', Q6_K), ('attn_v', Q3_K), ('attn_output', Q3_K)]),
    'llama_q3_k_m': dict(WIDE, file_type=12,
                         mix=[Q3_K, ('token_embd', Q6_K), ('attn_v', Q5_K), ('attn_output', Q4_K),
                              ('ffn_down', Q5_K)]),
    'qwen2_q4_k_m': dict(WIDE, arch='qwen2', file_type=15, tied=False,
                         mix=[Q4_K, ('output.', Q6_K), ('attn_v', Q6_K), ('ffn_down', Q6_K),
                              ('attn_output', Q4_K)]),
    'llama_q5_k_m': dict(WIDE, file_type=17,
                         mix=[Q5_K, ('token_embd', Q6_K), ('attn_v', Q6_K), ('ffn_down', Q6_K)]),
    'llama_iq4_xs': dict(WIDE, file_type=30, mix=[IQ4_XS, ('token_embd', Q6_K)]),
    'qwen2_q4_1': dict(NARROW, arch='qwen2', file_type=3, mix=[Q4_1]),
}


# --- the formats ---------------------------------------------------------------------------------

LEVELS = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113])


def halves(raw):
    """Low halves of the bytes, then the high ones."""
    return np.concatenate([raw & 15, raw >> 4], axis=-1)


def bits(raw, count, width=1):
    """`count` fields of each byte, `width` bits each from the lowest: (n, count, bytes)."""
    shifts = np.arange(count)[:, None] * width
    return raw[:, None, :] >> shifts & (1 << width) - 1


def fifth(raw):
    """Bit i of 32 in four bytes."""
    return np.unpackbits(raw.astype(np.uint8), axis=1, bitorder='little').astype(int)


def two_bits(raw):
    """64 bytes: 128 values from each 32, first the lowest two bits of all."""
    return bits(raw.reshape(-1, 32), 4, 2).reshape(-1, 256)


def sixes(raw):
    """The eight factors and shares of Q4_K and Q5_K in twelve bytes: get_scale_min_k4."""
    a, b, c = raw[:, :4], raw[:, 4:8], raw[:, 8:]
    factors = np.concatenate([a & 63, c & 15 | a >> 6 << 4], axis=1)
    shares = np.concatenate([b & 63, c >> 4 | b >> 6 << 4], axis=1)
    return factors, shares


def threes(raw):
    """The sixteen factors of Q3_K in twelve bytes."""
    low = halves(raw[:, :8])
    return (low | bits(raw[:, 8:], 4, 2).reshape(-1, 16) << 4) - 32


def each(parts, size):
    return np.repeat(parts, size, axis=1)


def q4_k(b):
    factors, shares = sixes(b[:, 4:16])
    codes = halves(b[:, 16:].reshape(-1, 4, 32)).reshape(-1, 256)
    return each(factors, 32), codes, each(shares, 32)


def q5_k(b):
    factors, shares = sixes(b[:, 4:16])
    codes = halves(b[:, 48:].reshape(-1, 4, 32)).reshape(-1, 256)
    return (each(factors, 32), codes + 16 * bits(b[:, 16:48], 8).reshape(-1, 256),
            each(shares, 32))


def q6_k(b):
    low = halves(b[:, :128].reshape(-1, 2, 64)).reshape(-1, 256)
    factors = b[:, 192:208].astype(np.int8).astype(int)
    return each(factors, 16), low + 16 * two_bits(b[:, 128:192]) - 32


def q3_k(b):
    codes = two_bits(b[:, 32:96]) + 4 * bits(b[:, :32], 8).reshape(-1, 256) - 4
    return each(threes(b[:, 96:108]), 16), codes


def iq4_xs(b):
    low = np.stack([b[:, 4:8] & 15, b[:, 4:8] >> 4], axis=2).reshape(-1, 8)
    high = bits(b[:, 2:4], 4, 2).transpose(0, 2, 1).reshape(-1, 8)
    codes = halves(b[:, 8:].reshape(-1, 8, 16)).reshape(-1, 256)
    return each((low | high << 4) - 32, 32), LEVELS[codes]


# values and bytes of a block, offset of its scale, offset and sign of its minimum, and a function of
# its bytes: factor, quant and, with a minimum, share of each value
FORMATS = {
    Q4_0: (32, 18, 0, None, 0, lambda b: (1, halves(b[:, 2:]) - 8)),
    Q4_1: (32, 20, 0, 2, 1, lambda b: (1, halves(b[:, 4:]), 1)),
    Q5_0: (32, 22, 0, None, 0, lambda b: (1, halves(b[:, 6:]) + 16 * fifth(b[:, 2:6]) - 16)),
    Q5_1: (32, 24, 0, 2, 1, lambda b: (1, halves(b[:, 8:]) + 16 * fifth(b[:, 4:8]), 1)),
    Q8_0: (32, 34, 0, None, 0, lambda b: (1, b[:, 2:].astype(np.int8).astype(int))),
    IQ4_NL: (32, 18, 0, None, 0, lambda b: (1, LEVELS[halves(b[:, 2:])])),
    Q2_K: (256, 84, 80, 82, -1, lambda b: (each(b[:, :16] & 15, 16), two_bits(b[:, 16:80]),
                                           each(b[:, :16] >> 4, 16))),
    Q3_K: (256, 110, 108, None, 0, q3_k),
    Q4_K: (256, 144, 0, 2, -1, q4_k),
    Q5_K: (256, 176, 0, 2, -1, q5_k),
    Q6_K: (256, 210, 208, None, 0, q6_k),
    IQ4_XS: (256, 136, 0, None, 0, iq4_xs),
}


def random_blocks(shape, kind, spread, rng):
    """Returns the bytes of a matrix with weights of deviation about `spread`, and those weights."""
    values, size, at, at_minimum, sign, parts = FORMATS[kind]
    n = shape[0] * shape[1] // values
    raw = rng.integers(0, 256, (n, size), dtype=np.uint8)
    factor, quant, *share = parts(raw.astype(int))
    plain = factor * quant * np.ones((n, values))
    offset = share[0] * np.ones((n, values)) if share else np.zeros((n, values))
    ratio = plain.mean() / offset.mean() if share else 0.0
    scale = spread / (plain - ratio * offset).std() * rng.uniform(0.7, 1.3, n)
    heads = [(at, scale)] + ([(at_minimum, -sign * scale * ratio)] if share else [])
    for place, numbers in heads:
        raw[:, place:place + 2] = numbers.astype('<f2').view(np.uint8).reshape(n, 2)
    read = lambda place: raw[:, place:place + 2].copy().view('<f2').astype(np.float64)
    weights = read(at) * plain + (sign * read(at_minimum) * offset if share else 0)
    return raw.tobytes(), weights.reshape(shape)


def quantised(m, rng):
    tensors = make_tensors(m, rng)
    plain, *others = m['mix']
    for name, (_, values, kind) in tensors.items():
        if values.ndim < 2:
            continue
        kind = next((other for part, other in others if part in name.removeprefix('blk.0.')), plain)
        if values.shape[1] % FORMATS[kind][0]:
            kind = FALLBACK[kind]
        spread = (2 if name.startswith('token_embd') else 1) / np.sqrt(values.shape[1])
        tensors[name] = random_blocks(values.shape, kind, spread, rng) + (kind,)
    return tensors


if __name__ == '__main__':
    write_all(MODELS, 40240, quantised)
