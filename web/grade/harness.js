/**
 * Runs beside a learner's functions, in their worker or process. It receives calls as messages and sends back the
 * returned values. It does not know the correct answers, which only the grader has.
 */
import { Host } from './toy.js';

// The learner's code may change every object that it can reach, so answers depend only on operators and on these
// copies.
const [Floats, Watch, describe] = [Float32Array, Proxy, Reflect.getOwnPropertyDescriptor];

/**
 * A record of one call of `generate`, for checks that need more than the ids.
 * @typedef {object} Log
 * @property {number[][]} windows the ids of each call of model.logits
 * @property {number} early number of reads of rows before the last row
 * @property {number[]} seeds the argument of each call of rng
 * @property {number} [graph] number of model calls with gradients on, in torch
 * @property {string} [skipped] a setting for which the loop has no parameter, so it was not called
 * @property {string[]} [blind] `end` or `crop`, if the course's loop does not support it
 * @property {boolean} [drawn] true if the loop drew a number of the grader
 * @property {boolean} [uniform] true if a library drew a uniform number, so that the loop may add the
 *   probabilities by rank or in the order of the ids
 */

/** @param {string} name */
const camelCase = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

/**
 * Finds the function: the export with that name, a default export with that name, any default export, or
 * the only function.
 * @param {Record<string, unknown>} exported
 * @param {string} name in snake_case; camelCase and the lessons' names are found too
 * @param {boolean} [strict] true if only a name counts, for a file with several functions
 * @returns {Function}
 */
function findFunction(exported, name, strict = false) {
  const functions = Object.values(exported).filter((value) => typeof value === 'function');
  const names = [name, `${name}_filter`, `apply_${name}`].flatMap((it) => [it, camelCase(it)]);
  const own = /** @type {any} */ (exported.default);
  const found =
    names.map((it) => exported[it]).find((it) => it !== undefined) ??
    (names.includes(own?.name) ? own : undefined);
  const other = exported.default ?? (functions.length === 1 ? functions[0] : undefined);
  const taken = found ?? (strict ? undefined : other);
  if (typeof taken === 'function') return taken;
  if (strict) throw new Error(`it exports no function named ${name}`);
  throw new Error(`it exports no function: one named ${name}, or a default one, is needed`);
}

/** Most characters of an error, and most names: large messages would make the page slow. */
const SAID = 500;
const NAMES = 100;

/**
 * Prepares a returned value for a message: a list of numbers (NaN for anything else in it), or a description. Of a
 * list that is too long, only the first numbers are sent, with the length.
 * @param {any} value
 * @param {number} most
 * @returns {{ result: Float64Array | string, length?: number }}
 */
function copyResult(value, most) {
  if (Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView))) {
    const list = /** @type {any} */ (value);
    const length = Number(list.length);
    const result = Float64Array.from({ length: Math.min(length, most) }, (_, i) =>
      typeof list[i] === 'number' ? list[i] : Number.NaN,
    );
    return { result, length };
  }
  return { result: value === null ? 'null' : `a value of type ${typeof value}` };
}

/** @param {ArrayLike<number>} numbers */
function copyOf(numbers) {
  const copy = new Floats(numbers.length);
  for (let i = 0; i < copy.length; i++) copy[i] = numbers[i];
  return copy;
}

/**
 * Returns true if two lists have the same numbers, including the sign of zero.
 * @param {Float32Array} a @param {Float32Array} b
 */
function isSame(a, b) {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i] || 1 / a[i] !== 1 / b[i]) return false;
  return true;
}

/** Returns true if a list of ids has changed. @param {ArrayLike<number>} before @param {ArrayLike<number>} after */
function isOther(before, after) {
  for (let i = 0; i < before.length; i++) if (before[i] !== after[i]) return true;
  return before.length !== after.length;
}

/**
 * Calls a sampler. The answer's `read` has the settings that the sampler has read, except those that it read only to
 * copy all. `rewrote` is true if it has changed the given ids. The answer goes to `tell`, because the learner's code
 * could read the value of a promise.
 * @param {Function} tested
 * @param {{ logits: Float32Array, settings: any, history: number[], coin: number,
 *   step: number, bits: Uint32Array | null, second: Float32Array | null }} given
 * @param {(answer: any) => void} tell
 */
async function warp(tested, { logits, settings, ...beside }, tell) {
  const own = copyOf(logits);
  const { history } = beside;
  const before = copyOf(history);
  /** @type {Set<string>} */
  const read = new Set();
  /**
   * The setting that is read next if the learner's code is copying all settings; null if it is not.
   * @type {string | symbol | null}
   */
  let copied = null;
  const watched = new Watch(settings, {
    getOwnPropertyDescriptor(target, name) {
      copied = name;
      return describe(target, name);
    },
    get(target, name) {
      const isCopy = copied === name;
      copied = null;
      if (isCopy) return target[name];
      if (read.size < NAMES && typeof name === 'string' && name.length < NAMES) read.add(name);
      return target[name];
    },
  });
  const result = copyResult(await tested(own, watched, beside), logits.length);
  const rewrote = isOther(before, history);
  tell({ ...result, changed: !isSame(logits, own), rewrote, read: [...read] });
}

/**
 * @param {import('./toy.js').Toy} toy
 * @param {(question: import('./toy.js').Question) => any} ask
 * @param {Log} log
 */
function modelOf({ vocab_size, context_length, eos_token_id }, ask, log) {
  return {
    vocab_size,
    context_length,
    eos_token_id,
    logits(/** @type {Iterable<number>} */ given) {
      /** @type {number[]} */
      const ids = [];
      for (const id of given) if (ids.push(Number(id)) > context_length) break;
      const { length = ids.length } = /** @type {any} */ (given);
      const { rows: all, error } = ask({ ask: 'window', ids, length });
      if (error) throw new Error(error);
      const rows = all.map((/** @type {Float32Array} */ row) => Floats.from(row));
      rows.slice(0, -1).forEach((/** @type {Float32Array} */ row, /** @type {number} */ at) =>
        Object.defineProperty(rows, at, {
          configurable: true,
          enumerable: true,
          get() {
            log.early++;
            return row;
          },
        }),
      );
      return rows;
    },
  };
}

/**
 * @param {Function} tested
 * @param {{ prompt: number[], settings: any, toy: import('./toy.js').Toy,
 *   streams?: Record<number, Float64Array> }} given
 * @param {(answer: any) => void} tell
 * @param {((question: import('./toy.js').Question) => any) | undefined} elsewhere asks another process,
 *   which has the model, the random numbers and the log
 */
async function generate(tested, { prompt, settings, toy, streams = {} }, tell, elsewhere) {
  const host = new Host({ toy, streams, settings });
  const ask = elsewhere ?? ((/** @type {any} */ question) => host.answer(question));
  const { log } = host;
  const rng = (/** @type {number} */ seed) => {
    const { stream, from } = ask({ ask: 'seed', seed: Number(seed) });
    let step = from;
    return () => stream[step++ % stream.length];
  };
  const given = prompt.slice();
  const before = copyOf(prompt);
  try {
    const ids = await tested(modelOf(toy, ask, log), given, settings, { rng });
    const answer = copyResult(ids, settings.max_new_tokens + 8);
    tell({ ...answer, rewrote: isOther(before, given), log });
  } catch (error) {
    tell({ error: message(error), log });
  }
}

/** Returns the message of a thrown value, at most SAID characters. @param {unknown} error */
export function message(error) {
  try {
    const said = String(error instanceof Error ? error.message : error);
    return said.length > SAID ? `${said.slice(0, SAID)}…` : said;
  } catch {
    return 'what it threw has no words';
  }
}

/**
 * @param {{ postMessage: (message: any) => void, onmessage: any, ask?: (question: any) => any }} port
 * @param {() => Promise<Record<string, unknown>>} load imports the learner's module
 */
export function serve(port, load) {
  /** @type {Function | null} */
  let tested = null;
  /** The texts of the tokens, from the last call that had them. @type {string[] | null} */
  let tokens = null;
  port.onmessage = async (/** @type {{ data: any }} */ { data: { id, call, ...given } }) => {
    try {
      if (call === 'load') {
        tested = findFunction(await load(), given.name, given.strict);
        port.postMessage({ id });
        return;
      }
      tokens = given.tokens === undefined ? tokens : given.tokens;
      if (tokens) given.tokens = tokens;
      const tell = (/** @type {any} */ answer) => port.postMessage({ id, ...answer });
      await (call === 'warp' ? warp : generate)(
        /** @type {Function} */ (tested),
        given,
        tell,
        port.ask,
      );
    } catch (error) {
      port.postMessage({ id, error: message(error) });
    }
  };
}
