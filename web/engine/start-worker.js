/** Starts the engine's workers in a page of any origin. */
import { LogitscopeError } from './errors.js';
import { trustedAddress } from './trusted.js';

/** A program that keeps its messages until the script at `address` listens. @param {string} address */
const program = (address) =>
  `let a=[];onmessage=e=>a.push(e);import(${JSON.stringify(address)}).then(()=>a.forEach(e=>onmessage(e)),e=>setTimeout(()=>{throw e}))`;

/** A classic worker, which a page opened from a file may start too. @param {BlobPart} code */
export function startCode(code) {
  const blob = new Blob([code], { type: 'text/javascript' });
  return new Worker(trustedAddress(URL.createObjectURL(blob)));
}

/**
 * A page may only start workers of its own origin, and a sandboxed frame has none: there a worker
 * made of a blob imports the script, which its host must allow (Access-Control-Allow-Origin).
 * @param {string | URL} address
 */
export function startAt(address) {
  const { href, origin } = new URL(address, globalThis.document?.baseURI ?? location.href);
  if (origin !== globalThis.origin) return startCode(program(href));
  return new Worker(trustedAddress(href), { type: 'module' });
}

/**
 * Starts a worker of the package.
 * @param {() => Worker} start the one expression that bundlers look for
 * @param {string | undefined} here import.meta.url; a classic bundle has none, webpack's names a file
 * @param {string} name of the script beside it
 * @param {string} option that names another script
 */
export function startOwn(start, here, name, option) {
  /** @type {URL | undefined} */
  let address;
  try {
    address = new URL(name, here);
    if (address.origin === globalThis.origin || address.protocol === 'file:') return start();
  } catch {
    // `here` is no address, or the page demands trusted ones.
  }
  if (!address) throw new LogitscopeError('load_failed', 'no_address', { name, option });
  return startAt(address);
}
