/** Asks the folder ask/ beside the page, over HTTP. No address can name another place. */
import { LogitscopeError } from '../engine/errors.js';
import { refusalOf } from './refusal.js';

/** The status of a refusal. */
const REFUSED = 400;

/** @returns {LogitscopeError} */
const gone = () => new LogitscopeError('unanswered', 'asked_gone');

/**
 * Reads a body. A longer body is not read to its end.
 * @param {Response} response
 * @param {number} limit in bytes
 */
async function readBody({ body }, limit) {
  const reader = body?.getReader();
  /** @type {Uint8Array[]} */
  const parts = [];
  let n = 0;
  for (;;) {
    const { value } = (await reader?.read()) ?? {};
    if (!value) break;
    parts.push(value);
    n += value.length;
    if (n <= limit) continue;
    reader?.cancel().catch(() => {});
    throw new LogitscopeError('asked', 'asked_long', { limit });
  }
  return new Blob(/** @type {BlobPart[]} */ (parts)).arrayBuffer();
}

/** @param {ArrayBuffer} bytes */
function parse(bytes) {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

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
    // fetch and a cut body reject with a TypeError.
    throw error instanceof TypeError ? gone() : error;
  }
  if (response.status === REFUSED) throw refusalOf(parse(bytes));
  if (!response.ok) throw gone();
  return FORMS[what](bytes);
}
