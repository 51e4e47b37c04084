/** The editor for the user's code. */
import { html } from 'lit';
import { boundedText, fullTextOf } from '../../base/bounded-text.js';
import { t } from '../../locale/locale.js';

/** Time limit of one call of the user's code, in ms. */
export const LIMIT_MS = 2000;

/**
 * Editors in which the user has just pressed Escape. There, Tab moves the focus out instead of indenting.
 * @type {WeakSet<EventTarget>}
 */
const leaving = new WeakSet();

/**
 * @param {string} code
 * @param {(code: string) => void} onCode called at each change
 * @param {() => void} run called at Ctrl+Enter
 * @param {string} kind the class of the sentence that explains the keys
 */
export function renderEditor(code, onCode, run, kind) {
  return html`
    <textarea spellcheck="false" autocomplete="off" autocapitalize="off" aria-label=${t('sampler.code')}
      aria-describedby="keys" ${boundedText(code)}
      @input=${(/** @type {Event} */ event) => onCode(fullTextOf(event))}
      @keydown=${(/** @type {KeyboardEvent} */ event) => onEditorKey(event, run)}></textarea>
    <p class=${kind} id="keys">${t('sampler.keys')}</p>`;
}

/**
 * Handles a key in the editor: Tab indents, Escape then Tab leaves, Ctrl+Enter runs the code.
 * @param {KeyboardEvent} event
 * @param {() => void} run
 */
export function onEditorKey(event, run) {
  const editor = /** @type {HTMLTextAreaElement} */ (event.target);
  const { key, ctrlKey, metaKey, shiftKey, altKey } = event;
  const left = leaving.delete(editor);
  if (key === 'Escape') {
    event.preventDefault();
    leaving.add(editor);
  } else if (key === 'Enter' && (ctrlKey || metaKey)) {
    event.preventDefault();
    run();
  } else if (key === 'Tab' && !left && !shiftKey && !ctrlKey && !altKey) {
    event.preventDefault();
    // execCommand is outdated, but nothing else keeps the undo history.
    if (document.execCommand('insertText', false, '  ')) return;
    editor.setRangeText('  ', editor.selectionStart, editor.selectionEnd, 'end');
    editor.dispatchEvent(new Event('input'));
  }
}
