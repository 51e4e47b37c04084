/**
 * Links between the instrument and its lessons. The links keep the instrument's state. They name the
 * language only if the other page would otherwise show another language.
 */
import { language, matchLanguage } from '../locale/locale.js';
import { sameValue } from '../state/fields.js';
import { recall } from '../state/memory.js';

const KEY = 'logitscope-instrument';

/** Returns the path of a page, without index.html. @param {URL} page */
const pathOf = ({ pathname }) => pathname.replace(/index\.html$/, '');

/**
 * The last state of the instrument in this tab: `href`, its address for links back, and `unwritten`, the
 * changes that are not in the history yet.
 * @typedef {{ href?: string, unwritten?: any }} LastState
 */

/** Keeps the instrument's state while the tab is open. @param {LastState} left */
export function keepInstrument(left) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(left));
  } catch {
    // a sandboxed frame has no storage: links open the instrument in its initial state
  }
}

/** @returns {LastState} */
export function recallInstrument() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
  } catch {
    return {}; // a sandboxed frame has no storage
  }
}

/** Writes the changes that the previous document kept for this entry of the history. Its address is read after this. */
export function writeUnwritten() {
  const { unwritten } = recallInstrument();
  const at = [location.href, history.state?.logitscope ?? null];
  if (self !== top || !sameValue(unwritten?.at, at)) return;
  const [method, record, href] = unwritten.next;
  try {
    history[/** @type {'pushState' | 'replaceState'} */ (method)]({ logitscope: record }, '', href);
  } catch {
    // a sandboxed frame or a page from disk: the entry keeps its address
  }
}

/** True if an address without a language would show a language other than this page's. */
function namesLanguage() {
  if (new URLSearchParams(location.search).has('lang')) return true;
  const others = [recall('lang'), ...navigator.languages].filter((name) => name !== null);
  return matchLanguage(others) !== language();
}

/** Adds this page's language to a query such as "?lesson" if needed. @param {string} query @returns {string} */
export function inLanguage(query) {
  if (!namesLanguage()) return query;
  return `${query}${query === '?' ? '' : '&'}lang=${language()}`;
}

/** Returns the address of the last instrument in this tab. @param {string} [folder] the instrument's folder, relative to this page */
export function instrumentAddress(folder = '') {
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

/** Returns the address of a view with the state of the last instrument in this tab. @param {string} view @param {string} [folder] as for instrumentAddress */
export function viewAddress(view, folder = '') {
  const [address, hash] = instrumentAddress(folder).split(/(?=#)/);
  const [place, query] = address.split('?');
  const params = new URLSearchParams(query);
  params.set('view', view);
  return `${place}?${params}${hash ?? ''}`;
}
