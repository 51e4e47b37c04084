#!/usr/bin/env python3
"""Makes a small file like each of the 17 models in wllama's demo, with its logits.

Widths, head counts, formats by tensor, metadata and kind of tokenizer equal the model's; the file has
only the first one to four layers, 512 tokens, and random bytes as weights under plausible scales.
Formats are chosen as llama-quantize does. The program counts the bytes of the whole model in these
formats, to compare them with the size in the demo's list.

    python3 tests/vectors/make_models.py FOLDER [NAME ...]

writes FOLDER/NAME.gguf and FOLDER/NAME.json, with `_` for blanks: the ids, and the float64 logits after each of them
with vectors rounded as in this engine (`logits`) and as in ggml (`ggml_logits`). Without names it makes the missing
files. tests/bench/models_table.js runs it and makes the table.

    python3 tests/vectors/make_models.py --bench FOLDER SIZE FORMAT

writes FOLDER/SIZE.FORMAT.gguf, a whole model of random weights for tests/bench/formats.js.
"""
import json
import os
import struct
import sys

import numpy as np

from make_architectures import Blocks, SMALL, all_logits, gelu, make_tensors, metadata
from make_formats import (FALLBACK, FORMATS, IQ4_NL, IQ4_XS, Q2_K, Q3_K, Q4_K, Q5_0, Q5_1, Q5_K,
                          Q6_K)
from make_forward import F32, Q4_0, Q4_1, Q8_0, f32, inputs, string, text, u32

VOCAB, IDS, CHUNK = 512, 4, 1 << 21
FILE_TYPES = {'Q8_0': 7, 'Q2_K': 10, 'Q3_K_M': 12, 'Q4_K_M': 15}
PLAIN = {'Q8_0': Q8_0, 'Q2_K': Q2_K, 'Q3_K_M': Q3_K, 'Q4_K_M': Q4_K}


def lfm2(whole, embd, ff, heads, listed):
    return dict(arch='lfm2', mix='Q4_K_M', layers=3, whole=whole, vocabulary=65536, embd=embd, ff=ff,
                heads=heads, kv=8, head=64, taps=3, base=1e6, ctx=128000, pre='lfm2',
                attention=[2, 5, 8, 10, 12, 14], listed=listed)


def qwen2(mix, embd, ff, heads, kv, head, whole, listed, **more):
    return dict(arch='qwen2', mix=mix, layers=2, whole=whole, vocabulary=151936, embd=embd, ff=ff,
                heads=heads, kv=kv, head=head, base=1e6, eps=1e-6, ctx=32768, pre='qwen2',
                listed=listed, **more)


def qwen3(mix, embd, ff, listed):
    return dict(arch='qwen3', mix=mix, layers=2, whole=28, vocabulary=151936, embd=embd, ff=ff,
                heads=16, kv=8, head=128, base=1e6, eps=1e-6, ctx=40960, pre='qwen2', listed=listed)


def smollm2(mix, embd, ff, heads, kv, whole, base, listed):
    return dict(arch='llama', mix=mix, layers=2, whole=whole, vocabulary=49152, embd=embd, ff=ff,
                heads=heads, kv=kv, head=64, base=base, ctx=8192, pre='smollm', listed=listed)


def llama3(mix, embd, ff, whole, factor, head, tied, layers, listed):
    return dict(arch='llama', mix=mix, layers=layers, whole=whole, vocabulary=128256, embd=embd,
                ff=ff, heads=32, kv=8, head=head, base=500000.0, ctx=131072, tied=tied, freqs=True,
                stretch=factor, pre='llama-bpe', listed=listed)


# Widths from the models' own configurations; `listed`: bytes in the demo's list
# (ngxson/wllama, examples/main/src/config.ts).
MODELS = {
    'LFM2 350M': lfm2(16, 1024, 4608, 16, 229309376),
    'LFM2 700M': lfm2(16, 1536, 6912, 24, 468624320),
    'LFM2 1.2B': lfm2(16, 2048, 8192, 32, 730893248),
    'Qwen3 0.6B': qwen3('Q8_0', 1024, 3072, 639447744),
    'Qwen3 1.7B': qwen3('Q4_K_M', 2048, 6144, 1107409472),
    'SmolLM3 3B': dict(arch='smollm3', mix='Q4_K_M', layers=4, whole=36, vocabulary=128256,
                       embd=2048, ff=11008, heads=16, kv=4, head=128, base=5e6, eps=1e-6, ctx=65536,
                       pre='smaug-bpe', listed=1915305312),
    'SmolLM2 360M': smollm2('Q8_0', 960, 2560, 15, 5, 32, 100000.0, 386404992),
    'Qwen2.5 0.5B': qwen2('Q8_0', 896, 4864, 14, 2, 64, 24, 675710816, tied=False),
    # another seed, since the first one has a rounding at a half in its first position
    'Llama 3.2 1B': {**llama3('Q4_K_M', 2048, 8192, 16, 32, 64, True, 2, 807690656), 'seed': 60001},
    'DeepSeek-R1-Distill-Qwen 1.5B': {
        **qwen2('Q3_K_M', 1536, 8960, 12, 2, 128, 28, 924456032, tied=False),
        'base': 10000.0, 'ctx': 131072, 'pre': 'deepseek-r1-qwen'},
    'Qwen2 1.5B': qwen2('Q4_K_M', 1536, 8960, 12, 2, 128, 28, 986046272),
    'SmolLM2 1.7B': smollm2('Q4_K_M', 2048, 8192, 32, 32, 24, 130000.0, 1055609536),
    'Gemma 2 2B': dict(arch='gemma2', mix='Q4_K_M', layers=2, whole=26, vocabulary=256000,
                       embd=2304, ff=9216, heads=8, kv=4, head=256, eps=1e-6, ctx=8192,
                       caps=(50.0, 30.0), window=4096, listed=1708583264,
                       keys=[('u', 'attention.sliding_window', 4096),
                             ('f', 'attn_logit_softcapping', 50.0),
                             ('f', 'final_logit_softcapping', 30.0)]),
    'neuralreyna-mini 1.8B': qwen2('Q4_K_M', 2048, 5504, 16, 16, 128, 24, 1217753472, tied=False),
    'Phi 3.1 mini 128k': dict(arch='phi3', mix='Q3_K_M', layers=1, whole=32, vocabulary=32064,
                              embd=3072, ff=8192, heads=32, kv=32, head=96, ctx=131072, tied=False,
                              factors='short', magnitude=1.25, window=262144, listed=1955478176,
                              keys=[('u', 'attention.sliding_window', 262144),
                                    ('u', 'rope.scaling.original_context_length', 4096),
                                    ('f', 'rope.scaling.attn_factor', 1.25)]),
    'Llama 3.1 8B abliterated': llama3('Q2_K', 4096, 14336, 32, 8, 128, False, 1, 3179133600),
    'Llama 3.1 8B': llama3('Q2_K', 4096, 14336, 32, 8, 128, False, 1, 3179138048),
}

# Models of the bench, with all matrices in one format, except Q4_K_M.
BENCH = {
    '15M': dict(arch='llama', layers=6, vocab=32000, embd=288, ff=768, heads=6, kv=6, head=48,
                ctx=256),
    '124M': dict(arch='llama', layers=12, vocab=50257, embd=768, ff=2048, heads=12, kv=12, head=64,
                 ctx=1024, pre='gpt-2'),
    '0.6B': dict(arch='qwen3', layers=28, vocab=151936, embd=1024, ff=3072, heads=16, kv=8,
                 head=128, base=1e6, eps=1e-6, ctx=1024, pre='qwen2'),
    '1.2B': dict(arch='llama', layers=16, vocab=128256, embd=2048, ff=8192, heads=32, kv=8, head=64,
                 base=500000.0, ctx=1024, freqs=True, stretch=32, pre='llama-bpe'),
}
SINGLE = dict(Q4_0=(Q4_0, 2), Q4_1=(Q4_1, 3), Q5_0=(Q5_0, 8), Q5_1=(Q5_1, 9), Q2_K=(Q2_K, 10),
              Q3_K=(Q3_K, 11), Q4_K=(Q4_K, 14), Q5_K=(Q5_K, 16), Q6_K=(Q6_K, 18),
              IQ4_NL=(IQ4_NL, 25), IQ4_XS=(IQ4_XS, 30), Q8_0=(Q8_0, 7))


# --- the types that llama-quantize chooses ---------------------------------------------------------

def kind_of(m, name, shape):
    """llama_tensor_get_type of llama.cpp's src/llama-quant.cpp, for these four mixtures."""
    if len(shape) < 2 or 'shortconv.conv' in name:
        return F32
    if 'single' in m:
        return m['single']
    mix, kind = m['mix'], PLAIN[m['mix']]
    layer, layers = int(name.split('.')[1]) if name.startswith('blk.') else 0, m['whole']
    attention = m.get('attention', range(layers))
    more_bits = lambda i, n: i < n // 8 or i >= 7 * n // 8 or (i - n // 8) % 3 == 2
    if mix == 'Q8_0':
        pass
    elif name == 'output.weight' or name == 'token_embd.weight' and m['tied']:
        kind = Q6_K
    elif 'attn_v.' in name:
        place = list(attention).index(layer)
        kind = {'Q4_K_M': Q6_K if more_bits(place, len(attention)) else Q4_K,
                'Q3_K_M': Q5_K if place < 2 else Q4_K,
                'Q2_K': Q4_K if m['heads'] >= 4 * m['kv'] else Q3_K}[mix]
    elif 'attn_qkv.' in name:
        kind = {'Q4_K_M': Q5_K, 'Q3_K_M': Q4_K, 'Q2_K': Q3_K}[mix]
    elif 'ffn_down.' in name:
        kind = {'Q4_K_M': Q6_K if more_bits(layer, layers) else Q4_K,
                'Q3_K_M': Q5_K if layer < layers // 16 else Q4_K, 'Q2_K': Q3_K}[mix]
    elif 'attn_output.' in name:
        kind = {'Q4_K_M': Q4_K, 'Q3_K_M': Q4_K, 'Q2_K': Q3_K}[mix]
    return FALLBACK.get(kind, kind) if shape[1] % FORMATS[kind][0] else kind


def bytes_of(kind, shape):
    values, size = FORMATS[kind][:2] if kind != F32 else (1, 4)
    return int(np.prod(shape, dtype=np.int64)) // values * size


class Shape:
    """Placeholder of values that are not in memory."""

    def __init__(self, shape):
        self.shape, self.ndim = shape, len(shape)


def count_whole(m):
    """Parameters and bytes of the tensors of all layers with the whole vocabulary."""
    whole = {**m, 'layers': m['whole'], 'vocab': m['vocabulary'], **heads_by_layer(m, m['whole'])}
    found = []

    def draw(name, shape, middle, spread, kind):
        found.append((int(np.prod(shape, dtype=np.int64)), bytes_of(kind_of(m, name, shape), shape)))
        return None, Shape(shape), kind

    make_tensors(whole, np.random.default_rng(0), draw)
    return sum(n for n, _ in found), sum(size for _, size in found)


def heads_by_layer(m, layers):
    if 'attention' not in m:
        return {}
    return {'kv_layers': [m['kv'] if i in m['attention'] else 0 for i in range(layers)]}


# --- the file ------------------------------------------------------------------------------------

def llama3_factors(m):
    """Grattafiori et al. 2024 as their code has it: old context 8,192, low 1, high 4."""
    rate = m['base'] ** (-2 * np.arange(m['head'] // 2) / m['head'])
    turns = 8192 * rate / (2 * np.pi)
    smooth = np.clip((turns - 1) / 3, 0, 1)
    return (1 / ((1 - smooth) / m['stretch'] + smooth)).astype('<f4')


class Scales:
    """Factor and ratio of the minimum of a format's random blocks, for weights of deviation 1."""

    def __init__(self, kind, rng):
        values, size, _, at_minimum, _, parts = FORMATS[kind]
        factor, quant, *share = parts(rng.integers(0, 256, (4096, size)))
        plain = factor * quant * np.ones((4096, values))
        offset = share[0] * np.ones((4096, values)) if share else 0 * plain
        self.ratio = plain.mean() / offset.mean() if share else 0.0
        self.factor = 1 / (plain - self.ratio * offset).std()


def random_bytes(kind, count, spread, scales, rng):
    values, size, at, at_minimum, sign, _ = FORMATS[kind]
    n = count // values
    raw = rng.integers(0, 256, (n, size), dtype=np.uint8)
    scale = spread * scales.factor * rng.uniform(0.7, 1.3, n)
    raw[:, at:at + 2] = scale.astype('<f2').view(np.uint8).reshape(n, 2)
    if at_minimum is not None:
        low = -sign * scale * scales.ratio
        raw[:, at_minimum:at_minimum + 2] = low.astype('<f2').view(np.uint8).reshape(n, 2)
    return raw


def byte_letters():
    """GPT-2's letter for each byte."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(b) if b in shown else chr(next(others)) for b in range(256)]


def vocabulary(m):
    """Byte-level BPE with its `pre`, or SentencePiece without a space in front."""
    strings = lambda key, values: (text(key) + struct.pack('<IIQ', 9, 8, len(values)) +
                                   b''.join(text(value) for value in values))
    special, size = ['<unk>', '<s>', '</s>'], m['vocab']
    if 'pre' in m:
        letters = byte_letters()
        pairs = [(a, b) for a in '\u0120etaoinshr' for b in 'etaoinshrdlucmfwygpbvk'][:size - 259]
        tokens = letters + [a + b for a, b in pairs] + special
        tokens[256 + len(pairs):] = [f'<x{i}>' for i in range(size - 259 - len(pairs))] + special
        types = [1] * (size - 3) + [3] * 3
        own = [string('tokenizer.ggml.model', 'gpt2'), string('tokenizer.ggml.pre', m['pre']),
               strings('tokenizer.ggml.merges', [f'{a} {b}' for a, b in pairs]),
               u32('tokenizer.ggml.bos_token_id', size - 2),
               u32('tokenizer.ggml.eos_token_id', size - 1)]
    else:
        tokens = special + [f'<0x{b:02X}>' for b in range(256)] + ['\u2581']
        tokens += [chr(c) for c in range(33, 127)]
        tokens += [f'\u2581#{i}' for i in range(size - len(tokens))]
        types = [2, 3, 3] + [6] * 256 + [1] * (size - 259)
        scores = [-float(i) for i in range(size)]
        own = [string('tokenizer.ggml.model', 'llama'),
               text('tokenizer.ggml.scores') + struct.pack(f'<IIQ{size}f', 9, 6, size, *scores),
               text('tokenizer.ggml.add_space_prefix') + struct.pack('<I?', 7, False),
               u32('tokenizer.ggml.bos_token_id', 1), u32('tokenizer.ggml.eos_token_id', 2),
               u32('tokenizer.ggml.unknown_token_id', 0)]
    return own + [strings('tokenizer.ggml.tokens', tokens),
                  text('tokenizer.ggml.token_type') +
                  struct.pack(f'<IIQ{size}i', 9, 5, size, *types)]


def write(path, name, m, rng):
    """Writes the file; returns the offset of each tensor's values, with kind and shape."""
    plans, scales = {}, {}

    def draw(tensor, shape, middle, spread, _):
        plans[tensor] = (shape, kind_of(m, tensor, shape), middle, spread)
        return None, Shape(shape), F32

    made = make_tensors(m, rng, draw)
    if m.get('freqs'):
        made['rope_freqs.weight'] = (llama3_factors(m).tobytes(),) + made['rope_freqs.weight'][1:]
    table, at, places = b'', 0, {}
    for tensor, (raw, values, _) in made.items():
        shape = values.shape
        kind = plans[tensor][1] if tensor in plans else F32
        table += text(tensor) + struct.pack('<I', len(shape))
        table += b''.join(struct.pack('<Q', n) for n in reversed(shape)) + struct.pack('<IQ', kind, at)
        places[tensor] = (at, kind, shape)
        at += -(-bytes_of(kind, shape) // 32) * 32
    own = [key for key in metadata(name, {**m, 'vocab': SMALL['vocab']})
           if b'tokenizer.' not in key[:30]] + vocabulary(m)
    head = b'GGUF' + struct.pack('<IQQ', 3, len(places), len(own)) + b''.join(own) + table
    start = -(-len(head) // 32) * 32
    with open(path, 'wb') as file:
        file.write(head)
        for tensor, (offset, kind, shape) in places.items():
            file.seek(start + offset)
            count = int(np.prod(shape))
            if tensor not in plans:
                file.write(made[tensor][0])
            elif kind == F32:
                _, _, middle, spread = plans[tensor]
                file.write((middle + spread * rng.standard_normal(count)).astype('<f4').tobytes())
            else:
                scales.setdefault(kind, Scales(kind, rng))
                spread = plans[tensor][3]
                if tensor in ('token_embd.weight', 'output.weight'):  # logits deviate by three
                    spread = 3 / np.sqrt(shape[1])
                for done in range(0, count, CHUNK):
                    file.write(random_bytes(kind, min(CHUNK, count - done), spread, scales[kind],
                                            rng).tobytes())
        file.truncate(start + at)
    return {tensor: (start + offset, kind, shape) for tensor, (offset, kind, shape) in places.items()}


# --- the reference -------------------------------------------------------------------------------

class Matrix:
    """Rows of a matrix in the file, read on demand."""

    def __init__(self, path, place):
        self.path, (self.at, self.kind, self.shape) = path, place

    def rows(self, first, last):
        cols, count = self.shape[1], last - first
        if self.kind == F32:
            return np.fromfile(self.path, '<f4', count * cols,
                               offset=self.at + 4 * first * cols).astype(float).reshape(count, cols)
        values, size, at, at_minimum, sign, parts = FORMATS[self.kind]
        row = cols // values * size
        raw = np.fromfile(self.path, np.uint8, count * row, offset=self.at + first * row)
        raw = raw.reshape(-1, size)
        read = lambda place: raw[:, place:place + 2].copy().view('<f2').astype(float)
        factor, quant, *share = parts(raw.astype(np.int16))
        weights = read(at) * (factor * quant)
        if share:
            weights += sign * read(at_minimum) * share[0]
        return weights.reshape(count, cols)

    def __getitem__(self, ids):
        return np.concatenate([self.rows(i, i + 1) for i in ids])


class Streamed(Blocks):
    """The definitions over a file, a part of a matrix at a time."""

    def __init__(self, m, path, places, rounding):
        tensors = {name: Matrix(path, place) for name, place in places.items() if len(place[2]) > 1}
        for name, (at, _, shape) in places.items():
            if len(shape) == 1:
                tensors[name] = np.fromfile(path, '<f4', shape[0], offset=at).astype(float)
            elif 'shortconv.conv' in name:
                tensors[name] = tensors[name].rows(0, shape[0])
        super().__init__(m, tensors, {name: place[1] for name, place in places.items()})
        self.rounding = rounding

    def linear(self, x, name, rows=slice(None)):
        matrix = self.w[name + '.weight']
        first, last, _ = rows.indices(matrix.shape[0])
        x = self.rounding(x, matrix.kind)
        step = max(1, CHUNK // matrix.shape[1])
        y = np.concatenate([x @ matrix.rows(i, min(i + step, last)).T
                            for i in range(first, last, step)], axis=1)
        return y + self.w[name + '.bias'][first:last] if name + '.bias' in self.w else y


def as_ggml(x, kind):
    """ggml's quantize_row_q8_0 for formats of 32 values, quantize_row_q8_K for formats of 256."""
    if kind == F32:
        return x
    size = FORMATS[kind][0]
    groups = x.reshape(-1, size)
    step = np.abs(groups).max(axis=1, keepdims=True) / 127
    kept = step if size == 256 else step.astype(np.float16).astype(float)
    return (kept * np.rint(groups / step)).reshape(x.shape)


class Ggml(Streamed):
    """The same with ggml's GELU, a table from float16 to float16."""

    def geglu(self, x, b):
        gate = self.linear(x, b + 'ffn_gate').astype(np.float16).astype(float)
        y = gelu(gate).astype(np.float16).astype(float)
        return self.linear(y * self.linear(x, b + 'ffn_up'), b + 'ffn_down')


def make(folder, name, m, seed):
    rng = np.random.default_rng(seed)
    m = {**SMALL, **m, 'vocab': VOCAB, 'file_type': FILE_TYPES[m['mix']],
         **heads_by_layer(m, m['layers'])}
    stem = os.path.join(folder, name.replace(' ', '_'))
    path = stem + '.gguf'
    places = write(path, name, m, rng)
    ids = [int(i) for i in rng.integers(3, VOCAB - 3, IDS)]
    ours = all_logits(m, Streamed(m, path, places, lambda x, kind: inputs(x, kind)[0]), ids)
    ggml = all_logits(m, Ggml(m, path, places, as_ggml), ids)
    parameters, size = count_whole(m)
    with open(stem + '.json', 'w') as file:
        json.dump(dict(arch=m['arch'], mix=m['mix'], pre=m.get('pre'), layers=m['layers'],
                       whole_layers=m['whole'], embd=m['embd'], heads=m['heads'], kv=m['kv'],
                       head=m['head'], ff=m['ff'], parameters=parameters, size=size,
                       listed=m['listed'], ids=ids, logits=ours.tolist(),
                       ggml_logits=ggml.tolist()), file)
    print(f'{name}: {os.path.getsize(path)} bytes, largest |logit| {np.abs(ours).max():.1f}; whole '
          f'{size} against {m["listed"]} listed', flush=True)


def make_bench(folder, size, name):
    m = {**SMALL, **BENCH[size], 'mix': name, 'whole': BENCH[size]['layers']}
    if name in SINGLE:
        m['single'], m['file_type'] = SINGLE[name]
    else:
        m['file_type'] = FILE_TYPES[name]
    path = os.path.join(folder, f'{size}.{name}.gguf')
    write(path + '.part', f'random {size}', m, np.random.default_rng(60240))
    os.rename(path + '.part', path)


if __name__ == '__main__':
    arguments = sys.argv[1:]
    if arguments[:1] == ['--bench'] and len(arguments) == 4:
        sys.exit(make_bench(*arguments[1:]))
    if not arguments or arguments[0].startswith('-'):
        sys.exit(__doc__)
    target, *names = arguments
    unknown = [name for name in names if name not in MODELS]
    if unknown:
        sys.exit(f'there is no model {unknown[0]}; there are {", ".join(MODELS)}')
    os.makedirs(target, exist_ok=True)
    with open(os.path.join(target, 'order.json'), 'w') as order:
        json.dump(list(MODELS), order)
    for number, (title, described) in enumerate(MODELS.items()):
        there = os.path.exists(os.path.join(target, title.replace(' ', '_') + '.json'))
        if title in names or not names and not there:
            make(target, title, described, described.get('seed', 50240 + number))
