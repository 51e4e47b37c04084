/** Starts the engine's workers in a page of any origin. */
import { LogitscopeError } from './errors.js';
import { trustedAddress } from './trusted.js';

/** A program that queues messages until the script at `address` listens. @param {string} address */
const program = (address) =>
  `let a=[];onmessage=e=>a.push(e);import(${JSON.stringify(address)}).then(()=>a.forEach(e=>onmessage(e)),e=>setTimeout(()=>{throw e}))`;

/** Starts a classic worker, which works in a page opened from a file too. @param {BlobPart} code */
export function startCode(code) {
  const blob = new Blob([code], { type: 'text/javascript' });
  return new Worker(trustedAddress(URL.createObjectURL(blob)));
}

/**
 * A page may only start workers of its own origin, and a sandboxed frame has no origin. There a
 * worker from a blob imports the script; its host must allow that (Access-Control-Allow-Origin).
 * @param {string | URL} address
 */
export function startAt(address) {
  const { href, origin } = new URL(address, globalThis.document?.baseURI ?? location.href);
  if (origin !== globalThis.origin) return startCode(program(href));
  return new Worker(trustedAddress(href), { type: 'module' });
}

/**
 * Starts a worker of this package.
 * @param {() => Worker} start the exact expression that bundlers look for
 * @param {string | undefined} here import.meta.url; undefined in a classic bundle, a file's URL
 *   in webpack's
 * @param {string} name of the script beside this one
 * @param {string} option name of the option with another script, for the error
 */
export function startOwn(start, here, name, option) {
  /** @type {URL | undefined} */
  let address;
  try {
    address = new URL(name, here);
    if (address.origin === globalThis.origin || address.protocol === 'file:') return start();
  } catch {
    // `here` is no address, or the page demands trusted addresses.
  }
  if (!address) throw new LogitscopeError('load_failed', 'no_address', { name, option });
  return startAt(address);
}
