/** Maps the state of a bench to the properties of its panels. */
import { presets, strategies } from '../../engine/presets.js';
import { t } from '../../locale/locale.js';
import { PACES } from '../../state/runner.js';

/** Presets of the menu. `greedy` is missing because it is one of the nine strategies. */
const PRESETS = ['transformers', 'balanced'].map(presetNamed);

/** The defaults of other programs. */
const IMITATIONS = ['llama.cpp', 'llama2.c'].map(presetNamed);

/** The nine strategies without "temperature 1", which is a preset already. */
const STRATEGIES = strategies
  .filter(({ settings }) => settings.temperature !== 1)
  .map(({ name, settings }) => ({ name: `strategy ${name}`, settings }));

/** @param {string} name */
function presetNamed(name) {
  return { name, settings: presets[name] };
}

/**
 * @typedef {object} Around
 * @property {string[]} examples prompts of the model
 * @property {string[] | null} knobs the names of visible settings; null for all
 * @property {boolean} fixed true if the user cannot change prompt and settings
 * @property {boolean} [bare] true if the instrument itself is hidden, so that it can open no dialog
 * @property {(fault: import('../../engine/errors.js').Fault | null) => string} sentence
 *
 * @typedef {Record<string, any>} Props
 */

/**
 * Returns the properties of the panels that every bench has. They are getters, so only the ones in use are computed.
 * @param {import('../../state/bench.js').Bench} bench
 * @param {{ knobs?: string[] | null, fixed?: boolean }} [around]
 * @returns {Record<'draw' | 'distribution' | 'stages' | 'chain', Props>}
 */
export function panelsOfBench(bench, { knobs = null, fixed = false } = {}) {
  const { trace, drawn, tally } = bench;
  return {
    get draw() {
      const { seed, drawStep, method, whatIf } = bench;
      return { trace, drawn, seed, count: drawStep + 1, method, whatIf, tally, fixed };
    },
    get distribution() {
      const { chart, curves, biases } = bench;
      return { ...this.stages, view: chart, curves, biases, tally, fixed };
    },
    get stages() {
      const { table, settings, order, further } = bench;
      return { trace, drawn, further, table, settings, order, fixed };
    },
    get chain() {
      const { table, settings, pair, beside, order, difference, own, replacements } = bench;
      return {
        table,
        settings,
        trace,
        presets: PRESETS,
        imitations: IMITATIONS,
        strategies: STRATEGIES,
        pair,
        beside,
        order,
        difference,
        own,
        replacements,
        only: knobs,
        fixed,
      };
    },
  };
}

/**
 * Returns a sentence about the error that prevented reading the prompt; '' without one. If bars are shown, it may also
 * say to which text they belong.
 * @param {import('../../state/instrument.js').Instrument} instrument
 * @param {Around['sentence']} sentence
 */
function faultOf({ prompt, trace }, sentence) {
  const said = sentence(prompt.fault);
  if (!said || !trace) return said;
  if (prompt.pieces.length === 0) return `${said} ${t('text.none')}`;
  return prompt.fault?.key === 'vocabulary_lacks' ? `${said} ${t('text.stays')}` : said;
}

/**
 * @param {import('../../state/instrument.js').Instrument} instrument
 * @param {Around} around
 * @returns {Props}
 */
function textPanelOf(instrument, { examples, fixed, sentence }) {
  const { prompt, texts, findings, generation, grammar, info } = instrument;
  const { table, settings, thinking, part } = instrument;
  return {
    prompt: prompt.text,
    chatty: info?.chat_template ?? false,
    chat: prompt.chat,
    chatBefore: prompt.lastChat,
    chatDate: prompt.date,
    promptThinks: prompt.thinks,
    parts: { table, settings, thinking: thinking.settings, part },
    pieces: prompt.pieces,
    steps: texts.steps,
    examples,
    finished: texts.finished,
    running: generation.running,
    ready: instrument.drawn !== null,
    fault: faultOf(instrument, sentence),
    verdict: findings.verdict,
    json: instrument.findings.json,
    checked: grammar !== null,
    eos: info?.eos_token_id ?? -1,
    contextLength: info?.context_length ?? 0,
    limit: texts.limit,
    loop: texts.loop,
    loopBreaks: findings.loopBreaks,
    alternatives: instrument.alternatives.shown,
    branches: texts.branches,
    distinct: findings.distinct,
    watermarks: findings.watermarks,
    sought: findings.sought,
    pace: generation.pace,
    paces: PACES.length,
    stopAtEnd: texts.stopAtEnd,
    fixed,
  };
}

/**
 * Returns the properties of all panels of a bench with a text.
 * @param {import('../../state/instrument.js').Instrument} instrument
 * @param {Around} around
 * @returns {Record<'text' | 'draw' | 'distribution' | 'stages' | 'chain', Props>}
 */
export function panelsOf(instrument, around) {
  const { sentence, bare = false } = around;
  const eos = instrument.info?.eos_token_id ?? -1;
  const panels = panelsOfBench(instrument, around);
  return {
    get text() {
      return textPanelOf(instrument, around);
    },
    get draw() {
      return { ...panels.draw, finished: instrument.texts.finished, eos, stepping: true };
    },
    get distribution() {
      return { ...panels.distribution, eos };
    },
    get stages() {
      return { ...panels.stages, eos };
    },
    get chain() {
      const { mu, gates, part } = instrument;
      return {
        ...panels.chain,
        mu,
        eos,
        gates,
        partSettings: part,
        programmable: true,
        imports: !bare,
        fault: Object.keys(gates).length > 0 ? sentence(instrument.fault) : '',
      };
    },
  };
}
