/**
 * Where the engine's files lie: beside this code, or inside a page that carries them. The one place
 * that a page changes which does.
 */

import { decodeText } from '../engine/decode-text.js';

export const assets = {
  /** What the addresses of the offered models are relative to. */
  base: import.meta.url,
  wasm: /** @type {URL | Uint8Array} */ (new URL('./logitscope.wasm', import.meta.url)),
  /** The modules of loops, where they do not lie beside the first. @type {URL | Uint8Array | undefined} */
  simd: undefined,
  /** @type {URL | Uint8Array | undefined} */
  relaxed: undefined,
  /** A worker's address, or what opens a port to an engine. @type {URL | (() => Promise<any>)} */
  worker: new URL('./worker.js', import.meta.url),
  /** The worker that renders chat templates, where it does not lie beside the engine. @type {string | Uint8Array | undefined} */
  renderer: undefined,
  /** What the page carries, by the address that it has elsewhere. @type {Map<unknown, Uint8Array>} */
  inside: new Map(),
};

/** A file that the page offers. @param {string} url @param {string} [base] */
export async function fetchText(url, base = assets.base) {
  const carried = assets.inside.get(url);
  if (carried) return new TextDecoder().decode(carried);
  const response = await fetch(new URL(url, base));
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const text = decodeText(new Uint8Array(await response.arrayBuffer()));
  if (text === null) throw new Error(`${url} is not UTF-8`);
  return text;
}

/** The same where it is JSON. @param {string} url */
export async function fetchJson(url) {
  return JSON.parse(await fetchText(url));
}
