"""Homework: four samplers and the loop that calls them.

A sampler takes logits, one number for each token, and returns as many. A removed token has the logit
float("-inf"). The given logits must not change. Arguments are passed by the names of the parameters.
If this file imports numpy, logits are a float32 array; if it imports torch, logits and ids are
tensors.
"""


def temperature(logits, temperature):
    """Divides each logit by the temperature; at 0 only the best token stays, of equal ones the first."""
    return list(logits)


def top_k(logits, k):
    """Removes each token below the k-th largest logit; k = 0 removes nothing."""
    return list(logits)


def top_p(logits, p):
    """Keeps the smallest set of best tokens with a mass of at least p; p = 1 removes nothing."""
    return list(logits)


def repetition_penalty(logits, history, penalty):
    """Penalises each id of the history once: divides a positive logit, multiplies any other."""
    return list(logits)


def chain(logits, settings, history):
    """repetition_penalty, temperature, top_k, top_p, in this order."""
    return list(logits)


def generate(model, prompt_ids, settings, rng):
    """Returns the new ids, settings.max_new_tokens at most, without the prompt.

    model.logits(ids) returns a row for each id and takes model.context_length ids at most;
    model.eos_token_id ends the text and is part of it. rng(settings.seed) returns a function; each
    call of it returns the next u. The loop draws the first token with a cumulative mass above u, from
    the most probable down (of equal ones the lower id first).
    """
    return []
