/**
 * Parses pasted logits: lines `token: value`, or JSON (an array or an object). Every entry is checked. Probabilities
 * become their logarithms, from which the softmax gives the probabilities again.
 */

/**
 * @typedef {{ tokens: string[], logits: number[] }} Given
 * @typedef {{ key: string, params: Record<string, string | number> }} Refusal key: of a message
 */

/** Most entries: the size of the largest supported vocabulary. */
const MOST = 262144;
/** Longest text in UTF-16 units, with room for MOST entries. */
const LONGEST = 1 << 23;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * @param {string} text
 * @param {'logits' | 'probabilities'} [kind] the meaning of the numbers
 * @returns {Given | Refusal}
 */
export function parseLogits(text, kind = 'logits') {
  if (text.length > LONGEST)
    return { key: 'logits.error.long', params: { n: text.length, limit: LONGEST } };
  const trimmed = text.trim();
  if (trimmed === '') return { key: 'logits.error.empty', params: {} };
  const found = /^[[{]/.test(trimmed) ? parseJson(trimmed) : parseLines(text);
  if ('key' in found) return found;
  const { length } = found.tokens;
  if (length > MOST) return tooMany(length);
  return kind === 'logits' ? found : fromProbabilities(found);
}

/** @param {number} n @returns {Refusal} */
const tooMany = (n) => ({ key: 'logits.error.many', params: { n, limit: MOST } });

/** @param {Given} given @returns {Given | Refusal} */
function fromProbabilities({ tokens, logits: shares }) {
  const at = shares.findIndex((share) => share < 0);
  if (at >= 0) return { key: 'logits.error.negative', params: { n: at + 1, value: shares[at] } };
  if (!shares.some((share) => share > 0)) return { key: 'logits.error.zero', params: {} };
  return { tokens, logits: shares.map(Math.log) };
}

/** @param {string} text @returns {Given | Refusal} */
function parseLines(text) {
  /** @type {Given} */
  const given = { tokens: [], logits: [] };
  const lines = text.split(/\r?\n/);
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i];
    if (line.trim() === '') continue;
    const at = line.lastIndexOf(':');
    const value = line.slice(at + 1).trim();
    if (!NUMBER.test(value) || !Number.isFinite(Math.fround(Number(value))))
      return { key: 'logits.error.line', params: { n: i + 1, line: clip(line) } };
    const token = at < 0 ? String(given.tokens.length) : line.slice(0, at);
    if (token === '') return { key: 'logits.error.unnamed', params: { n: i + 1 } };
    given.tokens.push(token);
    given.logits.push(Number(value));
  }
  return given;
}

/** @param {string} text @returns {Given | Refusal} */
function parseJson(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const at = Number(/position (\d+)/.exec(String(error))?.[1] ?? text.length);
    return { key: 'logits.error.json', params: { n: text.slice(0, at).split('\n').length } };
  }
  if (Array.isArray(value) && value.length > MOST) return tooMany(value.length);
  const entries = Array.isArray(value) ? value.map(readEntry) : Object.entries(value);
  if (entries.length === 0) return { key: 'logits.error.empty', params: {} };
  const wrong = entries.findIndex(
    ([token, logit]) =>
      typeof token !== 'string' ||
      typeof logit !== 'number' ||
      !Number.isFinite(Math.fround(logit)),
  );
  if (wrong >= 0)
    return {
      key: 'logits.error.entry',
      params: {
        n: wrong + 1,
        entry: clip(JSON.stringify(Array.isArray(value) ? value[wrong] : entries[wrong]) ?? ''),
      },
    };
  return { tokens: entries.map(([token]) => token), logits: entries.map(([, logit]) => logit) };
}

/**
 * Returns the token and logit of an entry in an array: a number, a pair, or an object.
 * @param {any} entry
 * @param {number} i
 * @returns {[any, any]}
 */
function readEntry(entry, i) {
  if (typeof entry === 'number') return [String(i), entry];
  if (Array.isArray(entry)) return [entry[0], entry[1]];
  return [entry?.token, entry?.logit];
}

/** @param {string} text */
function clip(text) {
  const characters = [...text.trim().slice(0, 100)];
  return characters.length > 40 ? `${characters.slice(0, 39).join('')}…` : characters.join('');
}
