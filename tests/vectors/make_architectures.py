#!/usr/bin/env python3
"""Adds to tests/vectors/forward a small GGUF file of each architecture with its float64 logits.

The reference is NumPy in float64 over a whole window at once, with one function for each architecture,
written from the cited definition. Shapes are odd, windows and contexts short: a row past `ctx` sees
only the last `ctx` ids, with positions from 0 again.

    python3 tests/vectors/make_architectures.py [NAME ...]     # writes the same bytes every time

NAME.txt has the form of make_forward.py, which also contains the formats and the file writer.
"""
import os
import struct
import sys

import numpy as np

from make_forward import (F32, FILE_TYPES, FOLDER, MARGIN, Q8_0, f32, inputs, quantise, string,
                          text, u32, write_tensors)

SMALL = dict(vocab=37, ctx=24, embd=20, layers=2, heads=5, kv=1, head=12, ff=26, eps=1e-5, ids=30,
             tied=True, base=10000.0)

MODELS = {
    # Llama 3.x: the frequencies divided by rope_freqs.weight
    'llama_freqs': dict(arch='llama', freqs=True, base=500000.0, layers=1),
    # a factor without a type is linear (Chen et al. 2023); the old key of the same
    'llama_linear': dict(arch='llama', layers=1, embd=24, heads=4, kv=2, head=6, biases=True,
                         factor=4, tied=False, keys=[('f', 'rope.scaling.factor', 4.0)]),
    'llama_scale_linear': dict(arch='llama', layers=1, keys=[('f', 'rope.scale_linear', 2.5)],
                               factor=2.5),
    # Peng et al. 2023, YaRN: factor 4 of a context of 1,024
    'llama_yarn': dict(arch='llama', layers=1, base=100.0, yarn=(4.0, 1024),
                       keys=[('s', 'rope.scaling.type', 'yarn'), ('f', 'rope.scaling.factor', 4.0),
                             ('u', 'rope.scaling.original_context_length', 1024)]),
    # Jiang et al. 2023, Mistral 7B: every layer sees the last 8 positions
    'llama_window': dict(arch='llama', window=8, embd=24, heads=6, kv=2, head=4,
                         keys=[('u', 'attention.sliding_window', 8)]),
    'qwen2': dict(arch='qwen2', embd=24, heads=4, kv=2, head=6, base=1000000.0, eps=1e-6),
    'qwen3': dict(arch='qwen3', base=1000000.0, eps=1e-6, tied=False),
    'gemma2': dict(arch='gemma2', window=8, caps=(5.0, 3.0), eps=1e-6,
                   keys=[('u', 'attention.sliding_window', 8), ('f', 'attn_logit_softcapping', 5.0),
                         ('f', 'final_logit_softcapping', 3.0)]),
    'gemma3': dict(arch='gemma3', window=8, layers=6, base=1000000.0, local_base=10000.0, factor=8,
                   eps=1e-6, keys=[('u', 'attention.sliding_window', 8),
                                   ('s', 'rope.scaling.type', 'linear'),
                                   ('f', 'rope.scaling.factor', 8.0)]),
    'phi3_long': dict(arch='phi3', embd=24, heads=2, kv=1, window=8, factors='long',
                      magnitude=1.25, tied=False,
                      keys=[('u', 'attention.sliding_window', 8),
                            ('u', 'rope.scaling.original_context_length', 12),
                            ('f', 'rope.scaling.attn_factor', 1.25)]),
    'phi3_short': dict(arch='phi3', embd=24, heads=2, kv=2, rot=8, factors='short', layers=1,
                       magnitude=1.25, keys=[('u', 'rope.scaling.original_context_length', 4096),
                                             ('f', 'rope.scaling.attn_factor', 1.25)]),
    'phi3_q8_0': dict(arch='phi3', embd=32, heads=4, kv=2, head=8, ff=64, layers=1, ids=12,
                      type=Q8_0),
    'smollm3': dict(arch='smollm3', layers=4, embd=24, heads=6, kv=3, head=4, ff=22, eps=1e-6,
                    base=5000000.0),
    'gptneox': dict(arch='gptneox', embd=24, heads=2, kv=2, rot=4, ff=30, parallel=True,
                    tied=False),
    'gptneox_serial': dict(arch='gptneox', embd=24, heads=2, kv=2, rot=4, ff=30, layers=1,
                           parallel=False, tied=False),
    'lfm2': dict(arch='lfm2', layers=3, kv=1, kv_layers=[0, 1, 0], taps=3, embd=20, heads=5, head=4,
                 base=1000000.0),
    'lfm2_q8_0': dict(arch='lfm2', layers=2, kv=2, kv_layers=[2, 0], taps=4, embd=32, heads=4,
                      head=8, ff=32, ids=12, type=Q8_0),
    'olmo2': dict(arch='olmo2', embd=24, heads=4, kv=2, head=6, base=500000.0, eps=1e-6,
                  tied=False),
    'granite': dict(arch='granite', embd=24, heads=4, kv=2, head=6,
                    scales=dict(embedding=12.0, residual=0.22, attention=0.125, logit=8.0),
                    keys=[('f', 'embedding_scale', 12.0), ('f', 'residual_scale', 0.22),
                          ('f', 'attention.scale', 0.125), ('f', 'logit_scale', 8.0)]),
}


# --- weights -------------------------------------------------------------------------------------

def make_tensors(m, rng, draw=None):
    """name -> (bytes, float64 values, type), named and joined as by llama.cpp's converters.

    draw(name, shape, middle, spread, type) can replace the three by values outside memory."""
    tensors = {}

    def normal(name, shape, middle, spread, kind):
        return quantise(middle + spread * rng.standard_normal(shape), kind) + (kind,)

    draw = draw or normal
    arch, embd, ff = m['arch'], m['embd'], m['ff']
    n_q, n_kv = m['heads'] * m['head'], m['kv'] * m['head']
    norm_bias = arch == 'gptneox'

    def matrix(name, rows, cols, spread=None):
        kind = m.get('type', F32) if cols % 32 == 0 else F32
        tensors[name] = draw(name, (rows, cols), 0, spread or 1 / np.sqrt(cols), kind)

    def vector(name, n, middle, spread=0.3):
        tensors[name] = draw(name, (n,), middle, spread, F32)

    def norm(name, n=embd):
        vector(name + '.weight', n, 1)
        if norm_bias:
            vector(name + '.bias', n, 0)

    def linear(name, rows, cols, bias=False):
        matrix(name + '.weight', rows, cols)
        if bias:
            vector(name + '.bias', rows, 0)

    def factors(name):
        values = rng.uniform(1, 4, m.get('rot', m['head']) // 2)
        tensors[name] = quantise(values, F32) + (F32,)

    def attention(b):
        bias = arch == 'qwen2' or m.get('biases')
        if arch in ('phi3', 'gptneox'):
            linear(b + 'attn_qkv', n_q + 2 * n_kv, embd, arch == 'gptneox')
        else:
            linear(b + 'attn_q', n_q, embd, bias)
            linear(b + 'attn_k', n_kv, embd, bias)
            linear(b + 'attn_v', n_kv, embd, bias)
        linear(b + 'attn_output', embd, n_q, arch == 'gptneox' or m.get('biases'))
        if arch in ('qwen3', 'gemma3', 'lfm2'):
            norm(b + 'attn_q_norm', m['head'])
            norm(b + 'attn_k_norm', m['head'])
        if arch == 'olmo2':
            norm(b + 'attn_q_norm', n_q)
            norm(b + 'attn_k_norm', n_kv)

    def convolution(b):
        linear(b + 'shortconv.in_proj', 3 * embd, embd)
        w = rng.standard_normal((embd, m['taps'])) / np.sqrt(m['taps'])
        tensors[b + 'shortconv.conv.weight'] = quantise(w, F32) + (F32,)
        linear(b + 'shortconv.out_proj', embd, embd)

    matrix('token_embd.weight', m['vocab'], embd, 0.7)
    if m.get('freqs'):
        factors('rope_freqs.weight')
    if m.get('factors'):
        factors('rope_factors_long.weight')
        factors('rope_factors_short.weight')
    for i in range(m['layers']):
        b = f'blk.{i}.'
        if arch != 'olmo2':
            norm(b + 'attn_norm')
            norm(b + 'ffn_norm')
        if 'kv_layers' in m and not m['kv_layers'][i]:
            convolution(b)
        else:
            attention(b)
        if arch in ('gemma2', 'gemma3', 'olmo2'):
            norm(b + 'post_attention_norm')
            norm(b + 'post_ffw_norm')
        biased = arch == 'gptneox' or m.get('biases')
        if arch == 'phi3':
            linear(b + 'ffn_up', 2 * ff, embd)
        else:
            if arch != 'gptneox':
                linear(b + 'ffn_gate', ff, embd, biased)
            linear(b + 'ffn_up', ff, embd, biased)
        linear(b + 'ffn_down', embd, ff, biased)
    norm('token_embd_norm' if arch == 'lfm2' else 'output_norm')
    if not m['tied']:
        matrix('output.weight', m['vocab'], embd)
    return tensors


def metadata(name, m):
    arch = m['arch']
    key = lambda suffix: f'{arch}.{suffix}'
    keys = [
        string('general.architecture', arch),
        string('general.name', name.replace('phi3', 'phi_3')),  # llama.cpp looks for tokens there
        u32('general.file_type', m.get('file_type', FILE_TYPES[m.get('type', F32)])),
        u32(key('context_length'), m['ctx']), u32(key('embedding_length'), m['embd']),
        u32(key('block_count'), m['layers']), u32(key('feed_forward_length'), m['ff']),
        u32(key('attention.head_count'), m['heads']),
        u32(key('rope.dimension_count'), m.get('rot', m['head'])),
        f32(key('rope.freq_base'), m['base']),
    ]
    if arch == 'gptneox':
        keys += [f32(key('attention.layer_norm_epsilon'), m['eps']),
                 text(key('use_parallel_residual')) + struct.pack('<I?', 7, m['parallel'])]
    else:
        keys.append(f32(key('attention.layer_norm_rms_epsilon'), m['eps']))
    if 'kv_layers' in m:
        keys += [text(key('attention.head_count_kv')) +
                 struct.pack(f'<IIQ{m["layers"]}i', 9, 5, m['layers'], *m['kv_layers']),
                 u32(key('shortconv.l_cache'), m['taps'])]
    elif arch != 'gptneox':
        keys.append(u32(key('attention.head_count_kv'), m['kv']))
    if m['head'] != m['embd'] // m['heads']:
        keys += [u32(key('attention.key_length'), m['head']),
                 u32(key('attention.value_length'), m['head'])]
    for kind, suffix, value in m.get('keys', []):
        keys.append({'u': u32, 'f': f32, 's': string}[kind](key(suffix), value))
    return keys + vocabulary(m['vocab'])


def vocabulary(n):
    """A SentencePiece vocabulary that llama.cpp opens too: four special tokens, then characters."""
    tokens = ['<unk>', '<s>', '</s>', '<0x0A>', *"\u2581Tabcdefghijklmnopqrstuvwxyz.,!?'"]
    assert len(tokens) == n
    types = [2, 3, 3, 6] + [1] * (n - 4)
    scores = [-float(i) for i in range(n)]
    return [string('tokenizer.ggml.model', 'llama'),
            text('tokenizer.ggml.tokens') + struct.pack('<IIQ', 9, 8, n) +
            b''.join(text(token) for token in tokens),
            text('tokenizer.ggml.scores') + struct.pack(f'<IIQ{n}f', 9, 6, n, *scores),
            text('tokenizer.ggml.token_type') + struct.pack(f'<IIQ{n}i', 9, 5, n, *types),
            u32('tokenizer.ggml.unknown_token_id', 0), u32('tokenizer.ggml.bos_token_id', 1),
            u32('tokenizer.ggml.eos_token_id', 2)]


# --- the definitions -----------------------------------------------------------------------------

class Blocks:
    """The building blocks of the architectures; x are rows (n, size) of one window."""

    def __init__(self, m, w, kinds):
        self.m, self.w, self.kinds, self.margins = m, w, kinds, [1.0]
        self.eps = np.float64(np.float32(m['eps']))

    def rms(self, x, name):  # Zhang and Sennrich 2019
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + self.eps) * self.w[name + '.weight']

    def layer_norm(self, x, name):  # Ba et al. 2016
        x = x - x.mean(-1, keepdims=True)
        return self.rms(x, name) + self.w[name + '.bias']

    def linear(self, x, name, rows=slice(None)):
        """x times the rows of a matrix, quantised as its kind requires."""
        x, margin = inputs(x, self.kinds[name + '.weight'])
        self.margins.append(margin)
        y = x @ self.w[name + '.weight'][rows].T
        return y + self.w[name + '.bias'][rows] if name + '.bias' in self.w else y

    def heads(self, x):
        return x.reshape(len(x), -1, self.m['head'])

    def projections(self, x, b):
        return (self.heads(self.linear(x, b + 'attn_' + c)) for c in 'qkv')

    def joined_projections(self, x, b):
        n_q, n_kv = self.m['heads'] * self.m['head'], self.m['kv'] * self.m['head']
        edges = [0, n_q, n_q + n_kv, n_q + 2 * n_kv]
        return (self.heads(self.linear(x, b + 'attn_qkv', slice(edges[i], edges[i + 1])))
                for i in range(3))

    def frequencies(self, base=None, factor=1.0):  # Su et al. 2021; Chen et al. 2023 for factor
        rot = self.m.get('rot', self.m['head'])
        return (base or self.m['base']) ** (-2 * np.arange(rot // 2) / rot) / factor

    def turn(self, x, frequencies, halves, magnitude=1.0):
        """Pairs (2i, 2i + 1), or with `halves` (i, i + rot / 2), turned by position * frequency."""
        rot = 2 * len(frequencies)
        angle = np.outer(np.arange(len(x)), frequencies)[:, None, :]
        c, s = np.cos(angle) * magnitude, np.sin(angle) * magnitude
        a, b = (slice(0, rot // 2), slice(rot // 2, rot)) if halves else \
               (slice(0, rot, 2), slice(1, rot, 2))
        y = x.copy()
        y[..., a] = x[..., a] * c - x[..., b] * s
        y[..., b] = x[..., a] * s + x[..., b] * c
        return y

    def attend(self, q, k, v, name, scale=None, window=None, cap=None):
        n, heads, size = q.shape
        scale = scale or size ** -0.5
        mixed = np.empty((n, heads, size))
        for h in range(heads):
            g = h * k.shape[1] // heads
            for t in range(n):
                first = max(0, t - window + 1) if window else 0
                s = k[first:t + 1, g] @ q[t, h] * scale
                if cap:
                    s = np.tanh(s / cap) * cap
                p = np.exp(s - s.max())
                mixed[t, h] = (p / p.sum()) @ v[first:t + 1, g]
        return self.linear(mixed.reshape(n, -1), name)

    def swiglu(self, x, b):  # Shazeer 2020
        gate = self.linear(x, b + 'ffn_gate')
        return self.linear(gate / (1 + np.exp(-gate)) * self.linear(x, b + 'ffn_up'),
                           b + 'ffn_down')

    def geglu(self, x, b):
        return self.linear(gelu(self.linear(x, b + 'ffn_gate')) * self.linear(x, b + 'ffn_up'),
                           b + 'ffn_down')

    def head(self, x):
        return self.linear(x, 'token_embd' if self.m['tied'] else 'output')


def gelu(x):  # Hendrycks and Gimpel 2016, the tanh form
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))


def yarn(m, factor, original):
    """Peng et al. 2023, section 3.2 and 3.4; alpha 1, beta 32, dimensions rounded outwards."""
    rot, base = m['head'], m['base']
    wavelengths = lambda turns: rot * np.log(original / (turns * 2 * np.pi)) / (2 * np.log(base))
    low = max(np.floor(wavelengths(32)), 0)
    high = min(np.ceil(wavelengths(1)), rot - 1)
    i = np.arange(rot // 2)
    ramp = np.clip((i - low) / (high - low), 0, 1)
    plain = base ** (-2 * i / rot)
    return plain / factor * ramp + plain * (1 - ramp), 0.1 * np.log(factor) + 1


def llama(o, x):  # Touvron et al. 2023; Grattafiori et al. 2024 for rope_freqs
    m, magnitude = o.m, 1.0
    if 'yarn' in m:
        frequencies, magnitude = yarn(m, *m['yarn'])
    else:
        frequencies = o.frequencies(factor=m.get('factor', 1.0))
    if m.get('freqs'):
        frequencies = frequencies / o.w['rope_freqs.weight']
    for i in range(m['layers']):
        b = f'blk.{i}.'
        q, k, v = o.projections(o.rms(x, b + 'attn_norm'), b)
        q, k = (o.turn(z, frequencies, False, magnitude) for z in (q, k))
        x = x + o.attend(q, k, v, b + 'attn_output', window=m.get('window'))
        x = x + o.swiglu(o.rms(x, b + 'ffn_norm'), b)
    return o.head(o.rms(x, 'output_norm'))


def qwen2(o, x):  # Yang et al. 2024: biases on q, k and v
    for i in range(o.m['layers']):
        b = f'blk.{i}.'
        q, k, v = o.projections(o.rms(x, b + 'attn_norm'), b)
        q, k = (o.turn(z, o.frequencies(), True) for z in (q, k))
        x = x + o.attend(q, k, v, b + 'attn_output')
        x = x + o.swiglu(o.rms(x, b + 'ffn_norm'), b)
    return o.head(o.rms(x, 'output_norm'))


def qwen3(o, x):  # Yang et al. 2025: each head of q and k is normed
    for i in range(o.m['layers']):
        b = f'blk.{i}.'
        q, k, v = o.projections(o.rms(x, b + 'attn_norm'), b)
        q, k = o.rms(q, b + 'attn_q_norm'), o.rms(k, b + 'attn_k_norm')
        q, k = (o.turn(z, o.frequencies(), True) for z in (q, k))
        x = x + o.attend(q, k, v, b + 'attn_output')
        x = x + o.swiglu(o.rms(x, b + 'ffn_norm'), b)
    return o.head(o.rms(x, 'output_norm'))


def gemma2(o, x):  # Gemma team 2024, section 2: layers 0, 2, 4 ... are local; soft caps
    x, (attention_cap, logit_cap) = x * np.sqrt(o.m['embd']), o.m['caps']
    for i in range(o.m['layers']):
        b = f'blk.{i}.'
        q, k, v = o.projections(o.rms(x, b + 'attn_norm'), b)
        q, k = (o.turn(z, o.frequencies(), True) for z in (q, k))
        y = o.attend(q, k, v, b + 'attn_output', cap=attention_cap,
                     window=o.m['window'] if i % 2 == 0 else None)
        x = x + o.rms(y, b + 'post_attention_norm')
        x = x + o.rms(o.geglu(o.rms(x, b + 'ffn_norm'), b), b + 'post_ffw_norm')
    return np.tanh(o.head(o.rms(x, 'output_norm')) / logit_cap) * logit_cap


def gemma3(o, x):  # Gemma team 2025, section 2: five local layers, then a global one
    x = x * np.sqrt(o.m['embd'])
    for i in range(o.m['layers']):
        b, local = f'blk.{i}.', i % 6 != 5
        frequencies = o.frequencies(o.m['local_base']) if local else \
            o.frequencies(factor=o.m['factor'])
        q, k, v = o.projections(o.rms(x, b + 'attn_norm'), b)
        q, k = o.rms(q, b + 'attn_q_norm'), o.rms(k, b + 'attn_k_norm')
        q, k = (o.turn(z, frequencies, True) for z in (q, k))
        y = o.attend(q, k, v, b + 'attn_output', window=o.m['window'] if local else None)
        x = x + o.rms(y, b + 'post_attention_norm')
        x = x + o.rms(o.geglu(o.rms(x, b + 'ffn_norm'), b), b + 'post_ffw_norm')
    return o.head(o.rms(x, 'output_norm'))


def phi3(o, x):  # Abdin et al. 2024; Ding et al. 2024, LongRoPE, for the factors
    m, ff = o.m, o.m['ff']
    frequencies = o.frequencies()
    if 'factors' in m:
        frequencies = frequencies / o.w[f'rope_factors_{m["factors"]}.weight']
    for i in range(m['layers']):
        b = f'blk.{i}.'
        q, k, v = o.joined_projections(o.rms(x, b + 'attn_norm'), b)
        q, k = (o.turn(z, frequencies, True, m.get('magnitude', 1.0)) for z in (q, k))
        x = x + o.attend(q, k, v, b + 'attn_output', window=m.get('window'))
        y = o.rms(x, b + 'ffn_norm')
        gate, up = o.linear(y, b + 'ffn_up', slice(0, ff)), o.linear(y, b + 'ffn_up', slice(ff, None))
        x = x + o.linear(gate / (1 + np.exp(-gate)) * up, b + 'ffn_down')
    return o.head(o.rms(x, 'output_norm'))


def smollm3(o, x):  # Bakouch et al. 2025: every fourth layer without positions
    for i in range(o.m['layers']):
        b = f'blk.{i}.'
        q, k, v = o.projections(o.rms(x, b + 'attn_norm'), b)
        if i % 4 != 3:
            q, k = (o.turn(z, o.frequencies(), False) for z in (q, k))
        x = x + o.attend(q, k, v, b + 'attn_output')
        x = x + o.swiglu(o.rms(x, b + 'ffn_norm'), b)
    return o.head(o.rms(x, 'output_norm'))


def gptneox(o, x):  # Black et al. 2022, section 2.1; Biderman et al. 2023
    for i in range(o.m['layers']):
        b = f'blk.{i}.'
        q, k, v = o.joined_projections(o.layer_norm(x, b + 'attn_norm'), b)
        q, k = (o.turn(z, o.frequencies(), True) for z in (q, k))
        y = x + o.attend(q, k, v, b + 'attn_output')
        z = o.layer_norm(x if o.m['parallel'] else y, b + 'ffn_norm')
        x = y + o.linear(gelu(o.linear(z, b + 'ffn_up')), b + 'ffn_down')
    return o.head(o.layer_norm(x, 'output_norm'))


def lfm2(o, x):  # Liquid AI 2025, LFM2 technical report: C * conv(B * x) between projections
    embd, taps = o.m['embd'], o.m['taps']
    for i in range(o.m['layers']):
        b = f'blk.{i}.'
        y = o.rms(x, b + 'attn_norm')
        if o.m['kv_layers'][i]:
            q, k, v = o.projections(y, b)
            q, k = o.rms(q, b + 'attn_q_norm'), o.rms(k, b + 'attn_k_norm')
            q, k = (o.turn(z, o.frequencies(), True) for z in (q, k))
            y = o.attend(q, k, v, b + 'attn_output')
        else:
            gate_in, gate_out, value = np.split(o.linear(y, b + 'shortconv.in_proj'), 3, axis=1)
            padded = np.concatenate([np.zeros((taps - 1, embd)), gate_in * value])
            kernel = o.w[b + 'shortconv.conv.weight']  # (embd, taps), the last of the present
            mixed = sum(padded[j:j + len(x)] * kernel[:, j] for j in range(taps))
            y = o.linear(gate_out * mixed, b + 'shortconv.out_proj')
        x = x + y
        x = x + o.swiglu(o.rms(x, b + 'ffn_norm'), b)
    return o.head(o.rms(x, 'token_embd_norm'))


def olmo2(o, x):  # OLMo team 2025: norms of q and k as a whole, and after the blocks alone
    rms = lambda z, name: o.heads(o.rms(z.reshape(len(z), -1), name))
    for i in range(o.m['layers']):
        b = f'blk.{i}.'
        q, k, v = o.projections(x, b)
        q, k = rms(q, b + 'attn_q_norm'), rms(k, b + 'attn_k_norm')
        q, k = (o.turn(z, o.frequencies(), True) for z in (q, k))
        x = x + o.rms(o.attend(q, k, v, b + 'attn_output'), b + 'post_attention_norm')
        x = x + o.rms(o.swiglu(x, b), b + 'post_ffw_norm')
    return o.head(o.rms(x, 'output_norm'))


def granite(o, x):  # IBM 2024, Granite 3.0: four multipliers
    scales = {key: np.float64(np.float32(value)) for key, value in o.m['scales'].items()}
    x = x * scales['embedding']
    for i in range(o.m['layers']):
        b = f'blk.{i}.'
        q, k, v = o.projections(o.rms(x, b + 'attn_norm'), b)
        q, k = (o.turn(z, o.frequencies(), False) for z in (q, k))
        y = o.attend(q, k, v, b + 'attn_output', scale=scales['attention'])
        x = x + y * scales['residual']
        x = x + o.swiglu(o.rms(x, b + 'ffn_norm'), b) * scales['residual']
    return o.head(o.rms(x, 'output_norm')) / scales['logit']


DEFINITIONS = dict(llama=llama, qwen2=qwen2, qwen3=qwen3, gemma2=gemma2, gemma3=gemma3, phi3=phi3,
                   smollm3=smollm3, gptneox=gptneox, lfm2=lfm2, olmo2=olmo2, granite=granite)


def all_logits(m, o, ids):
    """Row t has the logits after ids[0 .. t], of which the model sees the last m['ctx']."""
    run = lambda seen: DEFINITIONS[m['arch']](o, o.w['token_embd.weight'][seen])
    rows = list(run(ids[:m['ctx']]))
    for t in range(m['ctx'], len(ids)):
        rows.append(run(ids[t + 1 - m['ctx']:t + 1])[-1])
    return np.array(rows)


def make(m, seed, tensors_of):
    """Returns tensors, ids and logits of the first seed with roundings that leave room for float32."""
    for seed in range(seed, 2000000, 1000):
        rng = np.random.default_rng(seed)
        tensors = tensors_of(m, rng)
        weights = {key: values for key, (_, values, _) in tensors.items()}
        kinds = {key: kind for key, (_, _, kind) in tensors.items()}
        ids = [int(i) for i in rng.integers(0, m['vocab'], m['ids'])]
        o = Blocks(m, weights, kinds)
        logits = all_logits(m, o, ids)
        if min(o.margins) > MARGIN:
            return tensors, ids, logits


def write_all(models, first_seed, tensors_of):
    """Writes every model, or only those named on the command line, with its logits."""
    for seed, (name, changes) in enumerate(models.items()):
        m = {**SMALL, **changes}
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        tensors, ids, logits = make(m, first_seed + seed, tensors_of)
        write_tensors(name, metadata(name, m), tensors)
        with open(os.path.join(FOLDER, name + '.txt'), 'w') as file:
            file.write(f'ids {len(ids)}\n{" ".join(map(str, ids))}\n')
            file.write(f'logits {len(ids)} {m["vocab"]}\n')
            for row in logits:
                file.write(' '.join(f'{x:.7f}' for x in row) + '\n')
        print(f'{name}: largest |logit| {np.abs(logits).max():.2f}')


if __name__ == '__main__':
    write_all(MODELS, 30240, make_tensors)
