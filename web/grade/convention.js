/** Rules that some courses teach instead of the usual ones, each with an engine that follows it. */

/** @import { Engine } from './generation.js' */
/** @typedef {'until_above' | 'ascending' | 'exactly_k'} Convention */

/**
 * A sentence for each rule. `until_above` and `exactly_k` are also codes of faults, for courses with the usual rules.
 */
export const CONVENTIONS = {
  until_above: 'top-p goes on until the mass is above p',
  ascending: 'top-p removes from the least probable up, so of equal ones the higher id stays',
  exactly_k: 'top-k keeps exactly k',
};

/**
 * For the rules that the engine has too, the value of its setting `convention`.
 * @type {Partial<Record<Convention, string>>}
 */
const OF_PROGRAM = { until_above: 'llama2.c', exactly_k: 'llama.cpp' };

/**
 * Runs the engine on the logits in reverse order. Then, of equal logits, the one with the higher id comes first.
 * @param {Engine} engine
 * @returns {Engine['warp']}
 */
const reversed =
  (engine) =>
  async (logits, settings, { history, ...beside }) => {
    const turned = (/** @type {number} */ id) => logits.length - 1 - id;
    const trace = await engine.warp(logits.slice().reverse(), settings, {
      ...beside,
      history: history.map(turned),
    });
    const tokens = trace.tokens.map((token) => ({ ...token, id: turned(token.id) }));
    tokens.sort((a, b) => b.p - a.p || a.id - b.id);
    return { ...trace, logits: trace.logits.slice().reverse(), tokens };
  };

/**
 * @param {Engine} engine
 * @param {Convention} name
 * @returns {Engine}
 */
export function byConvention(engine, name) {
  const { table } = engine;
  const turned = reversed(engine);
  const convention = OF_PROGRAM[name];
  return {
    table,
    random: (seed, step) => engine.random(seed, step),
    async warp(logits, settings, beside) {
      const { top_p: p = 1, temperature } = settings;
      // Under every rule, greedy takes the lower id, and p = 0 keeps only the best token.
      if (name === 'ascending' && p < 1 && temperature !== 0)
        return turned(logits, settings, beside);
      const holds = convention && (name !== 'until_above' || p > 0);
      return engine.warp(logits, holds ? { ...settings, convention } : settings, beside);
    },
  };
}
