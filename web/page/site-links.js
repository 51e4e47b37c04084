/**
 * Links between the instrument and the lessons. They carry the instrument's state. They name a language only if the
 * other page would otherwise choose another one.
 */
import { language, matchLanguage } from '../locale/locale.js';
import { sameValue } from '../state/fields.js';
import { recall } from '../state/memory.js';

const KEY = 'logitscope-instrument';

/** Returns the path of a page, without index.html. @param {URL} page */
const pathOf = ({ pathname }) => pathname.replace(/index\.html$/, '');

/**
 * A change of the history: the entry that it changes as [address, record], and the method with the new record and
 * address. `written` is true if the page has made the change.
 * @typedef {{ at: [string, any], next: ['pushState' | 'replaceState', any, string], written?: boolean }} Write
 *
 * The instrument's last state in this tab. `href` is its address; `writes` are the last change of the history and the
 * one that still waits.
 * @typedef {{ href?: string, writes?: Write[] }} LastState
 */

/** Stores the instrument's state until the tab closes. @param {LastState} left */
export function keepInstrument(left) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(left));
  } catch {
    // A sandboxed frame has no storage, so links open the instrument without a state.
  }
}

/** @returns {LastState} */
function recallInstrument() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
  } catch {
    return {}; // no stored links: a sandboxed frame has no storage
  }
}

/**
 * Writes the changes that the page has stored before a reload into the history. Call it before the address is read.
 * Chromium drops a change that the page has made just before the reload, together with the data of the entry.
 */
export function writeUnwritten() {
  if (self !== top) return;
  const [visit] = /** @type {any[]} */ (performance.getEntriesByType('navigation'));
  const isReload = visit?.type === 'reload';
  const record = history.state?.logitscope ?? null;
  const { writes = [] } = recallInstrument();
  const first = writes.findIndex(
    ({ at, written }) =>
      at[0] === location.href &&
      (isReload || !written) &&
      (sameValue(record, at[1]) || (isReload && !record)),
  );
  if (first < 0) return;
  try {
    history.replaceState({ logitscope: writes[first].at[1] }, '');
    for (const { next } of writes.slice(first))
      history[next[0]]({ logitscope: next[1] }, '', next[2]);
  } catch {
    // In a sandboxed frame or a page from disk, the entry keeps its address.
  }
}

/** Returns true if the other page would show another language without being told. */
function namesLanguage() {
  if (new URLSearchParams(location.search).has('lang')) return true;
  const others = [recall('lang'), ...navigator.languages].filter((name) => name !== null);
  return matchLanguage(others) !== language();
}

/** Adds the language to a query such as "?lesson" if it is needed. @param {string} query @returns {string} */
export function inLanguage(query) {
  if (!namesLanguage()) return query;
  return `${query}${query === '?' ? '' : '&'}lang=${language()}`;
}

/**
 * Returns the address of the instrument with its last state in this tab.
 * @param {string} [folder] the instrument's folder, relative to this page
 */
function instrumentAddress(folder = '') {
  const fresh = inLanguage('?');
  try {
    const kept = new URL(recallInstrument().href ?? '');
    if (kept.origin !== location.origin) return folder + fresh;
    if (pathOf(kept) !== pathOf(new URL(folder || '?', location.href))) return folder + fresh;
    kept.searchParams.delete('lang');
    if (namesLanguage()) kept.searchParams.set('lang', language());
    return `${folder}${kept.search || '?'}${kept.hash}`;
  } catch {
    return folder + fresh;
  }
}

/**
 * Returns the address of a view with the instrument's last state in this tab.
 * @param {string} view @param {string} [folder] as for instrumentAddress
 */
export function viewAddress(view, folder = '') {
  const [address, hash] = instrumentAddress(folder).split(/(?=#)/);
  const [place, query] = address.split('?');
  const params = new URLSearchParams(query);
  params.set('view', view);
  return `${place}?${params}${hash ?? ''}`;
}
