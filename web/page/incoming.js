/**
 * Shows dropped, chosen and pasted texts that are no model. A row of READERS takes the texts that it recognises; the
 * first row that does wins.
 */
import { LONGEST } from '../import/settings/forms.js';
import { recognise } from '../import/settings/index.js';

/** @import { LogitScope } from './scope.js' */

/**
 * @typedef {{ text: string, name: string }} Incoming a text, and the name of its file; '' if it was pasted
 */

/** The longest text, in characters or bytes. */
const MOST = 1 << 22;
/** How well a text must fit a program, from 0 to 1. A vocabulary can have a word such as "temperature". */
const SURE = 0.5;

/** A token with its probability. Settings may ask for probabilities too, but have no numbers. */
const RECORD =
  /"(logprob|prob|logProbability)"\s*:\s*-?\d|"\w*(logprobs|_probabilities)"\s*:\s*[[{]/;

/** @type {{ recognises: (text: string, name: string) => boolean, show: (scope: LogitScope, text: Incoming) => void }[]} */
const READERS = [
  {
    recognises: (text) => RECORD.test(text),
    show: async (scope, { text }) => {
      const { holdRecord } = await import('../state/recorded.js');
      scope.view = 'logits';
      scope.choose({
        logits_source: 'recorded',
        logits_record: holdRecord(text),
        logits_position: 0,
        logits_prompt: null,
        logits_law: null,
      });
    },
  },
  {
    recognises: (text, name) =>
      text.length <= LONGEST && (recognise(text, name)[0]?.sure ?? 0) >= SURE,
    show: (scope, text) => scope.emit('logit-programs', text),
  },
];

/**
 * Shows a text if it is recognised; returns false if not.
 * @param {LogitScope} scope
 * @param {string} text
 * @param {string} [name] of its file
 */
export function showText(scope, text, name = '') {
  if (text.length > MOST) return false;
  const reader = READERS.find(({ recognises }) => recognises(text, name));
  reader?.show(scope, { text, name });
  return reader !== undefined;
}

/** Shows a file if it is a recognised text; returns false if not. @param {LogitScope} scope @param {File} file */
export async function showFile(scope, file) {
  if (file.size > MOST || (await file.slice(0, 4).text()) === 'GGUF') return false;
  return showText(scope, await file.text(), file.name);
}
