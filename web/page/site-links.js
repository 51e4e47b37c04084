/** Links between the instrument and its lessons: neither loses what was set, nor names a language without need. */
import { language, matchLanguage } from '../locale/locale.js';
import { recall } from '../state/memory.js';

const KEY = 'logitscope-instrument';

/** A folder's page under both of its names. @param {URL} page */
const pathOf = ({ pathname }) => pathname.replace(/index\.html$/, '');

/**
 * The instrument as it was left in this tab: its address for the links back, and changes that the entry
 * `at` of the history is still to get.
 * @typedef {{ href?: string, unwritten?: any }} Left
 */

/** Keeps it while the tab is open. @param {Left} left */
export function keepInstrument(left) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(left));
  } catch {
    // a sandboxed frame: links lead to the instrument as it begins
  }
}

/** @returns {Left} */
export function recallInstrument() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
  } catch {
    return {}; // a sandboxed frame
  }
}

/** Whether an address without a language would show another language than this page. */
function namesLanguage() {
  if (new URLSearchParams(location.search).has('lang')) return true;
  const others = [recall('lang'), ...navigator.languages].filter((name) => name !== null);
  return matchLanguage(others) !== language();
}

/** A query of a page of the site, such as "?lesson", in this language. @param {string} query @returns {string} */
export function inLanguage(query) {
  if (!namesLanguage()) return query;
  return `${query}${query === '?' ? '' : '&'}lang=${language()}`;
}

/** The instrument as it was left in this tab. @param {string} [folder] where it lies, from here */
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
