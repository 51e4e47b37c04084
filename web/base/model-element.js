/**
 * The base of an element with its own model: a view of the page, or an element that an author places
 * in a page. It leases the engine of its `model` while it is connected. The settings are the property
 * `settings` or attributes (temperature="0.7").
 */
import { LogitElement } from './element.js';
import { isSlow, lease } from '../state/engines.js';
import { farAddress } from '../state/hosts.js';
import { findModel } from '../state/models.js';
import { detailOf } from './faults.js';
import { toFault } from '../engine/errors.js';

/** @typedef {import('../engine/remote.js').RemoteLogitscope} RemoteLogitscope */

/**
 * The placeholder in an element until its model is loaded. `ask` asks the user for permission to fetch
 * the model and resolves to the model and context that the user chose. `follow` shows the progress; null
 * removes it.
 * @typedef {{ ask: (element: ModelElement) => Promise<Partial<ModelElement>>,
 *   follow: (element: ModelElement, progress: Progress | null, cancel: () => void) => void }} Placeholder
 * @typedef {import('../state/engines.js').Progress} Progress
 */

export class ModelElement extends LogitElement {
  /** The page's placeholder; null for none. @type {Placeholder | null} */
  static placeholder = null;

  static properties = {
    model: {},
    context: { type: Number },
    prompt: {},
    prompt_ids: { attribute: false },
    settings: { attribute: false },
  };

  /** @type {RemoteLogitscope | null} Null until the model is loaded. */
  engine = null;
  /** @type {import('../engine/errors.js').Fault | null} Why there is no engine; null while loading or ready. */
  fault = null;
  /** @type {import('../state/engines.js').Lease | null} */
  #lease = null;
  #watch = new MutationObserver(() => this.requestUpdate());

  constructor() {
    super();
    /** The name of an offered model, or the address of another model. @type {import('../state/engines.js').Model | ''} */
    this.model = '';
    /** The context length in tokens; null for the engine's default. @type {number | null} */
    this.context = null;
    /** The prompt; the default is the model's first example. @type {string} */
    this.prompt = /** @type {any} */ (undefined);
    /** The ids of a prompt that is not plain text, such as the output of a chat template; else null. @type {number[] | null} */
    this.prompt_ids = null;
    /** @type {import('../engine/types.js').Settings} */
    this.settings = {};
  }

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

  /** The settings from the attributes; the property `settings` overrides them. */
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
   * Called when the engine is open. Other elements use its default timeline too, so call
   * `engine.session()`.
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

  /** Opens the model that the user agreed to. @param {Partial<ModelElement>} agreed */
  #openAgreed({ model = this.model, context = null }) {
    const same = model === this.model && (context ?? this.context) === this.context;
    Object.assign(this, { model, context: context ?? this.context });
    if (same) this.#open();
  }
}
