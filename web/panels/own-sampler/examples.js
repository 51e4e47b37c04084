/** Example code for the editors. */

const TOP_P = `export default function topP(logits, settings, { history }) {
  const { top_p } = settings;
  if (top_p === 1) return logits.slice();

  const max = logits.reduce((a, b) => Math.max(a, b));
  const weights = Array.from(logits, (logit) => Math.exp(logit - max));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const ranked = [...logits.keys()].sort((a, b) => logits[b] - logits[a] || a - b);

  const kept = new Float32Array(logits.length).fill(-Infinity);
  let mass = 0;
  for (const id of ranked) {
    kept[id] = logits[id];
    mass += weights[id] / total;
    if (mass >= top_p) break;
  }
  return kept;
}
`;

const CHAIN = `export default function chain(logits, settings, { history }) {
  const { repetition_penalty, temperature, top_k, top_p } = settings;
  let warped = logits.slice();
  warped = warped.map((logit) => logit / temperature);
  return warped;
}
`;

const GENERATE = `export default function generate(model, prompt_ids, settings, { rng }) {
  const ids = [...prompt_ids];
  const random = rng(settings.seed);
  while (ids.length < prompt_ids.length + settings.max_new_tokens) {
    const rows = model.logits(ids);
    const last = rows[rows.length - 1];
    const max = last.reduce((a, b) => Math.max(a, b));
    const weights = Array.from(last, (logit) => Math.exp(logit - max));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const ranked = [...last.keys()].sort((a, b) => last[b] - last[a] || a - b);
    const u = random();
    let mass = 0;
    const id = ranked.find((it) => (mass += weights[it] / total) > u);
    ids.push(id);
    if (id === model.eos_token_id) break;
  }
  return ids.slice(prompt_ids.length);
}
`;

/** Example for the user's own sampler in the chain. */
export const OWN = `// Keeps the five best tokens; -Infinity removes one.
export default function own(logits, settings, { history }) {
  const ranked = logits.slice().sort().reverse();
  const least = ranked[Math.min(5, ranked.length) - 1];
  return logits.map((it) => (it >= least ? it : -Infinity));
}
`;

/** The body of a sampler that needs the texts of the tokens: it forbids those with a digit. */
export const NO_DIGITS =
  'return logits.map((it, id) => (/\\d/.test(tokens[id]) ? -Infinity : it));';

/** Arguments of the functions that get others than the history. @type {Record<string, string>} */
const BESIDE = {
  guidance_scale: 'second',
  contrastive_beta: 'second',
  green_bias: 'bits',
  synthid_depth: 'history, bits',
};

/** @param {string} name */
const plain = (
  name,
) => `export default function ${name}(logits, settings, { ${BESIDE[name] ?? 'history'} }) {
  const { ${name} } = settings;
  return logits.map((logit) => logit);
}
`;

/** The five functions that a lesson asks for. */
const CASES = `export function temperature(logits, { temperature }) {
  if (temperature < 0) throw new RangeError('temperature is 0 or more');
  return logits.map((logit) => logit / temperature);
}

export function top_k(logits, { top_k }) {
  return logits.slice();
}

export function top_p(logits, { top_p }) {
  return logits.slice();
}

export function repetition_penalty(logits, { repetition_penalty }, { history }) {
  return logits.slice();
}

export function generate(model, prompt_ids, settings, { rng }) {
  const random = rng(settings.seed);
  return [];
}
`;

/** @param {string} as */
export function exampleOf(as) {
  return { cases: CASES, top_p: TOP_P, chain: CHAIN, generate: GENERATE }[as] ?? plain(as);
}

/**
 * Returns a value at which a sampler has an effect: its usual value, but for XTC a probability of 1, so that it acts
 * at every step.
 * @param {{ name: string, kind: string, usual: number }} row
 */
export function actingValue({ name, kind, usual }) {
  if (name === 'xtc_probability') return 1;
  return kind === 'map' ? { 0: usual } : usual;
}

/** Logits to try a sampler on, if there are none: tokens after "Today she". */
export const TRIAL = Object.freeze({
  tokens: [' is', ' has', ' will', ' goes', ' plays', ' was', ' works', ' went', ' the', '.'],
  logits: Float32Array.of(3.2, 2.9, 2.1, 1.8, 1.1, 0.4, 0.2, -0.5, -1.7, -3),
});
