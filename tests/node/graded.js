/** Sources of samplers as learners write them, correct and wrong, for the grader. */

export const SOFTMAX = `
function softmax(logits) {
  const max = Math.max(...logits);
  const e = Array.from(logits, (l) => Math.exp(l - max));
  const total = e.reduce((a, b) => a + b, 0);
  return e.map((x) => x / total);
}
const ranked = (logits) => [...logits.keys()].sort((a, b) => logits[b] - logits[a] || a - b);
`;

export const TOP_P = `${SOFTMAX}
export default function topP(logits, { top_p }) {
  if (top_p === 1) return logits.slice();
  const p = softmax(logits);
  const out = new Float32Array(logits.length).fill(-Infinity);
  let before = 0;
  ranked(logits).forEach((id, place) => {
    if (place === 0 || before < top_p) out[id] = logits[id];
    before += p[id];
  });
  return out;
}
`;

const STAGES = `${SOFTMAX}
const stages = {
  repetition_penalty(logits, { repetition_penalty: r }, history) {
    const out = Float32Array.from(logits);
    for (const id of new Set(history)) out[id] = logits[id] > 0 ? logits[id] / r : logits[id] * r;
    return out;
  },
  temperature(logits, { temperature: T }) {
    const best = ranked(logits)[0];
    if (T === 0) return logits.map((l, id) => (id === best ? l : -Infinity));
    return logits.map((l) => l / T);
  },
  top_k(logits, { top_k: k }) {
    if (k === 0 || k >= logits.length) return logits;
    const limit = logits[ranked(logits)[k - 1]];
    return logits.map((l) => (l >= limit ? l : -Infinity));
  },
  top_p(logits, { top_p: limit }) {
    if (limit === 1) return logits;
    const p = softmax(logits);
    const out = new Float32Array(logits.length).fill(-Infinity);
    let before = 0;
    ranked(logits).forEach((id, place) => {
      if (place === 0 || before < limit) out[id] = logits[id];
      before += p[id];
    });
    return out;
  },
};
`;

export const LESSON_ORDER = ['repetition_penalty', 'temperature', 'top_k', 'top_p'];

/** @param {string[]} order */
export const chainOf = (order) => `${STAGES}
export default (given, settings, { history }) =>
  ${JSON.stringify(order)}.reduce((logits, name) => stages[name](logits, settings, history), given.slice());
`;

export const GENERATE = `${STAGES}
const chain = (given, settings, history) => ['repetition_penalty', 'temperature', 'top_k', 'top_p']
  .reduce((logits, name) => stages[name](logits, settings, history), given);
function draw(logits, u) {
  const p = softmax(logits);
  let sum = 0;
  const order = ranked(logits).filter((id) => p[id] > 0);
  return order.find((id) => (sum += p[id]) > u) ?? order.at(-1);
}
export function generate(model, prompt_ids, settings, { rng }) {
  const ids = [...prompt_ids];
  const random = rng(settings.seed);
  for (let step = 0; step < settings.max_new_tokens; step++) {
    const window = ids.slice(-model.context_length);
    const last = model.logits(window).at(-1);
    const warped = chain(last, settings, ids);
    const id = draw(warped, random());
    ids.push(id);
    if (id === model.eos_token_id) break;
  }
  return ids.slice(prompt_ids.length);
}
`;

/**
 * Returns the source with one piece replaced; throws if the source lacks the piece.
 * @param {string} source
 * @param {string} from
 * @param {string} to
 */
export function broken(source, from, to) {
  if (!source.includes(from)) throw new Error(`not in the source: ${from}`);
  return source.replaceAll(from, to);
}

/**
 * Lists the planted faults of one function. A row has the fault's code, the replaced piece of the source, and one or
 * more replacements.
 * @param {string} as
 * @param {string[][]} rows
 * @returns {[code: string, as: string, from: string, to: string][]}
 */
export const faultsOf = (as, ...rows) =>
  rows.flatMap(([code, from, ...all]) =>
    all.map((to) => /** @type {[string, string, string, string]} */ ([code, as, from, to])),
  );
