/**
 * Stores the parts of a visit that do not fit into an address: drawn texts with their numbers, long parts of the
 * state, and the key of a file. The history entry has the numbers of a short text, and names everything else, which
 * is in sessionStorage, or in memory if the browser has no storage.
 */
import { MAX_BRANCH_TOKENS, checkPart, isObject } from '../state/fields.js';
import { leftOut, stateParts } from '../state/page-state.js';
import { keepFile, newKey } from './local-files.js';

/** @import { PageState } from '../state/page-state.js' */
/** @import { Saved } from '../state/saved-texts.js' */
/** @import { Deed } from './deeds.js' */

/**
 * The record in an entry of the history. `at` is the index of the entry's text among the texts under
 * `key` in storage, or in `few`.
 * @typedef {{ text?: { key: string, at: number, few?: Recorded }, long?: string[], file?:
 * import('./local-files.js').FileRecord }} EntryRecord
 * @typedef {Saved & { model: string }} Recorded
 * @typedef {{ saved: Saved | null, long: [string, unknown][] }} Recalled
 * @typedef {{ now: Deed, before: Deed[], after: Deed[] }} KeptDeeds the next one is the last of its list
 */

const TEXTS = 'logitscope-text-';
const LONG = 'logitscope-long';
const DEEDS = 'logitscope-deeds';
/** The most characters of the deeds that a reload keeps. */
const MOST_DEEDS = 300_000;

/** Values that sessionStorage has refused; they last until the page closes. @type {Map<string, any>} */
const held = new Map();
/**
 * The last values written to sessionStorage. An equal value is not written again, since writing is slow.
 * @type {{ steps: unknown, long: Record<string, unknown> }}
 */
const last = { steps: null, long: {} };

/** @param {string} key */
function readItem(key) {
  try {
    return held.get(key) ?? JSON.parse(sessionStorage.getItem(key) ?? 'null');
  } catch {
    return null; // no visit: no storage in a sandboxed frame, or an unreadable value
  }
}

/**
 * Stores a value. If there is no room, removes the oldest texts; returns false if there is still none.
 * @param {string} key
 * @param {unknown} value
 */
function writeItem(key, value) {
  held.set(key, value);
  const text = JSON.stringify(value);
  for (;;) {
    try {
      sessionStorage.setItem(key, text);
      held.delete(key);
      return true;
    } catch (error) {
      if (!/quota/i.test(/** @type {Error} */ (error).name)) return true; // without storage, the value stays in memory
      const others = Object.keys(sessionStorage).filter((name) => name.startsWith(TEXTS));
      const [oldest] = others.filter((name) => name !== key).sort();
      if (oldest === undefined) return false;
      held.set(oldest, readItem(oldest));
      sessionStorage.removeItem(oldest);
    }
  }
}

/** Returns a text that identifies the open model. @param {import('./scope.js').LogitScope} scope */
export function modelOf({ source, files }) {
  return source ?? files.map(({ name, size }) => `file ${name} ${size}`).join();
}

/** Notes that the drawn texts are already stored. @param {import('./scope.js').LogitScope} scope */
export const markKept = ({ steps }) => void (last.steps = steps);

/** Returns the drawn texts with their model. @param {import('./scope.js').LogitScope} scope @returns {Recorded} */
export const recordTexts = (scope) => ({ ...scope.saveTexts(), model: modelOf(scope) });

/** @param {import('./scope.js').LogitScope} scope @returns {Recorded} */
function recordVisit(scope) {
  scope.texts.key ||= newKey();
  last.steps = scope.steps;
  return recordTexts(scope);
}

/** Stores the drawn texts under their key. @param {import('./scope.js').LogitScope} scope */
function keepTexts(scope) {
  if (last.steps === scope.steps) return true;
  const kept = recordVisit(scope);
  return writeItem(TEXTS + kept.key, kept);
}

/**
 * Stores texts and long parts of the state, and returns the data for the history entry. `full` is true if the
 * browser had no room.
 * @param {import('./scope.js').LogitScope} scope
 * @returns {{ record: EntryRecord, full: boolean }}
 */
export function keep(scope) {
  const { texts, state, table } = scope;
  /** @type {EntryRecord} */
  const entry = {};
  let full = false;
  if (texts.size > MAX_BRANCH_TOKENS) {
    full = !keepTexts(scope);
    entry.text = { key: texts.key, at: texts.tip };
  } else if (texts.size > 0) {
    const few = recordVisit(scope);
    entry.text = { key: few.key, at: few.tip, few };
  }
  const values = /** @type {Record<string, unknown>} */ ({ ...state, ...state.settings });
  const names = leftOut(state, table).filter((name) => name !== 'branch');
  if (scope.source === null && state.settings.logit_bias) names.push('logit_bias');
  if (names.length > 0) {
    const long = Object.fromEntries(names.map((name) => [name, values[name]]));
    const same = names.every((name) => last.long[name] === long[name]);
    if (!same) full = !writeItem(LONG, long) || full;
    last.long = long;
    entry.long = names;
  }
  const file = keepFile(scope.files, scope.context);
  if (file) entry.file = file;
  return { record: entry, full };
}

/**
 * Returns the stored parts of the state that the data of a history entry names.
 * @param {EntryRecord} entry
 * @returns {Recalled}
 */
export function recall({ text, long = [] }) {
  const found = text && (text.few ?? readItem(TEXTS + text.key));
  const written = readItem(LONG);
  const values = isObject(written) ? written : {};
  return {
    saved: found ? { ...found, tip: text.at } : null,
    long: long.filter((name) => name in values).map((name) => [name, values[name]]),
  };
}

/**
 * Keeps deeds for the next document of this tab: the nearest ones, as many as have room. They are written last, and
 * the next document removes them, so they take no room from anything else.
 * @param {import('./scope.js').LogitScope} scope
 * @param {KeptDeeds} deeds
 */
export function keepDeeds(scope, { now, before, after }) {
  const model = modelOf(scope);
  const nearest = [...before].reverse().flatMap((deed, i) => [{ deed, i, undo: true }]);
  const all = [...nearest, ...[...after].reverse().map((deed, i) => ({ deed, i, undo: false }))];
  let room = MOST_DEEDS;
  const kept = all
    .sort((a, b) => a.i - b.i)
    .filter(({ deed }) => (room -= JSON.stringify(deed).length) > 0);
  const side = (/** @type {boolean} */ undo) =>
    kept
      .filter((each) => each.undo === undo)
      .map(({ deed }) => deed)
      .reverse();
  try {
    const text = JSON.stringify({ model, now, before: side(true), after: side(false) });
    sessionStorage.setItem(DEEDS, text);
  } catch {
    // no room or no storage: a reload ends the deeds
  }
}

/**
 * Returns the deeds that the last document of this tab kept for this model; null if there are none.
 * @param {import('./scope.js').LogitScope} scope
 * @returns {KeptDeeds | null}
 */
export function recallDeeds(scope) {
  const kept = readItem(DEEDS);
  try {
    sessionStorage.removeItem(DEEDS);
  } catch {
    return null; // no storage in a sandboxed frame
  }
  if (!isObject(kept) || kept.model !== modelOf(scope)) return null;
  const { now, before, after } = /** @type {any} */ (kept);
  const sides = [before, after].every(Array.isArray);
  const sound = sides && [now, ...before, ...after].every((deed) => isSoundDeed(deed, scope));
  return sound ? { now, before, after } : null;
}

/** @param {any} deed @param {import('./scope.js').LogitScope} scope */
function isSoundDeed(deed, { table, info }) {
  const vocab_size = info?.vocab_size ?? Infinity;
  const { state, saved } = deed ?? {};
  if (!isObject(state?.settings) || !isSound({ ...saved, model: '' }, vocab_size)) return false;
  const values = { ...state, ...state.settings };
  return stateParts(table).every((part) => {
    const value = values[part.name] ?? null;
    return (
      value === null ||
      checkPart({ ...part, maximum: Infinity }, value, { table, vocab_size }) === null
    );
  });
}

/** @param {unknown} n @param {number} limit */
const isBelow = (n, limit) => Number.isInteger(n) && Number(n) >= 0 && Number(n) < limit;

/** @param {any} record @param {number} vocab_size */
function isSound({ key, model, prompt_ids, tokens }, vocab_size) {
  return (
    typeof key === 'string' &&
    typeof model === 'string' &&
    Array.isArray(prompt_ids) &&
    Array.isArray(tokens) &&
    tokens.every(
      (token, i) =>
        Array.isArray(token) &&
        token.every((value) => value === null || Number.isFinite(value)) &&
        isBelow(token[0], i + 1) &&
        isBelow(token[1], vocab_size),
    )
  );
}

/**
 * Adds the parts of a record to the state of an address.
 * @param {PageState | null} state
 * @param {Recalled} recalled
 * @param {import('./scope.js').LogitScope} scope
 * @returns {any}
 */
export function complete(state, { saved, long }, scope) {
  const { table, info } = scope;
  const drawn = /** @type {Recorded | null} */ (saved);
  const isOwn = drawn?.model === modelOf(scope) && isSound(drawn, info?.vocab_size ?? Infinity);
  const own = isOwn ? { saved } : {};
  // Without any state, the page begins as at a first visit.
  if (!state && !isOwn && long.length === 0) return state;
  const whole = { ...state, ...own, settings: { ...state?.settings } };
  const parts = stateParts(table);
  for (const [name, value] of long) {
    const part = parts.find((each) => each.name === name);
    const known = { table, vocab_size: info?.vocab_size };
    if (!part || checkPart({ ...part, maximum: Infinity }, value, known) !== null) continue;
    const holder = 'stage' in part || part.setting ? whole.settings : whole;
    /** @type {Record<string, unknown>} */ (holder)[name] = value;
  }
  return whole;
}
