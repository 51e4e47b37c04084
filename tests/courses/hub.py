"""Small models of the Hugging Face hub: the tensors' names and config.json of transformers.

The class Hub computes all of them from the values of the config; RoPE rotates elements i and i + size / 2 together.
"""
import json
import math
import os
import struct

import torch
from torch import nn
from torch.nn import functional as F

from models import TEXT, causal, rms, write_json


def save_safetensors(path, state):
    header, at = {}, 0
    for name, tensor in state.items():
        size = tensor.numel() * 4
        header[name] = dict(dtype='F32', shape=list(tensor.shape), data_offsets=[at, at + size])
        at += size
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    with open(path, 'wb') as file:
        file.write(struct.pack('<Q', len(text)) + text)
        for tensor in state.values():
            file.write(tensor.detach().contiguous().float().numpy().tobytes())


def nested(module, path):
    """Returns the submodule at a dotted path; makes the modules of the path that do not exist."""
    for name in path:
        if not hasattr(module, name):
            module.add_module(name, nn.Module())
        module = getattr(module, name)
    return module


class Hub(nn.Module):
    """A model with the parameter names of the library transformers. `arch` chooses the forward
    pass."""
    arch = 'llama'
    eps = 1e-5
    tied = False
    head_dim = None

    def __init__(self, vocab, width=8, heads=2, layers=2, context=16):
        super().__init__()
        self.vocab, self.width, self.heads = vocab, width, heads
        self.layers, self.context, self.ff = layers, context, width * 2
        self.kv = max(1, heads // 2)
        self.size = self.head_dim or width // heads
        self.build()

    def put(self, name, *shape, bias=False):
        *path, last = name.split('.')
        holder = nested(self, [*path, last])
        fan = shape[-1] if len(shape) > 1 else 1
        weight = torch.randn(shape) / math.sqrt(fan) if len(shape) > 1 else torch.ones(shape)
        holder.weight = nn.Parameter(weight)
        if bias:
            holder.bias = nn.Parameter(torch.zeros(shape[0]))

    def at(self, name):
        return self.get_submodule(name)

    def linear(self, x, name):
        module = self.at(name)
        return F.linear(x, module.weight, getattr(module, 'bias', None))

    def norm(self, x, name):
        weight = self.at(name).weight
        return rms(x, weight + 1 if self.arch.startswith('gemma') else weight, self.eps)

    # --- parameters

    qkv_bias = False

    def build(self):
        w, q, kv = self.width, self.heads * self.size, self.kv * self.size
        self.put('model.embed_tokens', self.vocab, w)
        for i in range(self.layers):
            b = f'model.layers.{i}.'
            self.build_norms(b)
            if self.is_convolution(i):
                self.put(b + 'conv.in_proj', 3 * w, w)
                self.put(b + 'conv.out_proj', w, w)
                self.put(b + 'conv.conv', w, 1, 3)
            elif self.arch == 'phi3':
                self.put(b + 'self_attn.qkv_proj', q + 2 * kv, w)
                self.put(b + 'self_attn.o_proj', w, q)
            else:
                self.put(b + 'self_attn.q_proj', q, w, bias=self.qkv_bias)
                self.put(b + 'self_attn.k_proj', kv, w, bias=self.qkv_bias)
                self.put(b + 'self_attn.v_proj', kv, w, bias=self.qkv_bias)
                self.put(b + ('self_attn.out_proj' if self.arch == 'lfm2' else 'self_attn.o_proj'), w, q)
                if self.arch in ('qwen3', 'gemma3'):
                    self.put(b + 'self_attn.q_norm', self.size)
                    self.put(b + 'self_attn.k_norm', self.size)
                if self.arch == 'olmo2':
                    self.put(b + 'self_attn.q_norm', q)
                    self.put(b + 'self_attn.k_norm', kv)
                if self.arch == 'lfm2':
                    self.put(b + 'self_attn.q_layernorm', self.size)
                    self.put(b + 'self_attn.k_layernorm', self.size)
            if self.arch == 'phi3':
                self.put(b + 'mlp.gate_up_proj', 2 * self.ff, w)
                self.put(b + 'mlp.down_proj', w, self.ff)
            elif self.arch == 'lfm2':
                for name, shape in dict(w1=(self.ff, w), w2=(w, self.ff), w3=(self.ff, w)).items():
                    self.put(b + 'feed_forward.' + name, *shape)
            else:
                self.put(b + 'mlp.gate_proj', self.ff, w)
                self.put(b + 'mlp.up_proj', self.ff, w)
                self.put(b + 'mlp.down_proj', w, self.ff)
        self.put('model.embedding_norm' if self.arch == 'lfm2' else 'model.norm', w)
        if not self.tied:
            self.put('lm_head', self.vocab, w)

    def build_norms(self, b):
        names = dict(gemma2=('input_layernorm', 'post_attention_layernorm', 'pre_feedforward_layernorm',
                             'post_feedforward_layernorm'),
                     olmo2=('post_attention_layernorm', 'post_feedforward_layernorm'),
                     lfm2=('operator_norm', 'ffn_norm'))
        names['gemma3'] = names['gemma2']
        for name in names.get(self.arch, ('input_layernorm', 'post_attention_layernorm')):
            self.put(b + name, self.width)

    def is_convolution(self, i):
        return self.arch == 'lfm2' and i % 2 == 0

    # --- the forward pass

    def divisors(self):
        return 1

    def turn(self, x, base=None):  # x is (heads, n, size)
        n, half = x.shape[1], self.size // 2
        frequencies = (base or self.base) ** (-torch.arange(half).double() * 2 / self.size) / self.divisors()
        angle = torch.outer(torch.arange(n).double(), frequencies).float()
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)

    base = 10000.0

    def attention(self, x, i):
        b, n = f'model.layers.{i}.self_attn.', len(x)
        q_rows, kv_rows = self.heads * self.size, self.kv * self.size
        if self.arch == 'phi3':
            q, k, v = self.linear(x, b + 'qkv_proj').split([q_rows, kv_rows, kv_rows], -1)
        else:
            q, k, v = (self.linear(x, b + name) for name in ('q_proj', 'k_proj', 'v_proj'))
        if self.arch == 'olmo2':
            q, k = self.norm(q, b + 'q_norm'), self.norm(k, b + 'k_norm')
        q, k, v = (t.view(n, -1, self.size).transpose(0, 1) for t in (q, k, v))
        if self.arch in ('qwen3', 'gemma3'):
            q, k = self.norm(q, b + 'q_norm'), self.norm(k, b + 'k_norm')
        if self.arch == 'lfm2':
            q, k = self.norm(q, b + 'q_layernorm'), self.norm(k, b + 'k_layernorm')
        if not (self.arch == 'smollm3' and i % 4 == 3):
            q, k = (self.turn(t, self.base_of(i)) for t in (q, k))
        k, v = (t.repeat_interleave(self.heads // self.kv, 0) for t in (k, v))
        scores = q @ k.transpose(1, 2) * (0.4 if self.arch == 'granite' else self.size ** -0.5)
        if self.arch == 'gemma2':
            scores = torch.tanh(scores / 5) * 5
        window = self.window_of(i)
        if window:
            far = torch.ones(n, n).tril(-window).bool()
            scores = scores.masked_fill(far, -math.inf)
        mixed = (causal(scores) @ v).transpose(0, 1).reshape(n, -1)
        return self.linear(mixed, b + ('out_proj' if self.arch == 'lfm2' else 'o_proj'))

    def base_of(self, i):
        return None

    def window_of(self, i):
        return None

    def convolution(self, x, i):
        b = f'model.layers.{i}.conv.'
        before, after, value = self.linear(x, b + 'in_proj').chunk(3, -1)
        y = F.pad((before * value).T[None], (2, 0))
        y = F.conv1d(y, self.at(b + 'conv').weight, groups=self.width)[0].T
        return self.linear(after * y, b + 'out_proj')

    def feed_forward(self, x, i):
        b = f'model.layers.{i}.'
        if self.arch == 'lfm2':
            b += 'feed_forward.'
            return self.linear(F.silu(self.linear(x, b + 'w1')) * self.linear(x, b + 'w3'), b + 'w2')
        b += 'mlp.'
        if self.arch == 'phi3':
            gate, up = self.linear(x, b + 'gate_up_proj').chunk(2, -1)
        else:
            gate, up = self.linear(x, b + 'gate_proj'), self.linear(x, b + 'up_proj')
        gelu = self.arch.startswith('gemma')
        gate = F.gelu(gate, approximate='tanh') if gelu else F.silu(gate)
        return self.linear(gate * up, b + 'down_proj')

    def forward(self, ids):
        x = self.at('model.embed_tokens').weight[ids]
        scale = 1.0
        if self.arch.startswith('gemma'):
            x = x * self.width ** 0.5
        if self.arch == 'granite':
            x, scale = x * 6.0, 0.3
        for i in range(self.layers):
            b = f'model.layers.{i}.'
            if self.arch == 'olmo2':
                x = x + self.norm(self.attention(x, i), b + 'post_attention_layernorm')
                x = x + self.norm(self.feed_forward(x, i), b + 'post_feedforward_layernorm')
            elif self.arch.startswith('gemma'):
                y = self.attention(self.norm(x, b + 'input_layernorm'), i)
                x = x + self.norm(y, b + 'post_attention_layernorm')
                y = self.feed_forward(self.norm(x, b + 'pre_feedforward_layernorm'), i)
                x = x + self.norm(y, b + 'post_feedforward_layernorm')
            elif self.arch == 'lfm2':
                y = self.norm(x, b + 'operator_norm')
                x = x + (self.convolution if self.is_convolution(i) else self.attention)(y, i)
                x = x + self.feed_forward(self.norm(x, b + 'ffn_norm'), i)
            else:
                x = x + self.attention(self.norm(x, b + 'input_layernorm'), i) * scale
                x = x + self.feed_forward(self.norm(x, b + 'post_attention_layernorm'), i) * scale
        x = self.norm(x, 'model.embedding_norm' if self.arch == 'lfm2' else 'model.norm')
        head = self.at('model.embed_tokens' if self.tied else 'lm_head').weight
        logits = F.linear(x, head)
        if self.arch == 'gemma2':
            logits = torch.tanh(logits / 6) * 6
        return logits / 2.5 if self.arch == 'granite' else logits

    def config(self):
        return {}

    def export(self, folder):
        save_safetensors(os.path.join(folder, 'model.safetensors'), self.state_dict())
        write_json(folder, 'config.json', dict(
            model_type=self.arch, architectures=['ForCausalLM'], hidden_size=self.width,
            num_hidden_layers=self.layers, num_attention_heads=self.heads, hidden_act='silu',
            num_key_value_heads=self.kv, max_position_embeddings=self.context, rms_norm_eps=self.eps,
            intermediate_size=self.ff, tie_word_embeddings=self.tied, rope_theta=self.base,
            vocab_size=self.vocab, torch_dtype='float32', **self.config()))
        with open(os.path.join(folder, 'input.txt'), 'w', encoding='utf-8') as file:
            file.write(TEXT)


class Llama3(Hub):
    """A Llama whose RoPE is scaled as in Llama 3.1."""
    scaling = dict(rope_type='llama3', factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
                   original_max_position_embeddings=64)

    def divisors(self):
        s = self.scaling
        out = []
        for i in range(self.size // 2):
            length = 2 * math.pi * self.base ** (2 * i / self.size)
            if length < s['original_max_position_embeddings'] / s['high_freq_factor']:
                out.append(1.0)
            elif length > s['original_max_position_embeddings'] / s['low_freq_factor']:
                out.append(s['factor'])
            else:
                smooth = (s['original_max_position_embeddings'] / length - s['low_freq_factor']) / \
                    (s['high_freq_factor'] - s['low_freq_factor'])
                out.append(1 / ((1 - smooth) / s['factor'] + smooth))
        return torch.tensor(out, dtype=torch.float64)

    def config(self):
        return dict(rope_scaling=self.scaling)


class Mistral(Hub):
    """Mistral 7B: llama with a window in each layer."""

    def window_of(self, i):
        return 6

    def config(self):
        return dict(sliding_window=6)

    def export(self, folder):
        super().export(folder)
        path = os.path.join(folder, 'config.json')
        config = json.load(open(path, encoding='utf-8'))
        write_json(folder, 'config.json', {**config, 'model_type': 'mistral'})


class Qwen2(Hub):
    arch, tied, qkv_bias, eps, base = 'qwen2', True, True, 1e-6, 1e6

    def config(self):
        return dict(use_sliding_window=False, sliding_window=None)


class Qwen3(Hub):
    arch, tied, eps, base, head_dim = 'qwen3', True, 1e-6, 1e6, 6

    def config(self):
        return dict(head_dim=6, attention_bias=False)


class Gemma2(Hub):
    arch, tied, eps, head_dim = 'gemma2', True, 1e-6, 6

    def window_of(self, i):
        return 5 if i % 2 == 0 else None

    def config(self):
        return dict(head_dim=6, sliding_window=5, attn_logit_softcapping=5.0, query_pre_attn_scalar=6,
                    final_logit_softcapping=6.0, hidden_activation='gelu_pytorch_tanh')


class Gemma3(Hub):
    arch, tied, eps, head_dim, base = 'gemma3', True, 1e-6, 6, 1e6

    def window_of(self, i):
        return 5 if (i + 1) % 2 else None

    def base_of(self, i):
        return 10000.0 if (i + 1) % 2 else None

    def config(self):
        return dict(head_dim=6, sliding_window=5, sliding_window_pattern=2, rope_local_base_freq=10000.0,
                    query_pre_attn_scalar=6, hidden_activation='gelu_pytorch_tanh')

    def export(self, folder):
        super().export(folder)
        path = os.path.join(folder, 'config.json')
        config = json.load(open(path, encoding='utf-8'))
        write_json(folder, 'config.json', {**config, 'model_type': 'gemma3_text'})


class Phi3(Hub):
    arch = 'phi3'

    def window_of(self, i):
        return 7

    def config(self):
        return dict(sliding_window=7, original_max_position_embeddings=self.context)


class SmolLM3(Hub):
    arch, tied, eps, base = 'smollm3', True, 1e-6, 5e6

    def __init__(self, vocab, layers=4, **sizes):
        super().__init__(vocab, layers=4, **sizes)

    def config(self):
        return dict(no_rope_layers=[1, 1, 1, 0], no_rope_layer_interval=4, use_sliding_window=False)


class Olmo2(Hub):
    arch, eps, base = 'olmo2', 1e-6, 500000.0


class Granite(Hub):
    arch = 'granite'

    def config(self):
        return dict(attention_multiplier=0.4, embedding_multiplier=6.0, residual_multiplier=0.3,
                    logits_scaling=2.5)


class Lfm2(Hub):
    arch, tied, base = 'lfm2', True, 1e6

    def config(self):
        return dict(norm_eps=self.eps, conv_L_cache=3, conv_bias=False)


class NeoX(nn.Module):
    """GPT-NeoX: a single matrix for q, k and v, RoPE on a part of each head, exact GELU, attention
    and MLP in parallel."""
    parallel = True

    def __init__(self, vocab, width=8, heads=2, layers=2, context=16):
        super().__init__()
        self.sizes = vocab, width, heads, layers, context
        self.size, self.rot = width // heads, width // heads // 2
        g = nested(self, ['gpt_neox'])
        g.embed_in = nn.Embedding(vocab, width)
        g.layers = nn.ModuleList()
        for _ in range(layers):
            layer = nn.Module()
            layer.input_layernorm, layer.post_attention_layernorm = nn.LayerNorm(width), nn.LayerNorm(width)
            layer.attention, layer.mlp = nn.Module(), nn.Module()
            layer.attention.query_key_value = nn.Linear(width, 3 * width)
            layer.attention.dense = nn.Linear(width, width)
            layer.mlp.dense_h_to_4h = nn.Linear(width, 4 * width)
            layer.mlp.dense_4h_to_h = nn.Linear(4 * width, width)
            g.layers.append(layer)
        g.final_layer_norm = nn.LayerNorm(width)
        self.embed_out = nn.Linear(width, vocab, bias=False)

    def turn(self, x):  # (heads, n, size)
        half = self.rot // 2
        angle = torch.outer(torch.arange(x.shape[1]).float(), 10000.0 ** (-torch.arange(half) * 2 / self.rot))
        a, b, rest = x[..., :half], x[..., half:self.rot], x[..., self.rot:]
        return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin(), rest], -1)

    def forward(self, ids):
        g, heads = self.gpt_neox, self.sizes[2]
        x = g.embed_in(ids)
        n = len(x)
        for layer in g.layers:
            mixed = layer.attention.query_key_value(layer.input_layernorm(x)).view(n, heads, 3 * self.size)
            q, k, v = (t.transpose(0, 1) for t in mixed.chunk(3, -1))
            p = causal(self.turn(q) @ self.turn(k).transpose(1, 2) / math.sqrt(self.size))
            y = layer.attention.dense((p @ v).transpose(0, 1).reshape(n, -1))
            z = layer.post_attention_layernorm(x if self.parallel else x + y)
            x = x + y + layer.mlp.dense_4h_to_h(F.gelu(layer.mlp.dense_h_to_4h(z)))
        return self.embed_out(g.final_layer_norm(x))

    def export(self, folder):
        vocab, width, heads, layers, context = self.sizes
        save_safetensors(os.path.join(folder, 'model.safetensors'), self.state_dict())
        write_json(folder, 'config.json', dict(
            model_type='gpt_neox', hidden_size=width, num_hidden_layers=layers, vocab_size=vocab,
            num_attention_heads=heads, max_position_embeddings=context, intermediate_size=4 * width,
            rotary_pct=0.5, rotary_emb_base=10000, use_parallel_residual=self.parallel,
            hidden_act='gelu', layer_norm_eps=1e-5, tie_word_embeddings=False))


class Gpt2(nn.Module):
    """GPT-2 as in the library transformers: matrices (in, out), and the tanh form of GELU."""

    def __init__(self, vocab, width=8, heads=2, layers=2, context=16):
        super().__init__()
        self.sizes = vocab, width, heads, layers, context
        self.wte, self.wpe = nn.Embedding(vocab, width), nn.Embedding(context, width)
        self.h = nn.ModuleList()
        for _ in range(layers):
            block = nn.Module()
            block.ln_1, block.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
            block.attn, block.mlp = nn.Module(), nn.Module()
            for holder, name, rows, cols in ((block.attn, 'c_attn', width, 3 * width),
                                             (block.attn, 'c_proj', width, width),
                                             (block.mlp, 'c_fc', width, 4 * width),
                                             (block.mlp, 'c_proj', 4 * width, width)):
                conv = nested(holder, [name])
                conv.weight = nn.Parameter(torch.randn(rows, cols) / rows ** 0.5)
                conv.bias = nn.Parameter(torch.zeros(cols))
            self.h.append(block)
        self.ln_f = nn.LayerNorm(width)

    def forward(self, ids):
        x = self.wte(ids) + self.wpe(torch.arange(len(ids)))
        n, c = x.shape
        conv = lambda y, m: y @ m.weight + m.bias
        for b in self.h:
            q, k, v = (t.view(n, self.sizes[2], -1).transpose(0, 1)
                       for t in conv(b.ln_1(x), b.attn.c_attn).split(c, -1))
            p = causal(q @ k.transpose(1, 2) / math.sqrt(q.shape[-1]))
            x = x + conv((p @ v).transpose(0, 1).reshape(n, c), b.attn.c_proj)
            x = x + conv(F.gelu(conv(b.ln_2(x), b.mlp.c_fc), approximate='tanh'), b.mlp.c_proj)
        return F.linear(self.ln_f(x), self.wte.weight)

    def export(self, folder):
        vocab, width, heads, layers, context = self.sizes
        save_safetensors(os.path.join(folder, 'model.safetensors'), self.state_dict())
        write_json(folder, 'config.json', dict(
            model_type='gpt2', n_embd=width, n_layer=layers, n_head=heads, n_positions=context,
            vocab_size=vocab, activation_function='gelu_new', layer_norm_epsilon=1e-5))


class Nanochat(nn.Module):
    """nanochat: RMS norms without weights (also after the embedding, and of q and k), squared ReLU,
    capped logits."""

    def __init__(self, vocab, width=8, heads=2, layers=2, context=16):
        super().__init__()
        self.sizes = vocab, width, heads, layers, context
        self.size, self.kv = width // heads, max(1, heads // 2)
        t = nested(self, ['transformer'])
        t.wte, t.h = nn.Embedding(vocab, width), nn.ModuleList()
        for _ in range(layers):
            block = nn.Module()
            block.attn, block.mlp = nn.Module(), nn.Module()
            for name, rows in dict(c_q=width, c_k=self.kv * self.size, c_v=self.kv * self.size,
                                   c_proj=width).items():
                setattr(block.attn, name, nn.Linear(width, rows, bias=False))
            block.mlp.c_fc = nn.Linear(width, 4 * width, bias=False)
            block.mlp.c_proj = nn.Linear(4 * width, width, bias=False)
            t.h.append(block)
        self.lm_head = nn.Linear(width, vocab, bias=False)

    def turn(self, x):  # rotates by the negative angle of RoPE; x is (heads, n, size)
        half = self.size // 2
        angle = torch.outer(torch.arange(x.shape[1]).float(), 10000.0 ** (-torch.arange(half) * 2 / self.size))
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * angle.cos() + b * angle.sin(), b * angle.cos() - a * angle.sin()], -1)

    def forward(self, ids):
        norm = lambda x: rms(x, 1.0, torch.finfo(torch.float32).eps)
        x, heads = norm(self.transformer.wte(ids)), self.sizes[2]
        n = len(x)
        for b in self.transformer.h:
            y = norm(x)
            q, k, v = (w(y).view(n, -1, self.size).transpose(0, 1) for w in (b.attn.c_q, b.attn.c_k, b.attn.c_v))
            q, k = norm(self.turn(q)), norm(self.turn(k))
            k, v = (t.repeat_interleave(heads // self.kv, 0) for t in (k, v))
            p = causal(q @ k.transpose(1, 2) / math.sqrt(self.size))
            x = x + b.attn.c_proj((p @ v).transpose(0, 1).reshape(n, -1))
            x = x + b.mlp.c_proj(F.relu(b.mlp.c_fc(norm(x))).square())
        return 15 * torch.tanh(self.lm_head(norm(x)) / 15)

    def export(self, folder):
        vocab, width, heads, layers, context = self.sizes
        torch.save({'_orig_mod.' + k: v for k, v in self.state_dict().items()},
                   os.path.join(folder, 'model_000100.pt'))
        write_json(folder, 'meta_000100.json', dict(step=100, model_config=dict(
            sequence_len=context, vocab_size=vocab, n_layer=layers, n_head=heads, n_kv_head=self.kv,
            n_embd=width)))


HUB = dict(gpt2=Gpt2, llama=Hub, llama3=Llama3, mistral=Mistral, qwen2=Qwen2, qwen3=Qwen3, gemma2=Gemma2, gemma3=Gemma3,
           phi3=Phi3, smollm3=SmolLM3, gpt_neox=NeoX, olmo2=Olmo2, granite=Granite, lfm2=Lfm2,
           nanochat=Nanochat)
