#!/usr/bin/env python3
"""Makes models in the style of each course with their log-probabilities from PyTorch.

    /usr/bin/python3 tests/courses/make.py                     # the fixtures in tests/vectors/courses
    /usr/bin/python3 tests/courses/make.py --train FOLDER      # models trained for a few seconds, 200 prompts

A folder for each model has its files as the course writes them. NAME.json beside it has prompts (ids) and
the log-probabilities of the token after each, computed in float64 with the float32 weights: in float32,
PyTorch itself is up to 1.1e-5 off for a token of probability e^-25.
"""
import json
import os
import sys
from zlib import crc32

import torch

from hub import HUB
from models import CHARACTERS, COURSES, TEXT

HERE = os.path.dirname(os.path.abspath(__file__))
# Names of the tiny models that the repository keeps. With --train, all models are made.
KEPT = ('nanogpt', 'bigram', 'lecture', 'scratch', 'llama2c_bin', 'gpt2', 'llama', 'mistral', 'nanochat', 'qwen2')
FIXTURES = os.path.join(HERE, '..', 'vectors', 'courses')


def roughen(model, generator):
    """Sets random weights that make the distributions far from uniform. Weights of norms stay near
    1."""
    for name, parameter in model.named_parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        with torch.no_grad():
            if parameter.dim() == 1:
                parameter.add_(0.3 * noise)
            else:
                parameter.copy_(noise * (0.8 if 'emb' in name or 'wte' in name or 'wpe' in name
                                         else 1.2 / parameter.shape[-1] ** 0.5))


def train(model, context, steps=60):
    ids = torch.tensor([CHARACTERS.index(c) for c in TEXT])
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for step in range(steps):
        at = step * 7 % (len(ids) - context - 1)
        logits = model(ids[at:at + context])
        loss = torch.nn.functional.cross_entropy(logits, ids[at + 1:at + context + 1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def golden(model, count, context, generator, text=None):
    """Returns prompts of 1 to `context` tokens, random or from a text, with log-probabilities from
    PyTorch."""
    prompts = []
    for i in range(count):
        n = 1 + (5 * i + 3) % context
        ids = torch.randint(len(CHARACTERS), (n,), generator=generator)
        if text is not None:
            at = 11 * i % (len(text) - n)
            ids = text[at:at + n]
        with torch.no_grad():
            logprobs = model(ids)[-1].log_softmax(-1)
        prompts.append(dict(ids=ids.tolist(), logprobs=[float(f'{x:.9g}') for x in logprobs]))
    return prompts


def make(folder, trained):
    for name, kind in {**COURSES, **HUB}.items():
        if not trained and name not in KEPT:
            continue
        torch.manual_seed(crc32(name.encode()))
        generator = torch.Generator().manual_seed(crc32(name.encode()) + 1)
        sizes = dict(width=64, heads=4, layers=3, context=48) if trained else dict(context=16)
        model = kind(len(CHARACTERS), **sizes)
        if trained:
            print(name, 'loss', round(train(model, sizes['context']), 3), flush=True)
        else:
            roughen(model, generator)
        path = os.path.join(folder, name)
        os.makedirs(path, exist_ok=True)
        model.eval().export(path)
        text = torch.tensor([CHARACTERS.index(c) for c in TEXT]) if trained else None
        count = 200 if trained else 3
        prompts = golden(model.double(), count, sizes['context'], generator, text)
        with open(f'{path}.json', 'w', encoding='utf-8') as file:
            json.dump(prompts, file, separators=(',', ':'))
            file.write('\n')


if __name__ == '__main__':
    torch.set_num_threads(1)
    trained = sys.argv[1:2] == ['--train']
    make(sys.argv[2] if trained else FIXTURES, trained)
