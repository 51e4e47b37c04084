/**
 * The base of an element that reads a model by itself, in the page's views and alone in a lesson:
 * it holds the engine of its `model` while it is connected, and takes settings as a property or as
 * attributes in their own spelling (temperature="0.7").
 */
import { LogitElement } from './element.js';
import { isSlow, lease } from '../state/engines.js';
import { farAddress } from '../state/hosts.js';
import { findModel } from '../state/models.js';
import { detailOf } from './faults.js';
import { toFault } from '../engine/errors.js';

/** @typedef {import('../engine/remote.js').RemoteLogitscope} RemoteLogitscope */

/**
 * What stands in the place of an element until its model is there: `ask` whether it may be fetched,
 * with what the reader takes in its place or with; `follow` how far it is, null where nothing comes.
 * @typedef {{ ask: (element: ModelElement) => Promise<Partial<ModelElement>>,
 *   follow: (element: ModelElement, progress: Progress | null, cancel: () => void) => void }} Placeholder
 * @typedef {import('../state/engines.js').Progress} Progress
 */

export class ModelElement extends LogitElement {
  /** The page's. @type {Placeholder | null} */
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
  /** @type {import('../engine/errors.js').Fault | null} Why there is no engine. */
  fault = null;
  /** @type {import('../state/engines.js').Lease | null} */
  #lease = null;
  #watch = new MutationObserver(() => this.requestUpdate());

  constructor() {
    super();
    /** An offered model by its name, or another by its address. @type {import('../state/engines.js').Model | ''} */
    this.model = '';
    /** How many tokens a session sees; null is as many as the engine takes by itself. @type {number | null} */
    this.context = null;
    /** Where it is left out, the first example of the model. @type {string} */
    this.prompt = /** @type {any} */ (undefined);
    /** Its tokens where it is not text alone, as what a chat template makes. @type {number[] | null} */
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

  /** The model as the page offers it. */
  get offer() {
    return findModel(/** @type {import('../state/engines.js').Model} */ (this.model));
  }

  /** The settings of the property, over those of the attributes. */
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
   * Called once the engine is there; its default timeline is shared, so take `engine.session()`.
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

  /** Opens what the reader agreed to. @param {Partial<ModelElement>} agreed */
  #openAgreed({ model = this.model, context = null }) {
    const same = model === this.model && (context ?? this.context) === this.context;
    Object.assign(this, { model, context: context ?? this.context });
    if (same) this.#open();
  }
}
