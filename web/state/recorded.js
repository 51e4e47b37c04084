/**
 * Recorded token probabilities on the bench: the record, and a reader of one of its positions. Only the listed tokens have
 * numbers; the chain gives each of them an interval (sources/bounds.js).
 */
import { exp, log } from '../engine/elementary.js';
import { LogitscopeError } from '../engine/errors.js';
import { boundsOf } from '../sources/bounds.js';
import { positionAt, readsHistory } from '../sources/record-position.js';

/** @import { LogprobRecord, Position } from '../import/logprobs.js' */
/** @typedef {[low: number, high: number]} Interval */

/** A longer record is held by this document alone: the browser's storage and each undo step would have a copy. */
export const MOST_KEPT = 500_000;
const HELD = 'held:';
/** Number of listed tokens with a bar. */
const TOP = 20;

/**
 * The server that the prompts of asked records go to, since the user has pressed a button that names it.
 * @type {{ server: import('../sources/server.js').Server | null }}
 */
export const asked = { server: null };

/** The long records of this document, by the name that the state has for them. @type {Map<string, string>} */
const held = new Map();

/** Returns the state's value for a record: its text, or the name of a held one. @param {string} text */
export function holdRecord(text) {
  if (text.length <= MOST_KEPT) return text;
  const known = [...held].find(([, each]) => each === text);
  const name = known?.[0] ?? `${HELD}${held.size + 1}`;
  held.set(name, text);
  return name;
}

/**
 * Returns the text for a state's value. `lost` is true if another document held it.
 * @param {string | null} value
 */
export function findRecord(value) {
  const isHeld = value?.startsWith(HELD) ?? false;
  const text = isHeld ? (held.get(String(value)) ?? null) : value;
  return { text, isHeld, lost: isHeld && text === null };
}

/**
 * Returns the numbers of one position: surprise of its token in bits, null if not given; least entropy of the whole
 * distribution in bits; hidden mass.
 * @param {Position} position
 */
export function figuresOf({ token, top }) {
  const bits = (/** @type {number} */ p) => (p > 0 ? (-p * log(p)) / Math.LN2 : 0);
  const shares = top.map(({ logprob }) => exp(logprob));
  const rest = Math.max(0, 1 - shares.reduce((sum, p) => sum + p, 0));
  const least = shares.at(-1) ?? 0;
  // The hidden mass has the least entropy in the fewest tokens, each as probable as the last listed one.
  const count = least > 0 ? Math.floor(rest / least) : 0;
  const hidden = count * bits(least) + bits(rest - count * least);
  return {
    surprise: token.logprob === null ? null : 0 - token.logprob / Math.LN2,
    entropy: shares.reduce((sum, p) => sum + bits(p), hidden),
    rest,
  };
}

/**
 * Reads the stage that removes the drawn token, at each position of a stretch; null if none does.
 * @param {any} engine
 * @param {LogprobRecord} record
 * @param {import('../engine/types.js').Settings} settings
 * @param {{ from: number, to: number, signal: AbortSignal }} stretch
 * @returns {Promise<(null | string | { maybe: string })[]>}
 */
export async function readFates(engine, record, settings, { from, to, signal }) {
  const withHistory = readsHistory(engine.table, settings);
  const fates = [];
  for (let at = from; at < to; at++) {
    signal.throwIfAborted();
    const law = positionAt(record, at, { settings, withHistory });
    if (!law || law.drawn === null || record.positions[at].prompt) {
      fates.push(null);
      continue;
    }
    const { partial, history, drawn } = law;
    const { tokens } = await boundsOf(engine, partial, law.settings, { history, step: at });
    fates.push(tokens[drawn].removed_by);
  }
  return fates;
}

/** Reads one position of a record, as the Reader reads a model's text. */
export class RecordedReader {
  #engine;
  #record;
  #at;
  #isAsked;

  /**
   * @param {import('../engine/remote.js').RemoteLogitscope} engine
   * @param {LogprobRecord} record
   * @param {number} at
   * @param {boolean} [isAsked] true if the record follows a prompt that it does not list
   */
  constructor(engine, record, at, isAsked = false) {
    this.#engine = engine;
    this.#record = record;
    this.#at = at;
    this.#isAsked = isAsked;
  }

  /** @param {Pick<import('./reader.js').ReadRequest, 'position'>} request only the settings are read */
  async read({ position: { settings } }) {
    const engine = this.#engine;
    const withHistory = readsHistory(engine.table, settings);
    const law = positionAt(this.#record, this.#at, {
      settings,
      withHistory,
      isAsked: this.#isAsked,
    });
    if (!law) throw new LogitscopeError('unsupported', 'record_alone', { n: 1 });
    const bounds = await boundsOf(engine, law.partial, law.settings, {
      history: law.history,
      step: this.#at,
    });
    const trace = traceOf(law, bounds, engine.table);
    const drawn = trace.tokens.find(({ id }) => id === law.drawn) ?? null;
    return {
      trace,
      drawn: drawn ? { ...drawn, u: null } : null,
      further: [],
      curves: null,
      difference: null,
      beside: null,
      outcomes: null,
    };
  }

  /** @param {number[]} ids indices of listed tokens */
  async pieces(ids) {
    const { tokens = [] } = positionAt(this.#record, this.#at) ?? {};
    return ids.map((id) => ({ ...pieceOf(tokens[id], id), bytes: new Uint8Array() }));
  }

  close() {}
}

/** @param {{ text: string, bytes: number[] | null }} token @param {number} id */
function pieceOf({ text, bytes }, id) {
  return { id, text, special: false, ...(bytes && text.includes('\uFFFD') ? { bytes } : {}) };
}

/**
 * A token's row of a trace with intervals, before it has a rank.
 * @param {any} token as it was recorded
 * @param {import('../sources/bounds.js').Bounds['tokens'][number]} bounds
 */
function rowOf(token, { index, p: [p, p_high], removed_by }) {
  const { logprob } = token;
  return {
    ...pieceOf(token, index),
    rank: 0,
    logit: logprob,
    warped: logprob,
    p_raw: exp(logprob),
    p,
    p_high,
    logprob: log(p),
    stage_p: [],
    removed_by: typeof removed_by === 'string' ? removed_by : null,
    maybe: typeof removed_by === 'object' && removed_by ? removed_by.maybe : null,
  };
}

/**
 * A trace with intervals, for the panels of a bench. `p` is the lower end of a token's probability, `p_high` the upper end;
 * `maybe` names a stage that removes the token for some tails. The rest is every token that is not listed here.
 * @param {import('../sources/record-position.js').RecordedPosition} law
 * @param {import('../sources/bounds.js').Bounds} bounds
 * @param {import('../engine/types.js').TableRow[]} table
 * @returns {import('../plots/trace.js').Trace}
 */
export function traceOf({ tokens: top, partial, drawn }, { stages, tokens, rest, entropy }, table) {
  const size = partial.vocab_size ?? Infinity;
  const removedBy = (/** @type {string} */ name) =>
    tokens.filter(({ removed_by }) => removed_by === name).length;
  const rows = tokens.map((each) => rowOf(top[each.index], each));
  rows.sort((a, b) => b.p_high - a.p_high || b.p - a.p || a.id - b.id);
  for (const [i, row] of rows.entries()) row.rank = i + 1;
  const isShown = (/** @type {{ id: number, rank: number }} */ { id, rank }) =>
    rank <= TOP || id === drawn;
  const shown = rows.filter(isShown);
  const others = rows.filter((row) => !isShown(row));
  const sum = (/** @type {'p' | 'p_high' | 'p_raw'} */ name) =>
    others.reduce((all, row) => all + row[name], 0);
  const hidden = Math.max(0, 1 - rows.reduce((all, row) => all + row.p_raw, 0));
  const last = stages.at(-1)?.kept ?? [size === Infinity ? top.length : size, size];
  return /** @type {any} */ ({
    bounded: true,
    vocab_size: size,
    stages: stages.map(({ name, value, exact, kept }) => ({
      name,
      value,
      exact,
      kept: kept[0],
      kept_high: kept[1],
      cuts: table.find((row) => row.name === name)?.group === 'truncation',
      active: true,
      changed: true,
      removed: removedBy(name),
      after: null,
    })),
    tokens: shown,
    rest: {
      count: size - shown.length,
      p_raw: sum('p_raw') + hidden,
      p: sum('p') + rest[0],
      p_high: Math.min(1, sum('p_high') + rest[1]),
      kept: 0,
    },
    kept: last[0],
    kept_high: last[1],
    entropy: entropy[0],
    entropy_high: entropy[1],
    underflowed: 0,
    warnings: [],
  });
}
