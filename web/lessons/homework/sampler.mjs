/**
 * Homework: four samplers and the loop that calls them. A sampler takes logits, a Float32Array with one
 * number for each token, and returns as many. A removed token has the logit -Infinity. The given logits
 * must not change.
 */

/** Divides each logit by settings.temperature; at 0 only the best token stays, of equal ones the first. */
export function temperature(logits) {
  return logits.slice();
}

/** Removes each token below the settings.top_k-th largest logit; 0 removes nothing. */
export function top_k(logits) {
  return logits.slice();
}

/** Keeps the smallest set of best tokens with a mass of at least settings.top_p; 1 removes nothing. */
export function top_p(logits) {
  return logits.slice();
}

/** (logits, settings, { history }): penalises each id of the history once: divides or multiplies its logit. */
export function repetition_penalty(logits) {
  return logits.slice();
}

/** (logits, settings, { history }): repetition_penalty, temperature, top_k, top_p, in this order. */
export function chain(logits) {
  return logits.slice();
}

/**
 * (model, prompt_ids, settings, { rng }): returns the new ids, settings.max_new_tokens at most, without
 * the prompt. model.logits(ids) returns a row for each id and takes model.context_length ids at most;
 * model.eos_token_id ends the text and is part of it. rng(settings.seed) returns a function; each call
 * of it returns the next u. The loop draws the first token with a cumulative mass above u, from the most
 * probable down (of equal ones the lower id first).
 */
export function generate() {
  return [];
}
