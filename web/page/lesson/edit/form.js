/**
 * Renders the fields of the lesson editor. A field belongs to a place in the draft: a list of names and indices. The
 * last name gives the label and the help. The field shows the checker's faults at its place.
 */
import { html, nothing } from 'lit';
import { valueOf } from '../../../base/element.js';
import { faultPlace, get, moved, placeName, put } from '../../../lessons/draft.js';
import { hasMessage, parse, plain, t } from '../../../locale/locale.js';

/** @import { Draft } from '../../../lessons/draft.js' */
/** @import { LessonFault } from '../../../lessons/faults.js' */

/**
 * @typedef {import('../../../lessons/draft.js').Place} Place
 *
 * @typedef {object} Owner
 * @property {Draft} draft
 * @property {LessonFault[]} faults
 * @property {(draft: Draft, place: string) => void} change applies a change; one undo takes back successive
 *   changes with one `place`
 * @property {(place: string) => void} focusAt focuses a place after the next render
 */

/** @param {string | number} name of a field */
export function fieldLabel(name) {
  const key = `editor.field.${name}`;
  return hasMessage(key) ? t(key) : String(name);
}

/** Returns the sentence that is shown beside a field with a fault. @param {LessonFault} fault */
export function faultWords({ key, values }) {
  if (key === 'missing') return t('editor.missing');
  return t(`lesson.fault.${key}`, { ...values, at: t('editor.here') });
}

export class Form {
  #owner;
  /**
   * Names of the places that the teacher has visited. A missing value is shown as a fault only there.
   * @type {Set<string>}
   */
  #touched = new Set();

  /** @param {Owner} owner */
  constructor(owner) {
    this.#owner = owner;
  }

  get draft() {
    return this.#owner.draft;
  }

  /** @param {Place} place @returns {any} */
  get(place) {
    return get(this.draft, place);
  }

  /** @param {Place} place @param {any} value */
  set(place, value) {
    this.#owner.change(put(this.draft, place, value), placeName(place));
  }

  /** @param {string} name of a place */
  touch(name) {
    this.#touched.add(name);
  }

  /** Notes that a place and everything inside it is not visited. @param {Place} [place] */
  untouch(place = []) {
    const name = placeName(place);
    for (const each of this.#touched) if (each.startsWith(name)) this.#touched.delete(each);
  }

  /** Adds an item to a list and focuses the item. @param {Place} place @param {any} item @param {Place} [focus] the place in the item to focus */
  add(place, item, focus = []) {
    const list = this.get(place) ?? [];
    this.untouch([...place, list.length]);
    this.set(place, [...list, item]);
    this.#owner.focusAt(placeName([...place, list.length, ...focus]));
  }

  /** Removes an item and moves the focus to its list. @param {Place} place @param {number} i */
  remove(place, i) {
    const rest = this.get(place).filter(
      (/** @type {any} */ _, /** @type {number} */ at) => at !== i,
    );
    this.untouch(place);
    this.set(place, rest);
    this.#owner.focusAt(placeName(place));
  }

  /** @param {Place} place @param {number} from @param {number} by */
  move(place, from, by) {
    this.untouch(place);
    this.set(place, moved(this.get(place), from, from + by));
  }

  /**
   * Returns the faults at a place.
   * @param {Place} place
   * @param {boolean} [within] true to include the places inside it
   */
  faultsAt(place, within = false) {
    const name = placeName(place);
    const inside = (/** @type {string} */ at) =>
      at === name || (within && (at.startsWith(`${name}.`) || at.startsWith(`${name}[`)));
    return this.#owner.faults.filter((fault) => inside(faultPlace(fault)));
  }

  /**
   * Returns the faults to show at a place: a missing value counts only if the teacher has visited the place.
   * @param {Place} place @param {boolean} [within]
   */
  #saidAt(place, within) {
    return this.faultsAt(place, within).filter(
      (fault) => fault.key !== 'missing' || this.#touched.has(faultPlace(fault)),
    );
  }

  /** @param {Place} place @param {boolean} [within] */
  faults(place, within = false) {
    const found = this.#saidAt(place, within);
    const sentences = found.map(faultWords);
    return sentences.length === 0
      ? nothing
      : html`<p class="error" id="${placeName(place)}-fault">${sentences.join(' ')}</p>`;
  }

  /**
   * Renders a label, help and faults around a control.
   * @param {Place} place
   * @param {(attributes: { id: string, invalid: string | typeof nothing, about: string | typeof nothing }) =>
   * unknown} control
   * @param {{ label?: string, wide?: boolean, within?: boolean }} [options]
   */
  field(place, control, { label = fieldLabel(place[place.length - 1]), wide, within } = {}) {
    const id = placeName(place);
    const aboutKey = `editor.about.${place[place.length - 1]}`;
    const about = hasMessage(aboutKey);
    const wrong = this.#saidAt(place, within).length > 0;
    const described = [about ? `${id}-about` : '', wrong ? `${id}-fault` : ''].join(' ').trim();
    return html`<div class="field ${wide ? 'wide' : ''}">
      <label for=${id}>${label}</label>
      ${control({ id, invalid: wrong ? 'true' : nothing, about: described || nothing })}
      ${about ? html`<p class="about" id="${id}-about">${t(aboutKey)}</p>` : nothing}
      ${this.faults(place, within)}</div>`;
  }

  /** @param {Place} place @param {{ label?: string, size?: number }} [options] */
  text(place, { label, size } = {}) {
    return this.field(
      place,
      (field) => html`<input type="text" autocomplete="off" id=${field.id} size=${size ?? nothing}
        aria-invalid=${field.invalid} aria-describedby=${field.about} .value=${String(this.get(place) ?? '')}
        @input=${(/** @type {Event} */ event) => this.set(place, valueOf(event))}>`,
      { label, wide: !size },
    );
  }

  /**
   * Renders a field with several lines, for code or the text of a bigram table.
   * @param {Place} place @param {{ label?: string }} [options]
   */
  lines(place, { label } = {}) {
    return this.field(
      place,
      (
        field,
      ) => html`<textarea class="json" rows="6" spellcheck="false" id=${field.id} aria-invalid=${field.invalid}
        aria-describedby=${field.about} .value=${String(this.get(place) ?? '')}
        @input=${(/** @type {Event} */ event) => this.set(place, valueOf(event) || undefined)}></textarea>`,
      { label, wide: true },
    );
  }

  /**
   * Renders a field for a text. An empty line begins a new paragraph.
   * @param {Place} place @param {{ paragraphs?: boolean }} [options]
   */
  area(place, { paragraphs = false } = {}) {
    const value = [this.get(place) ?? ''].flat().join('\n\n');
    const read = (/** @type {string} */ text) => {
      const parts = text.split(/\n\s*\n/);
      return paragraphs && parts.length > 1 ? parts : text;
    };
    return this.field(
      place,
      (
        field,
      ) => html`<textarea rows="2" id=${field.id} aria-invalid=${field.invalid} aria-describedby=${field.about}
        .value=${value} @input=${(/** @type {Event} */ event) => this.set(place, read(valueOf(event)))}></textarea>`,
      { wide: true, within: paragraphs },
    );
  }

  /**
   * Renders a field for a number. If it is empty, the value is undefined. If it has other text, the value is this
   * text, and the checker refuses it.
   * @param {Place} place @param {{ label?: string }} [options]
   */
  number(place, options = {}) {
    const value = this.get(place);
    const read = (/** @type {string} */ text) => {
      if (text.trim() === '') return undefined;
      const typed = parse(text);
      return Number.isNaN(typed) ? text : typed;
    };
    return this.field(
      place,
      (
        field,
      ) => html`<input type="text" inputmode="decimal" autocomplete="off" size="8" id=${field.id}
        aria-invalid=${field.invalid} aria-describedby=${field.about} .value=${typeof value === 'number' ? plain(value) : (value ?? '')}
        @change=${(/** @type {Event} */ event) => this.set(place, read(valueOf(event)))}>`,
      options,
    );
  }

  /**
   * @param {Place} place
   * @param {[string, string][]} options pairs of a value and its text
   * @param {{ label?: string, value?: string, set?: (value: string) => void }} [more]
   */
  select(
    place,
    options,
    { label, value = this.get(place), set = (to) => this.set(place, to) } = {},
  ) {
    return this.field(
      place,
      (
        field,
      ) => html`<select id=${field.id} aria-invalid=${field.invalid} aria-describedby=${field.about}
        @change=${(/** @type {Event} */ event) => set(valueOf(event))}>${options.map(
          ([each, words]) =>
            html`<option value=${each} .selected=${each === value}>${words}</option>`,
        )}</select>`,
      { label },
    );
  }

  /** @param {Place} place */
  flag(place) {
    const id = placeName(place);
    return html`<label class="choice"><input type="checkbox" id=${id} .checked=${this.get(place) === true}
      @change=${(/** @type {Event} */ event) => this.set(place, /** @type {HTMLInputElement} */ (event.target).checked || undefined)}>
      ${fieldLabel(place[place.length - 1])}</label>`;
  }

  /** Renders a field for a list: one line with commas between the items. @param {Place} place @param {(text: string) => any} read parses an item @param {{ label?: string }} [options] */
  line(place, read, { label } = {}) {
    const list = this.get(place) ?? [];
    const split = (/** @type {string} */ text) =>
      text.trim() === ''
        ? undefined
        : text
            .split(/[,;]\s*|\s*\n\s*/)
            .filter(Boolean)
            .map(read);
    return this.field(
      place,
      (
        field,
      ) => html`<input type="text" autocomplete="off" id=${field.id} aria-invalid=${field.invalid} aria-describedby=${field.about}
        .value=${list.join(', ')} @change=${(/** @type {Event} */ event) => this.set(place, split(valueOf(event)))}>`,
      { label, wide: true, within: true },
    );
  }

  /**
   * Renders the buttons that move or remove an item of a list.
   * @param {Place} place of the list
   * @param {number} i
   * @param {string} name of the item
   */
  acts(place, i, name) {
    const { length } = this.get(place);
    return html`<span class="acts">
      <button type="button" class="small" ?disabled=${i === 0} aria-label=${t('lesson.up', { item: name })} @click=${() => this.move(place, i, -1)}>↑</button>
      <button type="button" class="small" ?disabled=${i === length - 1} aria-label=${t('lesson.down', { item: name })} @click=${() => this.move(place, i, 1)}>↓</button>
      <button type="button" class="small" aria-label=${t('editor.remove.of', { item: name })} @click=${() => this.remove(place, i)}>${t('editor.remove')}</button></span>`;
  }
}
