/** Puts what the engine refused into the page's language; the words come with the first refusal. */
import { inEnglish } from '../engine/errors.js';
import { list, t } from '../locale/locale.js';

/**
 * @typedef {import('../engine/errors.js').Fault} Fault
 * @typedef {Pick<typeof import('./fault-words.js'), 'reasonOf' | 'sentenceOf'>} Words
 */

/** How many parts are named; of any more the number is told. */
const NAMED = 8;

/** @type {Words | null} */
let words = null;

/** Where the words cannot be fetched, the engine's own are shown. @type {Words} */
const english = {
  reasonOf: inEnglish,
  sentenceOf: (fault) => `${inEnglish(fault)}.`,
};

/**
 * @param {keyof Words} form
 * @param {Fault | null | undefined} fault
 * @param {import('lit').ReactiveControllerHost} host is rendered again once the words are there
 */
function say(form, fault, host) {
  if (!fault) return '';
  if (words) return words[form](fault);
  fetchWords().then(() => host.requestUpdate());
  return '';
}

/** @returns {Promise<Words>} */
async function fetchWords() {
  return (words ??= await import('./fault-words.js').catch(() => english));
}

/**
 * Why it was refused, where the words can be waited for.
 * @param {Fault} fault
 */
export const explain = async (fault) => (await fetchWords()).reasonOf(fault);

/**
 * What an event tells of a fault: it is in English, whatever the language of the page.
 * @param {Fault} fault
 */
export async function detailOf(fault) {
  await import('../engine/sentences.js').catch(() => {});
  return { ...fault, message: inEnglish(fault) };
}

/**
 * Why it was refused, to stand within a sentence; empty where nothing was.
 * @param {Fault | null | undefined} fault
 * @param {import('lit').ReactiveControllerHost} host
 */
export const reason = (fault, host) => say('reasonOf', fault, host);

/**
 * The same as a sentence of its own.
 * @param {Fault | null | undefined} fault
 * @param {import('lit').ReactiveControllerHost} host
 */
export const sentence = (fault, host) => say('sentenceOf', fault, host);

/**
 * In one sentence: which parts of a state were left out, and why.
 * @param {import('../state/page-state.js').Dropped[]} dropped
 */
export function sayDropped(dropped) {
  if (dropped.length === 0) return '';
  const parts = dropped
    .slice(0, NAMED)
    .map(({ part, why, minimum, maximum, message }) =>
      t('state.part', { part, why: message ?? t(`state.why.${why}`, { minimum, maximum }) }),
    );
  const more = dropped.length - parts.length;
  if (more > 0) parts.push(t('state.more', { n: more }));
  return t('state.dropped', { n: dropped.length, parts: list(parts) });
}
