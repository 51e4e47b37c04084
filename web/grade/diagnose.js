/**
 * Which fault a function has: the one whose twin answers as it does, where it answers wrongly. What a
 * check sees for itself, such as a second seed, needs no twin.
 */
import { disagreement, expect, reason } from './expect.js';
import { bitsOf } from './hashes.js';
import { WRONG_LOOPS } from './wrong_loops.js';
import { WRONG_MARKS } from './wrong_marks.js';
import { WRONG_WARPERS } from './wrong_warpers.js';

/**
 * @typedef {import('./grade.js').Verdict} Verdict
 * @typedef {{ code: string, params?: Record<string, string | number>, message: string }} Fault
 * @typedef {{ input: any, settings: any, answer: import('./subject.js').Answer }} Asked
 */

/** Seen by a check, and nothing that a twin could say better. */
const PLAIN = [
  ...['bare', 'line', 'no_answer', 'long_line', 'own_message', 'unasked', 'memory', 'tasks'],
  ...['hung', 'list', 'length', 'no_ids', 'reseeded'],
];
/** Said where no twin fits. */
const ELSE = [
  ...['swapped', 'long_window', 'early', 'graph', 'asked_often', 'wrote', 'state', 'threw', 'odd'],
  ...['soft', 'probabilities', 'short_window'],
];

/** How many of the answers must be the twin's, of all and of the wrong ones: rounding may decide a few. */
const OF_ALL = 0.97;
const OF_WRONG = 0.9;

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
function same(a, b) {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    const near = Math.abs(a[i] - b[i]) <= 1e-5 * Math.max(1, Math.abs(b[i]));
    const finite = Number.isFinite(a[i]) && Number.isFinite(b[i]);
    if (finite ? !near : !Object.is(a[i], b[i])) return false;
  }
  return true;
}

/** Every large negative number is the same mistake. @param {number} x */
const softened = (x) => (x < -1000 && x > -Infinity ? -1e9 : x);

/**
 * The twin that answers most as the function does.
 * @param {{ wrong: boolean, as: (name: string) => boolean }[]} answers
 * @param {string[]} names
 */
function closest(answers, names) {
  const wrong = answers.filter((it) => it.wrong);
  if (!wrong.length) return null;
  let found = null;
  let most = 0;
  for (const name of names) {
    const all = answers.filter((it) => it.as(name)).length / answers.length;
    const met = wrong.filter((it) => it.as(name)).length / wrong.length;
    if (all >= OF_ALL && met >= OF_WRONG && all + met > most) {
      found = name;
      most = all + met;
    }
  }
  return found;
}

/** @param {string} as @param {Asked[]} asked @param {any} engine */
async function warperTwin(as, asked, engine) {
  const twins = WRONG_WARPERS[as] ?? WRONG_MARKS[as];
  if (!twins) return null;
  const answers = [];
  for (const { input, settings, answer } of asked) {
    const { result } = answer;
    if (!(result instanceof Float64Array) || result.length !== input.logits.length) continue;
    const logits = Array.from(input.logits, Math.fround);
    const { history } = input;
    const bits = bitsOf(as, settings, history, logits.length);
    const second = input.second?.map(Math.fround);
    const given = { logits, settings, history, second, bits };
    const right = await expect(engine, input, null).catch(() => null);
    if (!right) continue;
    const soft = Array.from(result, softened);
    answers.push({
      wrong: disagreement(right, result, settings.temperature !== 0) !== null,
      as: (/** @type {string} */ name) =>
        same(name.startsWith('soft_mask') ? soft : result, twins[name](given)),
    });
  }
  return closest(answers, Object.keys(twins));
}

/** @param {Asked[]} asked @param {any} engine */
async function loopTwin(asked, engine) {
  const twins = /** @type {Record<string, any>} */ (WRONG_LOOPS);
  const names = Object.keys(twins);
  const answers = [];
  for (const { input, answer } of asked) {
    const { result } = answer;
    if (!(result instanceof Float64Array) || !input.expected) continue;
    const ranked = async (
      /** @type {number[]} */ row,
      /** @type {any} */ settings,
      /** @type {number[]} */ history,
    ) => {
      const all = { ...settings, top: row.length };
      const { tokens } = await engine.warp(Float32Array.from(row), all, { history });
      return tokens;
    };
    const random = (/** @type {number} */ step) =>
      input.us ? input.us[step % input.us.length] : engine.random(input.settings.seed, step);
    const met = new Set();
    for (const name of names)
      if (same(result, await twins[name](input, ranked, random))) met.add(name);
    answers.push({
      wrong: !same(result, input.expected),
      as: (/** @type {string} */ name) => met.has(name),
    });
  }
  return closest(answers, names);
}

/** The first of some codes that a check has given. @param {Verdict[]} failed @param {string[]} codes */
function seen(failed, codes) {
  for (const code of codes) {
    const verdict = failed.find((it) => it.code === code);
    if (verdict) return { code, params: verdict.params, message: verdict.message ?? code };
  }
  return null;
}

/**
 * @param {string} as
 * @param {Verdict[]} verdicts
 * @param {Asked[]} asked
 * @param {any} engine
 * @returns {Promise<Fault | null>} null where nothing fails, or nobody knows why
 */
export async function diagnose(as, verdicts, asked, engine) {
  const failed = verdicts.filter(({ holds }) => !holds);
  if (!failed.length) return null;
  const plain = seen(failed, PLAIN);
  if (plain) return plain;
  const twin = await (as === 'generate' ? loopTwin(asked, engine) : warperTwin(as, asked, engine));
  // Of some there are several, which are one fault.
  const code = /** @type {any} */ (twin?.replace(/_\d$/, ''));
  return code ? reason(code) : seen(failed, ELSE);
}
