/**
 * The watermarks' detector: what a text bears of them, and how likely a text that knows nothing of
 * the key bears as much. The hash is C's; here it is counted.
 *
 * Under the null each count is a binomial one over the keys: a context and the token that follows it
 * are counted once, and of SynthID each context once, as what repeats says nothing new.
 */
import { checkInteger, checkOptions } from './checks.js';
import { LogitscopeError } from './errors.js';

/**
 * @typedef {import('./types.js').Settings} Settings
 * @typedef {import('./types.js').Detection} Detection
 */

/** No mark: the context is not complete. */
const NONE = 2 ** 32 - 1;

/**
 * The chance that a binomial number of n trials of chance q is `least` or more. Each term is the one
 * before it times a quotient, from the largest on, so that hosts agree on every bit.
 * @param {number} n
 * @param {number} least
 * @param {number} q
 */
export function upperTail(n, least, q) {
  const odds = q / (1 - q);
  const mode = Math.min(n, Math.floor((n + 1) * q));
  let below = 0;
  let above = 0;
  const add = (/** @type {number} */ i, /** @type {number} */ term) => {
    if (i >= least) above += term;
    else below += term;
  };
  for (let i = mode, term = 1; i <= n && term > 0; i++) {
    add(i, term);
    term *= ((n - i) / (i + 1)) * odds;
  }
  for (let i = mode - 1, term = 1; i >= 0 && term > 0; i--) {
    term *= (i + 1) / (n - i) / odds;
    add(i, term);
  }
  return above / (above + below);
}

/** @param {number} bits */
function countOnes(bits) {
  let count = 0;
  for (let left = bits; left; left &= left - 1) count++;
  return count;
}

/**
 * @param {Uint32Array} marks of C
 * @param {string[]} names of what is counted once, by token
 * @param {number} from the first token that is counted
 * @param {Pick<Detection, 'name'> & { depth: number, chance: number }} kind how many trials a token is,
 *   and the chance of each
 * @returns {Detection}
 */
function count(marks, names, from, { name, depth, chance }) {
  // After a context of the prompt SynthID marks nothing.
  const seen = new Set(name === 'synthid_depth' ? names.slice(0, from) : []);
  const shares = Array.from(marks, (mark) => (mark === NONE ? null : countOnes(mark) / depth));
  const scored = [];
  const curve = [];
  let ones = 0;
  for (let i = from; i < marks.length; i++) {
    if (marks[i] === NONE || seen.has(names[i])) continue;
    seen.add(names[i]);
    scored.push(i);
    ones += countOnes(marks[i]);
    const trials = scored.length * depth;
    curve.push((ones - trials * chance) / Math.sqrt(trials * chance * (1 - chance)));
  }
  const n = scored.length;
  return {
    name,
    n,
    count: ones,
    share: n ? ones / (n * depth) : 0,
    expected: chance,
    z: curve.at(-1) ?? 0,
    p: upperTail(n * depth, ones, chance),
    shares,
    scored,
    curve,
  };
}

/**
 * What a text bears of each watermark that the settings ask for.
 * @param {{ marks: (ids: ArrayLike<number>, settings?: Settings) => import('./types.js').Marks |
 *   Promise<import('./types.js').Marks> }} scope an engine, here or in a worker
 * @param {ArrayLike<number>} ids
 * @param {Settings} settings with the key, fraction and contexts that the text was made with; how
 *   strong green_bias was does not matter
 * @param {{ from?: number }} [options] the first token that is counted: what goes before, the prompt,
 *   nobody marked, and is context alone
 * @returns {Promise<Detection[]>}
 */
export async function detect(scope, ids, settings, options) {
  checkOptions('options of detect', options, ['from']);
  const { from = 0 } = options ?? {};
  checkInteger('from', from, 0, 2 ** 32 - 1);
  const { green, synthid, values } = await scope.marks(ids, settings);
  const list = Array.from(ids);
  const grams = (/** @type {number} */ width, /** @type {number} */ end) =>
    list.map((_, i) => list.slice(Math.max(0, i - width), i + end).join());
  const found = [];
  if (green) {
    found.push(
      count(green, grams(values.green_context, 1), from, {
        name: 'green_bias',
        depth: 1,
        chance: values.green_fraction,
      }),
    );
  }
  if (synthid) {
    found.push(
      count(synthid, grams(values.synthid_context, 0), from, {
        name: 'synthid_depth',
        depth: values.synthid_depth,
        chance: 1 / 2,
      }),
    );
  }
  if (!found.length) throw new LogitscopeError('invalid_argument', 'no_watermark');
  return found;
}
