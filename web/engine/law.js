/**
 * The law of whole texts: the probability of each complete text after a prompt, most probable first, without
 * sampling. A text ends with an end token, or at `max_new_tokens`. The probability of a text is the product of its
 * tokens' p under the chain. All texts that are not listed are one number, `rest`.
 *
 * A pass visits every prefix with p >= threshold, depth first, so each new prefix feeds one token. All texts with
 * p >= threshold are found, so ranks and mode are certain. A prefix keeps its logits: other settings need no model.
 */
import { checkInteger, checkNumbers, checkOptions, checkSignal, checkText, isObject } from './checks.js';
import { exp, log } from './elementary.js';
import { LogitscopeError, mustBe, show } from './errors.js';
import { openPace } from './generate.js';
import { CARRIED, readsSecond } from './presets.js';
import { beamSearch } from './search.js';

/** @import { Core } from './core.js' */
/** @import { Law, LawOptions, Other, Settings, Sentence } from './law-types.js' */

const LIMIT = 60_000;
const LIMIT_MAX = 1 << 20;
/** The most bytes of kept logits. */
const LOGITS_BYTES = 2 ** 26;
/** A pass that finds too little is repeated with a threshold divided by this number. */
const STEP = 4;
/** Below this threshold p is no longer exact enough to be ranked. */
const THRESHOLD_MIN = 2 ** -44;

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
  /** Number of prefixes with logits. */
  known = 0;
  #session;

  /** @param {import('./session.js').Session} session @param {number[]} prompt */
  constructor(session, prompt) {
    this.#session = session;
    this.prompt = prompt;
  }

  /**
   * Computes the logits after prompt and path.
   * @param {Prefix} prefix
   * @param {number[]} path
   */
  async learn(prefix, path) {
    await this.#session.feed([...this.prompt, ...path]);
    prefix.logits = this.#session.logits();
    this.known++;
  }

  close() {
    this.#session.close();
  }
}

/** The forest of an engine's last prompt. @type {WeakMap<Core, Forest>} */
const forests = new WeakMap();

/** @param {Core} core @param {import('./logitscope.js').Logitscope} scope @param {number[]} prompt */
function forestOf(core, scope, prompt) {
  const last = forests.get(core);
  if (last && String(last.prompt) === String(prompt)) return last;
  last?.close();
  const forest = new Forest(scope.session(), prompt);
  forests.set(core, forest);
  return forest;
}

/**
 * Refuses samplers whose result depends on more than prompt, text and settings: a state or a coin.
 * @param {Record<string, any>} values
 * @param {unknown} own
 */
function checkStages(values, own) {
  const { mirostat, adaptive_target, xtc_probability: coin } = values;
  let setting = '';
  if (mirostat) setting = 'mirostat';
  else if (adaptive_target) setting = 'adaptive_target';
  else if (coin > 0 && coin < 1) setting = 'xtc_probability';
  else if (readsSecond(values)) setting = 'guidance_scale';
  else if (own) setting = 'own';
  if (setting) throw new LogitscopeError('invalid_argument', 'law_stage', { setting });
}

/** One run of the search: chain, prompt, ends. */
class Walk {
  #core;
  #forest;
  #resolved;
  /** Replaced after a wait, since another call may have changed the settings in C. */
  #row;
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
    this.#resolved = core.resolve({ ...settings, top: 0 });
    checkStages(this.#resolved.values, this.#resolved.own);
    this.bounds = bounds;
    this.#row = this.#open();
  }

  #open() {
    const { chain, info } = this.#core;
    return chain.rows(this.#resolved, info?.vocab_size ?? 0, this.#forest.prompt.length);
  }

  /**
   * p (vocab_size,) of the token after a path, null if its logits are not known.
   * @param {Prefix} prefix
   * @param {number[]} path
   */
  #known({ logits }, path) {
    return logits && this.#row(logits, [...this.#forest.prompt, ...path]);
  }

  /**
   * p (vocab_size,) of the token after a path.
   * @param {Prefix} prefix
   * @param {number[]} path
   * @returns {Promise<Float64Array>}
   */
  async after(prefix, path) {
    if (!prefix.logits) {
      await this.#forest.learn(prefix, path);
      await this.#pace();
      this.bounds.signal?.throwIfAborted?.();
      this.#row = this.#open();
    }
    return /** @type {Float64Array} */ (this.#known(prefix, path));
  }

  /**
   * Finds all texts with p >= threshold; null if they need more prefixes than the limit.
   * @param {number} threshold
   * @returns {Promise<{ found: Sentence[], rest: number } | null>}
   */
  async pass(threshold) {
    const { most, ends, limit } = this.bounds;
    const stack = [{ prefix: this.#forest.root, depth: 0, id: -1, p: 1, steps: /** @type {number[]} */ ([]) }];
    /** @type {number[]} */
    const path = [];
    /** @type {Sentence[]} */
    const found = [];
    let rest = 0;
    for (let top = stack.pop(); top; top = stack.pop()) {
      path.length = Math.max(0, top.depth - 1);
      if (top.depth) path.push(top.id);
      if (!top.prefix.logits && this.#forest.known >= limit) return null;
      const q = this.#known(top.prefix, path) ?? (await this.after(top.prefix, path));
      for (let id = q.length - 1; id >= 0; id--) {
        const p = top.p * q[id];
        if (!p) continue;
        if (p < threshold) rest += p;
        else if (ends.includes(id) || top.depth + 1 === most)
          found.push({ ids: [...path, id], p, steps: [...top.steps, q[id]], ended: ends.includes(id) });
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
    return { found, rest };
  }

  /**
   * The p of each token of a text; ends early at a token that the chain removes.
   * @param {number[]} ids
   */
  async along(ids) {
    let prefix = this.#forest.root;
    const steps = [];
    for (const [i, id] of ids.entries()) {
      steps.push((await this.after(prefix, ids.slice(0, i)))[id]);
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
    for (let prefix = this.#forest.root; ids.length < most; prefix = prefix.child(ids[ids.length - 1])) {
      const q = await this.after(prefix, ids);
      const id = q.reduce((best, p, i) => (p > q[best] ? i : best), 0);
      steps.push(q[id]);
      ids.push(id);
      if (ends.includes(id)) break;
    }
    return { ids, steps };
  }
}

/** Sorts by descending p, then by ids. @param {Sentence} a @param {Sentence} b */
const byP = (a, b) => b.p - a.p || (String(a.ids) < String(b.ids) ? -1 : 1);

/** @param {number[]} values */
const product = (values) => values.reduce((all, p) => all * p, 1);
/** @param {number[]} values */
const sum = (values) => values.reduce((all, p) => all + p, 0);

/**
 * The texts that hold `mass`, most probable first, and the rest.
 * @param {Walk} walk
 * @param {number} mass
 */
async function search(walk, mass) {
  let threshold = Math.max(THRESHOLD_MIN, (1 - mass) / 8);
  let best = await walk.pass(threshold);
  while (!best && threshold < 1) best = await walk.pass((threshold *= STEP));
  best ??= { found: [], rest: 1 };
  while (best.rest && 1 - best.rest < mass && threshold > THRESHOLD_MIN) {
    const more = await walk.pass((threshold /= STEP));
    if (!more) break;
    best = more;
  }
  const sorted = best.found.sort(byP);
  let held = 0;
  let count = 0;
  while (count < sorted.length && held < mass) held += sorted[count++].p;
  const left = sorted.slice(count).map(({ p }) => p);
  return { listed: sorted.slice(0, count), rest: best.rest + sum(left), all: sorted };
}

/** @typedef {{ each: [number, number][], rest: [number, number] }} Beside each listed text's p and the rest's, from and to */

/**
 * p^power, divided by its sum over all texts. A text that is not listed has at most the last listed p, which bounds
 * the sum of the rest: sum p^power <= rest * last^(power - 1) for power >= 1.
 * @param {Sentence[]} listed
 * @param {number} rest
 * @param {number} power
 * @returns {Beside}
 */
function sharpen(listed, rest, power) {
  if (!listed.length) return { each: [], rest: [0, 1] };
  const best = log(listed[0].p);
  const weights = listed.map(({ p }) => exp(power * (log(p) - best)));
  const total = sum(weights);
  const last = log(listed[listed.length - 1].p);
  const tail = rest > 0 ? exp(log(rest) - best + (power - 1) * (last - best)) : 0;
  return {
    each: weights.map((weight) => [weight / (total + tail), weight / total]),
    rest: [0, tail / (total + tail)],
  };
}

/**
 * The most probable of n independent draws: at rank k with G_k^n - G_(k+1)^n, G_k = 1 - the p of the texts before it.
 * @param {Sentence[]} listed
 * @param {number} n
 * @returns {Beside}
 */
function bestOf(listed, n) {
  let over = 1;
  const each = listed.map(({ p }) => {
    const before = over ** n;
    over = Math.max(0, over - p);
    const share = before - over ** n;
    return /** @type {[number, number]} */ ([share, share]);
  });
  return { each, rest: [over ** n, over ** n] };
}

/**
 * The law given that a text satisfies a constraint.
 * @param {Walk} masked a walk whose only setting is the constraint
 * @param {Sentence[]} listed
 * @param {number} rest
 * @returns {Promise<Beside>}
 */
async function condition(masked, listed, rest) {
  const valid = [];
  for (const { ids } of listed) valid.push(Boolean((await masked.along(ids)).at(-1)));
  const total = sum(listed.map(({ p }, i) => (valid[i] ? p : 0)));
  return {
    each: listed.map(({ p }, i) => (valid[i] ? [p / (total + rest), p / total] : [0, 0])),
    rest: [0, total + rest ? rest / (total + rest) : 0],
  };
}

/** The smallest and the largest |a - b| for b in an interval. @param {number} a @param {[number, number]} b @returns {[number, number]} */
const apart = (a, [low, high]) => [
  Math.max(0, a - high, low - a),
  Math.max(Math.abs(a - low), Math.abs(a - high)),
];

/** a ln(a / b), 0 for a = 0. @param {number} a @param {number} b */
const divergence = (a, b) => {
  if (!a) return 0;
  return b ? a * (log(a) - log(b)) : Infinity;
};

/**
 * Total variation and KL divergence (nats) of another law from this one, each from and to.
 * @param {Sentence[]} listed
 * @param {number} rest
 * @param {Beside} other
 */
function distances(listed, rest, other) {
  const gaps = listed.map(({ p }, i) => apart(p, other.each[i]));
  const tail = apart(rest, other.rest);
  const known = [0, 1].map((side) => sum(gaps.map((gap) => gap[side])));
  const low = sum(listed.map(({ p }, i) => divergence(p, other.each[i][1])));
  const high = sum(listed.map(({ p }, i) => divergence(p, other.each[i][0])));
  return {
    total_variation: [(known[0] + tail[0]) / 2, Math.min(1, (known[1] + rest + other.rest[1]) / 2)],
    kl: [Math.max(0, low + (rest ? divergence(rest, other.rest[1]) : 0)), rest ? Infinity : high],
  };
}

/**
 * Walks of other laws see the same prefixes.
 * @typedef {{ core: Core, forest: Forest, bounds: { most: number, ends: number[], limit: number, signal?: any } }} Ground
 */

/**
 * Another law over this law's texts. The texts of other settings come from a search of their own; texts that only
 * one of the two searches lists join both.
 * @param {Ground} ground
 * @param {Other} other
 * @param {{ listed: Sentence[], rest: number, mass: number }} own
 * @returns {Promise<Beside>}
 */
async function beside({ core, forest, bounds }, other, { listed, rest }) {
  if (other.power !== undefined) return sharpen(listed, rest, other.power);
  if (other.best_of !== undefined) return bestOf(listed, other.best_of);
  if (other.condition !== undefined) {
    const masked = new Walk(core, forest, { constraint: other.condition }, bounds);
    return condition(masked, listed, rest);
  }
  const walk = new Walk(core, forest, other.settings ?? {}, bounds);
  const each = [];
  for (const { ids } of listed) {
    const steps = await walk.along(ids);
    const p = steps.length === ids.length ? product(steps) : 0;
    each.push(/** @type {[number, number]} */ ([p, p]));
  }
  const hidden = Math.max(0, 1 - sum(each.map(([p]) => p)));
  return { each, rest: [hidden, hidden] };
}

/**
 * The p of each listed text at each value of a setting, and the rest's.
 * @param {Ground} ground
 * @param {Settings} settings
 * @param {{ name: string, values: number[] }} knob
 * @param {Sentence[]} listed
 */
async function follow({ core, forest, bounds }, settings, { name, values }, listed) {
  const courses = listed.map(() => new Float64Array(values.length));
  const rest = new Float64Array(values.length);
  for (const [at, value] of values.entries()) {
    const walk = new Walk(core, forest, { ...settings, [name]: value }, bounds);
    /** The p of each prefix, so that texts share the work. @type {Map<Prefix, Float64Array>} */
    const rows = new Map();
    let held = 0;
    for (const [i, { ids }] of listed.entries()) {
      let p = 1;
      let prefix = forest.root;
      for (const [j, id] of ids.entries()) {
        let row = rows.get(prefix);
        if (!row) rows.set(prefix, (row = await walk.after(prefix, ids.slice(0, j))));
        p *= row[id];
        if (!p) break;
        prefix = prefix.child(id);
      }
      courses[i][at] = p;
      held += p;
    }
    rest[at] = Math.max(0, 1 - held);
  }
  return { courses, rest };
}

/** @param {unknown} other @param {number} i */
function checkOther(other, i) {
  if (!isObject(other)) throw mustBe('alongside', 'a_list_of_laws', other, i);
  checkOptions('alongside', /** @type {any} */ (other), ['settings', 'power', 'condition', 'best_of']);
  if (Object.keys(other).length !== 1) throw mustBe('alongside', 'a_list_of_laws', other, i);
  const { power, best_of } = /** @type {Other} */ (other);
  if (power !== undefined && !(power >= 1 && power <= 1000)) throw outside('power', 1, 1000, power);
  if (best_of !== undefined) checkInteger('best_of', best_of, 1, 1 << 20);
}

/** @param {string} setting @param {number} minimum @param {number} maximum @param {unknown} value */
const outside = (setting, minimum, maximum, value) =>
  new LogitscopeError('out_of_range', 'must_be_between', { setting, minimum, maximum, value: show(value) });

/**
 * Checks the options and fills in the defaults.
 * @param {LawOptions} given
 * @param {number} most the longest text that the context holds
 */
function checkLaw(given, most) {
  const NAMES = ['mass', 'limit', 'max_new_tokens', 'power', 'alongside', 'knob', 'beams', 'signal'];
  checkOptions('options of law', given, NAMES);
  const { mass = 0.99, limit = LIMIT, max_new_tokens = most, power, knob, beams = [], signal } = given;
  if (!(typeof mass === 'number' && mass > 0 && mass <= 1)) throw outside('mass', 0, 1, mass);
  checkInteger('limit', limit, 1, LIMIT_MAX);
  checkInteger('max_new_tokens', max_new_tokens, 1, most);
  checkSignal(signal);
  if (given.alongside !== undefined && !Array.isArray(given.alongside))
    throw mustBe('alongside', 'a_list', given.alongside);
  const others = [...(given.alongside ?? []), ...(power === undefined ? [] : [{ power }])];
  others.forEach(checkOther);
  if (knob) checkNumbers('knob.values', knob.values);
  for (const width of beams) checkInteger('beams', width, 1, 64);
  return { mass, limit, most: max_new_tokens, others, knob, beams, signal };
}

/**
 * `law` of Logitscope.
 * @param {Core} core
 * @param {import('./logitscope.js').Logitscope} scope
 * @param {string | ArrayLike<number>} prompt
 * @param {Settings} [settings]
 * @param {LawOptions} [options]
 * @returns {Promise<Law>}
 */
export async function law(core, scope, prompt, settings = {}, options = {}) {
  checkText('prompt', prompt);
  const { vocab_size, context_length, end_token_ids: ends } = core.needModel();
  const ids = Array.from(typeof prompt === 'string' ? core.encode(prompt) : prompt);
  if (!ids.length) throw new LogitscopeError('empty', 'no_prompt');
  const room = context_length - ids.length;
  if (room < 1) throw new LogitscopeError('too_long', 'context_prompt', { n: ids.length, limit: context_length });
  const { mass, limit, most, others, knob, beams, signal } = checkLaw(options, room);
  const forest = forestOf(core, scope, ids);
  const fits = Math.max(1, Math.floor(LOGITS_BYTES / (4 * vocab_size)));
  const bounds = { most, ends, limit: Math.min(limit, fits), signal };
  const ground = { core, forest, bounds };
  const walk = new Walk(core, forest, settings, bounds);
  const { listed, rest, all } = await search(walk, mass);

  const piece = (/** @type {number} */ id) => core.piece(id);
  const ranks = new Map(all.map((it, i) => [String(it.ids), i + 1]));
  /** @param {{ ids: number[], steps: number[] }} text */
  const read = ({ ids: own, steps }) => {
    return {
      ids: own,
      text: own.map((id) => (piece(id).special ? '' : piece(id).text)).join(''),
      tokens: own.map((id, i) => ({ id, text: piece(id).text, p: steps[i] ?? 0 })),
      p: steps.length === own.length ? product(steps) : 0,
      rank: ranks.get(String(own)) ?? null,
    };
  };
  const along = knob && (await follow(ground, settings, knob, listed));
  const alongside = [];
  for (const other of others) {
    const its = await beside(ground, other, { listed, rest, mass });
    alongside.push({ ...its, ...distances(listed, rest, its) });
  }
  const searched = [];
  for (const beam_width of beams) {
    const { ids: own } = await beamSearch(scope, {
      prompt: ids,
      beam_width,
      length_penalty: 0,
      max_new_tokens: most,
    });
    searched.push({ beam_width, ...read({ ids: own, steps: await walk.along(own) }) });
  }
  return {
    prompt_ids: ids,
    sentences: listed.map((it, i) => ({
      ...read(it),
      finish_reason: it.ended ? 'eos' : 'length',
      beside: alongside.map(({ each }) => each[i]),
      ...(along && { along: along.courses[i] }),
    })),
    mass: sum(listed.map(({ p }) => p)),
    rest,
    prefixes: forest.known,
    greedy: read(await walk.greedy()),
    beams: searched,
    alongside: alongside.map(({ each: _, ...figures }) => figures),
    ...(along && { rest_along: along.rest }),
  };
}
