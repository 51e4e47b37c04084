#!/usr/bin/env python3
"""Makes tests/vectors/forward: small GGUF files and their logits by a float64 forward pass.

The reference is NumPy in float64 over the whole sequence at once, written from the papers. If PyTorch
is installed, its layer_norm, gelu, silu and complex multiplication (for RoPE) compute the same logits
again, and both must agree within 1e-9.

A matrix of a quantised format multiplies integers: each 32 elements of a vector are rounded to
multiples of their largest magnitude over 127 first. The reference rounds them likewise. If a quotient
is near a half, float32 could round it the other way, so the program tries the next seed until no
quotient is.

    python3 tests/vectors/make_forward.py        # from the repository root; writes the same bytes

NAME.txt beside NAME.gguf holds: `ids N`, the N ids, `logits N V`, then N rows of V numbers, row t
with the logits after ids[0 .. t].
"""
import os
import struct
import sys

import numpy as np

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    torch = None

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'forward')
F32, F16, Q4_0, Q4_1, Q8_0, BF16 = 0, 1, 2, 3, 8, 30
FILE_TYPES = {F32: 0, F16: 1, Q4_0: 2, Q4_1: 3, Q8_0: 7, BF16: 32}
MARGIN = 2e-4  # of a step, between a quotient and a half
N_IDS = 12

MODELS = {
    'gpt2_tied': dict(arch='gpt2', vocab=67, ctx=16, embd=16, layers=2, heads=2, ff=64, tied=True,
                      eps=1e-5, version=2),
    'gpt2_head': dict(arch='gpt2', vocab=101, ctx=12, embd=20, layers=2, heads=2, ff=50, tied=False,
                      eps=1e-3, alignment=64),
    'gpt2_f16': dict(arch='gpt2', vocab=67, ctx=13, embd=24, layers=1, heads=4, ff=40, tied=True,
                     eps=1e-5, type=F16),
    'llama_mha': dict(arch='llama', vocab=67, ctx=16, embd=24, layers=2, heads=4, kv=4, rot=6,
                      ff=36, tied=True, eps=1e-5),
    'llama_gqa': dict(arch='llama', vocab=101, ctx=40, embd=30, layers=2, heads=3, kv=1, rot=4,
                      ff=50, tied=False, eps=1e-6, base=500000.0, alignment=8),
    'llama_bias': dict(arch='llama', vocab=67, ctx=16, embd=36, layers=1, heads=6, kv=2, rot=2,
                       ff=21, tied=True, eps=1e-2, biases=True),
    'llama_q8_0': dict(arch='llama', vocab=67, ctx=16, embd=32, layers=2, heads=4, kv=2, rot=8,
                       ff=64, tied=False, eps=1e-5, type=Q8_0),
    'gpt2_q4_0': dict(arch='gpt2', vocab=67, ctx=16, embd=32, layers=1, heads=2, ff=96, tied=True,
                      eps=1e-5, type=Q4_0),
    'llama_q4_1': dict(arch='llama', vocab=67, ctx=16, embd=64, layers=1, heads=4, kv=4, rot=16,
                       ff=40, tied=True, eps=1e-5, type=Q4_1),
    'llama_bf16': dict(arch='llama', vocab=67, ctx=16, embd=24, layers=1, heads=4, kv=2, rot=6,
                       ff=36, tied=False, eps=1e-5, type=BF16),
}


# --- weights -------------------------------------------------------------------------------------

def quantise(w, kind):
    """Returns the bytes of a tensor and their float64 values."""
    if kind == F16:
        half = w.astype('<f2')
        return half.tobytes(), half.astype(np.float64)
    if kind == BF16:
        bits = w.astype('<f4').view('<u4')
        upper = ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype('<u2')
        return upper.tobytes(), (upper.astype('<u4') << 16).view('<f4').astype(np.float64)
    if kind in (Q8_0, Q4_0, Q4_1):
        return quantise_blocks(w, kind)
    single = w.astype('<f4')
    return single.tobytes(), single.astype(np.float64)


def quantise_blocks(w, kind):
    """Blocks of 32: scale, for Q4_1 minimum, then bytes, or halves of bytes 0 .. 15 and 16 .. 31."""
    blocks = w.reshape(-1, 32)
    largest, low = np.abs(blocks).max(axis=1), blocks.min(axis=1)
    width = {Q8_0: largest / 127, Q4_0: largest / 8, Q4_1: (blocks.max(axis=1) - low) / 15}[kind]
    scale = width.astype('<f2').astype(np.float64)[:, None]
    base = low.astype('<f2').astype(np.float64)[:, None] if kind == Q4_1 else -8 * scale
    if kind == Q8_0:
        quants = np.clip(np.rint(blocks / scale), -127, 127)
        values, raw = scale * quants, quants.astype(np.int8).view(np.uint8)
    else:
        quants = np.clip(np.rint((blocks - base) / scale), 0, 15)
        values, halves = scale * quants + base, quants.astype(np.uint8)
        raw = halves[:, :16] | halves[:, 16:] << 4
    heads = [width.astype('<f2')] + ([low.astype('<f2')] if kind == Q4_1 else [])
    data = b''.join(b''.join(h[i].tobytes() for h in heads) + raw[i].tobytes()
                    for i in range(len(blocks)))
    return data, values.reshape(w.shape)


def inputs(x, kind):
    """Returns the vectors x as rounded for this kind of matrix, and the least distance of a rounding to a half."""
    if kind in (F32, F16, BF16):
        return x, 1.0
    groups = x.reshape(-1, 32)
    step = np.abs(groups).max(axis=1, keepdims=True) / 127
    quotients = groups / step
    margin = np.abs(np.abs(quotients - np.floor(quotients)) - 0.5).min()
    return (step * np.rint(quotients)).reshape(x.shape), margin


def make_tensors(m, rng):
    """name -> (bytes, float64 values, type); no tensor stays at its default of one or zero."""
    tensors = {}

    def matrix(name, rows, cols, spread=None):
        w = rng.standard_normal((rows, cols)) * (spread or 1 / np.sqrt(cols))
        kind = m.get('type', F32)
        if kind not in (F32, F16, BF16) and cols % 32:
            kind = F16  # as llama.cpp does
        tensors[name] = quantise(w, kind) + (kind,)

    def vector(name, n, middle):
        tensors[name] = quantise(middle + 0.3 * rng.standard_normal(n), F32) + (F32,)

    def norm(name):
        vector(name + '.weight', m['embd'], 1)
        if m['arch'] == 'gpt2':
            vector(name + '.bias', m['embd'], 0)

    def linear(name, rows, cols, bias):
        matrix(name + '.weight', rows, cols)
        if bias:
            vector(name + '.bias', rows, 0)

    embd, gpt2 = m['embd'], m['arch'] == 'gpt2'
    matrix('token_embd.weight', m['vocab'], embd, 0.7)
    if gpt2:
        matrix('position_embd.weight', m['ctx'], embd, 0.3)
    for i in range(m['layers']):
        b = f'blk.{i}.'
        norm(b + 'attn_norm')
        if gpt2:
            linear(b + 'attn_qkv', 3 * embd, embd, True)
        else:
            n_kv = embd // m['heads'] * m['kv']
            linear(b + 'attn_q', embd, embd, m.get('biases'))
            linear(b + 'attn_k', n_kv, embd, m.get('biases'))
            linear(b + 'attn_v', n_kv, embd, m.get('biases'))
        linear(b + 'attn_output', embd, embd, gpt2)
        norm(b + 'ffn_norm')
        if not gpt2:
            linear(b + 'ffn_gate', m['ff'], embd, False)
        linear(b + 'ffn_up', m['ff'], embd, gpt2)
        linear(b + 'ffn_down', embd, m['ff'], gpt2)
    norm('output_norm')
    if not m['tied']:
        matrix('output.weight', m['vocab'], embd)
    return tensors


# --- the file ------------------------------------------------------------------------------------

def text(s):
    data = s.encode()
    return struct.pack('<Q', len(data)) + data


def u32(key, n):
    return text(key) + struct.pack('<II', 4, n)


def f32(key, x):
    return text(key) + struct.pack('<If', 6, x)


def string(key, s):
    return text(key) + struct.pack('<I', 8) + text(s)


def metadata(name, m):
    arch = m['arch']
    characters = [chr(c) for c in range(0x20, 0x7f)] + [chr(c) for c in range(0xe0, 0x100)]
    tokens = b''.join(text(c) for c in characters[:m['vocab']])
    keys = [
        string('general.architecture', arch), string('general.name', name),
        u32('general.alignment', m.get('alignment', 32)),
        u32('general.file_type', FILE_TYPES[m.get('type', F32)]),
        u32(arch + '.context_length', m['ctx']), u32(arch + '.embedding_length', m['embd']),
        u32(arch + '.block_count', m['layers']), u32(arch + '.feed_forward_length', m['ff']),
        u32(arch + '.attention.head_count', m['heads']),
        string('tokenizer.ggml.model', 'logitscope-char'),
        text('tokenizer.ggml.tokens') + struct.pack('<IIQ', 9, 8, m['vocab']) + tokens,
    ]
    if arch == 'gpt2':
        keys.append(f32('gpt2.attention.layer_norm_epsilon', m['eps']))
    else:
        keys += [f32('llama.attention.layer_norm_rms_epsilon', m['eps']),
                 u32('llama.attention.head_count_kv', m['kv']),
                 u32('llama.rope.dimension_count', m['rot'])]
        if 'base' in m:
            keys.append(f32('llama.rope.freq_base', m['base']))
    return keys


def write_gguf(name, m, tensors):
    write_tensors(name, metadata(name, m), tensors, m.get('alignment', 32), m.get('version', 3))


def write_tensors(name, keys, tensors, alignment=32, version=3):
    table, data = b'', b''
    for tensor, (raw, values, kind) in tensors.items():
        table += text(tensor) + struct.pack('<I', values.ndim)
        table += b''.join(struct.pack('<Q', n) for n in reversed(values.shape))
        table += struct.pack('<IQ', kind, len(data))
        data += raw + b'\0' * (-len(raw) % alignment)
    head = b'GGUF' + struct.pack('<IQQ', version, len(tensors), len(keys))
    head += b''.join(keys) + table
    with open(os.path.join(FOLDER, name + '.gguf'), 'wb') as file:
        file.write(head + b'\0' * (-len(head) % alignment) + data)


# --- the reference -------------------------------------------------------------------------------

def numpy_forward(m, w, kinds, ids):
    """Returns the logits, and the smallest margin of all roundings."""
    margins = [1.0]
    gpt2, heads = m['arch'] == 'gpt2', m['heads']
    kv_heads, size, eps = m.get('kv', heads), m['embd'] // heads, np.float64(np.float32(m['eps']))
    n = len(ids)

    def norm(x, name):
        if gpt2:
            x = x - x.mean(axis=1, keepdims=True)
        y = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + eps) * w[name + '.weight']
        return y + w[name + '.bias'] if gpt2 else y

    def linear(x, name):
        x, margin = inputs(x, kinds[name + '.weight'])
        margins.append(margin)
        y = x @ w[name + '.weight'].T
        return y + w[name + '.bias'] if name + '.bias' in w else y

    def turn(x):  # (n, heads, size)
        x, base = x.copy(), m.get('base', 10000.0)
        for t in range(n):
            for i in range(m['rot'] // 2):
                angle = t * base ** (-2 * i / m['rot'])
                a, b = x[t, :, 2 * i].copy(), x[t, :, 2 * i + 1].copy()
                x[t, :, 2 * i] = a * np.cos(angle) - b * np.sin(angle)
                x[t, :, 2 * i + 1] = a * np.sin(angle) + b * np.cos(angle)
        return x

    x = w['token_embd.weight'][ids]
    if gpt2:
        x = x + w['position_embd.weight'][:n]
    for layer in range(m['layers']):
        b = f'blk.{layer}.'
        y = norm(x, b + 'attn_norm')
        if gpt2:
            q, k, v = np.split(linear(y, b + 'attn_qkv'), 3, axis=1)
        else:
            q, k, v = (linear(y, b + 'attn_' + c) for c in 'qkv')
        q = q.reshape(n, heads, size)
        k, v = k.reshape(n, kv_heads, size), v.reshape(n, kv_heads, size)
        if not gpt2:
            q, k = turn(q), turn(k)
        mixed = np.empty((n, heads, size))
        for h in range(heads):
            g = h * kv_heads // heads
            for t in range(n):
                s = k[:t + 1, g] @ q[t, h] / np.sqrt(size)
                p = np.exp(s - s.max())
                mixed[t, h] = (p / p.sum()) @ v[:t + 1, g]
        x = x + linear(mixed.reshape(n, -1), b + 'attn_output')
        y = norm(x, b + 'ffn_norm')
        up = linear(y, b + 'ffn_up')
        if gpt2:
            up = 0.5 * up * (1 + np.tanh(np.sqrt(2 / np.pi) * (up + 0.044715 * up ** 3)))
        else:
            gate = linear(y, b + 'ffn_gate')
            up = gate / (1 + np.exp(-gate)) * up
        x = x + linear(up, b + 'ffn_down')
    head = 'token_embd' if m['tied'] else 'output'
    return linear(norm(x, 'output_norm'), head), min(margins)


def torch_forward(m, w, kinds, ids):
    w = {k: torch.from_numpy(v) for k, v in w.items()}
    gpt2, heads, n = m['arch'] == 'gpt2', m['heads'], len(ids)
    kv_heads, eps, shape = m.get('kv', heads), float(np.float32(m['eps'])), (m['embd'],)

    def norm(x, name):
        if gpt2:
            return F.layer_norm(x, shape, w[name + '.weight'], w[name + '.bias'], eps)
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w[name + '.weight']

    def linear(x, name):
        x = torch.from_numpy(inputs(x.numpy(), kinds[name + '.weight'])[0])
        return F.linear(x, w[name + '.weight'], w.get(name + '.bias'))

    def turn(x):  # (heads, n, size)
        rot = m['rot']
        rate = m.get('base', 10000.0) ** (-torch.arange(0, rot, 2, dtype=torch.float64) / rot)
        angle = torch.outer(torch.arange(n, dtype=torch.float64), rate)
        pairs = torch.view_as_complex(x[..., :rot].reshape(x.shape[0], n, rot // 2, 2).contiguous())
        turned = torch.view_as_real(pairs * torch.polar(torch.ones_like(angle), angle)).flatten(2)
        return torch.cat([turned, x[..., rot:]], -1)

    def attention(q, k, v):
        if hasattr(F, 'scaled_dot_product_attention'):
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)
        mask = torch.full((n, n), float('-inf'), dtype=torch.float64).triu(1)
        return torch.softmax(q @ k.transpose(1, 2) / q.shape[-1] ** 0.5 + mask, -1) @ v

    x = F.embedding(torch.tensor(ids), w['token_embd.weight'])
    if gpt2:
        x = x + w['position_embd.weight'][:n]
    for layer in range(m['layers']):
        b = f'blk.{layer}.'
        y = norm(x, b + 'attn_norm')
        if gpt2:
            q, k, v = linear(y, b + 'attn_qkv').split(m['embd'], -1)
        else:
            q, k, v = (linear(y, b + 'attn_' + c) for c in 'qkv')
        q, k, v = (z.view(n, h, -1).transpose(0, 1) for z, h in
                   ((q, heads), (k, kv_heads), (v, kv_heads)))
        if not gpt2:
            q, k = turn(q), turn(k)
        k, v = (z.repeat_interleave(heads // kv_heads, 0) for z in (k, v))
        x = x + linear(attention(q, k, v).transpose(0, 1).reshape(n, -1), b + 'attn_output')
        y = norm(x, b + 'ffn_norm')
        up = linear(y, b + 'ffn_up')
        up = F.gelu(up, approximate='tanh') if gpt2 else F.silu(linear(y, b + 'ffn_gate')) * up
        x = x + linear(up, b + 'ffn_down')
    return linear(norm(x, 'output_norm'), 'token_embd' if m['tied'] else 'output').numpy()


def make(name, m, seed):
    """Returns tensors, ids, float64 weights, kinds and logits of the first seed with room for float32."""
    for seed in range(seed, 2000000, 1000):
        rng = np.random.default_rng(seed)
        tensors = make_tensors(m, rng)
        weights = {key: values for key, (_, values, _) in tensors.items()}
        kinds = {key: kind for key, (_, _, kind) in tensors.items()}
        ids = [int(i) for i in rng.integers(0, m['vocab'], N_IDS)]
        logits, margin = numpy_forward(m, weights, kinds, ids)
        if margin > MARGIN:
            return tensors, ids, weights, kinds, logits


def main():
    os.makedirs(FOLDER, exist_ok=True)
    for seed, (name, m) in enumerate(MODELS.items()):
        tensors, ids, weights, kinds, logits = make(name, m, 20240 + seed)
        note = 'PyTorch not installed'
        if torch:
            gap = np.abs(torch_forward(m, weights, kinds, ids) - logits).max()
            note = f'PyTorch {torch.__version__} differs by {gap:.1e}'
            if not gap < 1e-9:
                sys.exit(f'{name}: {note}')
        write_gguf(name, m, tensors)
        with open(os.path.join(FOLDER, name + '.txt'), 'w') as file:
            file.write(f'ids {N_IDS}\n{" ".join(map(str, ids))}\nlogits {N_IDS} {m["vocab"]}\n')
            for row in logits:
                file.write(' '.join(f'{x:.7f}' for x in row) + '\n')
        print(f'{name}: largest |logit| {np.abs(logits).max():.2f}; {note}')


if __name__ == '__main__':
    main()
