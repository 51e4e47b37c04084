/**
 * Runs beside a learner's functions, in a worker: takes calls as messages and answers with what the
 * functions return. Knows nothing of what is right; the other end compares.
 */

/**
 * The toy model of a generation, as data.
 * @typedef {object} Toy
 * @property {Float32Array[]} rows each (vocab_size,)
 * @property {number} vocab_size
 * @property {number} context_length
 * @property {number} eos_token_id
 */

/**
 * What a call of `generate` did, for the checks that its ids alone cannot make.
 * @typedef {object} Log
 * @property {number[][]} windows the ids of each call of model.logits
 * @property {number} early reads of rows before the last
 * @property {number[]} seeds of each call of rng
 * @property {number} [graph] calls of the model with gradients on, where there are such
 */

/**
 * Which row of a toy model belongs to a place in a window: it depends on the token, on its place
 * and on where the window begins, so that a wrong window shows.
 * @param {Toy} toy
 * @param {ArrayLike<number>} window
 * @param {number} at
 */
export function toyRow({ rows }, window, at) {
  return rows[(5 * window[at] + 3 * window[0] + at) % rows.length];
}

/** @param {string} name */
const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

/**
 * The function to call: the export of that name, the default of that name, any default, or the only
 * function.
 * @param {Record<string, unknown>} exported
 * @param {string} name in snake_case; camelCase is found too, and what lessons call it
 * @param {boolean} [strict] whether only a name will do, where several functions are asked for
 * @returns {Function}
 */
function find(exported, name, strict = false) {
  const functions = Object.values(exported).filter((value) => typeof value === 'function');
  const names = [name, `${name}_filter`, `apply_${name}`].flatMap((it) => [it, camel(it)]);
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

/** Bounds of what a message carries, whatever the function did: it must not weigh on the page. */
const SAID = 500;
const NAMES = 100;
const SEEDS = 1000;

/**
 * Numbers that a message can carry; whatever is not a number is NaN, no list at all a description.
 * Of a list that is too long only its length is told beyond the first `most`.
 * @param {any} value
 * @param {number} most
 * @returns {{ result: Float64Array | string, length?: number }}
 */
function plain(value, most) {
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

/**
 * `read` names the settings that it looked at.
 * @param {Function} subject
 * @param {{ logits: Float32Array, settings: any, history: number[], coin: number,
 *   step: number, bits: Uint32Array | null, second: Float32Array | null }} given
 */
async function warp(subject, { logits, settings, ...beside }) {
  const own = logits.slice();
  /** @type {Set<string>} */
  const read = new Set();
  const watched = new Proxy(settings, {
    get(target, name) {
      if (read.size < NAMES && typeof name === 'string' && name.length < NAMES) read.add(name);
      return target[name];
    },
  });
  const result = plain(await subject(own, watched, beside), logits.length);
  const changed = logits.some((logit, id) => !Object.is(logit, own[id]));
  return { ...result, changed, read: [...read] };
}

/**
 * @param {Toy} toy
 * @param {number} limit how often it may be asked
 * @param {Log} log
 */
function modelOf(toy, limit, log) {
  return {
    vocab_size: toy.vocab_size,
    context_length: toy.context_length,
    eos_token_id: toy.eos_token_id,
    logits(/** @type {Iterable<number>} */ given) {
      /** @type {number[]} */
      const ids = [];
      for (const id of given) if (ids.push(Number(id)) > toy.context_length) break;
      log.windows.push(ids);
      if (log.windows.length > limit) {
        throw new Error(`the model was asked ${log.windows.length} times: does the loop end?`);
      }
      if (!ids.length) throw new Error('the model was asked without a token');
      if (ids.length > toy.context_length) {
        const { length = ids.length } = /** @type {any} */ (given);
        throw new Error(`the model sees ${toy.context_length} tokens at most, got ${length}`);
      }
      const rows = ids.map((_, at) => toyRow(toy, ids, at).slice());
      rows.slice(0, -1).forEach((row, at) =>
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
 * @param {Function} subject
 * @param {{ prompt: number[], settings: any, toy: Toy, streams: Record<number, Float64Array> }} given
 */
async function generate(subject, { prompt, settings, toy, streams }) {
  /** @type {Log} */
  const log = { windows: [], early: 0, seeds: [] };
  const rng = (/** @type {number} */ seed) => {
    if (log.seeds.length < SEEDS) log.seeds.push(Number(seed));
    let step = 0;
    const known = streams[seed];
    const stream = known ?? Object.values(streams)[0];
    return () => stream[(step++ + (known ? 0 : 17)) % stream.length];
  };
  const model = modelOf(toy, settings.max_new_tokens + 8, log);
  try {
    const ids = await subject(model, prompt.slice(), settings, { rng });
    return { ...plain(ids, settings.max_new_tokens + 8), log };
  } catch (error) {
    return { error: message(error), log };
  }
}

/** What was thrown, in words, however many it has. @param {unknown} error */
export function message(error) {
  try {
    const said = String(error instanceof Error ? error.message : error);
    return said.length > SAID ? `${said.slice(0, SAID)}…` : said;
  } catch {
    return 'what it threw has no words';
  }
}

/**
 * @param {{ postMessage: (message: any) => void, onmessage: any }} port
 * @param {() => Promise<Record<string, unknown>>} load imports the learner's module
 */
export function serve(port, load) {
  /** @type {Function | null} */
  let subject = null;
  port.onmessage = async (/** @type {{ data: any }} */ { data: { id, call, ...given } }) => {
    try {
      if (call === 'load') {
        subject = find(await load(), given.name, given.strict);
        port.postMessage({ id });
        return;
      }
      const answer = await (call === 'warp' ? warp : generate)(
        /** @type {Function} */ (subject),
        given,
      );
      port.postMessage({ id, ...answer });
    } catch (error) {
      port.postMessage({ id, error: message(error) });
    }
  };
}
