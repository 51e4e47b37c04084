#!/usr/bin/env python3
"""Prints the figures of the card of models/verbs.gguf: evaluate_verbs.py [FILE].

A completion is right if the model ends it and the grammar generates the whole sentence. Each draw uses
the full vocabulary, without truncation."""

import json
import os
import sys

import numpy
import torch

import corpus
import gguf
import grammar as grammars
import tokenizer as tokenizers
from model import from_gguf

HERE = os.path.dirname(os.path.abspath(__file__))
TEMPERATURES = [0, 0.5, 1, 1.5, 2]
SEED = 11


@torch.no_grad()
def next_logits(model, rows):
    """Logits after each row of ids. Rows of equal length form one batch."""
    result = torch.empty(len(rows), model.shape.vocab_size)
    by_length = {}
    for i, row in enumerate(rows):
        by_length.setdefault(len(row), []).append(i)
    for indices in by_length.values():
        for part in (indices[i : i + 1024] for i in range(0, len(indices), 1024)):
            result[part] = model(torch.tensor([rows[i] for i in part]))[:, -1]
    return result


def complete(model, tokenizer, prompts, temperature, generator):
    """Completes each prompt and returns the whole sentences; None for a sentence that the model did not
    end within its context."""
    rows = [[tokenizer.bos] + tokenizer.encode(prompt) for prompt in prompts]
    open_rows = list(range(len(rows)))
    while open_rows:
        logits = next_logits(model, [rows[i] for i in open_rows])
        if temperature == 0:
            drawn = logits.argmax(-1)
        else:
            drawn = torch.multinomial((logits / temperature).softmax(-1), 1, generator=generator)[
                :, 0
            ]
        for i, token in zip(open_rows, drawn.tolist()):
            rows[i].append(token)
        open_rows = [
            i
            for i in open_rows
            if rows[i][-1] != tokenizer.eos and len(rows[i]) < model.shape.context_length
        ]
    return [
        "".join(tokenizer.tokens[i] for i in row[1:-1]) if row[-1] == tokenizer.eos else None
        for row in rows
    ]


def total_variation(model, tokenizer, table, prefixes):
    """Half the L1 distance between the model's next-token distribution and the grammar's, for each
    prefix."""
    p = (
        next_logits(model, [[tokenizer.bos] + tokenizer.encode(prefix) for prefix in prefixes])
        .double()
        .softmax(-1)
    )
    q = torch.zeros_like(p)
    for row, prefix in enumerate(prefixes):
        for token, value in table.distribution(prefix).items():
            q[row, tokenizer.ids[token]] = value
    return (p - q).abs().sum(-1).div(2).numpy()


@torch.no_grad()
def losses(model, tokenizer, table, sentences):
    """Mean loss of the model and of the grammar itself, in nats per token of the sentences; end tokens
    count."""
    total = floor = count = 0.0
    for sentence in sentences:
        pieces = tokenizer.encode(sentence) + [tokenizer.eos]
        logits = model(torch.tensor([[tokenizer.bos] + pieces[:-1]]))[0]
        total += torch.nn.functional.cross_entropy(
            logits, torch.tensor(pieces), reduction="sum"
        ).item()
        floor -= numpy.log(table.sentences[sentence])
        count += len(pieces)
    return total / count, floor / count


def report_distances(name, distances):
    print(
        f"total variation, {name}: n {len(distances)}, mean {distances.mean():.4f}, "
        f"99% {numpy.quantile(distances, 0.99):.4f}, max {distances.max():.4f}"
    )


def main(path):
    torch.set_num_threads(1)
    metadata, tensors = gguf.read(path)
    model, tokenizer = from_gguf(metadata, tensors), tokenizers.from_metadata(metadata)
    with open(os.path.join(HERE, "recipes", "verbs.json"), encoding="utf-8") as file:
        options = json.load(file)["corpus"]
    with open(
        os.path.join(HERE, "..", "..", "tests", "vectors", "verbs_prefixes.json"), encoding="utf-8"
    ) as file:
        vectors = json.load(file)
    grammar = grammars.load(os.path.join(HERE, "recipes", options["grammar"]))
    table, rule, allowed, p = corpus.grammar_split(options, grammar)

    random = numpy.random.default_rng(SEED)
    seen = [allowed[i] for i in random.choice(len(allowed), size=2000, p=p)]
    unseen = corpus.held_out_sentences(table, rule, 2000, SEED)
    for name, sentences in (("training", seen), ("held-out", unseen)):
        print(
            "loss on 2,000 {} sentences: {:.4f} nats per token; the grammar itself: {:.4f}".format(
                name, *losses(model, tokenizer, table, sentences)
            )
        )

    report_distances(
        "the 100 prefixes",
        total_variation(
            model, tokenizer, table, [entry["prefix"] for entry in vectors["prefixes"]]
        ),
    )
    report_distances(
        "the held-out prompts",
        total_variation(model, tokenizer, table, vectors["held_out_prompts"]),
    )
    report_distances(
        "every prefix of the grammar",
        total_variation(model, tokenizer, table, list(table.probability)),
    )

    short = [
        f"{time['text']} {subject['text']}"
        for time in grammar["times"]
        for subject in grammar["subjects"]
    ]
    sets = (
        ("held-out prompts", vectors["held_out_prompts"]),
        ("time + subject", short),
        ("empty prompt", [""] * 2000),
    )
    for name, prompts in sets:
        for temperature in TEMPERATURES:
            generator = torch.Generator().manual_seed(SEED)
            whole = complete(model, tokenizer, prompts, temperature, generator)
            share = sum(sentence in table.sentences for sentence in whole) / len(prompts)
            print(f"right, {len(prompts)} x {name}, T = {temperature}: {share:.2%}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "verbs.gguf"))
