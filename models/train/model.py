"""The architectures gpt2 and llama in PyTorch. Parameters have their GGUF names, so the state dict can
be written to a GGUF file directly."""

import math
from dataclasses import asdict, dataclass

import torch
from torch import nn
from torch.nn import functional as F


@dataclass
class Shape:
    architecture: str  # gpt2 | llama
    vocab_size: int
    context_length: int
    n_embd: int
    n_layer: int
    n_head: int
    n_ff: int
    n_head_kv: int = 0  # llama; 0: as many as n_head
    tied: bool = True  # the head is the token embedding
    norm_eps: float = 1e-5
    rope_freq_base: float = 10000.0

    def __post_init__(self):
        self.n_head_kv = self.n_head_kv or self.n_head
        if self.architecture not in ("gpt2", "llama"):
            raise ValueError(f"architecture must be gpt2 or llama, got {self.architecture}")
        if self.n_embd % self.n_head or self.n_head % self.n_head_kv:
            raise ValueError("n_embd must be a multiple of n_head, and n_head of n_head_kv")
        if self.architecture == "gpt2" and self.n_head_kv != self.n_head:
            raise ValueError("gpt2 has no grouped-query attention")

    @property
    def n_embd_head(self):
        return self.n_embd // self.n_head

    def dict(self):
        return asdict(self)


class RMSNorm(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


def rope_tables(shape):
    """cos and sin, (context_length, n_embd_head / 2), of the angles
    position * base^(-2i / n_embd_head), one for each pair of elements i."""
    half = torch.arange(shape.n_embd_head // 2, dtype=torch.float64)
    angle = torch.arange(shape.context_length, dtype=torch.float64)[:, None]
    angle = angle * shape.rope_freq_base ** (-2 * half / shape.n_embd_head)
    return angle.cos().float(), angle.sin().float()


def rotate(x, cos, sin):
    """Turns the adjacent elements (2i, 2i + 1) of x (batch, head, time, n_embd_head), each pair as
    one complex number."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)


def attend(q, k, v, mask):
    """q, k, v (batch, head, time, n_embd_head) -> (batch, time, n_embd); mask (time, time) is -inf
    above the diagonal. One product also applies scale and mask: for short windows on a CPU, each
    separate pass over the scores would cost more than the product."""
    batch, n_head, time, size = q.shape
    q, k, v = (x.reshape(batch * n_head, time, size) for x in (q, k, v))
    mask = mask.expand(batch * n_head, time, time)
    scores = torch.baddbmm(mask, q, k.transpose(1, 2), alpha=1 / math.sqrt(size))
    mixed = F.softmax(scores, dim=-1) @ v
    return mixed.view(batch, n_head, time, size).transpose(1, 2).flatten(2)


class Gpt2Block(nn.Module):
    def __init__(self, shape, dropout):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.n_head = shape.n_head
        self.attn_norm = nn.LayerNorm(shape.n_embd, eps=shape.norm_eps)
        self.attn_qkv = nn.Linear(shape.n_embd, 3 * shape.n_embd)  # rows: all of q, then k, then v
        self.attn_output = nn.Linear(shape.n_embd, shape.n_embd)
        self.ffn_norm = nn.LayerNorm(shape.n_embd, eps=shape.norm_eps)
        self.ffn_up = nn.Linear(shape.n_embd, shape.n_ff)
        self.ffn_down = nn.Linear(shape.n_ff, shape.n_embd)

    def forward(self, x, mask, rope):
        q, k, v = (
            part.unflatten(-1, (self.n_head, -1)).transpose(1, 2)
            for part in self.attn_qkv(self.attn_norm(x)).chunk(3, dim=-1)
        )
        x = x + self.drop(self.attn_output(attend(q, k, v, mask)))
        return x + self.drop(
            self.ffn_down(F.gelu(self.ffn_up(self.ffn_norm(x)), approximate="tanh"))
        )


class LlamaBlock(nn.Module):
    def __init__(self, shape, dropout):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.n_head, self.n_head_kv = shape.n_head, shape.n_head_kv
        n_embd_kv = shape.n_head_kv * shape.n_embd_head
        self.attn_norm = RMSNorm(shape.n_embd, shape.norm_eps)
        self.attn_q = nn.Linear(shape.n_embd, shape.n_embd, bias=False)
        self.attn_k = nn.Linear(shape.n_embd, n_embd_kv, bias=False)
        self.attn_v = nn.Linear(shape.n_embd, n_embd_kv, bias=False)
        self.attn_output = nn.Linear(shape.n_embd, shape.n_embd, bias=False)
        self.ffn_norm = RMSNorm(shape.n_embd, shape.norm_eps)
        self.ffn_gate = nn.Linear(shape.n_embd, shape.n_ff, bias=False)
        self.ffn_up = nn.Linear(shape.n_embd, shape.n_ff, bias=False)
        self.ffn_down = nn.Linear(shape.n_ff, shape.n_embd, bias=False)

    def forward(self, x, mask, rope):
        h = self.attn_norm(x)
        q = self.attn_q(h).unflatten(-1, (self.n_head, -1)).transpose(1, 2)
        k = self.attn_k(h).unflatten(-1, (self.n_head_kv, -1)).transpose(1, 2)
        v = self.attn_v(h).unflatten(-1, (self.n_head_kv, -1)).transpose(1, 2)
        q, k = rotate(q, *rope), rotate(k, *rope)
        group = self.n_head // self.n_head_kv  # query heads that share one key and value head
        if group > 1:
            k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
        x = x + self.drop(self.attn_output(attend(q, k, v, mask)))
        h = self.ffn_norm(x)
        return x + self.drop(self.ffn_down(F.silu(self.ffn_gate(h)) * self.ffn_up(h)))


class Transformer(nn.Module):
    """A model. `dropout` applies to the embeddings, and to the output of each block before it is added
    to the residual stream; 0 turns it off."""

    def __init__(self, shape, dropout=0.0):
        super().__init__()
        self.shape = shape
        self.drop = nn.Dropout(dropout)
        gpt2 = shape.architecture == "gpt2"
        self.token_embd = nn.Embedding(shape.vocab_size, shape.n_embd)
        if gpt2:
            self.position_embd = nn.Embedding(shape.context_length, shape.n_embd)
        self.blk = nn.ModuleList(
            [(Gpt2Block if gpt2 else LlamaBlock)(shape, dropout) for _ in range(shape.n_layer)]
        )
        norm = nn.LayerNorm if gpt2 else RMSNorm
        self.output_norm = norm(shape.n_embd, eps=shape.norm_eps)
        if not shape.tied:
            self.output = nn.Linear(shape.n_embd, shape.vocab_size, bias=False)
        mask = torch.full((shape.context_length, shape.context_length), float("-inf")).triu(1)
        self.register_buffer("mask", mask, persistent=False)
        if not gpt2:
            cos, sin = rope_tables(shape)
            self.register_buffer("cos", cos, persistent=False)
            self.register_buffer("sin", sin, persistent=False)
        self._start()

    def _start(self):
        """Sets the initial values: weights are normal with deviation 0.02, biases are zero. For the two
        projections into the residual stream the deviation is divided by sqrt(2 * n_layer), as in
        GPT-2 (Radford et al. 2019)."""
        for name, parameter in self.named_parameters():
            if parameter.dim() > 1:
                deep = name.endswith(("attn_output.weight", "ffn_down.weight"))
                nn.init.normal_(
                    parameter, std=0.02 / math.sqrt(2 * self.shape.n_layer) if deep else 0.02
                )
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)

    def forward(self, ids):
        """ids (batch, time) -> logits (batch, time, vocab_size); time <= context_length."""
        time = ids.shape[1]
        x = self.token_embd(ids)
        rope = None
        if self.shape.architecture == "gpt2":
            x = x + self.position_embd.weight[:time]
        else:
            rope = self.cos[:time], self.sin[:time]
        mask = self.mask[:time, :time]
        x = self.drop(x)
        for block in self.blk:
            x = block(x, mask, rope)
        head = self.token_embd if self.shape.tied else self.output
        return F.linear(self.output_norm(x), head.weight)

    def n_parameters(self):
        return sum(parameter.numel() for parameter in self.parameters())


def gguf_metadata(shape):
    """The keys that llama.cpp reads for this architecture: [(key, kind, value)]."""
    a = shape.architecture
    keys = [
        (f"{a}.context_length", "u32", shape.context_length),
        (f"{a}.embedding_length", "u32", shape.n_embd),
        (f"{a}.block_count", "u32", shape.n_layer),
        (f"{a}.feed_forward_length", "u32", shape.n_ff),
        (f"{a}.attention.head_count", "u32", shape.n_head),
    ]
    if a == "gpt2":
        return keys + [("gpt2.attention.layer_norm_epsilon", "f32", shape.norm_eps)]
    return keys + [
        ("llama.attention.head_count_kv", "u32", shape.n_head_kv),
        ("llama.attention.layer_norm_rms_epsilon", "f32", shape.norm_eps),
        ("llama.rope.dimension_count", "u32", shape.n_embd_head),
        ("llama.rope.freq_base", "f32", shape.rope_freq_base),
        ("llama.vocab_size", "u32", shape.vocab_size),
    ]


def from_gguf(metadata, tensors):
    """The model of a GGUF file that this project wrote (gguf.read), in evaluation mode."""
    a = metadata["general.architecture"]
    eps = (
        "gpt2.attention.layer_norm_epsilon"
        if a == "gpt2"
        else "llama.attention.layer_norm_rms_epsilon"
    )
    shape = Shape(
        architecture=a,
        vocab_size=len(metadata["tokenizer.ggml.tokens"]),
        context_length=metadata[f"{a}.context_length"],
        n_embd=metadata[f"{a}.embedding_length"],
        n_layer=metadata[f"{a}.block_count"],
        n_head=metadata[f"{a}.attention.head_count"],
        n_ff=metadata[f"{a}.feed_forward_length"],
        n_head_kv=metadata.get(f"{a}.attention.head_count_kv", 0),
        tied="output.weight" not in tensors,
        norm_eps=metadata[eps],
        rope_freq_base=metadata.get(f"{a}.rope.freq_base", 10000.0),
    )
    model = Transformer(shape)
    model.load_state_dict({name: torch.from_numpy(array) for name, array in tensors.items()})
    return model.eval()
