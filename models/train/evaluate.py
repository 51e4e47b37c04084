#!/usr/bin/env python3
"""Cross-entropy of a GGUF file on a text: evaluate.py MODEL TEXT [--stories N].

With --stories N each of the first N stories of the text (between <|endoftext|> lines, runs of
newlines collapsed) is evaluated alone: its first 1,000 bytes, after the beginning-of-text token.
Without it the text is cut into windows of the context's length; each window is predicted without
the one before."""

import argparse
import math

import torch
from torch.nn import functional as F

import corpus
import gguf
import tokenizer as tokenizers
from model import from_gguf

STORY_BYTES = 1000


@torch.no_grad()
def nats(model, ids):
    """Sum of the losses of ids[1:], in nats. At most context_length ids are inputs at a time."""
    total, length = 0.0, model.shape.context_length
    for start in range(0, len(ids) - 1, length):
        window = torch.tensor([ids[start : start + length + 1]])
        total += F.cross_entropy(model(window[:, :-1])[0], window[0, 1:], reduction="sum").item()
    return total


def main():
    parser = argparse.ArgumentParser(description="Cross-entropy of a GGUF file on a text.")
    parser.add_argument("model")
    parser.add_argument("text")
    parser.add_argument("--stories", type=int)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    metadata, tensors = gguf.read(args.model)
    model, tokenizer = from_gguf(metadata, tensors), tokenizers.from_metadata(metadata)
    if args.stories:
        texts = [
            story.encode()[:STORY_BYTES].decode("utf-8", "ignore")
            for story in corpus.read_stories(args.text)[: args.stories]
        ]
    else:
        with open(args.text, encoding="utf-8") as file:
            texts = [file.read()]
    total = tokens = size = 0
    for text in texts:
        ids = ([] if tokenizer.bos is None else [tokenizer.bos]) + tokenizer.encode(text)
        total += nats(model, ids)
        tokens += len(ids) - 1
        size += len(text.encode())
    print(
        f"{len(texts)} texts, {tokens:,} tokens, {size:,} bytes: "
        f"{total / tokens:.4f} nats per token, {total / math.log(2) / size:.4f} bits per byte"
    )


if __name__ == "__main__":
    main()
