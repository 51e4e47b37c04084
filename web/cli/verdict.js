/** The verdict of a grammar on a generated sentence, if the model has a grammar. */
import { existsSync } from 'node:fs';
import { checkSentence, sentences } from '../engine/grammar.js';
import { UsageError } from './flags.js';
import { readTextFile } from './read-text.js';

/**
 * Returns true if a value has the form of models/verbs.grammar.json: the grammar must accept its own first sentence.
 * @param {any} value
 */
function isGrammar(value) {
  try {
    const [first] = sentences(value);
    return checkSentence(value, first).right;
  } catch {
    return false;
  }
}

/**
 * Returns the grammar of --grammar, or the file beside the model; null if there is neither.
 * @param {{ grammar?: string, model: string }} values
 * @returns {any}
 */
export function readGrammar({ grammar, model }) {
  const beside = String(model).replace(/\.gguf$/, '.grammar.json');
  const path = grammar ?? (beside.endsWith('.json') && existsSync(beside) ? beside : null);
  if (path === null) return null;
  let parsed;
  try {
    parsed = JSON.parse(readTextFile(path));
  } catch (error) {
    throw new UsageError(
      `--grammar ${JSON.stringify(path)} could not be read: ${
        error instanceof Error ? error.message : String(error)
      }`,
    );
  }
  if (isGrammar(parsed)) return parsed;
  throw new UsageError(`--grammar ${JSON.stringify(path)} is not a grammar of sentences`);
}

/** @param {any} grammar @param {string} text */
export function judge(grammar, text) {
  return grammar && checkSentence(grammar, text);
}

/** @param {{ right: boolean, message: string }} verdict */
export function verdictLine({ right, message }) {
  return right ? 'right' : `wrong: ${message}`;
}
