/**
 * The prefixes of texts after one prompt, and walks over them under one chain. A prefix keeps its logits, so other
 * settings need no model.
 */
import { LogitscopeError } from './errors.js';
import { openPace } from './generate.js';
import { readsSecond } from './presets.js';

/** @import { Core } from './core.js' */
/** @import { Sentence } from './law-types.js' */
/** @import { Settings } from './types.js' */

/** The most bytes of kept logits of one prompt. */
const LOGITS_BYTES = 2 ** 26;

/** A prefix: its logits (vocab_size,) once they are known, and the prefixes that are one token longer. */
class Prefix {
  /** @type {Float32Array | null} */
  logits = null;
  /** @type {Map<number, Prefix> | null} */
  next = null;

  /** @param {number} id */
  child(id) {
    this.next ??= new Map();
    let child = this.next.get(id);
    if (!child) this.next.set(id, (child = new Prefix()));
    return child;
  }
}

/** The prefixes after one prompt, with the session that computes their logits. */
class Forest {
  root = new Prefix();
  /** Number of prefixes with kept logits. */
  #kept = 0;
  /** Number of laws that run over these prefixes. */
  #users = 0;
  /** False once another prompt has its place; then the last law closes the session. */
  #stays = true;
  /** Resolves when the session is free: laws that run at once take turns. @type {Promise<unknown>} */
  #turn = Promise.resolve();
  #session;

  /** @param {import('./session.js').Session} session @param {number[]} prompt */
  constructor(session, prompt) {
    this.#session = session;
    this.prompt = prompt;
  }

  /**
   * Computes the logits after prompt and path, and keeps them while there is room.
   * @param {Prefix} prefix
   * @param {number[]} path
   */
  learn(prefix, path) {
    const ids = [...this.prompt, ...path];
    const read = async () => {
      if (prefix.logits) return prefix.logits; // another law has learned them meanwhile
      await this.#session.feed(ids);
      const logits = await this.#session.logits();
      if (++this.#kept * logits.byteLength <= LOGITS_BYTES) prefix.logits = logits;
      return logits;
    };
    const learned = this.#turn.then(read);
    this.#turn = learned.catch(() => {});
    return learned;
  }

  /** Keeps the session open until `leave`. */
  enter() {
    this.#users++;
  }

  leave() {
    this.#users--;
    this.#closeUnused();
  }

  /** Closes the session when the last law has left. */
  retire() {
    this.#stays = false;
    this.#closeUnused();
  }

  #closeUnused() {
    if (!this.#stays && !this.#users) this.#session.close();
  }
}

/** The forest of an engine's last prompt. @type {WeakMap<Core, Forest>} */
const forests = new WeakMap();

/** The prefixes after a prompt; those of the engine's prompt before are given up. @param {Core} core @param {import('./logitscope.js').Logitscope} scope @param {number[]} prompt */
export function forestOf(core, scope, prompt) {
  const last = forests.get(core);
  if (last && String(last.prompt) === String(prompt)) return last;
  last?.retire();
  const forest = new Forest(scope.session(), prompt);
  forests.set(core, forest);
  return forest;
}

/**
 * A prefix of some texts: its path, the branches that are one token longer, with that token's id, and the texts that
 * are this prefix. Branches and texts are named by their index.
 * @typedef {{ prefix: Prefix, path: number[], longer: [number, number][], texts: number[] }} Branch
 */

/**
 * The prefixes of texts, each once and before its longer ones, so that texts share the work.
 * @param {Forest} forest
 * @param {{ ids: number[] }[]} texts
 */
export function branchesOf(forest, texts) {
  /** @type {Branch[]} */
  const branches = [{ prefix: forest.root, path: [], longer: [], texts: [] }];
  const places = new Map([[forest.root, 0]]);
  for (const [text, { ids }] of texts.entries()) {
    let at = 0;
    for (const [i, id] of ids.entries()) {
      const prefix = branches[at].prefix.child(id);
      let next = places.get(prefix);
      if (next === undefined) {
        next = branches.push({ prefix, path: ids.slice(0, i + 1), longer: [], texts: [] }) - 1;
        places.set(prefix, next);
        branches[at].longer.push([id, next]);
      }
      at = next;
    }
    branches[at].texts.push(text);
  }
  return branches;
}

const NOTHING = new Float64Array(0);

/**
 * Runs the chain on many rows of logits with equal settings. The returned function gives p (vocab_size,) after one
 * row; it is empty if a gate leaves no token. It is a view of the engine's memory, valid until the next call.
 * @param {Core} core
 * @param {import('./settings.js').Resolved} asked
 * @param {number} begin number of ids of each history that are the prompt
 * @returns {(logits: Float32Array, history: number[]) => Float64Array}
 */
function openRows({ chain, module }, asked, begin) {
  const { calls } = module;
  const resolved = { ...asked, gates: { constraint_start: begin, ...asked.gates } };
  return (logits, history) => {
    const source = chain.given(logits, history);
    const { chain: handle, at } = chain.prepareRun(source, resolved, history.length - begin);
    try {
      module.need(calls.chain_apply(handle, ...at, 0));
    } catch (error) {
      if (/** @type {LogitscopeError} */ (error).code === 'nothing_left') return NOTHING;
      throw error;
    }
    const pAt = module.exchange(8 * logits.length);
    calls.chain_probabilities(handle, pAt, logits.length);
    return new Float64Array(module.memory.buffer, pAt >>> 0, logits.length);
  };
}

/**
 * Refuses samplers with a state or a second distribution, since logits and prefix do not decide their result.
 * @param {Record<string, any>} values
 * @param {unknown} own
 */
function checkStages(values, own) {
  for (const setting of ['mirostat', 'adaptive_target'])
    if (values[setting]) throw new LogitscopeError('invalid_argument', 'law_state', { setting });
  let setting = '';
  if (readsSecond(values)) setting = 'guidance_scale';
  else if (own) setting = 'own';
  if (setting) throw new LogitscopeError('invalid_argument', 'law_stage', { setting });
}

/**
 * As openRows. XTC tosses a coin at each step, independent of the text: p is the mean of both outcomes.
 * @type {typeof openRows}
 */
function openMeanRows(core, resolved, begin) {
  const coin = resolved.values.xtc_probability;
  if (!(coin > 0 && coin < 1)) return openRows(core, resolved, begin);
  const [cut, whole] = [1, 0].map((xtc_probability) =>
    openRows(core, { ...resolved, values: { ...resolved.values, xtc_probability } }, begin),
  );
  return (logits, history) => {
    const left = whole(logits, history).slice();
    return cut(logits, history).map((p, id) => coin * p + (1 - coin) * left[id]);
  };
}

/** Reads prefixes under one chain. */
export class Walk {
  #core;
  #forest;
  #rows;
  #pace = openPace();

  /**
   * @param {Core} core
   * @param {Forest} forest
   * @param {Settings} settings
   * @param {{ most: number, ends: number[], limit: number, signal?: { aborted: boolean } }} bounds
   */
  constructor(core, forest, settings, bounds) {
    this.#core = core;
    this.#forest = forest;
    const resolved = core.resolve({ ...settings, top: 0 });
    checkStages(resolved.values, resolved.own);
    this.bounds = bounds;
    this.#rows = openMeanRows(core, resolved, forest.prompt.length);
  }

  /** A view as of openRows, after a path. @param {Float32Array} logits @param {number[]} path */
  #row(logits, path) {
    this.#core.needModel(); // another call may have closed the engine meanwhile
    return this.#rows(logits, [...this.#forest.prompt, ...path]);
  }

  /**
   * A view as of openRows, after a path; null if its logits are not known.
   * @param {Prefix} prefix
   * @param {number[]} path
   */
  #known({ logits }, path) {
    return logits && this.#row(logits, path);
  }

  /**
   * p (vocab_size,) of the token after a path.
   * @param {Prefix} prefix
   * @param {number[]} path
   * @returns {Promise<Float64Array>}
   */
  async after(prefix, path) {
    const q = this.#known(prefix, path);
    if (q) return q.slice();
    const logits = await this.#forest.learn(prefix, path);
    await this.#breathe();
    return this.#row(logits, path).slice();
  }

  /** Lets other events run from time to time, such as an abort. */
  async #breathe() {
    await this.#pace();
    if (this.bounds.signal?.aborted) throw new LogitscopeError('cancelled', 'law_cancelled');
  }

  /**
   * The p of each text; 0 if the chain removes a token.
   * @param {{ ids: number[] }[]} texts
   * @param {Branch[]} [branches] of the texts
   * @param {(share: number) => void} [tell] hears from time to time the share of the branches that are done
   */
  async shares(texts, branches = branchesOf(this.#forest, texts), tell = undefined) {
    const reached = new Float64Array(branches.length);
    const shares = new Float64Array(texts.length);
    reached[0] = 1;
    for (const [at, { prefix, path, longer, texts: own }] of branches.entries()) {
      const p = reached[at];
      for (const text of own) shares[text] = p;
      if (!p || !longer.length) continue;
      const row = this.#known(prefix, path) ?? (await this.after(prefix, path));
      for (const [id, next] of longer) reached[next] = p * (row[id] ?? 0); // a gate may leave no token
      if (at % 64) continue;
      tell?.(at / branches.length);
      await this.#breathe();
    }
    return Array.from(shares);
  }

  /**
   * Finds all texts with p >= threshold; null if they need more prefixes than the limit.
   * @param {number} threshold
   * @param {number} [limit]
   * @returns {Promise<{ found: Sentence[], rest: number, visited: number } | null>}
   */
  async pass(threshold, limit = this.bounds.limit) {
    const { most, ends } = this.bounds;
    const stack = [
      { prefix: this.#forest.root, depth: 0, id: -1, p: 1, steps: /** @type {number[]} */ ([]) },
    ];
    /** @type {number[]} */
    const path = [];
    /** @type {Sentence[]} */
    const found = [];
    let rest = 0;
    let visited = 0;
    for (let top = stack.pop(); top; top = stack.pop()) {
      path.length = Math.max(0, top.depth - 1);
      if (top.depth) path.push(top.id);
      if (++visited > limit) return null;
      if (visited % 64 === 1) await this.#breathe();
      const q = this.#known(top.prefix, path) ?? (await this.after(top.prefix, path));
      if (!q.length)
        found.push({ ids: [...path], p: top.p, steps: top.steps, finish_reason: 'nothing_left' });
      for (let id = q.length - 1; id >= 0; id--) {
        const p = top.p * q[id];
        if (!p) continue;
        if (p < threshold) rest += p;
        else if (ends.includes(id) || top.depth + 1 === most)
          found.push({
            ids: [...path, id],
            p,
            steps: [...top.steps, q[id]],
            finish_reason: ends.includes(id) ? 'eos' : 'length',
          });
        else
          stack.push({
            prefix: top.prefix.child(id),
            depth: top.depth + 1,
            id,
            p,
            steps: [...top.steps, q[id]],
          });
      }
    }
    return { found, rest, visited };
  }

  /**
   * The p of each token of a text; ends early at a token that the chain removes.
   * @param {number[]} ids
   */
  async along(ids) {
    let prefix = this.#forest.root;
    const steps = [];
    for (const [i, id] of ids.entries()) {
      steps.push((await this.after(prefix, ids.slice(0, i)))[id] ?? 0);
      if (!steps.at(-1)) break;
      prefix = prefix.child(id);
    }
    return steps;
  }

  /** The text that takes the most probable token at each step; ties by id. */
  async greedy() {
    const { most, ends } = this.bounds;
    const ids = [];
    const steps = [];
    for (
      let prefix = this.#forest.root;
      ids.length < most;
      prefix = prefix.child(ids[ids.length - 1])
    ) {
      const q = await this.after(prefix, ids);
      if (!q.length) break;
      const id = q.reduce((best, p, i) => (p > q[best] ? i : best), 0);
      steps.push(q[id]);
      ids.push(id);
      if (ends.includes(id)) break;
    }
    return { ids, steps };
  }
}
