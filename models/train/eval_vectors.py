#!/usr/bin/env python3
"""Writes tests/vectors/eval.json: the loss of each shipped model on a short text, by PyTorch over the
dequantised weights. A test compares the C engine with it."""

import json
import os

import gguf
import tokenizer as tokenizers
from evaluate import nats
from model import from_gguf

TEXTS = {
    "stories": (
        "Ben had a small blue boat. He took it to the pond every day after lunch. One day the wind "
        "was very strong, and the boat went far away. Ben began to cry. A big duck saw him and "
        'said, "Do not worry. I can swim." The duck pushed the boat back with its beak. Ben was so '
        "happy that he gave the duck his bread. From that day on, Ben and the duck were good friends."
    ),
    "stories-draft": (
        "Tom and his sister went to the park. They saw a red kite in a tall tree. Tom wanted to get "
        "it, but the tree was too high. A kind man came with a ladder. He gave them the kite, and "
        "they all played together until it was time to go home."
    ),
    "shakespeare": (
        "KING HENRY:\nMy lords, the night is cold and we are few;\nYet he that loves his honour "
        "will not sleep.\n\nNORTHUMBERLAND:\nThen let us to the gates, and there abide\nWhat fortune "
        "or the morning brings to us.\n"
    ),
    "verbs": "Tomorrow she will go to the park",
}


def main():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    found = []
    for name, text in TEXTS.items():
        metadata, tensors = gguf.read(os.path.join(root, "models", f"{name}.gguf"))
        tokenizer = tokenizers.from_metadata(metadata)
        ids = ([] if tokenizer.bos is None else [tokenizer.bos]) + tokenizer.encode(text)
        loss = nats(from_gguf(metadata, tensors), ids) / (len(ids) - 1)
        found.append(
            {"model": name, "text": text, "tokens": len(ids) - 1, "nats_per_token": round(loss, 5)}
        )
    with open(os.path.join(root, "tests/vectors/eval.json"), "w", encoding="utf-8") as file:
        json.dump(found, file, indent=2)
        file.write("\n")


if __name__ == "__main__":
    main()
