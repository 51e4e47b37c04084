/**
 * The state of the page: a bench for the text of a model. A change of settings does not run the model. While another
 * model loads, the present one stays in use.
 */
import { carried } from '../engine/presets.js';
import { LogitscopeError, toFault } from '../engine/errors.js';
import { Alternatives } from './alternatives.js';
import { assets } from './assets.js';
import { Bench } from './bench.js';
import { gatesOf, sameValue, withoutGates } from './fields.js';
import { Findings } from './findings.js';
import { Generation } from './generation.js';
import { ModelSlot } from './model-slot.js';
import { Prompt } from './prompt.js';
import { Reader } from './reader.js';
import { openTexts, saveTexts } from './saved-texts.js';
import { neutralSettings } from './settings.js';
import { Timeline } from './sources.js';
import { ThinkingSettings } from './thinking-settings.js';
import { TextTree } from './tree.js';

/** @import { Settings } from '../plots/trace.js' */
/** @import { RemoteLogitscope, RemoteSession } from '../engine/remote.js' */
/** @import { Grammar } from '../engine/grammar.js' */
/** @import { Fault } from '../engine/errors.js' */
/** @import { Gates } from './fields.js' */
/** @import { PageState } from './page-state.js' */
/** @import { TextPosition } from './reader.js' */
/** @import { Saved } from './saved-texts.js' */

export class Instrument extends Bench {
  /** Data of the model. @type {import('../engine/types.js').Info | null} */
  info = null;
  /** @type {Grammar | null} */
  grammar = null;
  /** The gates: rules that remove tokens before the chain. A gate that is off is not listed. @type {Gates} */
  gates = {};
  /** Gates that this model cannot use, kept for the next model. @type {Gates} */
  aside = {};

  model = new ModelSlot(() => this.changed());
  prompt = new Prompt();
  /** All drawn texts; one of them is displayed. */
  texts = new TextTree();
  thinking = new ThinkingSettings();
  findings = new Findings(this);
  alternatives = new Alternatives(this);
  generation = new Generation(this);

  /** @type {RemoteLogitscope | null} */
  #engine = null;
  /** @type {Reader | null} */
  #reader = null;

  get live() {
    return this.#engine !== null;
  }

  get engine() {
    return required(this.#engine);
  }

  get reader() {
    return required(this.#reader);
  }

  /** Number of the step with the displayed u: the next step, or the last step of a finished text. */
  get drawStep() {
    const { finished, steps } = this.texts;
    return finished === 'eos' ? steps.length - 1 : steps.length;
  }

  get subject() {
    return this.texts.steps;
  }

  get asked() {
    if (Object.keys(this.gates).length === 0) return super.asked;
    return { ...super.asked, ...this.gates, constraint_start: this.#contextIds.length };
  }

  /** The ids before the drawn tokens: the prompt, or else the token that begins a text, if the model has one. */
  get #contextIds() {
    const { bos_token_id: begins } = this.info ?? {};
    const { ids } = this.prompt;
    return ids.length > 0 || typeof begins !== 'number' ? ids : [begins];
  }

  /** The thinking's settings if they draw the token of the displayed distribution; else null. */
  get part() {
    return this.thinking.partsOf(this)[this.drawStep] ?? null;
  }

  /**
   * Returns the position after n drawn tokens; a negative n counts back into the prompt. The state of Mirostat or
   * adaptive-p at that position is in its settings.
   * @param {number} n
   * @returns {TextPosition}
   */
  positionAfter(n) {
    const step = Math.max(0, n);
    const before = this.texts.steps.slice(0, step);
    const parts = this.thinking.partsOf(this);
    const part = (n < 0 ? null : parts[step]) ?? null;
    const inPart = before.filter((_, i) => (parts[i] ?? null) === part);
    const mu = inPart.filter((each) => typeof each.mu === 'number').at(-1)?.mu;
    const state = carried({ ...this.settings, ...part });
    const bound = state && mu ? { [state]: mu } : {};
    const prompt = this.#contextIds.slice(0, this.#contextIds.length + Math.min(0, n));
    const ids = [...prompt, ...before.map(({ id }) => id)];
    const own = this.own ? { own: this.own, ...(this.order ? { order: this.order } : {}) } : {};
    const settings = { ...this.asked, ...own, ...part, ...bound };
    return { ids, settings: n < 0 ? withoutGates(settings) : settings, step };
  }

  get position() {
    return this.positionAfter(this.drawStep);
  }

  /** The displayed text as `breakLoop` takes it. @returns {import('../engine/types.js').LoopOptions & Settings} */
  get written() {
    const { steps } = this.texts;
    const u = this.method === 'gumbel' ? [] : steps.map((step) => step.u ?? null);
    const own = this.own && { own: [] }; // is refused
    const drawn_ids = steps.map(({ id }) => id);
    const { settings } = this.thinking;
    const thinking = settings && { thinking: { settings } };
    return { ...this.asked, ...own, ...thinking, prompt: this.#contextIds, drawn_ids, u };
  }

  /** Mirostat's bound or adaptive-p's mean for the next draw; null if both are off. */
  get mu() {
    const settings = { ...this.settings, ...this.part };
    const state = carried(settings);
    if (!state) return null;
    const { mirostat_tau, adaptive_target } = settings;
    return (
      this.position.settings[state] ??
      (state === 'mirostat_mu' ? 2 * mirostat_tau : adaptive_target)
    );
  }

  /**
   * The state of the bench, for the address or a host page.
   * @returns {PageState & { seed: number, branch: number[] }}
   */
  get state() {
    const { prompt, texts, seed } = this;
    const { text, chat, reading } = prompt;
    const { seed: _, constraint_start: __, ...settings } = /** @type {Settings} */ (this.asked);
    return {
      prompt: text,
      ...(chat && { chat: chat.user, system: chat.system, date: chat.date }),
      ...(this.thinking.settings && { thinking: this.thinking.settings }),
      settings,
      seed,
      max_new_tokens: texts.limit,
      branch: reading ? [] : texts.steps.map(({ id }) => id),
      bench_chart: this.view,
      bench_conventions: this.pair,
    };
  }

  /**
   * Loads a model and its grammar, then shows the state that `begin` returns. Until then, and if the load fails, the
   * present model stays. `begin` gets the present state, or null if there is no model.
   * @param {import('./model-slot.js').ModelRequest & {
   *   begin: (before: PageState | null) => PageState }} request
   */
  async load({ begin, ...request }) {
    const { model } = this;
    this.fault = null;
    const opening = model.begin(request);
    try {
      const { engine, session, grammar } = await model.open(opening, request);
      if (!model.isComing(opening)) {
        session.close().catch(() => {}); // ignore errors: its engine may be closed
        return;
      }
      const before = this.live ? { ...this.state, saved: this.saveTexts() } : null;
      // Restores the gates in `aside`, which the old model could not use: the next one perhaps can.
      if (before) before.settings = { ...before.settings, ...this.aside };
      this.use(engine, session, grammar);
      model.take(request);
      await this.attempt(() => this.restore(begin(before)));
      if (!model.holds(opening)) return;
      model.status = 'ready';
      this.emit('ready');
    } catch (error) {
      if (!model.isComing(opening)) return;
      const fault = model.refuse(error, request.model);
      if (!this.live) this.fault = fault;
      this.emit('fault', fault);
    }
    model.settle();
  }

  /**
   * Takes another model into use. The text is then empty.
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
    this.trace = this.drawn = null;
    this.prompt.chat = null;
    this.#empty();
    this.texts.ends = engine.info?.end_token_ids ?? [];
    // Fetch the code that renders chats now, because later there may be no network.
    if (engine.info?.chat_template)
      engine.chat([{ role: 'user', content: '' }], { renderer: assets.renderer }).catch(() => {});
  }

  #empty() {
    this.prompt.clear();
    this.texts.clear();
  }

  /** Stops the use of the engine. The numbers on screen stay. */
  leave() {
    this.generation.stop();
    this.dropPass();
    this.dropTally();
    this.turns.end();
    this.#reader?.close();
    this.#engine = this.#reader = null;
  }

  /** Stops the use of the engine and releases it. */
  close() {
    this.leave();
    this.model.close();
  }

  /** Reads a new prompt; the drawn texts are dropped. @param {string} prompt */
  setPrompt(prompt) {
    this.prompt.write(prompt);
    return this.#readPrompt();
  }

  /**
   * Reads the prompt that the model's template makes from a chat.
   * @param {import('./prompt.js').Chat | null} chat null returns to the plain prompt
   */
  setChat(chat) {
    if (!chat) return this.setPrompt(this.prompt.text);
    this.prompt.say(chat);
    return this.#readPrompt();
  }

  /** Reads the prompt. If the model cannot encode it, only the error is shown. */
  async #readPrompt() {
    const { prompt } = this;
    this.generation.stop();
    const isNewest = this.turns.begin('prompt');
    prompt.reading = true;
    try {
      const tokens = await prompt.encode(this.engine, this.reader);
      if (!isNewest()) return;
      prompt.take(tokens);
      this.texts.clear();
      await this.#readText();
    } catch (error) {
      if (!isNewest()) return;
      this.emit('fault', prompt.refuse(error));
    }
    this.changed();
  }

  /**
   * Restores a state that was checked with the table. Its tokens are drawn or appended again, so that the engine
   * computes every number; texts in `saved` have their numbers already. Gates that the engine refuses are dropped and
   * named in a "refused" event. A newer state or prompt ends this.
   * @param {PageState & { saved?: Saved | null }} state
   */
  async restore(state) {
    const { prompt = this.prompt.text, settings, seed, branch = [], saved, ...choices } = state;
    this.generation.stop();
    const isNewest = this.turns.begin('restore');
    const isPrompt = this.turns.begin('prompt');
    if ((choices.view ?? 'bench') === 'bench') {
      this.view = choices.bench_chart ?? null;
      this.pair = choices.bench_conventions ?? null;
    }
    const { order = null, draw = 'inverse', logit_bias = {}, ...others } = withoutGates(settings);
    this.gates = gatesOf(settings);
    this.order = order;
    this.method = draw;
    if (seed !== undefined) this.seed = seed;
    this.texts.limit = choices.max_new_tokens ?? this.texts.limit;
    this.settings = { ...neutralSettings(this.table), .../** @type {any} */ (others) };
    this.replacements++;
    this.prompt.text = prompt;
    const thinking = this.thinking.take(choices.thinking ?? null);
    await this.attempt(async () => {
      const [refused, biases] = await Promise.all([
        this.refused(settings),
        this.readBiases(logit_bias),
        thinking,
      ]);
      if (!isNewest()) return;
      this.#setAside(refused);
      this.biases = biases;
      if (!isPrompt()) return this.set({}, false);
      const { chat, system = '', date = null } = choices;
      const read =
        typeof chat === 'string'
          ? this.setChat({ user: chat, system, date })
          : this.setPrompt(prompt);
      await this.#redraw(branch, read, saved ?? null);
    });
  }

  /** @param {{ name: keyof Gates, value: any }[]} refused */
  #setAside(refused) {
    for (const { name, value } of refused) {
      if (this.gates[name] !== value) continue;
      this.aside = { ...this.aside, [name]: value };
      delete this.gates[name];
    }
    if (refused.length > 0) this.emit('refused', refused);
  }

  /**
   * Draws or appends the tokens of a state again. Stops if the prompt changes, the user adds a token, the text ends,
   * or the engine refuses a token.
   * @param {number[]} branch
   * @param {Promise<void>} read resolves when the prompt is read
   * @param {Saved | null} saved
   */
  async #redraw(branch, read, saved) {
    const { prompt, generation } = this;
    const isNewest = this.turns.watch('prompt');
    const before = prompt.pieces;
    await read;
    if (saved && isNewest() && (await this.#takeTexts(saved, isNewest))) return;
    if (isNewest() && prompt.fault) {
      // The displayed text belongs to another state, so drop it.
      if (before === prompt.pieces) this.#empty();
      return this.set({}, false);
    }
    for (const [at, id] of branch.entries()) {
      while (this.pass) await this.pass;
      const { drawn } = this;
      const { steps, finished } = this.texts;
      if (!isNewest() || finished || !drawn) return;
      if (steps.length !== at || steps.some((step, i) => step.id !== branch[i])) return;
      if (drawn.id === id) await generation.append(drawn, false);
      else await generation.choose(id, await this.#listNext(id), steps, false);
    }
  }

  /** Reads the next tokens so that their list includes `id`. If a knob's reading supersedes this one, reads again. */
  async #listNext(/** @type {number} */ id) {
    for (;;) {
      while (this.pass) await this.pass;
      try {
        return await this.reader.listing(id, this.position);
      } catch (error) {
        if (toFault(error).code !== 'superseded') throw error;
      }
    }
  }

  saveTexts() {
    return saveTexts(this.texts, this.prompt.ids);
  }

  /**
   * Shows stored texts with their numbers. Returns false if they belong to another prompt.
   * @param {Saved} saved
   * @param {() => boolean} isNewest returns false after a newer prompt
   */
  async #takeTexts(saved, isNewest) {
    const { prompt, reader } = this;
    const { prompt_ids: ids, tokens } = saved;
    if (!prompt.fault && !sameValue(ids, prompt.ids)) return false;
    const pieces = await reader.pieces(ids);
    const drawn = await reader.pieces(tokens.map(([, id]) => Number(id)));
    if (!isNewest()) return true;
    Object.assign(prompt, { ids, pieces });
    openTexts(this.texts, saved, drawn);
    await this.#readText();
    return true;
  }

  /** @param {Settings} patch @param {boolean} [direct] */
  async set(patch, direct) {
    this.findings.dropLoopBreaks();
    const done = super.set(patch, direct);
    const { shown } = this.alternatives;
    if (shown) this.alternatives.find(shown.index);
    if (Object.keys(patch).some((name) => /^(green|synthid|watermark)_/.test(name)))
      await this.findings.findWatermarks();
    await done;
  }

  /** Reads everything. If the prompt could not be read, the bars show how a text begins, and no token is drawn. */
  async read() {
    if (this.prompt.ids.length > 0) return super.read();
    if (this.#contextIds.length === 0) return /** @type {any} */ (null);
    return { ...(await super.read()), drawn: null };
  }

  /** Changes gates; null turns a gate off. @param {Gates} patch */
  setGates(patch) {
    this.gates = gatesOf({ ...this.gates, ...patch });
    for (const name of Object.keys(patch)) delete this.aside[/** @type {keyof Gates} */ (name)];
    return this.set({}, false);
  }

  /**
   * Returns the gates among the settings that the engine refuses, each with the error.
   * @param {Settings} settings
   * @returns {Promise<{ name: keyof Gates, value: unknown, fault: Fault }[]>}
   */
  async refused(settings) {
    const refused = [];
    for (const [gate, value] of Object.entries(gatesOf(settings))) {
      const name = /** @type {keyof Gates} */ (gate);
      try {
        await this.engine.warp(new Float32Array(this.info?.vocab_size ?? 0), { [name]: value });
      } catch (error) {
        refused.push({ name, value, fault: toFault(error) });
      }
    }
    return refused;
  }

  /** Stores an error. "too_long" is an error of the prompt. @param {Fault} fault */
  recordFault(fault) {
    if (fault.code === 'too_long') this.prompt.fault = fault;
    else super.recordFault(fault);
  }

  /**
   * Changes the displayed text, or the rule for its end. The engine's cache keeps the common beginning, so only other
   * tokens are evaluated.
   * @param {(texts: TextTree) => void} change
   */
  async go(change) {
    this.generation.stop();
    change(this.texts);
    await this.#readText();
  }

  /** Reads everything about the text that is displayed now. */
  async #readText() {
    this.turns.begin('text');
    this.alternatives.drop();
    await this.follow();
    this.emit('change');
  }

  /**
   * Reads everything about the displayed tokens.
   * @param {boolean} [announced] true to emit "result" if the text has ended
   */
  async follow(announced = false) {
    const { texts, findings } = this;
    this.dropTally();
    this.whatIf = null;
    this.direct = false;
    findings.reopen();
    if (texts.finished) await findings.judge();
    this.changed();
    const { steps } = texts;
    await Promise.all([this.refresh(), findings.measure(), findings.findWatermarks()]);
    if (announced && texts.finished && steps === texts.steps) this.emit('result');
  }
}

/**
 * Returns `part`; throws if it is missing because the engine is closed.
 * @template T @param {T | null} part @returns {T}
 */
function required(part) {
  if (!part) throw new LogitscopeError('closed', 'instance_closed');
  return part;
}
