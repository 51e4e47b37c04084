#!/usr/bin/env python3
"""Writes tests/vectors/verbs_prefixes.json: facts of the grammar itself, for tests that run the
model.

100 prefixes with the exact distribution of their next token, and 2,000 prompts that begin no
training sentence."""

import json
import os

import numpy

import corpus
import grammar as grammars

HERE = os.path.dirname(os.path.abspath(__file__))
SEED = 7
N_PREFIXES, N_PROMPTS = 100, 2000


def draw_prefixes(table, count, random):
    """Distinct prefixes, each from a random sentence of the grammar, cut at a random token. The empty
    prefix is the first."""
    texts = list(table.sentences)
    p = numpy.array([table.sentences[text] for text in texts])
    found = {"": None}
    while len(found) < count:
        pieces = grammars.pieces(texts[random.choice(len(texts), p=p / p.sum())])
        found["".join(pieces[: random.integers(len(pieces) + 1)])] = None
    return list(found)


def draw_prompts(table, rule, count, random):
    """Distinct prompts, each from a random held-out sentence: one of its prefixes with which no training
    sentence begins."""
    found = {}
    while len(found) < count:
        for sentence in corpus.held_out_sentences(table, rule, 1000, int(random.integers(2**31))):
            prompts = rule.prompts(sentence)
            found[prompts[random.integers(len(prompts))]] = None
    return list(found)[:count]


def main():
    with open(os.path.join(HERE, "recipes", "verbs.json"), encoding="utf-8") as file:
        options = json.load(file)["corpus"]
    grammar = grammars.load(os.path.join(HERE, "recipes", options["grammar"]))
    table, rule, _, _ = corpus.grammar_split(options, grammar)
    random = numpy.random.default_rng(SEED)
    prefixes = []
    for prefix in draw_prefixes(table, N_PREFIXES, random):
        next_tokens = sorted(
            table.distribution(prefix).items(), key=lambda item: (-item[1], item[0])
        )
        prefixes.append(
            {"prefix": prefix, "next": {token: round(p, 9) for token, p in next_tokens}}
        )
    prompts = draw_prompts(table, rule, N_PROMPTS, random)
    lines = [
        "{",
        '  "source": "models/train/verbs_vectors.py over models/verbs.grammar.json",',
        '  "prefixes": [',
    ]
    lines.append(",\n".join("    " + json.dumps(entry) for entry in prefixes))
    lines += ["  ],", '  "held_out_prompts": [']
    lines.append(",\n".join("    " + json.dumps(prompt) for prompt in prompts))
    lines += ["  ]", "}"]
    path = os.path.join(HERE, "..", "..", "tests", "vectors", "verbs_prefixes.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
