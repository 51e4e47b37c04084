/** A position of a recorded answer as a partial distribution, with the tokens before it. */
import { exp, log } from '../engine/elementary.js';
import { LogitscopeError } from '../engine/errors.js';

/**
 * @typedef {import('../import/logprobs.js').LogprobRecord} LogprobRecord
 * @typedef {import('../import/logprobs.js').Token} Token
 * @typedef {import('../import/logprobs.js').Listed} Listed
 *
 * @typedef {object} RecordedPosition
 * @property {import('./position.js').Partial} partial
 * @property {Listed[]} tokens the tokens of `partial`: the listed ones, and the drawn one if its number is known
 * @property {number | null} drawn index of the drawn token; null if unknown or without a number
 * @property {number[]} history indices as boundsOf reads them
 * @property {Record<string, any>} settings the given settings with indices in place of ids
 */

/** A name that equal tokens of a record share. @param {Token} token */
export const keyOf = ({ id, bytes, text }) => id ?? (bytes ? bytes.join() : `"${text}`);

/** True if the settings contain a stage that reads earlier tokens. @param {{ name: string, group: string, neutral: any }[]} table @param {Record<string, any>} settings */
export const readsHistory = (table, settings) =>
  settings.preset !== undefined ||
  table.some(
    ({ name, group, neutral }) =>
      group === 'penalty' &&
      name !== 'logit_bias' &&
      settings[name] !== undefined &&
      settings[name] !== neutral,
  );

/**
 * The keys of logit_bias as indices. Only a record with ids can name a token by its id.
 * @param {Record<string, any>} settings
 * @param {LogprobRecord} record
 * @param {(key: string | number) => number} indexOf
 */
function biasesOf(settings, record, indexOf) {
  const { logit_bias: given } = settings;
  if (!given || Object.keys(given).length === 0) return settings;
  if (
    !record.positions.some(
      ({ top, token }) => token.id !== null || top.some(({ id }) => id !== null),
    )
  )
    throw new LogitscopeError('unsupported', 'record_no_ids');
  const entries = Object.entries(given).map(([ids, bias]) => [
    ids
      .split(' ')
      .map((id) => indexOf(Number(id)))
      .join(' '),
    bias,
  ]);
  return { ...settings, logit_bias: Object.fromEntries(entries) };
}

/**
 * Null for a position without any probability.
 * @param {LogprobRecord} record
 * @param {number} at
 * @param {{ settings?: Record<string, any>, withHistory?: boolean, listedOnly?: boolean, isAsked?: boolean }} [options] isAsked: true if
 *   the record follows a prompt that it does not list; listedOnly: true to
 *   leave out a drawn token that is not listed, so that the draw does not decide which tokens are listed
 * @returns {RecordedPosition | null}
 */
export function positionAt(record, at, options = {}) {
  const { settings = {}, withHistory = false, listedOnly = false, isAsked = false } = options;
  if (isAsked && withHistory) throw new LogitscopeError('unsupported', 'record_history');
  const { token, top, half_unit, drawn: isDrawn } = record.positions[at];
  const key = keyOf(token);
  const isListed = top.some((one) => keyOf(one) === key);
  const alone = !listedOnly && isDrawn && !isListed && token.logprob !== null;
  const tokens = alone ? [...top, /** @type {Listed} */ (token)] : [...top];
  if (tokens.length === 0) return null;
  tokens.sort((a, b) => b.logprob - a.logprob);
  // A hidden token has no more than the last listed one, or than the rest of the mass.
  const cap =
    top.length > 0
      ? top[top.length - 1].logprob
      : log(1 - exp(tokens[0].logprob - half_unit) + 2 ** -40);
  /** @type {Map<string | number, number>} */
  const indices = new Map(tokens.map((one, i) => [keyOf(one), i]));
  let next = tokens.length;
  const indexOf = (/** @type {string | number} */ name) => {
    const known = indices.get(name);
    if (known !== undefined) return known;
    indices.set(name, next);
    return next++;
  };
  const before = withHistory ? record.positions.slice(0, at) : [];
  return {
    partial: {
      logprobs: Float64Array.from(tokens, ({ logprob }) => logprob),
      vocab_size: record.vocab_size === null ? null : Math.max(record.vocab_size, tokens.length),
      half_unit,
      cap,
    },
    tokens,
    drawn: isDrawn ? (indices.get(key) ?? null) : null,
    history: before.filter(({ drawn }) => drawn).map((position) => indexOf(keyOf(position.token))),
    settings: biasesOf(settings, record, indexOf),
  };
}
