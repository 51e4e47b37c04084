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

/** @import { Sample, StepFigures, Summary } from './measures.js' */
/** @import { Settings } from './types.js' */

/**
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
 * @param {import('./crowd.js').CrowdOptions} [crowd] the workers that write texts; no point depends on their number
 * @returns {AsyncGenerator<Point, void, void>}
 */
export async function* sweep(engine, plan, signal = plan?.signal, crowd = {}) {
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
    const texts = measures.filter(needsTexts);
    const others = measures.filter((name) => !needsTexts(name));
    /** @param {Record<string, number>} place */
    const readOthers = async (place) => {
      if (!others.length) return {};
      await session.feed(ids);
      if (second) await session.second(second);
      const trace = await session.distribution({ ...settings, ...place, top: 0 });
      return readAll(others, { trace, ...none() }, engine);
    };
    if (!texts.length) {
      for (const place of places) {
        if (signal?.aborted) return;
        yield { at: place, measures: await readOthers(place), texts: [] };
      }
      return;
    }
    // The texts need the session, so all distributions are read before the first text.
    const read = [];
    for (const place of places) read.push(await readOthers(place));
    const points = writePoints(engine, session, { ...plan, ids, places }, signal, crowd);
    for await (const { found, at } of points) {
      const measured = { ...read[at], ...(await readAll(texts, found, engine)) };
      const inOrder = measures.map((name) => [name, measured[name]]);
      yield { at: places[at], measures: Object.fromEntries(inOrder), texts: found.texts };
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
 * @param {string[]} names
 * @param {any} found
 * @param {import('./search.js').Scope} engine
 */
async function readAll(names, found, engine) {
  /** @type {Record<string, Summary>} */
  const read = {};
  for (const name of names) read[name] = await readMeasure(name, found, engine);
  return read;
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
 * The options of each text, point after point.
 * @param {Plan & { ids: number[], places: Record<string, number>[] }} plan
 * @param {number} samples
 */
function* tasksOf(
  { settings = {}, max_new_tokens = DEFAULTS.max_new_tokens, ids, places },
  samples,
) {
  for (const place of places)
    for (let i = 0; i < samples; i++) {
      const asked = { ...settings, ...place };
      yield { ...asked, top: 0, seed: (asked.seed ?? 0) + i, prompt: ids, max_new_tokens };
    }
}

/**
 * Writes the texts of all points; yields each point with its texts. Ends early if the signal is aborted.
 * @param {import('./search.js').Scope} engine
 * @param {any} session
 * @param {Plan & { ids: number[], places: Record<string, number>[] }} plan
 * @param {import('./types.js').Platform<'AbortSignal'> | undefined} signal
 * @param {import('./crowd.js').CrowdOptions} crowd
 */
async function* writePoints(engine, session, plan, signal, crowd) {
  const { places, prompt, grammar, samples = DEFAULTS.samples } = plan;
  const { writeAll } = await import('./crowd.js');
  const count = places.length * samples;
  const tasks = tasksOf(plan, samples);
  let found = none();
  let at = 0;
  for await (const written of writeAll(engine, session, 'sample', tasks, count, crowd, signal)) {
    const { steps, ...text } = written;
    for (const step of steps) found.steps.push(step);
    found.texts.push({ ...text, verdict: judgeText(grammar, prompt + text.text) });
    if (found.texts.length < samples) continue;
    yield { at: at++, found };
    found = none();
  }
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
