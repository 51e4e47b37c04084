/** What each panel is given, wherever it stands: the state of a bench as properties. */
import { presets, strategies } from '../../engine/presets.js';
import { PACES } from '../../state/runner.js';

/** The starting points, plain first; greedy is one of the nine. */
const PRESETS = ['transformers', 'balanced'].map(named);

/** What other programs do unless told otherwise. */
const IMITATIONS = ['llama.cpp', 'llama2.c'].map(named);

/** The nine strategies; their names must not meet those of the starting points. */
const STRATEGIES = strategies.map(({ name, settings }) => ({
  name: `strategy ${name}`,
  settings,
}));

/** @param {string} name */
function named(name) {
  return { name, settings: presets[name] };
}

/**
 * @typedef {object} Around
 * @property {string[]} examples prompts of the model
 * @property {string[] | null} knobs the settings that show; null for all of them
 * @property {boolean} fixed whether prompt and settings stay as they are
 * @property {(fault: import('../../state/fault.js').Fault | null) => string} sentence
 *
 * @typedef {Record<string, any>} Props
 */

/**
 * The panels of any bench.
 * @param {import('../../state/bench.js').Bench} it
 * @param {{ knobs?: string[] | null, fixed?: boolean }} [around]
 * @returns {Record<'draw' | 'distribution' | 'chain', Props>}
 */
export function panelsOfBench(it, { knobs = null, fixed = false } = {}) {
  const { trace, drawn, tally } = it;
  return {
    draw: {
      trace,
      drawn,
      seed: it.seed,
      count: it.drawStep + 1,
      method: it.method,
      whatIf: it.whatIf,
      tally,
      fixed,
    },
    distribution: {
      trace,
      hit: drawn?.id ?? null,
      view: it.view,
      curves: it.curves,
      biases: it.biases,
      tally,
      fixed,
    },
    chain: {
      table: it.table,
      settings: it.settings,
      trace,
      presets: PRESETS,
      imitations: IMITATIONS,
      strategies: STRATEGIES,
      pair: it.pair,
      beside: it.beside,
      order: it.order,
      difference: it.difference,
      only: knobs,
      fixed,
    },
  };
}

/**
 * Those of the bench over a text, and the text.
 * @param {import('../../state/instrument.js').Instrument} it
 * @param {Around} around
 * @returns {Record<'text' | 'draw' | 'distribution' | 'chain', Props>}
 */
export function panelsOf(it, around) {
  const { examples, fixed, sentence } = around;
  const eos = it.info?.eos_token_id ?? -1;
  const { drawn, finished, gates } = it;
  const { draw, distribution, chain } = panelsOfBench(it, around);
  const text = {
    prompt: it.prompt,
    pieces: it.promptPieces,
    steps: it.steps,
    examples,
    finished,
    running: it.running,
    ready: drawn !== null,
    fault: sentence(it.promptFault),
    verdict: it.verdict,
    json: it.json,
    checked: it.grammar !== null,
    eos,
    sight: it.info?.context_length ?? 0,
    limit: it.limit,
    loop: it.loop,
    alternatives: it.alternatives,
    branches: it.branches,
    distinct: it.distinct,
    pace: it.pace,
    paces: PACES.length,
    stopAtEnd: it.stopAtEnd,
    fixed,
  };
  return {
    text,
    draw: { ...draw, finished, eos, stepping: true },
    distribution: { ...distribution, eos },
    chain: {
      ...chain,
      mu: it.mu,
      eos,
      gates,
      programmable: true,
      fault: Object.keys(gates).length > 0 ? sentence(it.fault) : '',
    },
  };
}
