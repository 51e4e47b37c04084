/** Puts what the engine refused into the page's language; the words come with the first refusal. */

/**
 * @typedef {{ code: string, message: string }} Fault
 * @typedef {Pick<typeof import('./fault-words.js'), 'reasonOf' | 'sentenceOf'>} Words
 */

/** @type {Words | null} */
let words = null;

/**
 * What was thrown, as it is kept and told.
 * @param {unknown} error
 * @returns {Fault}
 */
export function toFault(error) {
  const { code = 'other', message = String(error) } = /** @type {any} */ (error);
  return { code: String(code), message: String(message) };
}

/** Where the words cannot be fetched, the engine's own are shown. @type {Words} */
const english = { reasonOf: ({ message }) => message, sentenceOf: ({ message }) => `${message}.` };

/**
 * @param {keyof Words} form
 * @param {Fault | null | undefined} fault
 * @param {import('lit').ReactiveControllerHost} host is rendered again once the words are there
 */
function say(form, fault, host) {
  if (!fault) return '';
  if (words) return words[form](fault);
  import('./fault-words.js')
    .catch(() => english)
    .then((fetched) => {
      words = fetched;
      host.requestUpdate();
    });
  return '';
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
