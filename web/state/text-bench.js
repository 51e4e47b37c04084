/**
 * The bench over a model's text: the prompt, the drawn texts and what is on show for one of them. It
 * hands the engine to its readers. A change of settings never runs the model.
 */
import { carried } from '../engine/presets.js';
import { LogitscopeError, toFault } from '../engine/errors.js';
import { findLoop } from '../engine/text-loops.js';
import { assets } from './assets.js';
import { Bench } from './bench.js';
import { gatesOf, sameValue, withoutGates } from './fields.js';
import { PadReader } from './pad-map.js';
import { Reader } from './reader.js';
import { WATERMARKS, neutralSettings } from './settings.js';
import { Timeline } from './sources.js';
import { TextTree } from './tree.js';

/**
 * @typedef {import('../plots/trace.js').Trace} Trace
 * @typedef {import('../plots/trace.js').Drawn} Drawn
 * @typedef {import('../plots/trace.js').Step} Step
 * @typedef {import('../plots/trace.js').Settings} Settings
 * @typedef {import('../engine/remote.js').RemoteLogitscope} RemoteLogitscope
 * @typedef {import('../engine/remote.js').RemoteSession} RemoteSession
 * @typedef {import('../engine/types.js').Piece} Piece
 * @typedef {import('../engine/grammar.js').Grammar} Grammar
 * @typedef {import('../engine/errors.js').Fault} Fault
 * @typedef {import('./fields.js').Gates} Gates
 * @typedef {import('./page-state.js').PageState} PageState
 * @typedef {import('./reader.js').TextPosition} TextPosition
 *
 * What could have stood in the place of a token, under the settings now: of a step, or with a
 * negative index, counted from the end, of a token of the prompt, whose own shares are `given`.
 * @typedef {{ index: number, trace: Trace, given?: { p: number, p_raw: number } }} Alternatives
 *
 * The drawn texts as plain data: each token as the place of the one before it and its FIGURES, and
 * whether it was forced.
 * @typedef {{ key: string, prompt_ids: number[], stopAtEnd: boolean, tip: number,
 *   tokens: (number | null)[][] }} Saved
 *
 * What is said to a model with a chat template; date null: the engine's own today.
 * @typedef {{ user: string, system: string, date: string | null }} Said
 */

/** The numbers kept for a token; its text comes from the model. */
const FIGURES = /** @type {const} */ (['id', 'u', 'mu', 'p', 'p_raw', 'rank', 'logprob']);

export class TextBench extends Bench {
  /** The model's facts. @type {import('../engine/types.js').Info | null} */
  info = null;
  prompt = '';
  /** What the prompt is made of by the model's template; null where it is the text itself. @type {Said | null} */
  chat = null;
  /** The last message, for the return to a chat. @type {Said | null} */
  said = null;
  /** The day that the template took for today. */
  chatDate = '';
  /** @type {Fault | null} */
  promptFault = null;
  /** @type {Piece[]} */
  promptPieces = [];
  /** @type {Gates} What removes tokens before any warper; none is null. */
  gates = {};
  /** Gates that this model cannot have; the next one may. @type {Gates} */
  aside = {};
  /** @type {Alternatives | null} */
  alternatives = null;
  /** @type {[number, number]} Type-token ratio and distinct-2 of the drawn text. */
  distinct = [0, 0];
  /** What the drawn text bears of the watermarks that are on; null without one. @type {import('./watermark.js').FoundWatermarks | null} */
  marks = null;
  /** Whether they are looked for while none is on. */
  sought = false;
  /** @type {import('../engine/grammar.js').Verdict | null} */
  verdict = null;
  /** The drawn text of one that has ended. */
  #written = '';
  /** @type {Grammar | null} */
  grammar = null;

  /** Reads a map of two settings, while one is wanted. @type {PadReader | null} */
  #pad = null;
  #padWanted = false;
  #tree = new TextTree();
  /** @type {RemoteLogitscope | null} */
  #engine = null;
  /** @type {Reader | null} */
  #reader = null;
  /** @type {number[]} */
  #promptIds = [];
  /** Whether the prompt ends where the model thinks. */
  promptThinks = false;
  #promptTurn = 0;
  /** Whether a prompt is being read, so that the drawn tokens belong to the one before. */
  #unread = false;
  #restoreTurn = 0;
  #alternativesTurn = 0;
  /** Bumped for each text; stale work compares it. */
  #text = 0;

  get live() {
    return this.#engine !== null;
  }

  /** The engine, while it is there. */
  get #here() {
    if (!this.#engine) throw new LogitscopeError('closed', 'instance_closed');
    return this.#engine;
  }

  /** What reads the model on show. */
  get reader() {
    if (!this.#reader) throw new LogitscopeError('closed', 'instance_closed');
    return this.#reader;
  }

  /** The drawn tokens on show. */
  get steps() {
    return this.#tree.steps;
  }

  get branches() {
    return this.#tree.branches;
  }

  /** The drawn texts, all of them. */
  get texts() {
    return this.#tree;
  }

  /** @returns {Saved} */
  saveTexts() {
    const { key, stopAtEnd, tip, all } = this.#tree;
    const tokens = all.map(([parent, step]) => [
      parent,
      ...FIGURES.map((name) => step[name] ?? null),
      Number(step.forced ?? false),
    ]);
    return { key, prompt_ids: this.#promptIds, stopAtEnd, tip, tokens };
  }

  /**
   * Takes saved texts with their numbers; false if they belong to another prompt. If the model cannot
   * read the prompt, they belong to the last readable one.
   * @param {Saved} saved
   */
  async #takeTexts({ key, prompt_ids, stopAtEnd, tip, tokens }) {
    const turn = this.#promptTurn;
    if (!this.promptFault && !sameValue(prompt_ids, this.#promptIds)) return false;
    const [promptPieces, pieces] = [
      await this.reader.pieces(prompt_ids),
      await this.reader.pieces(tokens.map(([, id]) => Number(id))),
    ];
    if (turn !== this.#promptTurn) return true;
    this.#promptIds = prompt_ids;
    this.promptPieces = promptPieces;
    /** @type {number[]} */
    const depths = [];
    const all = tokens.map(([parent, ...values], i) => {
      const depth = parent ? depths[parent - 1] + 1 : 0;
      depths.push(depth);
      const figures = Object.fromEntries(FIGURES.map((name, at) => [name, values[at]]));
      const forced = values.at(-1) ? { forced: true } : {};
      const position = this.#promptIds.length + depth;
      const step = { ...pieces[i], ...figures, ...forced, position };
      return /** @type {[number, Step]} */ ([parent, /** @type {any} */ (step)]);
    });
    this.#tree.stopAtEnd = stopAtEnd;
    this.#tree.take(all, tip, key);
    await this.#stand();
    return true;
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

  /** What the distribution comes to over two settings; null while nobody wants to know. */
  get map() {
    return this.#padWanted ? (this.#pad?.map ?? null) : null;
  }

  /** Where the drawn text repeats itself. */
  get loop() {
    return findLoop(this.steps.map(({ id }) => id));
  }

  /** What a constraint to JSON came to, once the text has ended; null without one. */
  get json() {
    const { constraint } = this.gates;
    const free = !constraint || (typeof constraint === 'object' && 'grammar' in constraint);
    return this.finished && !free ? this.#written : null;
  }

  /** The step whose random number is on show: the next one, or the last one of a finished text. */
  get drawStep() {
    return this.finished === 'eos' ? this.steps.length - 1 : this.steps.length;
  }

  get subject() {
    return this.steps;
  }

  get asked() {
    if (Object.keys(this.gates).length === 0) return super.asked;
    return { ...super.asked, ...this.gates, constraint_start: this.#context.length };
  }

  /** The ids that are read before the drawn ones: without a prompt the token that begins a text, if there is one. */
  get #context() {
    const { bos_token_id: begins } = this.info ?? {};
    if (this.#promptIds.length > 0 || typeof begins !== 'number') return this.#promptIds;
    return [begins];
  }

  /**
   * The position after n drawn tokens; a negative n lies in the prompt. What a draw carries on is what
   * the last one left.
   * @param {number} n
   * @returns {import('./reader.js').TextPosition}
   */
  #positionAfter(n) {
    const step = Math.max(0, n);
    const before = this.steps.slice(0, step);
    const mu = before.filter((step) => typeof step.mu === 'number').at(-1)?.mu;
    const state = carried(this.settings);
    const bound = state && mu ? { [state]: mu } : {};
    const prompt = this.#context.slice(0, this.#context.length + Math.min(0, n));
    const ids = [...prompt, ...before.map(({ id }) => id)];
    const own = this.own ? { own: this.own, ...(this.order ? { order: this.order } : {}) } : {};
    const settings = { ...this.asked, ...bound, ...own };
    return { ids, settings: n < 0 ? withoutGates(settings) : settings, step };
  }

  get position() {
    return this.#positionAfter(this.drawStep);
  }

  /** What other views go on from: the tokens of a template are not those of its text. */
  get beginning() {
    if (!this.chat) return { prompt: this.prompt, prompt_ids: null };
    const prompt = this.promptPieces.map(({ text }) => text).join('');
    return { prompt, prompt_ids: this.#promptIds };
  }

  /** Mirostat's bound or adaptive-p's mean in the next draw, null while they are off. */
  get mu() {
    const state = carried(this.settings);
    if (!state) return null;
    const { mirostat_tau, adaptive_target } = this.settings;
    return (
      this.position.settings[state] ??
      (state === 'mirostat_mu' ? 2 * mirostat_tau : adaptive_target)
    );
  }

  /**
   * What an address or a host page is told, with the choices of the view of the bench.
   * @returns {PageState & { seed: number, branch: number[] }}
   */
  get state() {
    const { prompt, seed, chat } = this;
    const { seed: _, constraint_start: __, ...settings } = /** @type {Settings} */ (this.asked);
    const branch = this.#unread ? [] : this.steps.map(({ id }) => id);
    const max_new_tokens = this.limit;
    return {
      prompt,
      ...(chat && { chat: chat.user, system: chat.system, date: chat.date }),
      settings,
      seed,
      max_new_tokens,
      branch,
      bench_chart: this.view,
      bench_conventions: this.pair,
    };
  }

  /**
   * Takes another model, without a text yet.
   * @param {RemoteLogitscope} engine
   * @param {RemoteSession} session
   * @param {Grammar | null} grammar
   */
  use(engine, session, grammar) {
    this.leave();
    this.#engine = engine;
    this.#reader = new Reader(engine, new Timeline(engine, session));
    this.grammar = grammar;
    this.info = engine.info;
    this.table = engine.table;
    this.biases = [];
    this.gates = {};
    this.aside = {};
    this.chat = null;
    this.trace = this.drawn = null;
    this.#empty();
    this.#tree.ends = engine.info?.end_token_ids ?? [];
    // What renders a chat is fetched with the model: later there may be no network.
    if (engine.info?.chat_template)
      engine.chat([{ role: 'user', content: '' }], { renderer: assets.renderer }).catch(() => {});
  }

  /** Leaves no text. */
  #empty() {
    this.#promptIds = [];
    this.promptPieces = [];
    this.#tree.clear();
  }

  /** The engine is gone; what is shown stays. */
  leave() {
    this.stop();
    this.dropPass();
    this.dropTally();
    this.#promptTurn++;
    this.#restoreTurn++;
    this.#alternativesTurn++;
    this.#text++;
    this.#reader?.close();
    this.#pad?.close();
    this.#engine = this.#reader = this.#pad = null;
  }

  /**
   * Reads a new prompt and drops the generated texts. A prompt that the model cannot read changes
   * nothing but promptFault.
   * @param {string} prompt
   */
  setPrompt(prompt) {
    this.prompt = prompt;
    this.chat = null;
    this.promptThinks = false;
    return this.#readPrompt(async () => this.#here.encode(prompt));
  }

  /**
   * Reads what the model's template makes of messages; null goes back to the prompt.
   * @param {Said | null} chat
   */
  setChat(chat) {
    if (!chat) return this.setPrompt(this.prompt);
    this.chat = this.said = chat;
    return this.#readPrompt(async () => {
      const { user, system, date } = chat;
      const {
        ids,
        parts,
        date: taken,
      } = await this.#here.chat([{ role: 'user', content: user }], {
        ...(system && { system }),
        ...(date && { date }),
        renderer: assets.renderer,
      });
      if (chat !== this.chat) return ids;
      this.chatDate = taken;
      const last = parts.at(-1);
      this.promptThinks = Boolean(last?.thinking) || /<think>$/.test(last?.text ?? '');
      return ids;
    });
  }

  /** @param {() => Promise<ArrayLike<number>>} encode */
  async #readPrompt(encode) {
    this.stop();
    const turn = ++this.#promptTurn;
    this.#unread = true;
    try {
      const ids = Array.from(await encode());
      const pieces = await this.reader.pieces(ids);
      if (turn !== this.#promptTurn) return;
      if (ids.length === 0) throw new LogitscopeError('empty', 'no_prompt');
      this.promptFault = null;
      this.#promptIds = ids;
      this.promptPieces = pieces;
      this.#tree.clear();
      this.#unread = false;
      await this.#stand();
    } catch (error) {
      if (turn !== this.#promptTurn) return;
      this.#unread = false;
      this.promptFault = toFault(error);
      this.emit('fault', this.promptFault);
    }
    this.changed();
  }

  /**
   * Takes over a state that was checked against the table. Its tokens are drawn or forced again, so
   * that each number is the engine's; `saved` texts still have the engine's numbers. Gates that the
   * engine refuses are left out, and a "refused" event names them. A newer state or prompt ends it.
   * @param {PageState & { saved?: Saved | null }} state
   */
  async restore(state) {
    const { prompt = this.prompt, settings, seed, branch = [], saved = null, ...choices } = state;
    this.stop();
    const turn = ++this.#restoreTurn;
    const before = ++this.#promptTurn;
    if ((choices.view ?? 'bench') === 'bench') {
      this.view = choices.bench_chart ?? 'bars';
      this.pair = choices.bench_conventions ?? null;
    }
    const { order = null, draw = 'inverse', logit_bias = {}, ...others } = withoutGates(settings);
    this.gates = gatesOf(settings);
    this.order = order;
    this.method = draw;
    if (seed !== undefined) this.seed = seed;
    this.#tree.limit = choices.max_new_tokens ?? this.limit;
    this.settings = { ...neutralSettings(this.table), .../** @type {any} */ (others) };
    this.prompt = prompt;
    await this.attempt(async () => {
      const [refused, biases] = await Promise.all([
        this.refused(settings),
        this.readBiases(logit_bias),
      ]);
      if (turn !== this.#restoreTurn) return;
      for (const { name, value } of refused) {
        if (this.gates[name] !== value) continue;
        this.aside = { ...this.aside, [name]: value };
        delete this.gates[name];
      }
      if (refused.length > 0) this.emit('refused', refused);
      this.biases = biases;
      if (before !== this.#promptTurn) return this.set({}, false);
      const { chat, system = '', date = null } = choices;
      const read =
        typeof chat === 'string'
          ? this.setChat({ user: chat, system, date })
          : this.setPrompt(prompt);
      await this.#redraw(branch, read, saved);
    });
  }

  /**
   * Draws or forces the tokens of a state again, up to one that something newer or a refusal leaves no
   * place for.
   * @param {number[]} branch
   * @param {Promise<void>} read of the prompt before them, which has begun
   * @param {Saved | null} saved
   */
  async #redraw(branch, read, saved) {
    const turn = this.#promptTurn;
    const before = this.promptPieces;
    await read;
    if (saved && turn === this.#promptTurn && (await this.#takeTexts(saved))) return;
    if (turn === this.#promptTurn && this.promptFault) {
      // The text on show belongs to another state.
      if (before === this.promptPieces) this.#empty();
      return this.set({}, false);
    }
    for (const [at, id] of branch.entries()) {
      while (this.pass) await this.pass;
      const { steps, position, drawn } = this;
      if (turn !== this.#promptTurn || this.finished || !drawn) return;
      if (steps.length !== at || steps.some((step, i) => step.id !== branch[i])) return;
      if (drawn.id === id) await this.#append(drawn, false);
      else await this.#choose(id, await this.reader.listing(id, position), steps, false);
    }
  }

  /**
   * @param {Settings} patch
   * @param {boolean} [direct]
   */
  async set(patch, direct) {
    const done = super.set(patch, direct);
    if (this.alternatives) this.findAlternatives(this.alternatives.index);
    if (Object.keys(patch).some((name) => /^(green|synthid|watermark)_/.test(name)))
      await this.attempt(() => this.#findMarks());
    await done;
  }

  /** @param {boolean} wanted whether a map of two settings is on show */
  setMap(wanted) {
    this.#padWanted = wanted;
    this.#followMap();
    this.changed();
  }

  async #followMap() {
    if (!this.#padWanted || !this.live || this.#context.length === 0) return;
    this.#pad ??= new PadReader(this.#here, () => this.changed());
    await this.#pad.follow(this.position);
  }

  /** Without a prompt that the model can read, the bars show how a text begins, and nothing is drawn. */
  async read() {
    if (this.#promptIds.length > 0) return super.read();
    if (this.#context.length === 0) return /** @type {any} */ (null);
    return { ...(await super.read()), drawn: null };
  }

  /** Brings what is on show up to date, then the map where one is on show. */
  async refresh() {
    await super.refresh();
    this.#followMap();
  }

  /** Sets what removes tokens before any warper; null sets it aside. @param {Gates} patch */
  setGates(patch) {
    this.gates = gatesOf({ ...this.gates, ...patch });
    for (const name of Object.keys(patch)) delete this.aside[/** @type {keyof Gates} */ (name)];
    return this.set({}, false);
  }

  /**
   * The gates among settings that the engine refuses, each with its fault.
   * @param {Settings} settings
   * @returns {Promise<{ name: keyof Gates, value: unknown, fault: Fault }[]>}
   */
  async refused(settings) {
    const refused = [];
    for (const [gate, value] of Object.entries(gatesOf(settings))) {
      const name = /** @type {keyof Gates} */ (gate);
      try {
        await this.#here.warp(new Float32Array(this.info?.vocab_size ?? 0), { [name]: value });
      } catch (error) {
        refused.push({ name, value, fault: toFault(error) });
      }
    }
    return refused;
  }

  /** @param {number} limit how many tokens a text has at most */
  setLimit(limit) {
    return this.#go((tree) => (tree.limit = limit));
  }

  /** @param {boolean} stopAtEnd whether the end token ends a text */
  setStopAtEnd(stopAtEnd) {
    return this.#go((tree) => (tree.stopAtEnd = stopAtEnd));
  }

  /**
   * Appends the token that u falls on, exactly as shown; nothing if another text was gone to or the
   * run stopped while this waited.
   * @param {AbortSignal} [signal]
   */
  async step(signal) {
    const text = this.#text;
    while (this.pass) await this.pass;
    const { drawn } = this;
    if (!drawn || this.finished || signal?.aborted || text !== this.#text) return;
    await this.#append(drawn);
  }

  /** A text that is too long is the prompt's to mend. @param {Fault} fault */
  recordFault(fault) {
    if (fault.code === 'too_long') this.promptFault = fault;
    else super.recordFault(fault);
  }

  /** Ends a run, where one goes on. */
  stop() {}

  /**
   * Appends a listed token of the reader's choice instead of the drawn one.
   * @param {number} id
   */
  async force(id) {
    this.stop();
    const text = this.#text;
    while (this.pass) await this.pass;
    if (!this.trace || !this.drawn || this.finished || text !== this.#text) return;
    await this.#choose(id, this.trace, this.steps);
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
    await this.#choose(id, alternatives.trace, this.steps);
  }

  /**
   * Goes back to the first n tokens; the cache is cut there, nothing is run again.
   * @param {number} n
   */
  rewind(n) {
    return this.#go((tree) => tree.rewind(n));
  }

  /** @param {import('./tree.js').Node} node the end of a branch */
  show(node) {
    return this.#go((tree) => tree.show(node));
  }

  /** Back to the prompt alone, without any branch. */
  reset() {
    return this.#go((tree) => tree.clear());
  }

  /** @param {(tree: TextTree) => void} change shows another text */
  async #go(change) {
    this.stop();
    change(this.#tree);
    await this.#stand();
  }

  /**
   * Finds what could have stood in the place of a token.
   * @param {number | null} index of a step, negative in the prompt; null: they are no longer wanted
   * @returns {Promise<void>}
   */
  async findAlternatives(index) {
    const turn = ++this.#alternativesTurn;
    const outside = index === null || index >= this.steps.length;
    /** @type {Alternatives | null} */
    let found = null;
    try {
      if (!outside && index > -this.#promptIds.length) found = await this.#alternativesAt(index);
    } catch (error) {
      if (turn !== this.#alternativesTurn) return;
      // An older look, of a knob that moves, can go before a newer one.
      if (toFault(error).code === 'superseded') return this.findAlternatives(index);
      this.fail(error);
    }
    if (turn !== this.#alternativesTurn) return;
    this.alternatives = found;
    this.changed();
  }

  /** @param {number} index @returns {Promise<Alternatives>} */
  async #alternativesAt(index) {
    const position = this.#positionAfter(index);
    const trace = await this.reader.alternatives(position);
    const id = this.#promptIds.at(index);
    const given =
      index < 0 && id !== undefined ? await this.reader.shareOf(position, id) : undefined;
    return { index, trace, given };
  }

  /**
   * Appends a token unless another text was gone to.
   * @param {number} id
   * @param {Trace} trace one that lists it
   * @param {Step[]} steps what it follows
   * @param {boolean} [announced]
   */
  #choose(id, trace, steps, announced) {
    return this.attempt(async () => {
      const token = trace.tokens.find((listed) => listed.id === id);
      if (!token) return;
      const { p, p_raw, rank, logprob } = token;
      const [piece] = await this.reader.pieces([id]);
      if (steps !== this.steps) return;
      const chosen = { u: null, mu: null, p, p_raw, rank, logprob };
      await this.#append({ ...piece, ...chosen, forced: true }, announced);
    });
  }

  /** @param {Drawn} drawn @param {boolean} [announced] whether the page around hears of it */
  async #append(drawn, announced = true) {
    const step = { ...drawn, position: this.#promptIds.length + this.steps.length };
    this.#tree.append(step);
    if (announced) this.emit('step', step);
    await this.#follow(announced);
  }

  /** Brings everything up to date with a text gone to. */
  async #stand() {
    this.#text++;
    this.#alternativesTurn++;
    this.alternatives = null;
    await this.#follow();
    this.emit('change');
  }

  /**
   * Brings everything up to date with the tokens on show.
   * @param {boolean} [announced] whether the page around hears of a text that has ended
   */
  async #follow(announced = false) {
    this.dropTally();
    this.whatIf = null;
    this.direct = false;
    this.verdict = null;
    this.#written = '';
    if (this.finished) await this.attempt(() => this.#judge(this.finished === 'eos'));
    this.changed();
    const { steps } = this;
    await Promise.all([
      this.refresh(),
      this.attempt(() => this.#measure()),
      this.attempt(() => this.#findMarks()),
    ]);
    if (announced && this.finished && steps === this.steps) this.emit('result');
  }

  async #measure() {
    const { steps } = this;
    const distinct = await this.reader.distinct(steps.map(({ id }) => id));
    if (steps !== this.steps) return;
    this.distinct = distinct;
    this.changed();
  }

  /** @param {boolean} sought whether to look for watermarks while none is on */
  seekMarks(sought) {
    this.sought = sought;
    return this.attempt(() => this.#findMarks());
  }

  /** Looks for the watermarks that are on in the drawn text, or for both where that is asked for. */
  async #findMarks() {
    const { steps, settings } = this;
    const marks =
      this.sought || WATERMARKS.some((name) => settings[name])
        ? await (await import('./watermark.js')).findWatermarks(
            this.#here,
            this.#promptIds,
            steps,
            settings,
          )
        : null;
    if (steps !== this.steps) return;
    this.marks = marks;
    this.changed();
  }

  /** @param {boolean} ended whether by the end token */
  async #judge(ended) {
    const { steps } = this;
    const ids = steps.map(({ id }) => id);
    const written = await this.#here.decode(Uint32Array.from(ended ? ids.slice(0, -1) : ids));
    const judged = this.grammar && ended ? Uint32Array.from([...this.#promptIds, ...ids]) : null;
    const sentence = judged && (await this.#here.decode(judged));
    const checker = judged && (await import('../engine/grammar.js'));
    if (steps !== this.steps) return;
    this.#written = written;
    if (this.grammar && checker && sentence !== null)
      this.verdict = checker.checkSentence(this.grammar, sentence);
  }
}
