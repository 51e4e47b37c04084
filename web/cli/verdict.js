/** The grammar's verdict on a generated sentence, where there is a grammar for the model. */
import { existsSync } from 'node:fs';
import { checkSentence } from '../engine/grammar.js';
import { UsageError } from './flags.js';
import { readTextFile } from './read-text.js';

/**
 * The grammar named by --grammar, or the one beside the model; null if there is neither.
 * @param {{ grammar?: string, model: string }} values
 * @returns {any}
 */
export function readGrammar({ grammar, model }) {
  const beside = String(model).replace(/\.gguf$/, '.grammar.json');
  const path = grammar ?? (beside.endsWith('.json') && existsSync(beside) ? beside : null);
  if (path === null) return null;
  try {
    const parsed = JSON.parse(readTextFile(path));
    checkSentence(parsed, 'x');
    return parsed;
  } catch (error) {
    throw new UsageError(
      `--grammar ${JSON.stringify(path)} could not be read: ${
        error instanceof Error ? error.message : String(error)
      }`,
    );
  }
}

/**
 * @param {any} grammar
 * @param {string} text
 */
export function judge(grammar, text) {
  return grammar && checkSentence(grammar, text);
}

/** @param {{ right: boolean, message: string }} verdict */
export function verdictLine({ right, message }) {
  return right ? 'right' : `wrong: ${message}`;
}
