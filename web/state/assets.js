/**
 * Addresses or bytes of the engine's files. By default they are beside this script. The single-file page and the npm
 * package change this object.
 */

import { decodeText } from '../engine/decode-text.js';

export const assets = {
  /** The models' addresses are relative to this address. */
  base: import.meta.url,
  wasm: /** @type {URL | Uint8Array} */ (new URL('./logitscope.wasm', import.meta.url)),
  /**
   * The modules with faster inner loops; undefined to fetch them from the folder of `wasm`.
   * @type {URL | Uint8Array | undefined}
   */
  simd: undefined,
  /** @type {URL | Uint8Array | undefined} */
  relaxed: undefined,
  /**
   * Address of the worker's script, or a function that opens a port to an engine.
   * @type {URL | (() => Promise<any>)}
   */
  worker: new URL('./worker.js', import.meta.url),
  /**
   * The script that renders chat templates; undefined to fetch it from the folder of the engine.
   * @type {string | Uint8Array | undefined}
   */
  renderer: undefined,
  /** Opens the source of a model that is asked; null for another model. @type {((model: unknown, signal: AbortSignal) => Promise<any> | null) | null} */
  openSource: null,
  /** Files inside the single-file page, by their address in the site. @type {Map<unknown, Uint8Array>} */
  inside: new Map(),
};

/** Fetches a text file of the site. @param {string} url @param {string} [base] */
export async function fetchText(url, base = assets.base) {
  const carried = assets.inside.get(url);
  if (carried) return new TextDecoder().decode(carried);
  const response = await fetch(new URL(url, base));
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const text = decodeText(new Uint8Array(await response.arrayBuffer()));
  if (text === null) throw new Error(`${url} is not UTF-8`);
  return text;
}

/** Fetches a JSON file of the site. @param {string} url */
export async function fetchJson(url) {
  return JSON.parse(await fetchText(url));
}
