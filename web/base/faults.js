/** Writes errors of the engine in the page's language. The strings for that are fetched at the first error. */
import { inEnglish } from '../engine/errors.js';
import { list, t } from '../locale/locale.js';

/** @import { Fault } from '../engine/errors.js' */
/** @typedef {Pick<typeof import('./fault-words.js'), 'reasonOf' | 'sentenceOf'>} Words */

/** Most refused parts that a sentence names. */
const NAMED = 8;

/** @type {Words | null} */
let words = null;
/** Number of callers that wait for the strings. */
let waiting = 0;

/** Returns true while an error is not displayed yet, because its strings are being fetched. */
export const isFetchingWords = () => waiting > 0;

/** The engine's own English sentences, for use if the strings cannot be fetched. @type {Words} */
const english = {
  reasonOf: inEnglish,
  sentenceOf: (fault) => `${inEnglish(fault)}.`,
};

/**
 * @param {keyof Words} form
 * @param {Fault | null | undefined} fault
 * @param {import('lit').ReactiveControllerHost} host is rendered again when the strings are fetched
 */
function formatFault(form, fault, host) {
  if (!fault) return '';
  if (words) return words[form](fault);
  fetchWords().then(() => host.requestUpdate());
  return '';
}

/** @returns {Promise<Words>} */
async function fetchWords() {
  waiting++;
  words ??= await import('./fault-words.js').catch(() => english);
  waiting--;
  return words;
}

/** Fetches the strings and returns the reason of an error. @param {Fault} fault */
export const explain = async (fault) => (await fetchWords()).reasonOf(fault);

/**
 * Fetches the strings and returns each phrase as a sentence.
 * @param {import('../engine/errors.js').Phrase[]} phrases
 */
export async function sayAll(phrases) {
  const { reasonOf } = await fetchWords();
  return phrases
    .map(reasonOf)
    .map((text) => `${text[0].toUpperCase()}${text.slice(1)}.`)
    .join(' ');
}

/**
 * Returns the detail of the event about an error. Its message is always English.
 * @param {Fault} fault
 */
export async function detailOf(fault) {
  await import('../engine/sentences.js').catch(() => {});
  return { ...fault, message: inEnglish(fault) };
}

/**
 * Returns the reason of an error, to be used inside a sentence; '' without an error, or until the strings are
 * fetched.
 * @param {Fault | null | undefined} fault
 * @param {import('lit').ReactiveControllerHost} host
 */
export const reason = (fault, host) => formatFault('reasonOf', fault, host);

/**
 * Returns an error as a whole sentence; '' without an error, or until the strings are fetched.
 * @param {Fault | null | undefined} fault
 * @param {import('lit').ReactiveControllerHost} host
 */
export const sentence = (fault, host) => formatFault('sentenceOf', fault, host);

/**
 * Returns a sentence about the parts of a state that were refused, with reasons.
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
