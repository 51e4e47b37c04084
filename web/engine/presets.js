/** Named settings: what other systems do by default, and the nine strategies of the lessons. */

/** @typedef {import('./types.js').Settings} Settings */

/**
 * Greedy, then temperature, top-k, top-p and a repetition penalty, from tame to wild.
 * @type {ReadonlyArray<{ name: string, settings: Settings }>}
 */
export const strategies = Object.freeze([
  { name: 'greedy', settings: { temperature: 0 } },
  { name: 'temperature 0.5', settings: { temperature: 0.5 } },
  { name: 'temperature 1', settings: { temperature: 1 } },
  { name: 'temperature 1.5', settings: { temperature: 1.5 } },
  { name: 'top-k 10', settings: { top_k: 10 } },
  { name: 'top-k 50', settings: { top_k: 50 } },
  { name: 'top-p 0.9', settings: { top_p: 0.9 } },
  { name: 'top-p 0.95', settings: { top_p: 0.95 } },
  { name: 'top-p 0.9, penalty 1.2', settings: { top_p: 0.9, repetition_penalty: 1.2 } },
]);

/** @type {Readonly<Record<string, Settings>>} */
export const presets = Object.freeze({
  transformers: {},
  balanced: { temperature: 0.7, top_p: 0.9, repetition_penalty: 1.1 },
  ...Object.fromEntries(strategies.map(({ name, settings }) => [name, settings])),
});
