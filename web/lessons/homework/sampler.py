"""Homework: four stages and the loop that calls them.

A stage takes logits, one number for each token, and returns as many. What it removes becomes
float("-inf"); what it is given stays as it is. Arguments are given by the names of the parameters.
If this file imports numpy, logits are a float32 array; if it imports torch, logits and ids are
tensors.
"""


def temperature(logits, temperature):
    """Each logit divided by the temperature; at 0 only the best stays, of equal ones the first."""
    return list(logits)


def top_k(logits, k):
    """What is below the k-th largest logit is removed; k = 0 removes nothing."""
    return list(logits)


def top_p(logits, p):
    """The smallest set of best tokens whose mass reaches p stays; p = 1 removes nothing."""
    return list(logits)


def repetition_penalty(logits, history, penalty):
    """Each id of the history once: a positive logit divided by the penalty, another multiplied."""
    return list(logits)


def chain(logits, settings, history):
    """repetition_penalty, temperature, top_k, top_p, in this order."""
    return list(logits)


def generate(model, prompt_ids, settings, rng):
    """The new ids, settings.max_new_tokens at most, without the prompt.

    model.logits(ids) gives a row for each id and takes model.context_length ids at most;
    model.eos_token_id ends the text and is part of it; rng(settings.seed) gives a function that
    gives the next u. Drawn is the first token, from the most probable down (lower id first where
    equal), whose cumulative mass is above u.
    """
    return []
