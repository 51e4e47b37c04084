/** Starts the engine's workers, also in a page of another origin. */
import { LogitscopeError } from './errors.js';
import { trustedAddress } from './trusted.js';

/** Code of a worker that imports the script at `address` and queues messages until then. @param {string} address */
const program = (address) =>
  `let a=[];onmessage=e=>a.push(e);import(${JSON.stringify(address)}).then(()=>a.forEach(e=>onmessage(e)),e=>setTimeout(()=>{throw e}))`;

/** Starts a classic worker, which is possible even in a page opened from a file. @param {BlobPart} code */
export function startCode(code) {
  const blob = new Blob([code], { type: 'text/javascript' });
  return new Worker(trustedAddress(URL.createObjectURL(blob)));
}

/**
 * Starts a worker that imports a script of another origin. A page may only start workers of its own
 * origin, and a sandboxed frame has no origin, so the worker starts from a blob. The script's host
 * must allow the import (Access-Control-Allow-Origin).
 * @param {string | URL} address
 */
export function startAt(address) {
  const { href, origin } = new URL(address, globalThis.document?.baseURI ?? location.href);
  if (origin !== globalThis.origin) return startCode(program(href));
  return new Worker(trustedAddress(href), { type: 'module' });
}

/**
 * Starts a worker of this package.
 * @param {() => Worker} start starts the worker, by an expression that bundlers recognise
 * @param {string | undefined} here import.meta.url; undefined in a classic bundle, a file: URL in a
 *   bundle of webpack
 * @param {string} name name of the script, in the folder of `here`
 * @param {string} option name of the option that sets another script, for the error
 */
export function startOwn(start, here, name, option) {
  /** @type {URL | undefined} */
  let address;
  try {
    address = new URL(name, here);
    if (address.origin === globalThis.origin || address.protocol === 'file:') return start();
  } catch {
    // The attempt throws if `here` is not an address, or if the page requires Trusted Types. Then use startAt.
  }
  if (!address) throw new LogitscopeError('load_failed', 'no_address', { name, option });
  return startAt(address);
}
