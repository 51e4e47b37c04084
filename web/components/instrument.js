/**
 * The state behind the page and, with its reader, the only user of the engine: prompt, settings,
 * seed, the drawn texts and what is on show for one of them. Work on the engine is coalesced: one
 * pass in flight, the newest wish wins, and a change of settings never runs the model.
 */
import { checkSentence } from '../engine/grammar.js';
import { conventions } from '../engine/presets.js';
import { assets } from './assets.js';
import { lease } from './engines.js';
import { findLoop } from '../engine/loops.js';
import { Reader } from './reader.js';
import { neutralSettings, spokenSettings } from './settings.js';
import { countDraws, tallySeed, withoutCoin } from './tally.js';
import { TextTree } from './tree.js';

/**
 * @typedef {import('../plots/trace.js').Trace} Trace
 * @typedef {import('../plots/trace.js').Drawn} Drawn
 * @typedef {import('../plots/trace.js').Settings} Settings
 * @typedef {import('../plots/trace.js').SettingRow} SettingRow
 * @typedef {import('../engine/types.js').Piece} Piece
 * @typedef {import('./page-state.js').PageState} PageState
 * @typedef {{ code: string, message: string }} Fault
 * @typedef {{ id: number, bias: number | false, piece: Piece }} Bias
 * @typedef {'bars' | 'cumulative' | 'ranks'} View
 *
 * What could have stood in the place of a token, under the settings now: of a step, or with a negative
 * index, counted from the end, of a token of the prompt, whose own shares are `given`.
 * @typedef {{ index: number, trace: Trace, given?: { p: number, p_raw: number } }} Alternatives
 */

/** Pauses between two tokens of a run, in ms, from slow to as fast as it goes. */
export const PACES = [1200, 420, 160, 50, 0];

export class Instrument extends EventTarget {
  /** @type {'idle' | 'loading' | 'ready' | 'failed'} */
  status = 'idle';
  /** @type {{ loaded: number, total: number } | null} */
  progress = null;
  /** @type {Fault | null} */
  fault = null;
  /** @type {Record<string, any> | null} */
  info = null;
  /** @type {SettingRow[]} */
  table = [];

  prompt = '';
  /** @type {Fault | null} */
  promptFault = null;
  /** @type {Piece[]} */
  promptPieces = [];
  /** @type {Settings} */
  settings = {};
  /** @type {Bias[]} The tokens made likelier, less likely or forbidden, by id. */
  biases = [];
  /** @type {string[] | null} The warpers in an order of the reader's; null is the canonical one. */
  order = null;
  /** @type {import('../engine/types.js').Own | null} A sampler of the reader's own. */
  own = null;
  /** @type {import('../engine/types.js').Constraint | null} What the drawn text must be. */
  constraint = null;
  /** @type {'inverse' | 'gumbel'} */
  method = 'inverse';
  seed = 42;
  /** @type {number | null} A random number of the reader's instead of the seed's. */
  whatIf = null;
  /** @type {View} */
  view = 'bars';
  /** The place in PACES. */
  pace = 1;
  running = false;
  /** Whether the last change was a knob's: the bars then follow it at once instead of gliding. */
  direct = false;

  /** @type {Trace | null} */
  trace = null;
  /** @type {Drawn | null} */
  drawn = null;
  /** @type {import('../plots/curve.js').Curves | null} Null while no chart over all ranks shows. */
  curves = null;
  /** @type {import('./order.js').Difference | null} From the canonical order's result. */
  difference = null;
  /** @type {[string, string] | null} The conventions that are compared. */
  pair = null;
  /** @type {import('./reader.js').Beside | null} What they make of the logits on show. */
  beside = null;
  /** @type {import('./tally.js').Tally | null} Many draws from what is shown. */
  tally = null;
  /** @type {Alternatives | null} */
  alternatives = null;
  /** @type {[number, number]} Type-token ratio and distinct-2 of the drawn text. */
  distinct = [0, 0];
  /** @type {import('../engine/grammar.js').Verdict | null} */
  verdict = null;
  /** @type {import('../engine/grammar.js').Grammar | null} */
  grammar = null;

  #tree = new TextTree();
  /** @type {any} */
  #engine = null;
  /** @type {Reader} */
  #reader = new Reader(null, null);
  /** The timeline on show. @type {any} */
  #session = null;
  /** @type {import('./engines.js').Lease | null} */
  #lease = null;
  /** The model on its way. @type {import('./engines.js').Lease | null} */
  #opening = null;
  /** @type {Fault | null} Why another model was refused; the one before stays. */
  modelFault = null;
  /** @type {import('./engines.js').Model} What the model was loaded from. */
  source = null;
  /** @type {number[]} */
  #promptIds = [];
  #wanted = false;
  /** @type {Promise<void> | null} */
  #pass = null;
  #promptTurn = 0;
  #tallyTurn = 0;
  #alternativesTurn = 0;
  /** Counts the texts begun or gone back to. */
  #text = 0;
  /** @type {AbortController | null} */
  #run = null;

  /** The drawn tokens on show. */
  get steps() {
    return this.#tree.steps;
  }

  get branches() {
    return this.#tree.branches;
  }

  get finished() {
    return this.#tree.finished;
  }

  get limit() {
    return this.#tree.limit;
  }

  get stopAtEnd() {
    return this.#tree.stopAtEnd;
  }

  /** Where the drawn text repeats itself. */
  get loop() {
    return findLoop(this.steps.map(({ id }) => id));
  }

  /** The step whose random number is on show: the next one, or the last one of a finished text. */
  get drawStep() {
    return this.finished === 'eos' ? this.steps.length - 1 : this.steps.length;
  }

  /** The settings as the engine takes them, but for a sampler of the reader's own. */
  get asked() {
    const { table, settings, biases, seed, order, method, constraint } = this;
    const logit_bias = Object.fromEntries(biases.map(({ id, bias }) => [id, bias]));
    const warpers = order?.filter((name) => name !== 'own');
    return {
      ...spokenSettings(table, settings),
      seed,
      ...(biases.length > 0 ? { logit_bias } : {}),
      ...(warpers && warpers.join() !== this.canonicalOrder.join() ? { order: warpers } : {}),
      ...(constraint ? { constraint, constraint_start: this.#promptIds.length } : {}),
      ...(method === 'gumbel' ? { draw: method } : {}),
    };
  }

  /**
   * The place after n drawn tokens; a negative n lies in the prompt. Mirostat's bound is the one that the last draw with it left.
   * @param {number} n
   * @returns {import('./reader.js').Place}
   */
  #placeAfter(n) {
    const step = Math.max(0, n);
    const before = this.steps.slice(0, step);
    const mu = before.filter((step) => typeof step.mu === 'number').at(-1)?.mu;
    const bound = this.settings.mirostat && mu ? { mirostat_mu: mu } : {};
    const prompt = this.#promptIds.slice(0, this.#promptIds.length + Math.min(0, n));
    const ids = [...prompt, ...before.map(({ id }) => id)];
    const { constraint, constraint_start, ...rest } = this.asked;
    const held = constraint && n >= 0 ? { constraint, constraint_start } : {}; // not the prompt
    const own = this.own ? { own: this.own, ...(this.order ? { order: this.order } : {}) } : {};
    return { ids, settings: { ...rest, ...held, ...bound, ...own }, step };
  }

  /** Mirostat's bound in the next draw, or null while it is off. */
  get mu() {
    if (!this.settings.mirostat) return null;
    return this.#placeAfter(this.drawStep).settings.mirostat_mu ?? 2 * this.settings.mirostat_tau;
  }

  /** What an address or a host page is told, which no constraint is part of. @returns {PageState & { seed: number, branch: number[] }} */
  get state() {
    const { seed, constraint: _, constraint_start: __, ...settings } = this.asked;
    return { prompt: this.prompt, settings, seed, branch: this.steps.map(({ id }) => id) };
  }

  get canonicalOrder() {
    return this.table.filter(({ warper }) => warper).map(({ name }) => name);
  }

  /**
   * Loads model and grammar, then shows the distribution after `prompt`. A model on show stays until
   * the new one is there, and for good if that cannot be loaded.
   * `begin` may give another state once the table of settings is known.
   * @param {{ model: import('./engines.js').Model, grammar?: string, prompt: string,
   *   settings: Settings, begin?: () => PageState | null }} options
   */
  async load({ model, grammar, prompt, settings, begin }) {
    if (!this.#engine) this.status = 'loading';
    this.fault = null;
    this.modelFault = null;
    this.progress = { loaded: 0, total: 0 };
    this.#changed();
    const held = lease(model, (progress) => {
      this.progress = progress;
      this.#changed();
    });
    this.#opening?.release();
    this.#opening = held;
    try {
      const [engine, rules] = await Promise.all([held.ready, grammar ? fetchJson(grammar) : null]);
      const session = await engine.session();
      if (this.#opening !== held) return;
      this.stop();
      this.#lease?.release();
      this.#lease = held;
      this.#opening = null;
      this.source = model;
      this.#engine = engine;
      this.#session = session;
      this.#reader = new Reader(engine, session);
      this.grammar = rules;
      this.info = engine.info;
      this.table = engine.table;
      this.biases = [];
      this.trace = null;
      this.#tree.eos = engine.info?.eos_token_id ?? -1;
      this.settings = { ...neutralSettings(this.table), ...settings };
      const state = begin?.();
      if (state) await this.restore({ prompt, ...state });
      else await this.setPrompt(prompt);
      if (!this.trace && this.promptFault) await this.#firstToken();
      this.status = 'ready';
      this.dispatchEvent(new CustomEvent('ready'));
    } catch (error) {
      if (this.#opening !== held) return;
      held.release();
      this.#opening = null;
      const fault = toFault(error);
      if (this.#engine) this.modelFault = fault;
      else {
        this.status = 'failed';
        this.fault = fault;
      }
      this.#report(fault);
    }
    this.progress = null;
    this.#changed();
  }

  /** Gives the engine back. */
  close() {
    this.stop();
    this.#opening?.release();
    this.#opening = null;
    this.#lease?.release();
    this.#lease = null;
    this.#engine = null;
    this.status = 'idle';
  }

  /**
   * Reads a new prompt and drops the generated texts. A prompt that the model cannot read changes
   * nothing but promptFault.
   * @param {string} prompt
   */
  async setPrompt(prompt) {
    this.stop();
    this.prompt = prompt;
    const turn = ++this.#promptTurn;
    try {
      const ids = Array.from(await this.#engine.encode(prompt));
      const pieces = await this.#reader.pieces(ids);
      if (turn !== this.#promptTurn) return;
      if (ids.length === 0) throw Object.assign(new Error('empty prompt'), { code: 'empty' });
      this.promptFault = null;
      this.#promptIds = ids;
      this.promptPieces = pieces;
      this.#tree.clear();
      await this.#stand();
    } catch (error) {
      if (turn !== this.#promptTurn) return;
      this.promptFault = toFault(error);
      this.#report(this.promptFault);
    }
    this.#changed();
  }

  /**
   * Takes over a state that was checked against the table: its tokens are drawn or forced again, so
   * that every number beside them is the engine's.
   * @param {PageState} state
   */
  async restore({ prompt = this.prompt, settings, seed = this.seed, branch = [] }) {
    this.stop();
    const { order = null, draw = 'inverse', logit_bias = {}, ...others } = settings;
    const ids = Object.keys(logit_bias).map(Number);
    const pieces = await this.#reader.pieces(ids);
    this.biases = ids.map((id, i) => ({ id, bias: logit_bias[id], piece: pieces[i] }));
    this.order = order;
    this.method = draw;
    this.seed = seed;
    this.settings = { ...neutralSettings(this.table), .../** @type {any} */ (others) };
    await this.setPrompt(prompt);
    const text = this.#text;
    if (this.promptFault) return this.set({}, false);
    for (const id of branch) {
      while (this.#pass) await this.#pass;
      if (this.finished || text !== this.#text) return;
      if (this.drawn?.id === id) await this.#append(this.drawn, false);
      else await this.#choose(id, await this.#reader.listing(id, this.asked), false);
    }
  }

  /**
   * Merges settings that were checked against the table.
   * @param {Settings} patch
   * @param {boolean} [direct]
   */
  async set(patch, direct = true) {
    this.direct = direct;
    this.settings = { ...this.settings, ...patch };
    this.#dropTally();
    this.#changed();
    if (this.alternatives) this.findAlternatives(this.alternatives.index);
    await this.#refresh();
    this.dispatchEvent(new CustomEvent('change'));
  }

  /**
   * Applies the warpers in another order.
   * @param {string[] | null} order null for the canonical one
   */
  async setOrder(order) {
    this.#order(order);
    await this.set({}, false);
  }

  /** A sampler of the reader's own is last where it is not named. @param {string[] | null} [order] */
  #order(order) {
    const stages = order?.at(-1) === 'own' ? order.slice(0, -1) : order;
    this.order = stages && stages.join() !== this.canonicalOrder.join() ? stages : null;
  }

  /** @param {import('../engine/types.js').Own | null} own in the place that the order gives it */
  async setOwn(own) {
    this.own = own;
    await this.set({}, false);
  }

  /**
   * Sets every knob, and the order.
   * @param {import('../engine/types.js').Settings} preset
   */
  async usePreset({ order, ...preset }) {
    const neutral = neutralSettings(this.table);
    const known = Object.entries(preset).filter(([name]) => name in neutral);
    this.#order(order);
    await this.set({ ...neutral, ...Object.fromEntries(known) }, false);
  }

  /**
   * Adds to a token's logit, forbids it, or (null) leaves it as the model has it.
   * @param {number} id
   * @param {number | false | null} bias
   */
  async setBias(id, bias) {
    const [piece] = await this.#reader.pieces([id]);
    const others = this.biases.filter((other) => other.id !== id);
    const added = bias === null || bias === 0 ? [] : [{ id, bias, piece }];
    this.biases = [...others, ...added].sort((a, b) => a.id - b.id);
    await this.set({}, false);
  }

  /** @param {import('../engine/types.js').Constraint | null} constraint */
  async setConstraint(constraint) {
    this.constraint = constraint;
    await this.set({}, false);
  }

  /** @param {View} view */
  async setView(view) {
    this.view = view;
    this.#changed();
    await this.#refresh();
  }

  /** @param {[string, string] | null} pair names of conventions, null to compare none */
  async setPair(pair) {
    this.pair = pair;
    this.#changed();
    await this.#refresh();
  }

  /** @param {'inverse' | 'gumbel'} method */
  async setMethod(method) {
    this.method = method;
    this.whatIf = null;
    await this.set({}, false);
  }

  /** @param {number | null} u null for the seed's */
  async setWhatIf(u) {
    this.direct = true;
    this.whatIf = this.method === 'gumbel' ? null : u;
    await this.#refresh();
  }

  /** @param {number} seed */
  async setSeed(seed) {
    this.whatIf = null;
    this.seed = seed;
    await this.set({}, false);
  }

  /** @param {number} pace a place in PACES */
  setPace(pace) {
    this.pace = pace;
    this.#changed();
  }

  /** @param {boolean} stopAtEnd whether the end token ends a text */
  async setStopAtEnd(stopAtEnd) {
    this.stop();
    this.#tree.stopAtEnd = stopAtEnd;
    await this.#stand();
  }

  /**
   * Appends the token that u falls on, exactly as shown; nothing if another text was gone to or the
   * run stopped while this waited.
   * @param {AbortSignal} [signal]
   */
  async step(signal) {
    const text = this.#text;
    while (this.#pass) await this.#pass;
    const { drawn } = this;
    if (!drawn || this.finished || signal?.aborted || text !== this.#text) return;
    await this.#append(drawn);
  }

  /**
   * Appends a listed token of the reader's choice instead of the drawn one.
   * @param {number} id
   */
  async force(id) {
    this.stop();
    const text = this.#text;
    while (this.#pass) await this.#pass;
    if (!this.trace || this.finished || text !== this.#text) return;
    await this.#choose(id, this.trace);
  }

  /**
   * Goes back to before a step and takes one of its alternatives there.
   * @param {number} index
   * @param {number} id
   */
  async branch(index, id) {
    const { alternatives } = this;
    if (alternatives?.index !== index) return;
    this.stop();
    this.#tree.rewind(index);
    await this.#choose(id, alternatives.trace);
  }

  /**
   * Goes back to the first n tokens; the cache is cut there, nothing is run again.
   * @param {number} n
   */
  async rewind(n) {
    this.stop();
    this.#tree.rewind(n);
    await this.#stand();
  }

  /** @param {import('./tree.js').Node} node the end of a branch */
  async show(node) {
    this.stop();
    this.#tree.show(node);
    await this.#stand();
  }

  /**
   * Finds what could have stood in the place of a token.
   * @param {number | null} index of a step, negative in the prompt; null: they are no longer wanted
   */
  async findAlternatives(index) {
    const turn = ++this.#alternativesTurn;
    const outside = index === null || index >= this.steps.length;
    if (outside || index <= -this.#promptIds.length) {
      this.alternatives = null;
    } else {
      const place = this.#placeAfter(index);
      const trace = await this.#reader.alternatives(place);
      const id = this.#promptIds.at(index);
      const given =
        index < 0 && id !== undefined ? await this.#reader.shareOf(place, id) : undefined;
      if (turn !== this.#alternativesTurn) return;
      this.alternatives = { index, trace, given };
    }
    this.#changed();
  }

  /** Steps at an even pace until the text ends or stop() is called. */
  async run() {
    if (this.running || this.finished || !this.drawn) return;
    const control = new AbortController();
    this.#run = control;
    this.running = true;
    this.#changed();
    while (!this.finished && !control.signal.aborted) {
      await this.step(control.signal);
      if (!this.finished) await pause(PACES[this.pace], control.signal);
    }
    if (this.#run !== control) return;
    this.running = false;
    this.#changed();
  }

  stop() {
    this.#run?.abort();
    this.#run = null;
    this.running = false;
    this.#changed();
  }

  /** Back to the prompt alone, without any branch. */
  async reset() {
    this.stop();
    this.#tree.clear();
    await this.#stand();
  }

  /**
   * Draws many times from what is shown and counts; ends early when something else is shown.
   * @param {number} draws
   */
  async drawMany(draws) {
    while (this.#pass) await this.#pass;
    if (!this.trace) return;
    const from = this.tally ?? { total: 0, counts: new Map() };
    const turn = ++this.#tallyTurn;
    const place = this.#placeAfter(this.drawStep);
    const shown = withoutCoin(await this.#reader.settle(place, place.settings), this.trace);
    const settings = { ...shown, seed: tallySeed(this.seed, this.drawStep) };
    for await (const tally of countDraws(this.#session, settings, draws, from)) {
      if (turn !== this.#tallyTurn) return;
      this.tally = tally;
      this.#changed();
    }
  }

  /**
   * @param {number} id
   * @param {Trace} trace one that lists it
   * @param {boolean} [announced]
   */
  async #choose(id, trace, announced) {
    const token = trace.tokens.find((listed) => listed.id === id);
    if (!token) return;
    const { p, p_raw, rank, logprob } = token;
    const [piece] = await this.#reader.pieces([id]);
    const chosen = { u: null, mu: null, p, p_raw, rank, logprob };
    await this.#append({ ...piece, ...chosen, forced: true }, announced);
  }

  /** @param {Drawn} drawn @param {boolean} [announced] whether the page around hears of it */
  async #append(drawn, announced = true) {
    const step = { ...drawn, position: this.#promptIds.length + this.steps.length };
    this.#tree.append(step);
    if (announced) this.dispatchEvent(new CustomEvent('step', { detail: step }));
    await this.#follow();
  }

  /** Brings everything up to date with a text gone to. */
  async #stand() {
    this.#text++;
    this.#alternativesTurn++;
    this.alternatives = null;
    await this.#follow();
    this.dispatchEvent(new CustomEvent('change'));
  }

  /** Brings everything up to date with the tokens on show. */
  async #follow() {
    this.#dropTally();
    this.whatIf = null;
    this.direct = false;
    this.verdict = null;
    if (this.finished === 'eos') await this.#judge();
    this.#changed();
    await Promise.all([this.#refresh(), this.#measure()]);
  }

  #dropTally() {
    this.#tallyTurn++;
    this.tally = null;
  }

  async #measure() {
    const { steps } = this;
    const distinct = await this.#reader.distinct(steps.map(({ id }) => id));
    if (steps !== this.steps) return;
    this.distinct = distinct;
    this.#changed();
  }

  /** Brings trace and draw up to date; calls made meanwhile share one further pass. */
  #refresh() {
    this.#wanted = true;
    this.#pass ??= this.#work().finally(() => (this.#pass = null));
    return this.#pass;
  }

  async #work() {
    while (this.#wanted && this.#engine) {
      this.#wanted = false;
      const { drawStep: step, own } = this;
      try {
        const place = this.#placeAfter(step);
        const { order: _, own: __, ...values } = place.settings;
        const readings = await this.#reader.read({
          place,
          both: this.pair && this.pair.map((name) => ({ ...values, ...conventions[name] })),
          u: this.whatIf,
          order: this.canonicalOrder,
          whole: this.view !== 'bars',
        });
        if (this.#wanted && (step !== this.drawStep || own !== this.own)) continue;
        Object.assign(this, readings);
        this.fault = null;
      } catch (error) {
        this.fault = toFault(error);
        this.#report(this.fault);
      }
      this.#changed();
    }
  }

  /** Begins without a prompt, for a model that cannot read the one it was loaded with. */
  async #firstToken() {
    this.#promptIds = [this.info?.bos_token_id ?? 0];
    this.promptPieces = await this.#reader.pieces(this.#promptIds);
    await this.#refresh();
  }

  async #judge() {
    if (!this.grammar) return;
    const ids = [...this.#promptIds, ...this.steps.map(({ id }) => id)];
    this.verdict = checkSentence(this.grammar, await this.#engine.decode(Uint32Array.from(ids)));
  }

  #changed() {
    this.dispatchEvent(new CustomEvent('update'));
  }

  /** @param {Fault} fault */
  #report(fault) {
    this.dispatchEvent(new CustomEvent('fault', { detail: fault }));
  }
}

/** @param {string} url */
async function fetchJson(url) {
  const carried = assets.inside.get(url);
  if (carried) return JSON.parse(new TextDecoder().decode(carried));
  const response = await fetch(new URL(url, assets.base));
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.json();
}

/**
 * @param {unknown} error
 * @returns {Fault}
 */
function toFault(error) {
  const { code = 'other', message = String(error) } = /** @type {any} */ (error);
  return { code: String(code), message: String(message) };
}

/**
 * @param {number} ms
 * @param {AbortSignal} signal
 */
function pause(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve(undefined);
      },
      { once: true },
    );
  });
}
