/**
 * Homework: four stages and the loop that calls them. A stage takes logits, a Float32Array with one
 * number for each token, and returns as many. What it removes becomes -Infinity; what it is given
 * stays as it is.
 */

/** Each logit divided by settings.temperature; at 0 only the best stays, of equal ones the first. */
export function temperature(logits) {
  return logits.slice();
}

/** What is below the settings.top_k-th largest logit is removed; 0 removes nothing. */
export function top_k(logits) {
  return logits.slice();
}

/** The smallest set of best tokens whose mass reaches settings.top_p stays; 1 removes nothing. */
export function top_p(logits) {
  return logits.slice();
}

/** (logits, settings, { history }): each id of the history once, divided or multiplied. */
export function repetition_penalty(logits) {
  return logits.slice();
}

/** (logits, settings, { history }): repetition_penalty, temperature, top_k, top_p, in this order. */
export function chain(logits) {
  return logits.slice();
}

/**
 * (model, prompt_ids, settings, { rng }): the new ids, settings.max_new_tokens at most, without the
 * prompt. model.logits(ids) gives a row for each id and takes model.context_length ids at most;
 * model.eos_token_id ends the text and is part of it; rng(settings.seed) gives a function that gives
 * the next u. Drawn is the first token, from the most probable down, whose cumulative mass is above u.
 */
export function generate() {
  return [];
}
