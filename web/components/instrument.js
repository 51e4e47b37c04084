/**
 * The state behind the page and its only user of the engine: prompt, settings, seed, the drawn
 * tokens and the trace that belongs to them. Work on the engine is coalesced: one pass in flight,
 * the newest wish wins, and a change of settings never runs the model.
 */
import { RemoteLogitscope } from '../engine/remote.js';
import { checkSentence } from '../engine/grammar.js';
import { fetchCurves } from './curves.js';
import { compareTraces } from './order.js';
import { neutralSettings, withNeutral } from './settings.js';
import { countDraws, tallySeed } from './tally.js';

/**
 * @typedef {import('../plots/trace.js').Trace} Trace
 * @typedef {import('../plots/trace.js').Step} Step
 * @typedef {import('../plots/trace.js').Drawn} Drawn
 * @typedef {import('../plots/trace.js').Settings} Settings
 * @typedef {import('../plots/trace.js').SettingRow} SettingRow
 * @typedef {import('../engine/types.js').Piece} Piece
 * @typedef {import('../plots/curve.js').Curves} Curves
 * @typedef {{ code: string, message: string }} Fault
 * @typedef {{ id: number, bias: number | false, piece: Piece }} Bias
 * @typedef {'bars' | 'cumulative' | 'ranks'} View
 */

const MAX_NEW_TOKENS = 100;
const TOP = 20;
/** How many tokens of two orders' results are compared. */
const WIDE = 200;
const PACE = 420;

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
  /** @type {import('./order.js').Difference | null} From the canonical order's result. */
  difference = null;
  /** @type {'inverse' | 'gumbel'} */
  method = 'inverse';
  /** @type {number | null} A random number of the reader's instead of the seed's. */
  whatIf = null;
  /** @type {import('./tally.js').Tally | null} Many draws from what is shown. */
  tally = null;
  /** @type {View} */
  view = 'bars';
  /** @type {Curves | null} What the charts over all ranks draw; null while none is on view. */
  curves = null;
  seed = 42;
  /** @type {Step[]} */
  steps = [];
  /** @type {'eos' | 'length' | null} */
  finished = null;
  running = false;
  /** Whether the last change was a knob's: the bars then follow it at once instead of gliding. */
  direct = false;
  /** @type {Trace | null} */
  trace = null;
  /** @type {Drawn | null} */
  drawn = null;
  /** @type {import('../engine/grammar.js').Verdict | null} */
  verdict = null;
  /** @type {import('../engine/grammar.js').Grammar | null} */
  grammar = null;

  /** @type {any} */
  #engine = null;
  /** @type {number[]} */
  #promptIds = [];
  #wanted = false;
  /** @type {Promise<void> | null} */
  #pass = null;
  #fed = '';
  #promptTurn = 0;
  #tallyTurn = 0;
  /** Counts the texts begun. */
  #text = 0;
  /** @type {AbortController | null} */
  #run = null;
  /** @type {Map<number, Piece>} */
  #pieces = new Map();

  /** How many tokens were drawn: also the number of the next draw, from 0. */
  get drawCount() {
    return this.steps.length;
  }

  /** The step whose random number is on show: the next one, or the last one of a finished text. */
  get drawStep() {
    return this.finished === 'eos' ? this.steps.length - 1 : this.steps.length;
  }

  /** The settings as the engine takes them. */
  get asked() {
    const { settings, biases, seed, order, method } = this;
    const logit_bias = Object.fromEntries(biases.map(({ id, bias }) => [id, bias]));
    return {
      ...settings,
      seed,
      ...(biases.length > 0 ? { logit_bias } : {}),
      ...(order ? { order } : {}),
      ...(method === 'gumbel' ? { draw: method } : {}),
    };
  }

  get canonicalOrder() {
    return this.table.filter(({ warper }) => warper).map(({ name }) => name);
  }

  /**
   * Loads model and grammar, then shows the distribution after `prompt`.
   * @param {{ model: string, grammar?: string, prompt: string, settings: Settings }} options
   */
  async load({ model, grammar, prompt, settings }) {
    this.status = 'loading';
    this.fault = null;
    this.progress = null;
    this.#changed();
    try {
      const [engine, rules] = await Promise.all([
        RemoteLogitscope.load({
          model: new URL(model, document.baseURI),
          wasm: new URL('./logitscope.wasm', import.meta.url),
          worker: new URL('./worker.js', import.meta.url),
          onprogress: (/** @type {any} */ progress) => {
            this.progress = progress;
            this.#changed();
          },
        }),
        grammar ? fetchJson(grammar) : null,
      ]);
      if (this.status !== 'loading') {
        engine.close();
        return;
      }
      this.#engine = engine;
      this.grammar = rules;
      this.info = engine.info;
      this.table = engine.table;
      this.settings = withNeutral(this.table, settings);
      await this.setPrompt(prompt);
      if (!this.trace) await this.#firstToken();
      this.status = 'ready';
      this.dispatchEvent(new CustomEvent('ready'));
    } catch (error) {
      this.status = 'failed';
      this.fault = toFault(error);
      this.#report(this.fault);
    }
    this.#changed();
  }

  /** Ends the worker. */
  close() {
    this.stop();
    this.#engine?.close();
    this.#engine = null;
    this.#fed = '';
    this.status = 'idle';
  }

  /**
   * Reads a new prompt and drops the generated text. A prompt that the model cannot read changes
   * nothing but promptFault.
   * @param {string} prompt
   */
  async setPrompt(prompt) {
    this.stop();
    this.prompt = prompt;
    const turn = ++this.#promptTurn;
    try {
      const ids = Array.from(await this.#engine.encode(prompt));
      const pieces = await this.#piecesOf(ids);
      if (turn !== this.#promptTurn) return;
      if (ids.length === 0) throw Object.assign(new Error('empty prompt'), { code: 'empty' });
      this.promptFault = null;
      this.#promptIds = ids;
      this.promptPieces = pieces;
      this.#clear();
      await this.#refresh();
      this.dispatchEvent(new CustomEvent('change'));
    } catch (error) {
      if (turn !== this.#promptTurn) return;
      this.promptFault = toFault(error);
      this.#report(this.promptFault);
    }
    this.#changed();
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
    await this.#refresh();
    this.dispatchEvent(new CustomEvent('change'));
  }

  /**
   * Applies the warpers in another order.
   * @param {string[] | null} order
   */
  async setOrder(order) {
    const canonical = this.canonicalOrder;
    this.order = order && order.join() !== canonical.join() ? order : null;
    await this.set({}, false);
  }

  /** @param {Settings} preset */
  async usePreset(preset) {
    this.order = null;
    await this.set({ ...neutralSettings(this.table), ...preset }, false);
  }

  /**
   * Adds to a token's logit, forbids it, or (null) leaves it as the model has it.
   * @param {number} id
   * @param {number | false | null} bias
   */
  async setBias(id, bias) {
    const [piece] = await this.#piecesOf([id]);
    const others = this.biases.filter((other) => other.id !== id);
    const added = bias === null || bias === 0 ? [] : [{ id, bias, piece }];
    this.biases = [...others, ...added].sort((a, b) => a.id - b.id);
    await this.set({}, false);
  }

  /** @param {View} view */
  async setView(view) {
    this.view = view;
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
    this.direct = false;
    this.whatIf = null;
    this.#dropTally();
    this.seed = seed;
    this.#changed();
    await this.#refresh();
    this.dispatchEvent(new CustomEvent('change'));
  }

  /**
   * Appends the token that u falls on, exactly as shown; nothing if the text was cleared or the run
   * stopped while this waited.
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
   * Draws many times from what is shown and counts; ends early when something else is shown.
   * @param {number} draws
   */
  async drawMany(draws) {
    while (this.#pass) await this.#pass;
    const from = this.tally ?? { total: 0, counts: new Map() };
    const turn = ++this.#tallyTurn;
    const settings = { ...this.asked, seed: tallySeed(this.seed, this.drawStep) };
    for await (const tally of countDraws(this.#engine, settings, draws, from)) {
      if (turn !== this.#tallyTurn) return;
      this.tally = tally;
      this.#changed();
    }
  }

  /**
   * Appends a listed token of the reader's choice instead of the drawn one.
   * @param {number} id
   */
  async force(id) {
    this.stop();
    const text = this.#text;
    while (this.#pass) await this.#pass;
    const token = this.trace?.tokens.find((listed) => listed.id === id);
    if (!token || this.finished || text !== this.#text) return;
    const { p, p_raw, rank } = token;
    const [piece] = await this.#piecesOf([id]);
    await this.#append({ ...piece, u: null, p, p_raw, rank, logprob: Math.log(p), forced: true });
  }

  /** @param {Drawn} drawn */
  async #append(drawn) {
    this.direct = false;
    const step = { ...drawn, position: this.#promptIds.length + this.steps.length };
    this.whatIf = null;
    this.#dropTally();
    this.steps = [...this.steps, step];
    if (drawn.id === this.info?.eos_token_id) this.finished = 'eos';
    else if (this.steps.length >= MAX_NEW_TOKENS) this.finished = 'length';
    if (this.finished) await this.#judge();
    this.dispatchEvent(new CustomEvent('step', { detail: step }));
    this.#changed();
    if (this.finished !== 'eos') await this.#refresh();
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
      if (!this.finished) await pause(PACE, control.signal);
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

  /** Back to the prompt alone. */
  async reset() {
    this.stop();
    this.#clear();
    this.#changed();
    await this.#refresh();
  }

  #dropTally() {
    this.#tallyTurn++;
    this.tally = null;
  }

  #clear() {
    this.#text++;
    this.#dropTally();
    this.direct = false;
    this.whatIf = null;
    this.steps = [];
    this.finished = null;
    this.verdict = null;
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
      const steps = this.finished === 'eos' ? this.steps.slice(0, -1) : this.steps;
      const settings = { ...this.asked, top: TOP };
      const step = this.drawStep;
      const history = [...this.#promptIds, ...steps.map(({ id }) => id)];
      try {
        await this.#feed(history);
        const [trace, drawn] = await Promise.all([
          this.#engine.distribution(settings),
          this.#engine.draw(settings, this.whatIf === null ? { step } : { u: this.whatIf }),
        ]);
        const [piece] = await this.#piecesOf([drawn.id]);
        const tokens = await this.#withBytes(trace.tokens);
        const curves = this.view === 'bars' ? null : await this.#fetchCurves(settings, history);
        const difference = this.order ? await this.#fetchDifference(settings) : null;
        if (this.#wanted && step !== this.drawStep) continue;
        this.trace = { ...trace, tokens };
        this.drawn = { ...drawn, ...piece };
        this.curves = curves;
        this.difference = difference;
        this.fault = null;
      } catch (error) {
        this.fault = toFault(error);
        this.#report(this.fault);
      }
      this.#changed();
    }
  }

  /**
   * @param {import('../engine/types.js').Settings} settings
   * @param {number[]} history
   */
  async #fetchCurves(settings, history) {
    const logits = await this.#engine.logits();
    const { table } = this;
    const order = this.order ?? this.canonicalOrder;
    return fetchCurves(this.#engine, { logits, settings, table, order, history });
  }

  /** @param {import('../engine/types.js').Settings} settings */
  async #fetchDifference(settings) {
    const wide = { ...settings, top: WIDE };
    const own = await this.#engine.distribution(wide);
    const order = this.canonicalOrder;
    return compareTraces(own, await this.#engine.distribution({ ...wide, order }));
  }

  /**
   * Runs the model, unless the timeline is the one that the logits on show belong to.
   * @param {number[]} ids
   */
  async #feed(ids) {
    const key = ids.join();
    if (key === this.#fed) return;
    this.#fed = '';
    await this.#engine.feed(Uint32Array.from(ids));
    this.#fed = key;
  }

  /** Begins without a prompt, for a model that cannot read the one it was loaded with. */
  async #firstToken() {
    this.#promptIds = [this.info?.bos_token_id ?? 0];
    this.promptPieces = await this.#piecesOf(this.#promptIds);
    await this.#refresh();
  }

  async #judge() {
    if (!this.grammar || this.finished !== 'eos') return;
    const ids = [...this.#promptIds, ...this.steps.map(({ id }) => id)];
    this.verdict = checkSentence(this.grammar, await this.#engine.decode(Uint32Array.from(ids)));
  }

  /**
   * Adds its bytes to a token that is part of a character, so that a view can show them.
   * @param {Trace['tokens']} tokens
   */
  async #withBytes(tokens) {
    const broken = tokens.filter(({ text }) => text.includes('\uFFFD'));
    if (broken.length === 0) return tokens;
    await this.#piecesOf(broken.map(({ id }) => id));
    return tokens.map((token) =>
      broken.includes(token) ? { ...token, ...this.#pieces.get(token.id) } : token,
    );
  }

  /** @param {number[]} ids */
  async #piecesOf(ids) {
    for (const id of ids)
      if (!this.#pieces.has(id)) this.#pieces.set(id, await this.#engine.piece(id));
    return ids.map((id) => /** @type {Piece} */ (this.#pieces.get(id)));
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
  const response = await fetch(new URL(url, document.baseURI));
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
