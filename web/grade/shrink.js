/** Makes an input that fails smaller, as long as it still fails. */

/** @import { Case } from './inputs.js' */

/**
 * Removes one token. Higher ids decrease by 1.
 * @param {Case} input
 * @param {number} gone
 * @returns {Case}
 */
function without({ logits, settings, history, second, ...others }, gone) {
  const moved = (/** @type {number} */ id) => (id > gone ? id - 1 : id);
  const bias = settings.logit_bias && {
    logit_bias: Object.fromEntries(
      Object.entries(settings.logit_bias)
        .filter(([id]) => Number(id) !== gone)
        .map(([id, value]) => [moved(Number(id)), value]),
    ),
  };
  const ends = settings.end_tokens && {
    end_tokens: settings.end_tokens.filter((/** @type {number} */ id) => id !== gone).map(moved),
  };
  return {
    ...others,
    logits: logits.filter((_, id) => id !== gone),
    settings: { ...settings, ...bias, ...ends },
    history: history.filter((id) => id !== gone).map(moved),
    ...(second && { second: second.filter((_, id) => id !== gone) }),
  };
}

/**
 * Returns simpler numbers near x, the simplest first.
 * @param {number} x
 */
function simplerNumbers(x) {
  if (!Number.isFinite(x)) return [];
  const places = [0, Math.round(x), Math.round(2 * x) / 2, Math.round(10 * x) / 10];
  return places.filter(
    (it, i) => it !== x && places.indexOf(it) === i && Math.abs(it) <= Math.abs(x) + 1,
  );
}

/**
 * Yields all inputs that are one step smaller, the largest step first.
 * @param {Case} input
 * @returns {Generator<Case>}
 */
function* smaller(input) {
  const { logits, settings, history } = input;
  if (history.length) {
    yield { ...input, history: [] };
    for (let at = 0; at < history.length; at++) {
      yield { ...input, history: history.filter((_, i) => i !== at) };
    }
  }
  if (logits.length > 4) {
    const half = Math.ceil(logits.length / 2);
    for (const keep of [
      (/** @type {number} */ id) => id < half,
      (/** @type {number} */ id) => id >= half,
    ]) {
      let cut = input;
      for (let id = logits.length - 1; id >= 0; id--) if (!keep(id)) cut = without(cut, id);
      yield cut;
    }
  }
  if (logits.length > 1) for (let id = 0; id < logits.length; id++) yield without(input, id);
  for (const [name, value] of Object.entries(settings)) {
    if (typeof value !== 'number') continue;
    for (const it of [1, 2, 0.5, ...simplerNumbers(value)]) {
      if (String(it).length < String(value).length)
        yield { ...input, settings: { ...settings, [name]: it } };
    }
  }
  // A setting that counts tokens decreases together with the vocabulary.
  for (const [name, value] of Object.entries(settings))
    if (Number.isInteger(value) && value > 1 && value <= logits.length && logits.length > 1)
      yield without({ ...input, settings: { ...settings, [name]: value - 1 } }, logits.length - 1);
  for (const name of /** @type {const} */ (['logits', 'second'])) {
    const list = input[name] ?? [];
    for (let id = 0; id < list.length; id++) {
      for (const it of simplerNumbers(list[id])) {
        if (String(it).length < String(list[id]).length || it === 0)
          yield { ...input, [name]: list.map((logit, i) => (i === id ? it : logit)) };
      }
    }
  }
}

/**
 * @template T
 * @param {Case} input
 * @param {T} failure
 * @param {(input: Case) => Promise<T | null>} fails resolves to the failure of an input; null if it passes
 * @param {number} [budget] the most calls of `fails`
 * @returns {Promise<{ input: Case, failure: T }>}
 */
export async function shrink(input, failure, fails, budget = 500) {
  for (let again = true; again && budget > 0; ) {
    again = false;
    for (const candidate of smaller(input)) {
      if (budget-- <= 0) break;
      const found = await fails(candidate);
      if (!found) continue;
      input = candidate;
      failure = found;
      again = true;
      break;
    }
  }
  return { input, failure };
}

/** Returns the shortest decimal number that rounds to the float32 x. @param {number} x */
export function shortest(x) {
  if (!Number.isFinite(x)) return String(x);
  for (let digits = 1; digits <= 9; digits++) {
    const near = Number(x.toPrecision(digits));
    if (Math.fround(near) === Math.fround(x)) return Object.is(near, -0) ? '-0' : String(near);
  }
  return String(x);
}
