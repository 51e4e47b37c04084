/** The prompt as an editable part of the sentence. The value is plain text. */
import { html } from 'lit';
import { ref, createRef } from 'lit/directives/ref.js';

/** A press that moves at most this distance, in pixels, is not a drag. */
const STILL = 4;

/** True if the browser supports editing of plain text. Older versions of Firefox insert formatted text. */
let plain = true;

/** Returns the value of the attribute `contenteditable` for plain text. */
function editableValue() {
  try {
    document.createElement('i').contentEditable = 'plaintext-only';
  } catch {
    plain = false;
  }
  return plain ? 'plaintext-only' : 'true';
}

/** Returns the text of an element, with \n for each <br>. @param {Node} node @returns {string} */
function textIn(node) {
  return Array.from(node.childNodes, (child) => {
    if (child.nodeName === 'BR') return '\n';
    return child.nodeType === Node.TEXT_NODE ? /** @type {Text} */ (child).data : textIn(child);
  }).join('');
}

/**
 * Returns the value of the field. If a text ends with a line break, browsers add a second one, which is removed here.
 * @param {Node} box
 */
const valueOf = (box) => textIn(box).replace(/\n$/, '');

/** Returns the plain text that the user pastes or drops. @param {any} event */
const textOf = ({ clipboardData, dataTransfer }) =>
  (clipboardData ?? dataTransfer)?.getData('text/plain') ?? '';

export class PromptField {
  /** @type {import('lit/directives/ref.js').Ref<HTMLElement>} */
  #box = createRef();
  #type;
  #rest;
  /** The point at which the pointer was pressed on the field without the focus; null if it had the focus. */
  #pressed = /** @type {{ x: number, y: number } | null} */ (null);
  /** True if the prompt is an example, which the user will rather replace than edit. */
  #example = false;

  /**
   * @param {(text: string) => void} type called with the value after each change
   * @param {() => void} rest called when the editing ends
   */
  constructor(type, rest) {
    this.#type = type;
    this.#rest = rest;
  }

  get focused() {
    return this.#box.value?.matches(':focus') ?? false;
  }

  /** Shows a prompt that comes from the page. @param {string} text */
  write(text) {
    const box = this.#box.value;
    if (!box) return;
    if (valueOf(box) !== text) box.textContent = text.endsWith('\n') ? `${text}\n` : text;
    box.classList.toggle('none', text === '');
  }

  #onInput = () => {
    const box = /** @type {HTMLElement} */ (this.#box.value);
    const text = valueOf(box);
    box.classList.toggle('none', text === '');
    this.#type(text);
  };

  /** @param {KeyboardEvent} event */
  #onKey = (event) => {
    const { key, shiftKey, isComposing } = event;
    if (isComposing || (key !== 'Escape' && (key !== 'Enter' || shiftKey))) return;
    event.preventDefault();
    this.#box.value?.blur();
  };

  /** @param {PointerEvent} event */
  #onDown = ({ clientX: x, clientY: y }) => {
    this.#pressed = this.focused ? null : { x, y };
  };

  /** The first press on an example selects all of it, so that typing replaces it. @param {MouseEvent} event */
  #onClick = ({ clientX, clientY }) => {
    const from = this.#pressed;
    this.#pressed = null;
    if (!from || !this.#example || Math.hypot(clientX - from.x, clientY - from.y) > STILL) return;
    document.execCommand('selectAll');
  };

  #onFocus = () => {
    if (!this.#pressed && this.#example) document.execCommand('selectAll');
  };

  /** Inserts only the plain text, if the browser would insert formatted text. @param {Event} event */
  #onInsert = (event) => {
    if (plain) return;
    event.preventDefault();
    document.execCommand('insertText', false, textOf(event));
  };

  /**
   * @param {{ editable: boolean, label: string, hint: string, invalid: boolean, example: boolean }} options `hint`
   *   stands for an empty prompt; `example` is true if the prompt is an example
   */
  render({ editable, label, hint, invalid, example }) {
    this.#example = editable && example;
    return html`<span class="prompt" ${ref(this.#box)} role="textbox" aria-multiline="true" aria-label=${label}
      aria-readonly=${!editable} aria-invalid=${invalid} data-hint=${hint} aria-placeholder=${hint}
      contenteditable=${editable ? editableValue() : 'false'} tabindex="0" spellcheck="false" enterkeyhint="done"
      @pointerdown=${this.#onDown} @click=${this.#onClick} @focus=${this.#onFocus}
      @input=${this.#onInput} @keydown=${this.#onKey} @paste=${this.#onInsert} @drop=${this.#onInsert}
      @blur=${this.#rest}></span>`;
  }
}
