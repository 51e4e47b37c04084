/**
 * Records by question: a server that shows only the most probable tokens is asked for those after a prompt, and its
 * answer is a record of one position. The prompt stands in the record, so that the two cannot part.
 */
import { LogitscopeError } from '../engine/errors.js';
import { readRecord } from '../import/logprobs.js';
import { positionAt } from './record-position.js';

/** The key of the prompt in a record. */
const PROMPT = 'logitscope_prompt';
/** The time for an answer, in ms. */
const ANSWER_MS = 60_000;

/**
 * Asks for the most probable tokens after a prompt; returns the text of the record.
 * @param {import('./server.js').Server} server
 * @param {string} prompt
 * @param {AbortSignal} [signal]
 */
export async function askRecord(server, prompt, signal) {
  const late = AbortSignal.timeout(ANSWER_MS);
  const answer = await server
    .top(prompt, signal ? AbortSignal.any([signal, late]) : late)
    .catch((error) => {
      if (!late.aborted) throw error;
      throw new LogitscopeError('unanswered', 'asked_late', { limit: ANSWER_MS / 1000 });
    });
  const text = JSON.stringify({ ...answer, [PROMPT]: prompt });
  const record = readRecord(text, { file: server.host });
  if (record.positions.length > 0 && positionAt(record, 0)) return text;
  throw new LogitscopeError('asked', 'asked_form', { what: 'logits' });
}

/** The prompt of an asked record; null for another one. @param {string} text */
export function promptOf(text) {
  if (!text.includes(`"${PROMPT}"`)) return null;
  try {
    const { [PROMPT]: prompt } = JSON.parse(text);
    return typeof prompt === 'string' ? prompt : null;
  } catch {
    return null; // some other text with this word
  }
}
