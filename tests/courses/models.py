"""Small models in the style of each course, with the names under which its script saves them.

Each class has `sizes`, `export(folder)`, which writes the files as the course does, `forward(ids)`,
which returns logits (n, vocab_size) for a list of ids. The code follows the papers and the documented
names; it copies no course.
"""
import json
import math
import os
import pickle
import struct

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

TEXT = ("the cat sat on the mat. the dog ran to the cat, and the cat ran up a tree. "
        "a bird sang in the tree; the dog sat under it and waited. then it rained.\n")
CHARACTERS = sorted(set(TEXT))


def causal(scores):
    n = scores.shape[-1]
    return scores.masked_fill(torch.ones(n, n).triu(1).bool(), -math.inf).softmax(-1)


class Norm(nn.Module):
    """A layer norm with an optional bias, as in nanoGPT."""

    def __init__(self, n, bias):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(n))
        self.bias = nn.Parameter(torch.zeros(n)) if bias else None

    def forward(self, x):
        return F.layer_norm(x, self.weight.shape, self.weight, self.bias, 1e-5)


class JoinedAttention(nn.Module):
    def __init__(self, n_embd, n_head, bias):
        super().__init__()
        self.n_head = n_head
        self.c_attn = nn.Linear(n_embd, 3 * n_embd, bias=bias)
        self.c_proj = nn.Linear(n_embd, n_embd, bias=bias)

    def forward(self, x):
        n, c = x.shape
        q, k, v = (t.view(n, self.n_head, -1).transpose(0, 1) for t in self.c_attn(x).split(c, -1))
        p = causal(q @ k.transpose(1, 2) / math.sqrt(q.shape[-1]))
        return self.c_proj((p @ v).transpose(0, 1).reshape(n, c))


class GptBlock(nn.Module):
    def __init__(self, n_embd, n_head, bias, gelu):
        super().__init__()
        self.ln_1, self.ln_2 = Norm(n_embd, bias), Norm(n_embd, bias)
        self.attn = JoinedAttention(n_embd, n_head, bias)
        self.mlp = nn.ModuleDict(dict(c_fc=nn.Linear(n_embd, 4 * n_embd, bias=bias),
                                      c_proj=nn.Linear(4 * n_embd, n_embd, bias=bias)))
        self.gelu = gelu

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp.c_proj(F.gelu(self.mlp.c_fc(self.ln_2(x)), approximate=self.gelu))


class NanoGpt(nn.Module):
    """nanoGPT: ckpt.pt with the keys model, model_args and iter_num; meta.pkl with stoi and
    itos."""
    bias, gelu, tied, prefix = False, 'none', True, '_orig_mod.'

    def __init__(self, vocab, width=8, heads=2, layers=2, context=16):
        super().__init__()
        n_embd, n_head, n_layer, block_size = width, heads, layers, context
        self.sizes = dict(n_layer=n_layer, n_head=n_head, n_embd=n_embd, block_size=block_size,
                          bias=self.bias, vocab_size=vocab, dropout=0.0)
        self.transformer = nn.ModuleDict(dict(
            wte=nn.Embedding(vocab, n_embd), wpe=nn.Embedding(block_size, n_embd),
            h=nn.ModuleList(GptBlock(n_embd, n_head, self.bias, self.gelu) for _ in range(n_layer)),
            ln_f=Norm(n_embd, self.bias)))
        self.lm_head = nn.Linear(n_embd, vocab, bias=False)
        if self.tied:
            self.lm_head.weight = self.transformer.wte.weight

    def forward(self, ids):
        t = self.transformer
        x = t.wte(ids) + t.wpe(torch.arange(len(ids)))
        for block in t.h:
            x = block(x)
        return self.lm_head(t.ln_f(x))

    def export(self, folder):
        state = {self.prefix + name: value for name, value in self.state_dict().items()}
        torch.save(dict(model=state, optimizer={}, model_args=self.sizes, iter_num=9,
                        best_val_loss=torch.tensor(1.5), config=dict(dataset='names', eval_iters=2)),
                   os.path.join(folder, 'ckpt.pt'))
        with open(os.path.join(folder, 'meta.pkl'), 'wb') as file:
            pickle.dump(dict(vocab_size=len(CHARACTERS), itos=dict(enumerate(CHARACTERS)),
                             stoi={c: i for i, c in enumerate(CHARACTERS)}), file)


class NanoGptBias(NanoGpt):
    """nanoGPT with biases, without torch.compile, and with more embedding rows than characters."""
    bias, prefix = True, ''

    def __init__(self, vocab, **sizes):
        super().__init__(vocab + 5, **sizes)


class MinGpt(NanoGpt):
    """minGPT: model.pt is a state dict that includes the masks, beside config.json. It has the tanh
    form of GELU, and an output matrix that is not the embedding."""
    bias, gelu, tied = True, 'tanh', False

    def export(self, folder):
        state = self.state_dict()
        size = self.sizes['block_size']
        for i in range(self.sizes['n_layer']):
            state[f'transformer.h.{i}.attn.bias'] = torch.ones(size, size).tril().view(1, 1, size, size)
        torch.save(state, os.path.join(folder, 'model.pt'))
        write_json(folder, 'config.json', dict(system=dict(seed=1), data=dict(), model=dict(
            model_type=None, n_layer=self.sizes['n_layer'], n_head=self.sizes['n_head'],
            n_embd=self.sizes['n_embd'], vocab_size=self.sizes['vocab_size'], block_size=size)))


class NumPy(NanoGpt):
    """A NumPy model: model.npz with the tensor names of docs/own-model.md."""
    bias, gelu, tied = True, 'tanh', False

    def export(self, folder):
        arrays = {}
        names = dict(wte='token_embd', wpe='position_embd', ln_f='output_norm', ln_1='attn_norm', ln_2='ffn_norm',
                     lm_head='output', **{'attn.c_attn': 'attn_qkv', 'attn.c_proj': 'attn_output',
                                          'mlp.c_fc': 'ffn_up', 'mlp.c_proj': 'ffn_down'})
        for name, tensor in self.state_dict().items():
            stem, kind = name.replace('transformer.', '').rsplit('.', 1)
            block = ''
            if stem.startswith('h.'):
                _, i, stem = stem.split('.', 2)
                block = f'blk.{i}.'
            arrays[f'{block}{names[stem]}.{kind}'] = tensor.numpy()
        np.savez(os.path.join(folder, 'model.npz'), **arrays)
        write_json(folder, 'config.json', dict(n_head=self.sizes['n_head']))


class Head(nn.Module):
    def __init__(self, n_embd, size, block_size):
        super().__init__()
        self.key = nn.Linear(n_embd, size, bias=False)
        self.query = nn.Linear(n_embd, size, bias=False)
        self.value = nn.Linear(n_embd, size, bias=False)
        self.register_buffer('tril', torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x, scale):
        return causal(self.query(x) @ self.key(x).T * scale) @ self.value(x)


class Lecture(nn.Module):
    """A model from a lecture: only a state dict. Each attention head has its own matrices; ReLU; an
    output matrix with a bias."""
    by_embedding = False

    def __init__(self, vocab, width=8, heads=2, layers=2, context=16):
        super().__init__()
        n_embd, n_head, n_layer, block_size = width, heads, layers, context
        size = n_embd // n_head
        self.scale = (n_embd if self.by_embedding else size) ** -0.5
        self.token_embedding_table = nn.Embedding(vocab, n_embd)
        self.position_embedding_table = nn.Embedding(block_size, n_embd)
        blocks = []
        for _ in range(n_layer):
            heads = nn.ModuleList(Head(n_embd, size, block_size) for _ in range(n_head))
            net = nn.Sequential(nn.Linear(n_embd, 4 * n_embd), nn.ReLU(),
                                nn.Linear(4 * n_embd, n_embd))
            block = nn.Module()
            block.sa = nn.Module()
            block.sa.heads, block.sa.proj = heads, nn.Linear(n_embd, n_embd)
            block.ffwd = nn.Module()
            block.ffwd.net = net
            block.ln1, block.ln2 = nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)
            blocks.append(block)
        self.blocks = nn.Sequential(*blocks)
        self.ln_f = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, vocab)

    def forward(self, ids):
        x = self.token_embedding_table(ids) + self.position_embedding_table(torch.arange(len(ids)))
        for block in self.blocks:
            y = block.ln1(x)
            x = x + block.sa.proj(torch.cat([h(y, self.scale) for h in block.sa.heads], -1))
            x = x + block.ffwd.net(block.ln2(x))
        return self.lm_head(self.ln_f(x))

    def export(self, folder):
        torch.save(self.state_dict(), os.path.join(folder, 'model.pth'))
        with open(os.path.join(folder, 'input.txt'), 'w', encoding='utf-8') as file:
            file.write(TEXT)


class LectureByEmbedding(Lecture):
    by_embedding = True


class ScratchNorm(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.scale, self.shift = nn.Parameter(torch.ones(n)), nn.Parameter(torch.zeros(n))

    def forward(self, x):
        x = x - x.mean(-1, keepdim=True)
        return x / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.scale + self.shift


class Scratch(nn.Module):
    """A model that a book builds from scratch: model_and_optimizer.pth. Its sizes are in the
    script, so config.json is written by hand."""
    qkv_bias = False

    def __init__(self, vocab, width=8, heads=2, layers=2, context=16):
        super().__init__()
        n_embd, n_head, n_layer, block_size = width, heads, layers, context
        self.n_head = n_head
        self.tok_emb, self.pos_emb = nn.Embedding(vocab, n_embd), nn.Embedding(block_size, n_embd)
        blocks = []
        for _ in range(n_layer):
            block = nn.Module()
            block.att = nn.Module()
            for name in ('W_query', 'W_key', 'W_value'):
                setattr(block.att, name, nn.Linear(n_embd, n_embd, bias=self.qkv_bias))
            block.att.out_proj = nn.Linear(n_embd, n_embd)
            block.att.register_buffer('mask', torch.triu(torch.ones(block_size, block_size), 1))
            block.ff = nn.Module()
            block.ff.layers = nn.Sequential(nn.Linear(n_embd, 4 * n_embd), nn.GELU('tanh'),
                                            nn.Linear(4 * n_embd, n_embd))
            block.norm1, block.norm2 = ScratchNorm(n_embd), ScratchNorm(n_embd)
            blocks.append(block)
        self.trf_blocks = nn.Sequential(*blocks)
        self.final_norm = ScratchNorm(n_embd)
        self.out_head = nn.Linear(n_embd, vocab, bias=False)

    def forward(self, ids):
        x = self.tok_emb(ids) + self.pos_emb(torch.arange(len(ids)))
        n, c = x.shape
        for b in self.trf_blocks:
            y = b.norm1(x)
            q, k, v = (w(y).view(n, self.n_head, -1).transpose(0, 1)
                       for w in (b.att.W_query, b.att.W_key, b.att.W_value))
            p = causal(q @ k.transpose(1, 2) / k.shape[-1] ** 0.5)
            x = x + b.att.out_proj((p @ v).transpose(0, 1).reshape(n, c))
            x = x + b.ff.layers(b.norm2(x))
        return self.out_head(self.final_norm(x))

    def export(self, folder):
        torch.save(dict(model_state_dict=self.state_dict(), optimizer_state_dict=dict(state={})),
                   os.path.join(folder, 'model_and_optimizer.pth'))
        write_json(folder, 'config.json', dict(n_heads=self.n_head))
        write_json(folder, 'vocab.json', {c: i for i, c in enumerate(CHARACTERS)})


class ScratchBias(Scratch):
    qkv_bias = True


def write_json(folder, name, value):
    with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
        json.dump(value, file)


def rms(x, weight, eps):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight


class Llama2c(nn.Module):
    """llama2.c: ckpt.pt and model.bin. RoPE rotates neighbouring elements, as complex numbers."""
    tied = True

    def __init__(self, vocab, width=8, heads=4, layers=2, context=16):
        super().__init__()
        dim, n_heads, n_kv_heads, n_layers, max_seq_len = width, heads, heads // 2, layers, context
        hidden = width * 5 // 2
        self.sizes = dict(dim=dim, n_layers=n_layers, n_heads=n_heads, n_kv_heads=n_kv_heads,
                          vocab_size=vocab, multiple_of=4, max_seq_len=max_seq_len, dropout=0.0)
        self.hidden = hidden
        self.tok_embeddings = nn.Embedding(vocab, dim)
        kv = dim // n_heads * n_kv_heads
        self.layers = nn.ModuleList()
        for _ in range(n_layers):
            layer = nn.Module()
            layer.attention, layer.feed_forward = nn.Module(), nn.Module()
            for name, rows in dict(wq=dim, wk=kv, wv=kv, wo=dim).items():
                setattr(layer.attention, name, nn.Linear(dim, rows, bias=False))
            layer.feed_forward.w1 = nn.Linear(dim, hidden, bias=False)
            layer.feed_forward.w2 = nn.Linear(hidden, dim, bias=False)
            layer.feed_forward.w3 = nn.Linear(dim, hidden, bias=False)
            layer.attention_norm, layer.ffn_norm = Norm(dim, False), Norm(dim, False)
            self.layers.append(layer)
        self.norm = Norm(dim, False)
        self.output = nn.Linear(dim, vocab, bias=False)
        if self.tied:
            self.output.weight = self.tok_embeddings.weight
        angles = torch.outer(torch.arange(max_seq_len).float(),
                             10000 ** (-torch.arange(0, dim // n_heads, 2) / (dim // n_heads)))
        self.register_buffer('freqs_cos', angles.cos(), persistent=False)
        self.register_buffer('freqs_sin', angles.sin(), persistent=False)

    def turn(self, x):  # x is (n, heads, size)
        c, s = self.freqs_cos[:len(x), None], self.freqs_sin[:len(x), None]
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)

    def forward(self, ids):
        x, heads = self.tok_embeddings(ids), self.sizes['n_heads']
        n, c = x.shape
        for layer in self.layers:
            a, f = layer.attention, layer.feed_forward
            y = rms(x, layer.attention_norm.weight, 1e-5)
            q, k = (self.turn(w(y).view(n, -1, c // heads)).transpose(0, 1) for w in (a.wq, a.wk))
            v = a.wv(y).view(n, -1, c // heads).transpose(0, 1)
            k, v = (t.repeat_interleave(heads // len(t), 0) for t in (k, v))
            p = causal(q @ k.transpose(1, 2) / math.sqrt(c // heads))
            x = x + a.wo((p @ v).transpose(0, 1).reshape(n, c))
            y = rms(x, layer.ffn_norm.weight, 1e-5)
            x = x + f.w2(F.silu(f.w1(y)) * f.w3(y))
        return self.output(rms(x, self.norm.weight, 1e-5))

    def export(self, folder):
        torch.save(dict(model=self.state_dict(), model_args=self.sizes), os.path.join(folder, 'ckpt.pt'))


class Llama2cBin(Llama2c):
    """llama2.c as model.bin version 0, with an output matrix that is not the embedding."""
    tied = False

    def export(self, folder):
        s, each = self.sizes, lambda get: [get(layer) for layer in self.layers]
        with open(os.path.join(folder, 'model.bin'), 'wb') as file:
            file.write(struct.pack('7i', s['dim'], self.hidden, s['n_layers'], s['n_heads'],
                                   s['n_kv_heads'], -s['vocab_size'], s['max_seq_len']))
            for tensor in [
                    self.tok_embeddings.weight, *each(lambda l: l.attention_norm.weight),
                    *each(lambda l: l.attention.wq.weight), *each(lambda l: l.attention.wk.weight),
                    *each(lambda l: l.attention.wv.weight), *each(lambda l: l.attention.wo.weight),
                    *each(lambda l: l.ffn_norm.weight), *each(lambda l: l.feed_forward.w1.weight),
                    *each(lambda l: l.feed_forward.w2.weight),
                    *each(lambda l: l.feed_forward.w3.weight), self.norm.weight,
                    self.freqs_cos, self.freqs_sin, self.output.weight]:
                file.write(tensor.detach().float().numpy().tobytes())


class Bigram(nn.Module):
    """The lecture's first model, a state dict of one table: the logits after each token."""

    def __init__(self, vocab, width=8, heads=2, layers=2, context=16):
        super().__init__()
        self.token_embedding_table = nn.Embedding(vocab, vocab)

    def forward(self, ids):
        return self.token_embedding_table(ids)

    export = Lecture.export


COURSES = dict(nanogpt=NanoGpt, nanogpt_bias=NanoGptBias, mingpt=MinGpt, numpy=NumPy, bigram=Bigram, lecture=Lecture,
               lecture_embedding=LectureByEmbedding, scratch=Scratch, scratch_bias=ScratchBias,
               llama2c=Llama2c, llama2c_bin=Llama2cBin)
