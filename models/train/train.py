#!/usr/bin/env python3
"""Trains a recipe and writes its GGUF file: train.py RECIPE --out FILE [--corpora DIR] [--state
DIR]; see --help.

A run can be stopped at any time (Ctrl-C, SIGTERM, --minutes); the same command continues it from its
checkpoint."""

import argparse
import json
import math
import os
import signal
import sys
import time

import numpy
import torch
from torch.nn import functional as F

import corpus as corpora
import gguf
import tokenizer as tokenizers
from model import Shape, Transformer, gguf_metadata

VALIDATION_BATCH = 32


class Stop:
    """The condition that ends a run: a signal (Ctrl-C, SIGTERM) or the time limit. The loop checks it
    between steps."""

    def __init__(self, minutes):
        self.asked = False
        self.deadline = time.monotonic() + 60 * minutes if minutes else math.inf
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, self._ask)

    def _ask(self, *_):
        self.asked = True

    def __bool__(self):
        return self.asked or time.monotonic() > self.deadline


def learning_rate(options, step):
    """Linear warm-up, then a cosine from `lr` down to `lr_end` at the last step."""
    if step < options["warmup"]:
        return options["lr"] * (step + 1) / options["warmup"]
    progress = (step - options["warmup"]) / max(1, options["steps"] - options["warmup"])
    return (
        options["lr_end"]
        + (options["lr"] - options["lr_end"]) * (1 + math.cos(math.pi * progress)) / 2
    )


def make_optimizer(model, options):
    """AdamW. Weight decay applies to matrices, not to norms and biases."""
    groups = [
        {
            "params": [p for p in model.parameters() if p.dim() > 1],
            "weight_decay": options["weight_decay"],
        },
        {"params": [p for p in model.parameters() if p.dim() < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=options["lr"], betas=tuple(options["betas"]), eps=1e-8)


def mean_loss(model, batch, bfloat16=False):
    """Cross-entropy in nats per token; batch (rows, time + 1). With `bfloat16` the matrix products
    round their factors to it, which a CPU with AVX-512 BF16 does in half the time."""
    with torch.autocast(batch.device.type, dtype=torch.bfloat16, enabled=bfloat16):
        logits = model(batch[:, :-1])
    return F.cross_entropy(logits.float().flatten(0, 1), batch[:, 1:].flatten())


@torch.no_grad()
def validate(model, stream, rows, device):
    """Mean loss over `rows` windows at equal distances in the stream. Each call uses the same windows."""
    model.eval()
    length = model.shape.context_length
    starts = stream.windows(length)
    starts = starts[numpy.linspace(0, len(starts) - 1, min(rows, len(starts))).astype(int)]
    total = 0.0
    for i in range(0, len(starts), VALIDATION_BATCH):
        part = starts[i : i + VALIDATION_BATCH]
        total += mean_loss(
            model, torch.from_numpy(stream.batch(part, length)).to(device)
        ).item() * len(part)
    model.train()
    return total / len(starts)


class Checkpoint:
    """The checkpoint of a run: the weights, the square roots of Adam's second moments (they fit into
    float16), the step, and the best weights so far. It is small, because numbers have half precision.
    For an F32 file, the best weights keep full precision. Adam's first moments are left out: they are
    averages over about ten steps, so ten steps restore them."""

    def __init__(self, folder, name, file_type):
        self.best_type = torch.float32 if file_type == "F32" else torch.float16
        self.path = os.path.join(folder, f"{name}.pt")
        self.best_path = os.path.join(folder, f"{name}.best.pt")

    def save(self, model, optimizer, progress):
        weights = {name: p.half() for name, p in model.state_dict().items()}
        scales = [optimizer.state[p]["exp_avg_sq"].sqrt() for p in model.parameters()]
        largest = [float(scale.max()) or 1.0 for scale in scales]
        halves = [(scale / peak).half() for scale, peak in zip(scales, largest)]
        self._write(
            self.path,
            {"weights": weights, "moments": halves, "largest": largest, "progress": progress},
        )

    def save_best(self, model):
        self._write(
            self.best_path, {name: p.to(self.best_type) for name, p in model.state_dict().items()}
        )

    def _write(self, path, value):
        torch.save(value, path + ".new")
        os.replace(path + ".new", path)  # replaces the file at once, so that it is never incomplete

    def load(self, model, optimizer):
        """Restores everything and returns the progress, or None without a checkpoint."""
        if not os.path.exists(self.path):
            return None
        state = torch.load(self.path, map_location="cpu")
        model.load_state_dict({name: p.float() for name, p in state["weights"].items()})
        for parameter, half, peak in zip(model.parameters(), state["moments"], state["largest"]):
            moment = (half.float() * peak).square().to(parameter.device)
            optimizer.state[parameter] = {
                "step": torch.tensor(float(state["progress"]["step"])),
                "exp_avg": torch.zeros_like(moment),
                "exp_avg_sq": moment,
            }
        return state["progress"]

    def load_best(self, model):
        model.load_state_dict(
            {name: p.float() for name, p in torch.load(self.best_path, map_location="cpu").items()}
        )


class Trainer:
    def __init__(self, recipe, corpus, device, checkpoint):
        self.recipe, self.corpus, self.device = recipe, corpus, device
        self.options, self.checkpoint = recipe["train"], checkpoint
        self.shape = Shape(vocab_size=len(corpus.tokenizer.tokens), **recipe["model"])
        torch.manual_seed(self.options["seed"])
        self.model = Transformer(self.shape, self.options.get("dropout", 0.0)).to(device)
        self.optimizer = make_optimizer(self.model, self.options)
        self.progress = {
            "step": 0,
            "tokens": 0,
            "seconds": 0.0,
            "best": math.inf,
            "best_step": 0,
            "loss": None,
        }

    def resume(self):
        progress = self.checkpoint.load(self.model, self.optimizer)
        if progress:
            self.progress = progress
            print(f"resumed at step {progress['step']}", flush=True)

    def sequence_length(self, step):
        """The length of a step's windows. Short windows cost less per token; only each `long_every`-th
        step has windows of the whole context."""
        options, context_length = self.options, self.shape.context_length
        if "short_length" not in options or step % options["long_every"] == 0:
            return context_length
        return options["short_length"]

    def batch(self, step):
        """The windows of a step. Each step has its own random generator, so that a resumed run draws the
        same windows."""
        length = self.sequence_length(step)
        rows = max(1, self.options["batch_tokens"] // length)
        starts = self.corpus.training.windows(length)
        picks = numpy.random.default_rng([self.options["seed"], step]).integers(
            len(starts), size=rows
        )
        return torch.from_numpy(self.corpus.training.batch(starts[picks], length)).to(self.device)

    def step(self):
        step = self.progress["step"]
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(self.options, step)
        batch = self.batch(step)
        # A resumed run repeats the dropout, as it does the batch.
        torch.manual_seed(self.options["seed"] * 1_000_003 + step)
        loss = mean_loss(self.model, batch, self.options.get("bfloat16", False))
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.options["clip"])
        self.optimizer.step()
        value = loss.item()
        if not math.isfinite(value):
            raise SystemExit(f"the loss is {value} at step {step}; lower lr or raise warmup")
        smooth = self.progress["loss"]
        self.progress["loss"] = value if smooth is None else 0.98 * smooth + 0.02 * value
        self.progress["step"] += 1
        self.progress["tokens"] += batch[:, 1:].numel()

    def validate(self):
        loss = validate(
            self.model, self.corpus.validation, self.options["validation_rows"], self.device
        )
        if loss < self.progress["best"]:
            self.progress.update(best=loss, best_step=self.progress["step"])
            self.checkpoint.save_best(self.model)
        self.checkpoint.save(self.model, self.optimizer, self.progress)
        return loss

    def run(self, stop):
        """Trains until the last step or until `stop`. Returns True after the last step."""
        steps, every = self.options["steps"], self.options["validate_every"]
        begun, first, tokens = time.monotonic(), self.progress["step"], self.progress["tokens"]
        seconds = self.progress["seconds"]
        while self.progress["step"] < steps and not stop:
            self.step()
            step = self.progress["step"]
            if step % every and step != steps:
                continue
            spent = time.monotonic() - begun
            self.progress["seconds"] = seconds + spent
            loss = self.validate()
            speed = (self.progress["tokens"] - tokens) / spent
            left = spent / (step - first) * (steps - step)
            print(
                f"step {step}/{steps}  train {self.progress['loss']:.4f}  held-out {loss:.4f}  "
                f"best {self.progress['best']:.4f}  {speed:,.0f} tokens/s  "
                f"{left / 60:.0f} min left",
                flush=True,
            )
        if self.progress["step"] % every and self.progress["step"] > first:
            self.progress["seconds"] = seconds + time.monotonic() - begun
            self.checkpoint.save(self.model, self.optimizer, self.progress)
        return self.progress["step"] >= steps


def export(trainer, path):
    """Writes the best weights so far as GGUF."""
    recipe = trainer.recipe
    trainer.checkpoint.load_best(trainer.model)
    tensors = {
        name: p.detach().cpu().float().numpy() for name, p in trainer.model.state_dict().items()
    }
    metadata = [
        ("general.architecture", "string", trainer.shape.architecture),
        ("general.name", "string", recipe["name"]),
        ("general.description", "string", recipe["description"]),
        ("general.license", "string", recipe["license"]),
        ("general.quantization_version", "u32", 2),
        *gguf_metadata(trainer.shape),
        *trainer.corpus.tokenizer.metadata(),
    ]
    gguf.write(path, metadata, tensors, recipe["file_type"], recipe.get("feed_forward_type"))
    progress = trainer.progress
    print(
        f"{path}: {os.path.getsize(path):,} bytes, {trainer.model.n_parameters():,} parameters, "
        f"held-out loss {progress['best']:.4f} nats/token at step {progress['best_step']}, "
        f"{progress['tokens']:,} tokens in {progress['seconds'] / 60:.1f} min"
    )


def keep_tokenizer(recipe, folder):
    """Keeps a trained tokenizer beside the checkpoint, so that a resumed run uses the same."""
    path = os.path.join(folder, f"{recipe['name']}.tokenizer.json")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            recipe["tokenizer"]["pieces"] = json.load(file)
        return None
    return path


def parse(arguments):
    parser = argparse.ArgumentParser(description="Trains a recipe and writes its GGUF file.")
    parser.add_argument("recipe", help="a file of models/train/recipes")
    parser.add_argument("--out", required=True, help="the GGUF file to write")
    parser.add_argument("--corpora", help="the folder with the texts that the recipe names")
    parser.add_argument(
        "--state",
        default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "state"),
        help="the folder of checkpoints (default: models/train/state)",
    )
    parser.add_argument(
        "--steps", type=int, help="another last step than the recipe's; the cosine ends there"
    )
    parser.add_argument("--minutes", type=float, help="stop after this long, with a checkpoint")
    parser.add_argument("--threads", type=int, default=1, help="threads of PyTorch (default 1)")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--export", action="store_true", help="only write the best weights so far")
    return parser.parse_args(arguments)


def main(arguments):
    args = parse(arguments)
    torch.set_num_threads(args.threads)
    with open(args.recipe, encoding="utf-8") as file:
        recipe = json.load(file)
    if args.steps:
        recipe["train"]["steps"] = args.steps
    os.makedirs(args.state, exist_ok=True)
    tokenizer_path = keep_tokenizer(recipe, args.state)
    corpus = corpora.load(recipe, os.path.dirname(os.path.abspath(args.recipe)), args.corpora)
    if tokenizer_path and corpus.tokenizer.kind == tokenizers.LlamaTokenizer.kind:
        with open(tokenizer_path, "w", encoding="utf-8") as file:
            json.dump(corpus.tokenizer.pieces, file)
    torch.set_flush_denormal(True)  # the tails of softmax would be many times slower
    checkpoint = Checkpoint(args.state, recipe["name"], recipe["file_type"])
    trainer = Trainer(recipe, corpus, args.device, checkpoint)
    print(
        f"{recipe['name']}: {trainer.model.n_parameters():,} parameters, "
        f"vocabulary {trainer.shape.vocab_size}, "
        f"training {len(corpus.training.ids):,} tokens, held out {len(corpus.validation.ids):,}",
        flush=True,
    )
    trainer.resume()
    finished = True
    if not args.export:
        finished = trainer.run(Stop(args.minutes))
    if finished or args.export:
        export(trainer, args.out)
    else:
        print(f"stopped at step {trainer.progress['step']}; the same command goes on from there")


if __name__ == "__main__":
    main(sys.argv[1:])
