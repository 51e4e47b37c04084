/**
 * Sweeps one or two settings through a range of values and measures the distribution and the texts
 * at each point. The page and the command line share this module. The engine may be in this thread
 * or in a worker.
 */
import { readsSecond } from './presets.js';
import { readSecond } from './second-distribution.js';
import {
  checkEngine,
  checkInteger,
  checkNumbers,
  checkSignal,
  checkText,
  isObject,
} from './checks.js';
import { LogitscopeError, mustBe, phrase, show, shown } from './errors.js';
import {
  MEASURES,
  hasSpread,
  judgeText,
  needsGrammar,
  needsTexts,
  readMeasure,
} from './measures.js';
import { unknownSetting } from './settings.js';

/**
 * @typedef {import('./measures.js').Sample} Sample
 * @typedef {import('./measures.js').StepFigures} StepFigures
 * @typedef {import('./measures.js').Summary} Summary
 * @typedef {import('./types.js').Settings} Settings
 *
 * @typedef {{ name: string, values: number[] }} Axis a setting and its values
 *
 * @typedef {object} Plan
 * @property {Axis[]} axes one or two axes; the last axis changes fastest
 * @property {string[]} measures keys of MEASURES
 * @property {string} prompt
 * @property {number[] | null} [prompt_ids] the prompt's ids, if `prompt` does not encode to them
 * @property {Settings} [settings] the settings that do not vary
 * @property {number} [samples] number of texts per point, default 10; text i uses the settings'
 *   seed + i at every point, so all points use equal random numbers
 * @property {number} [max_new_tokens] default 40
 * @property {import('./grammar.js').Grammar | null} [grammar] judges the texts
 * @property {import('./types.js').Platform<'AbortSignal'>} [signal] an abort ends the sweep after
 *   the last complete point
 *
 * @typedef {object} Point
 * @property {Record<string, number>} at values of the swept settings
 * @property {Record<string, Summary>} measures
 * @property {Sample[]} texts empty if no measure needs them
 */

export const POINTS_MAX = 10000;
export const SAMPLES_MAX = 1000;
export const DEFAULTS = Object.freeze({ samples: 10, max_new_tokens: 40 });

/** @param {string} key @param {import('./errors.js').Values} [values] */
const refuse = (key, values) => new LogitscopeError('invalid_argument', key, values);

/** The number of decimals of a number. @param {number} value */
function decimals(value) {
  const [, fraction = '', exponent = '0'] = /^[^.e]*\.?(\d*)(?:e(.*))?$/.exec(String(value)) ?? [];
  return Math.min(100, Math.max(0, fraction.length - Number(exponent)));
}

/**
 * from, from + step, ... up to `to`, each in its shortest decimal form: 0.3, not
 * 0.30000000000000004.
 * @param {string} name of the setting, for errors
 * @param {number} from
 * @param {number} to
 * @param {number} step
 * @returns {Axis}
 */
export function range(name, from, to, step) {
  for (const [what, value] of Object.entries({ from, to, step }))
    if (!Number.isFinite(value))
      throw refuse('sweep_number', { what, setting: String(name), value: shown(value) });
  if (!(step > 0)) throw refuse('sweep_step', { setting: name, value: step });
  if (to < from) throw refuse('sweep_end', { setting: name, minimum: from, value: to });
  const count = Math.floor((to - from) / step + 1e-9) + 1;
  if (count > POINTS_MAX)
    throw refuse('sweep_many_of', { limit: POINTS_MAX, n: count, setting: name });
  const digits = Math.max(decimals(from), decimals(step));
  const values = Array.from({ length: count }, (_, i) => Number((from + i * step).toFixed(digits)));
  return { name, values };
}

/**
 * Parses an axis: `temperature=0.1:2:0.1` or `top_k=1,5,20`.
 * @param {string} text
 * @returns {Axis}
 */
export function parseAxis(text) {
  const [, word, values] = (typeof text === 'string' && /^([^=]+)=(.+)$/s.exec(text)) || [];
  if (word === undefined) throw refuse('sweep_form', { value: show(text) });
  const name = word.trim().replaceAll('-', '_');
  const numbers = values.split(values.includes(':') ? ':' : ',').map((part) => {
    if (!/^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i.test(part))
      throw refuse('sweep_over', { setting: name, value: show(part) });
    return Number(part);
  });
  if (!values.includes(':')) return { name, values: numbers };
  if (numbers.length !== 3) throw refuse('sweep_range', { setting: name, value: show(values) });
  return range(name, numbers[0], numbers[1], numbers[2]);
}

/** Refuses parts of a plan with a wrong type. @param {Plan} plan */
function checkShape(plan) {
  if (!isObject(plan)) throw mustBe('plan', 'an_object', plan);
  const { axes, measures, prompt, prompt_ids, settings = {}, grammar } = plan;
  if (!Array.isArray(axes)) throw mustBe('axes', 'a_list', axes);
  for (const [i, axis] of axes.entries()) {
    if (typeof axis?.name !== 'string') throw mustBe('axes', 'a_list_of_axes', axis, i);
    checkNumbers(axis.name, axis.values);
  }
  if (!Array.isArray(measures)) throw mustBe('measures', 'a_list', measures);
  checkText('prompt', prompt_ids ?? prompt);
  if (!isObject(settings)) throw mustBe('settings', 'an_object', settings);
  if (grammar != null && !Array.isArray(grammar.vocabulary))
    throw mustBe('grammar', 'a_grammar', grammar);
}

/**
 * Refuses a plan that cannot run. The engine checks the ranges of settings.
 * @param {Plan} plan
 * @param {import('./types.js').TableRow[]} table
 */
export function checkPlan(plan, table) {
  checkShape(plan);
  const { axes, measures, samples, max_new_tokens, grammar } = plan;
  if (axes.length < 1 || axes.length > 2) throw refuse('sweep_two', { n: axes.length });
  const names = table.filter(({ kind }) => ['real', 'integer'].includes(kind)).map((r) => r.name);
  for (const { name } of axes) if (!names.includes(name)) throw unknownSetting(name, names);
  if (axes.length === 2 && axes[0].name === axes[1].name)
    throw refuse('sweep_same', { setting: axes[0].name });
  const count = countPoints(axes);
  if (count > POINTS_MAX) throw refuse('sweep_many', { limit: POINTS_MAX, n: count });
  for (const name of measures)
    if (!Object.hasOwn(MEASURES, name))
      throw refuse('must_be_one_of', {
        setting: phrase('a_measure'),
        names: Object.keys(MEASURES).join(', '),
        value: show(name),
      });
  const judged = measures.find(needsGrammar);
  if (judged && !grammar) throw refuse('sweep_grammar', { setting: judged });
  checkInteger('samples', samples ?? DEFAULTS.samples, 1, SAMPLES_MAX);
  checkInteger('max_new_tokens', max_new_tokens ?? DEFAULTS.max_new_tokens, 1, 1 << 18);
}

/** @param {Axis[]} axes */
export function countPoints(axes) {
  return axes.reduce((count, { values }) => count * values.length, 1);
}

/**
 * The points of the axes, in the order of the sweep.
 * @param {Axis[]} axes
 * @returns {Record<string, number>[]}
 */
export function placesOf(axes) {
  return axes.reduce(
    (places, { name, values }) =>
      places.flatMap((place) => values.map((value) => ({ ...place, [name]: value }))),
    [/** @type {Record<string, number>} */ ({})],
  );
}

/**
 * Runs a plan in a new session and yields each point; ends early if a signal is aborted. A value out
 * of range is an error before the first point.
 * @param {import('./search.js').Scope} engine with a model
 * @param {Plan} plan
 * @param {import('./types.js').Platform<'AbortSignal'>} [signal] default: the plan's signal
 * @returns {AsyncGenerator<Point, void, void>}
 */
export async function* sweep(engine, plan, signal = plan?.signal) {
  checkEngine(engine);
  checkSignal(signal);
  checkPlan(plan, engine.table);
  const { axes, measures, prompt, settings = {} } = plan;
  const ids = Array.from(plan.prompt_ids ?? (await engine.encode(prompt)));
  const session = await engine.session();
  try {
    const places = placesOf(axes);
    const reading = places.find((place) => readsSecond({ ...settings, ...place }));
    const second = await readSecond(engine, { ...settings, ...reading }, ids);
    await session.feed(ids);
    if (second) await session.second(second);
    for (const place of endPoints(places))
      await session.distribution({ ...settings, ...place, top: 0 });
    const writes = measures.some(needsTexts);
    for (const place of places) {
      if (signal?.aborted) return;
      const asked = { ...settings, ...place, top: 0 };
      await session.feed(ids);
      if (second) await session.second(second);
      const trace = await session.distribution(asked);
      const found = { trace, ...none() };
      if (writes && !(await writeTexts(session, { ...plan, ids, settings: asked }, found, signal)))
        return;
      /** @type {Record<string, Summary>} */
      const read = {};
      for (const name of measures) read[name] = await readMeasure(name, found, engine);
      yield { at: place, measures: read, texts: found.texts };
    }
  } finally {
    await session.close();
  }
}

/** @returns {{ steps: StepFigures[], texts: Sample[] }} */
function none() {
  return { steps: [], texts: [] };
}

/**
 * The first and the last point. If the values of each axis ascend, one of these points has a value
 * out of range whenever the plan has one.
 * @param {Record<string, number>[]} places
 */
function endPoints(places) {
  return places.length > 1 ? [places[0], places[places.length - 1]] : places;
}

/**
 * Writes the texts of one point of the sweep and appends them to `found`. Returns false if the signal
 * was aborted before the last text was complete.
 * @param {any} session
 * @param {Plan & { ids: number[] }} plan
 * @param {{ steps: StepFigures[], texts: Sample[] }} found
 * @param {AbortSignal} [signal]
 */
async function writeTexts(session, plan, found, signal) {
  const { ids, prompt, settings = {}, grammar } = plan;
  const { samples = DEFAULTS.samples, max_new_tokens = DEFAULTS.max_new_tokens } = plan;
  for (let i = 0; i < samples; i++) {
    const seed = (settings.seed ?? 0) + i;
    const options = { ...settings, seed, prompt: ids, max_new_tokens };
    const generation = session.generate(signal ? { ...options, signal } : options);
    for (;;) {
      const { done, value } = await generation.next();
      if (!done) {
        found.steps.push({ entropy: value.entropy, kept: value.kept, logprob: value.logprob });
        continue;
      }
      if (value.finish_reason === 'aborted') return false;
      const verdict = judgeText(grammar, prompt + value.text);
      const { text, finish_reason } = value;
      found.texts.push({ seed, text, ids: value.ids, finish_reason, verdict });
      break;
    }
  }
  return true;
}

/**
 * Column heads of a plan's table: the settings, then each measure; a measure with many values per
 * point begins with its mean.
 * @param {Plan} plan
 */
export function tableHeads({ axes, measures }) {
  const heads = measures.flatMap((name) =>
    hasSpread(name) ? [name, `${name}_q1`, `${name}_median`, `${name}_q3`] : [name],
  );
  return [...axes.map(({ name }) => name), ...heads];
}

/**
 * The numbers of a point, in the order of tableHeads.
 * @param {Plan} plan
 * @param {Point} point
 */
export function tableRow({ axes, measures }, point) {
  const numbers = measures.flatMap((name) => {
    const { mean, q1, median, q3 } = point.measures[name];
    return hasSpread(name) ? [mean, q1, median, q3] : [mean];
  });
  return [...axes.map(({ name }) => point.at[name]), ...numbers];
}

/**
 * Returns the table as comma-separated values; numbers are not rounded.
 * @param {Plan} plan
 * @param {Point[]} points
 */
export function toCsv(plan, points) {
  const rows = [tableHeads(plan), ...points.map((point) => tableRow(plan, point))];
  return rows.map((row) => `${row.join(',')}\n`).join('');
}
