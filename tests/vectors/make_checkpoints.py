"""
Writes small checkpoints by PyTorch and NumPy, and their values, for tests/node/checkpoint.test.js.

    python3 tests/vectors/make_checkpoints.py            the files of tests/vectors/checkpoints
    python3 tests/vectors/make_checkpoints.py SEED DIR   random files, with the values in DIR/expected.json

It needs PyTorch (any version from 1.6 on; 1.13 wrote the files here) and NumPy. The values are float32, as PyTorch
converts them, in base64.
"""
import argparse
import base64
import dataclasses
import json
import pickle
import struct
import sys
import types
from pathlib import Path

import numpy as np
import torch

TYPES = {
    torch.float64: "F64",
    torch.float32: "F32",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.int64: "I64",
    torch.int32: "I32",
    torch.int16: "I16",
    torch.int8: "I8",
    torch.uint8: "U8",
    torch.bool: "BOOL",
}
NUMPY = {"f8": "F64", "f4": "F32", "f2": "F16", "i8": "I64", "i4": "I32", "i2": "I16", "i1": "I8", "u1": "U8", "b1": "BOOL"}


def row(kind, shape, values):
    """Describes a tensor: type, shape and values."""
    values = np.ascontiguousarray(values, dtype="<f4")
    return [kind, list(shape), base64.b64encode(values.tobytes()).decode()]


def of_torch(tensors):
    return {
        name: row(TYPES[t.dtype], t.shape, t.detach().to(torch.float32).numpy())
        for name, t in tensors.items()
    }


def of_numpy(arrays):
    return {name: row(NUMPY[a.dtype.str[1:]], a.shape, a.astype("f4")) for name, a in arrays.items()}


def state():
    """Tensors of each type, views with strides and offsets, and shared storages."""
    torch.manual_seed(1)
    base = torch.randn(4, 6)
    tensors = {str(kind).split(".")[1]: (torch.randn(2, 3) * 9).to(kind) for kind in TYPES}
    tensors["float16"][0] = torch.tensor([6e-8, 65504.0, float("inf")]).half()
    tensors["bfloat16"][0] = torch.tensor([1e-40, -0.0, float("-inf")]).bfloat16()
    return {
        **tensors,
        "base": base,
        "transposed": base.t(),
        "slice": base[1:, 1::2],
        "tied": base,
        "parameter": torch.nn.Parameter(torch.randn(3)),
        "scalar": torch.tensor(7),
        "empty": torch.zeros(0, 3),
        "permuted": torch.randn(2, 3, 2).permute(2, 0, 1),
    }


def training():
    """Returns a checkpoint as nanoGPT saves it, with the optimizer's moments."""
    weights = torch.nn.Linear(2, 2)
    optimizer = torch.optim.AdamW(weights.parameters(), lr=0.25)
    weights(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    return {
        "model": state(),
        "optimizer": optimizer.state_dict(),
        "model_args": {"n_layer": 1, "n_head": 2, "n_embd": 4, "bias": False, "dropout": 0.0},
        "iter_num": 250,
        "best_val_loss": torch.tensor(1.5),
        "config": {"dataset": "names", "learning_rate": 1e-3, "device": torch.device("cuda:0")},
        "hyper_parameters": argparse.Namespace(lr=np.float32(0.5), heads=np.int64(4), tag=np.str_("a")),
    }


CONFIG = {
    "model_args": {"n_layer": 1, "n_head": 2, "n_embd": 4, "bias": False, "dropout": 0},
    "iter_num": 250,
    "config": {"dataset": "names", "learning_rate": 1e-3, "device": "cuda:0"},
    "hyper_parameters": {"lr": 0.5, "heads": 4, "tag": "a"},
}


def arrays():
    turned = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    return {
        **{kind: (np.arange(6) - 2).astype(f"<{kind}").reshape(3, 2) for kind in NUMPY},
        "fortran": turned,
        "fortran3": np.asfortranarray(np.arange(24, dtype="f4").reshape(2, 3, 4)),
        "big": np.arange(4, dtype=">f4") / 3,
        "bigint": np.arange(3, dtype=">i4") - 1,
    }


def save_arrays(folder):
    numbers = arrays()
    beside = {"n_head": np.int64(4), "lr": np.float64(0.1), "name": np.array("names"), "chars": np.array(["a", "é", "\n"])}
    expected = [of_numpy(numbers), {"n_head": 4, "lr": 0.1, "name": "names", "chars": ["a", "é", "\n"]}]
    np.savez(folder / "arrays.npz", **numbers, **beside)
    np.savez_compressed(folder / "packed.npz", **numbers, **beside)
    np.save(folder / "one.npy", numbers["fortran3"])
    found = {"arrays.npz": expected, "packed.npz": expected}
    found["one.npy"] = [of_numpy({"one": numbers["fortran3"]}), {}]
    for protocol in (2, 3, 4, 5):
        name = f"protocol{protocol}.pkl"
        value = {"params": numbers, "lr": 0.5, "chars": {"b", }, "raw": b"\x00\xff", "empty": b"", "big": 2**70}
        (folder / name).write_bytes(pickle.dumps(value, protocol=protocol))
        found[name] = [of_numpy(numbers), {"lr": 0.5, "chars": ["b"], "big": str(2**70)}]
    return found


def save_llama2c(folder, tied):
    """The order of version 0 of llama2.c's export."""
    rng = np.random.default_rng(3)
    dim, hidden, layers, heads, kv, vocab, context = 4, 6, 2, 2, 1, 5, 3
    parts, bytes_of = {}, []

    def add(name, *shape):
        values = rng.standard_normal(shape).astype("<f4")
        bytes_of.append(values.tobytes())
        if name:
            parts[name] = values

    each = lambda name, *shape: [add(f"layers.{i}.{name}.weight", *shape) for i in range(layers)]
    add("tok_embeddings.weight", vocab, dim)
    each("attention_norm", dim)
    for name, rows in [("wq", dim), ("wk", dim // heads * kv), ("wv", dim // heads * kv), ("wo", dim)]:
        each(f"attention.{name}", rows, dim)
    each("ffn_norm", dim)
    for name, shape in [("w1", (hidden, dim)), ("w2", (dim, hidden)), ("w3", (hidden, dim))]:
        each(f"feed_forward.{name}", *shape)
    add("norm.weight", dim)
    add(None, context, dim // heads)
    if not tied:
        add("output.weight", vocab, dim)
    header = struct.pack("<7i", dim, hidden, layers, heads, kv, vocab if tied else -vocab, context)
    name = "tied.bin" if tied else "untied.bin"
    (folder / name).write_bytes(header + b"".join(bytes_of))
    config = dict(dim=dim, hidden_dim=hidden, n_layers=layers, n_heads=heads, n_kv_heads=kv)
    return {name: [of_numpy(parts), {**config, "vocab_size": vocab, "max_seq_len": context, "tied": tied}]}


@dataclasses.dataclass
class GPTConfig:
    block_size: int = 8
    n_head: int = 2
    bias: bool = False
    extra: object = None


class Slots:
    __slots__ = ("n_layer", "__dict__")


def records():
    """Sizes in objects of the script's own classes, as scripts save them, in each module that is read."""
    slots = Slots()
    slots.n_layer, slots.n_embd = 3, 4
    found = {"state_dict": {"w": torch.arange(3.0)}, "config": GPTConfig(extra=GPTConfig(n_head=4)), "slots": slots}
    found["simple"] = types.SimpleNamespace(lr=0.5)
    for module in ("model", "config"):
        made = dataclasses.make_dataclass("ModelArgs", [("dim", int, 16)])
        made.__module__ = module
        sys.modules[module] = types.SimpleNamespace(ModelArgs=made)
        found[f"{module}_args"] = made()
    return found


RECORDS = {
    "config": {"block_size": 8, "n_head": 2, "bias": False, "extra": {"block_size": 8, "n_head": 4, "bias": False, "extra": None}},
    "slots": {"n_layer": 3, "n_embd": 4},
    "simple": {"lr": 0.5},
    "model_args": {"dim": 16},
    "config_args": {"dim": 16},
}


def save_records(folder):
    saved = records()
    torch.save(saved, folder / "records.pt")
    torch.save(saved, folder / "records5.pt", pickle_protocol=5)
    return {name: [of_torch(saved["state_dict"]), RECORDS] for name in ("records.pt", "records5.pt")}


def write_vectors(folder):
    saved = training()
    torch.save(saved, folder / "new.pt")
    torch.save(saved, folder / "old.pt", _use_new_zipfile_serialization=False)
    expected = {name: [of_torch(saved["model"]), CONFIG] for name in ("new.pt", "old.pt")}
    torch.save(torch.nn.Linear(2, 2).state_dict(), folder / "linear.pt")
    torch.manual_seed(2)
    linear = torch.nn.Linear(2, 2)
    torch.save(linear.state_dict(), folder / "linear.pt")
    expected["linear.pt"] = [of_torch(linear.state_dict()), {}]
    torch.save(linear, folder / "module.pt")
    expected.update(save_arrays(folder))
    expected.update(save_llama2c(folder, True))
    expected.update(save_llama2c(folder, False))
    expected.update(save_records(folder))
    (folder / "expected.json").write_text(json.dumps(expected, indent=0, ensure_ascii=False) + "\n")


def random_view(rng, made):
    """Returns a tensor with random strides, on a storage of its own or of an earlier tensor."""
    if made and rng.random() < 0.3:
        base = made[rng.integers(len(made))]
    else:
        shape = [int(n) for n in rng.integers(0 if rng.random() < 0.05 else 1, 6, rng.integers(0, 5))]
        kind = list(TYPES)[rng.integers(len(TYPES))]
        base = torch.from_numpy(np.asarray(rng.standard_normal(shape) * 50)).to(kind)
        made.append(base)
    view = base.permute(*rng.permutation(base.dim()).tolist()) if base.dim() else base
    for axis in range(view.dim()):
        if rng.random() < 0.4 and view.shape[axis] > 1:
            start = int(rng.integers(view.shape[axis]))
            view = view[(slice(None),) * axis + (slice(start, None, int(rng.integers(1, 3))),)]
    return torch.nn.Parameter(view) if view.dtype.is_floating_point and rng.random() < 0.3 else view


def write_random(seed, folder):
    rng = np.random.default_rng(seed)
    expected = {}
    for i in range(20):
        made = []
        tensors = {f"t.{k}": random_view(rng, made) for k in range(int(rng.integers(1, 30)))}
        for name, new in [(f"{i}.pt", True), (f"{i}.old.pt", False)]:
            torch.save({"state_dict": tensors}, folder / name, _use_new_zipfile_serialization=new, pickle_protocol=int(rng.integers(2, 6)))
            expected[name] = [of_torch(tensors), {}]
    (folder / "expected.json").write_text(json.dumps(expected))


if len(sys.argv) > 2:
    write_random(int(sys.argv[1]), Path(sys.argv[2]))
else:
    target = Path(__file__).parent / "checkpoints"
    target.mkdir(exist_ok=True)
    write_vectors(target)
