#!/usr/bin/env python3
"""Writes tests/vectors/search.json: the results of beam search and contrastive search on the shipped
models, by PyTorch in double precision over the dequantised weights, from the papers alone.

Beam search with the score logprob / length^length_penalty; length counts the text's own tokens, the
end included. Contrastive search: Su et al. 2022, equation 5. Nothing is cached, and the whole vocabulary
is sorted at each step. `margin` of a case: by how much its closest decision was won. If it is smaller
than the engine's numeric error on that model, the case is left out; the file counts such cases."""

import json
import os

import torch
from torch.nn import functional as F

import gguf
import tokenizer as tokenizers
from model import from_gguf

# Least margin of a case, by model. For verbs the engine computes in float32, within 1e-5 of this
# program. For stories it multiplies eight-bit integers; its results differ by up to 0.1, but mostly
# by the same amount for all candidates.
MARGINS = {"verbs": 1e-4, "stories": 0.03}
PROMPTS = {
    "verbs": ["Tomorrow she", "Yesterday", "Every day Ana", "Right now they are", "Last night I"],
    "stories": [
        "Once upon a time",
        "The little dog",
        "Lily was sad because",
        "Tom and his mom went to",
        "One day, a big bear",
        "There was a girl who liked to",
    ],
}
STEPS = {"verbs": 12, "stories": 8}
BEAMS = [(2, 1.0), (3, 0.0), (4, 1.0), (5, 2.0)]  # beam_width, length_penalty
CONTRASTS = [(4, 0.6), (2, 0.4), (6, 0.8), (5, 0.2)]  # k, alpha


class Net:
    """A model that also returns the hidden state that its output layer reads."""

    def __init__(self, name, root):
        metadata, tensors = gguf.read(os.path.join(root, "models", f"{name}.gguf"))
        self.model = from_gguf(metadata, tensors).double()
        self.tokenizer = tokenizers.from_metadata(metadata)
        self.end = metadata["tokenizer.ggml.eos_token_id"]
        self.model.output_norm.register_forward_hook(lambda _, __, states: self._keep(states))

    def _keep(self, states):
        self.states = states

    @torch.no_grad()
    def read(self, texts):
        """texts of one length -> ln p of the next token (text, vocab), states (text, time, n_embd)."""
        logits = self.model(torch.tensor(texts))[:, -1]
        return F.log_softmax(logits, dim=-1), self.states


def beam_search(net, prompt, width, power, steps):
    """-> (the best `width`, best first, [(score, logprob, ids, ended)]; margin)."""
    live, finished, margin = [(0.0, [])], [], float("inf")
    for _ in range(steps):
        logprobs, _ = net.read([prompt + ids for _, ids in live])
        sums = logprobs + torch.tensor([[total] for total, _ in live])
        order = sums.flatten().argsort(descending=True)[: 2 * width + 2].tolist()
        found = []
        for at in order:
            beam, token = divmod(at, logprobs.shape[1])
            found.append((sums[beam, token].item(), live[beam][1] + [token]))
        # The beams that may continue. For the margin, compare the last one that is kept with the next one.
        go_on = [beam for beam in found[: 2 * width] if beam[1][-1] != net.end]
        margin = min(margin, go_on[width - 1][0] - found[2 * width][0])
        if len(go_on) > width:
            margin = min(margin, go_on[width - 1][0] - go_on[width][0])
        ended = [beam for beam in found[:width] if beam[1][-1] == net.end]
        for place, (total, ids) in enumerate(found):
            if ids[-1] == net.end:
                rival = found[width if place < width else width - 1]
                margin = min(margin, abs(total - rival[0]))
        finished += [(total / len(ids) ** power, total, ids, True) for total, ids in ended]
        finished = sorted(finished, key=lambda beam: -beam[0])[:width]
        live = go_on[:width]
        if len(finished) == width:
            ahead = finished[-1][0] - live[0][0] / len(live[0][1]) ** power
            margin = min(margin, abs(ahead))
            if ahead >= 0:
                live = []
                break
    beams = finished + [(total / len(ids) ** power, total, ids, False) for total, ids in live]
    beams.sort(key=lambda beam: -beam[0])
    for better, worse in zip(beams[:width], beams[1 : width + 1]):
        margin = min(margin, better[0] - worse[0])
    return beams[:width], margin


def contrastive_search(net, prompt, k, alpha, steps):
    """-> ([(id, p, similarity, score)], margin)."""
    ids, chosen, margin = list(prompt), [], float("inf")
    for _ in range(steps):
        logprobs, states = net.read([ids])
        p, order = logprobs[0].exp().sort(descending=True)
        tried = order[: k + 1].tolist()  # one more than k, for the margin
        _, after = net.read([ids + [token] for token in tried])
        similar = F.cosine_similarity(after[:, -1:], states, dim=-1).max(dim=-1).values
        scores = (1 - alpha) * p[: k + 1] - alpha * similar
        place = scores[:k].argmax().item()
        others = [scores[i].item() for i in range(k) if i != place]
        margin = min(margin, scores[place].item() - max(others))
        if place == k - 1 or scores[k] >= scores[place]:
            margin = min(margin, (p[k - 1] - p[k]).item())
        values = (p[place], similar[place], scores[place])
        chosen.append((tried[place], *(round(value.item(), 6) for value in values)))
        ids.append(tried[place])
        if ids[-1] == net.end:
            break
    return chosen, margin


def cases(name, net):
    for prompt in PROMPTS[name]:
        bos = [] if net.tokenizer.bos is None else [net.tokenizer.bos]
        ids = bos + net.tokenizer.encode(prompt)
        head = {"model": name, "prompt": prompt, "max_new_tokens": STEPS[name]}
        for width, power in BEAMS:
            beams, margin = beam_search(net, ids, width, power, STEPS[name])
            yield margin, {
                **head,
                "search": "beam",
                "settings": {"beam_width": width, "length_penalty": power},
                "beams": [
                    {"ids": ids, "logprob": round(total, 6), "score": round(score, 6), "finished": end}
                    for score, total, ids, end in beams
                ],
            }
        for k, alpha in CONTRASTS:
            steps, margin = contrastive_search(net, ids, k, alpha, STEPS[name])
            yield margin, {
                **head,
                "search": "contrastive",
                "settings": {"k": k, "alpha": alpha},
                "steps": [
                    dict(zip(("id", "p", "similarity", "score"), step)) for step in steps
                ],
            }


def main():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    torch.set_num_threads(1)
    kept = []
    for name in PROMPTS:
        found = list(cases(name, Net(name, root)))
        sure = [{**case, "margin": round(m, 5)} for m, case in found if m >= MARGINS[name]]
        print(f"{name}: {len(sure)} of {len(found)} cases are decided by {MARGINS[name]} or more")
        kept += sure
    with open(os.path.join(root, "tests/vectors/search.json"), "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(case) for case in kept) + "\n]\n")


if __name__ == "__main__":
    main()
