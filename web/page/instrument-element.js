/** The base class of <logit-scope>: an element with one instrument, and properties that other modules read. */
import { LogitElement } from '../base/element.js';
import { explain } from '../base/faults.js';
import { settled } from '../base/settled.js';
import { Instrument } from '../state/instrument.js';
import { MODELS } from '../state/models.js';
import { show } from '../state/page-state.js';

/** @import { Fault } from '../engine/errors.js' */
/** @import { Dropped } from '../state/page-state.js' */

export class InstrumentElement extends LogitElement {
  instrument = new Instrument();

  /** The engine's table of settings; empty before the first model. */
  get table() {
    return this.instrument.table;
  }

  get ready() {
    return this.instrument.model.status === 'ready';
  }

  get info() {
    return this.instrument.info;
  }

  /** Name or address of the model; null for a file of the user. */
  get source() {
    const { source } = this.instrument.model;
    if (typeof source !== 'string') return null;
    return MODELS.find(({ model }) => model === source)?.name ?? source;
  }

  /** The user's files from which the model was loaded; empty for another model. @returns {File[]} */
  get files() {
    return [this.instrument.model.source].flat().filter((part) => part instanceof File);
  }

  get texts() {
    return this.instrument.texts;
  }

  get steps() {
    return this.instrument.texts.steps;
  }

  /** Returns all drawn texts with their numbers, as data for storage. */
  saveTexts() {
    return this.instrument.saveTexts();
  }

  /** True while a model loads, a run goes on, or the engine reads. */
  get busy() {
    const { model, pass, generation } = this.instrument;
    const loading = model.status === 'loading' || model.progress !== null;
    return loading || pass !== null || generation.running;
  }

  /** Resolves when every view shows the present state and nothing is pending. */
  settled() {
    return settled();
  }

  /**
   * Changes settings. The caller has checked them with the table.
   * @param {import('../plots/trace.js').Settings} patch
   */
  set(patch) {
    return this.instrument.set(patch, false);
  }

  step() {
    return this.instrument.generation.step();
  }

  /**
   * Returns the errors of settings that only the engine can check.
   * @param {import('../state/page-state.js').PageState['settings']} settings
   */
  async refused(settings) {
    return Promise.all((await this.instrument.refused(settings)).map(refusedPart));
  }

  /** The drawn text and the trace of the displayed bars. `finish_reason` is null while the text can continue. */
  get result() {
    const { texts, findings, prompt, trace } = this.instrument;
    const { steps, finished } = texts;
    const text = steps.map((step) => (step.special ? '' : step.text)).join('');
    const ids = steps.map(({ id }) => id);
    const { verdict } = findings;
    return { prompt: prompt.text, ids, text, finish_reason: finished, verdict, trace };
  }

  /** The error because of which the bars show an older state; null without one. @returns {Fault | null} */
  get fault() {
    const { prompt, drawn, fault } = this.instrument;
    return prompt.fault ?? (drawn ? null : fault);
  }
}

/**
 * @param {{ name: string, value: unknown, fault: Fault }} refused
 * @returns {Promise<Dropped>}
 */
export async function refusedPart({ name, value, fault }) {
  const message = await explain(fault);
  return { part: `${name}=${show(value)}`, why: 'refused', minimum: 0, maximum: 0, message };
}
