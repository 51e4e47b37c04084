/** Asks the folder ask/ beside the page, over HTTP. No address can name another place. */
import { LogitscopeError } from '../engine/errors.js';
import { parse, readBody } from './body.js';
import { refusalOf } from './refusal.js';

/** The status of a refusal. */
const REFUSED = 400;

/** @returns {LogitscopeError} */
const gone = () => new LogitscopeError('unanswered', 'asked_gone');

/** The form of each answer. @type {Record<string, (bytes: ArrayBuffer) => unknown>} */
const FORMS = {
  info: parse,
  pieces: (bytes) => new Uint8Array(bytes),
  encode: (bytes) => (bytes.byteLength % 4 ? null : new Uint32Array(bytes)),
  logits: (bytes) => (bytes.byteLength % 4 ? null : new Float32Array(bytes)),
};

/** @type {import('./asked.js').Ask} */
export async function askBeside(what, body, { signal, limit }) {
  const address = new URL(`ask/${what === 'info' ? 'info.json' : what}`, location.href);
  const posted = body === undefined ? {} : { method: 'POST', body: /** @type {BodyInit} */ (body) };
  /** @type {Response} */
  let response;
  /** @type {ArrayBuffer} */
  let bytes;
  try {
    response = await fetch(address, { ...posted, signal, cache: 'no-store', redirect: 'error' });
    bytes = await readBody(response, limit);
  } catch (error) {
    // A TypeError is a failed connection, before the answer or in the middle of it.
    throw error instanceof TypeError ? gone() : error;
  }
  if (response.status === REFUSED) throw refusalOf(parse(bytes));
  if (!response.ok) throw gone();
  return FORMS[what](bytes);
}
