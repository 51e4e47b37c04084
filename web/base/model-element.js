/**
 * The base class of elements that load a model: a view, or an element in an author's page. While it is connected, it
 * leases the engine of its `model`. Settings come from the property `settings` or from attributes such as
 * temperature="0.7".
 */
import { LogitElement, elementWith } from './element.js';
import { isSlow, lease } from '../state/engines.js';
import { farAddress } from '../state/hosts.js';
import { findModel } from '../state/models.js';
import { detailOf } from './faults.js';
import { toFault } from '../engine/errors.js';

/** @typedef {import('../engine/remote.js').RemoteLogitscope} RemoteLogitscope */

/** @import { Progress } from '../state/engines.js' */

/**
 * Content that is shown until the model is loaded. `ask` asks the user to agree to a fetch; `follow` shows the
 * progress, or removes it for null.
 * @typedef {{ ask: (element: ModelElement) => Promise<Partial<ModelElement>>,
 *   follow: (element: ModelElement, progress: Progress | null, cancel: () => void) => void }} Placeholder
 */

export class ModelElement extends elementWith(LogitElement, () => ({
  /** Name of a model of the page, or address of another one. @type {import('../state/engines.js').Model | ''} */
  model: '',
  /** Context length in tokens; null for the engine's default. @type {number | null} */
  context: null,
  /** The prompt; by default the model's first example. @type {string} */
  prompt: /** @type {any} */ (undefined),
  /** The prompt as ids, if a chat template made it; else null. @type {number[] | null} */
  prompt_ids: null,
  /** @type {import('../engine/types.js').Settings} */
  settings: {},
})) {
  /** Shows this content; null in the instrument, which shows it itself. @type {Placeholder | null} */
  static placeholder = null;

  /** @type {import('lit').PropertyDeclarations} */
  static properties = { model: {}, context: { type: Number }, prompt: {} };

  /** The engine; null until the model is loaded. @type {RemoteLogitscope | null} */
  engine = null;
  /** The reason why there is no engine; null without an error. @type {import('../engine/errors.js').Fault | null} */
  fault = null;
  /** @type {import('../state/engines.js').Lease | null} */
  #lease = null;
  #watch = new MutationObserver(() => this.requestUpdate());

  connectedCallback() {
    super.connectedCallback();
    this.#watch.observe(this, { attributes: true });
    if (this.hasUpdated) this.#open();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#watch.disconnect();
    this.#close();
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('model') || changed.has('context')) this.#open();
    if (this.model !== '') this.prompt ??= this.offer.examples[0];
  }

  get offer() {
    return findModel(/** @type {import('../state/engines.js').Model} */ (this.model));
  }

  /** Settings from attributes and from `settings`; if both contain a setting, `settings` counts. */
  get asked() {
    /** @type {Record<string, any>} */
    const found = {};
    for (const { name, kind } of this.engine?.table ?? []) {
      const text = kind === 'map' ? null : this.getAttribute(name);
      if (text !== null && text.trim() !== '') found[name] = Number(text);
    }
    return { ...found, ...this.settings };
  }

  /**
   * Called when the engine is open. Other elements use the same engine, so use a session of your own
   * (`engine.session()`).
   * @param {RemoteLogitscope} engine
   */
  opened(engine) {
    void engine;
  }

  #close() {
    this.#lease?.release();
    this.#lease = null;
    this.engine = null;
  }

  async #open() {
    this.#close();
    this.fault = null;
    if (this.model === '') return;
    const { placeholder } = ModelElement;
    const onprogress = (/** @type {Progress} */ progress) => {
      if (this.#lease === held && isSlow(progress))
        placeholder?.follow(this, progress, held.cancel);
    };
    const held = lease(this.offer.model, { context: this.context, onprogress });
    this.#lease = held;
    try {
      const engine = await held.ready;
      if (this.#lease !== held) return;
      this.engine = engine;
      placeholder?.follow(this, null, held.cancel);
      await this.opened(engine);
    } catch (error) {
      held.release();
      if (this.#lease !== held) return;
      placeholder?.follow(this, null, held.cancel);
      const fault = toFault(error);
      detailOf(fault).then((detail) => this.emit('logit-error', detail));
      const left = fault.code === 'cancelled' && farAddress(this.offer.model);
      if (placeholder && (left || fault.key === 'far_unasked'))
        return this.#openAgreed(await placeholder.ask(this));
      this.fault = fault;
    }
    this.requestUpdate();
  }

  /** Opens the model to which the user has agreed. @param {Partial<ModelElement>} agreed */
  #openAgreed({ model = this.model, context = null }) {
    const same = model === this.model && (context ?? this.context) === this.context;
    Object.assign(this, { model, context: context ?? this.context });
    if (same) this.#open();
  }
}
