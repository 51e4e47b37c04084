"""PyTorch as a contender: the algorithm of transformers' warpers on one thread.

Reads lines of JSON {"settings": ..., "least": ms} and answers each with the milliseconds of one draw.
Arguments: a file of float32 logits, then the history's ids.
"""
import json
import sys
import time

import torch

torch.set_num_threads(1)


def draw(logits, history, settings):
    scores = logits
    penalty = settings.get("repetition_penalty", 1.0)
    if penalty != 1.0:
        score = torch.gather(scores, 1, history)
        score = torch.where(score < 0, score * penalty, score / penalty)
        scores = scores.scatter(1, history, score)
    temperature = settings.get("temperature", 1.0)
    if temperature != 1.0:
        scores = scores / temperature
    top_k = settings.get("top_k", 0)
    if top_k:
        least = torch.topk(scores, top_k)[0][..., -1, None]
        scores = scores.masked_fill(scores < least, -float("inf"))
    top_p = settings.get("top_p", 1.0)
    if top_p < 1.0:
        ordered, indices = torch.sort(scores, descending=False)
        removed = ordered.softmax(dim=-1).cumsum(dim=-1) <= 1 - top_p
        removed[..., -1:] = False
        scores = scores.masked_fill(removed.scatter(1, indices, removed), -float("inf"))
    return torch.multinomial(scores.softmax(dim=-1), 1)


def time_of(call, least):
    call()
    began = time.perf_counter()
    calls = 0
    while True:
        call()
        calls += 1
        passed = (time.perf_counter() - began) * 1000
        if passed >= least:
            return passed / calls


def main():
    with open(sys.argv[1], "rb") as file:
        logits = torch.frombuffer(bytearray(file.read()), dtype=torch.float32)[None, :]
    history = torch.tensor([[int(word) for word in sys.argv[2:]]])
    print(json.dumps({"version": torch.__version__}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        with torch.no_grad():
            ms = time_of(lambda: draw(logits, history, asked["settings"]), asked["least"])
        print(json.dumps({"ms": ms}), flush=True)


main()
