/** What the editors of a reader's code share: how long a call may take, and their keys. */

export const LIMIT_MS = 2000;

/** Editors in which Escape was the last key, so that Tab goes on from there. @type {WeakSet<EventTarget>} */
const leaving = new WeakSet();

/**
 * Tab indents, after Escape it leaves, Ctrl+Enter runs. What Tab changes is said by an input event.
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
    // The one way that leaves undo as it is.
    if (document.execCommand('insertText', false, '  ')) return;
    editor.setRangeText('  ', editor.selectionStart, editor.selectionEnd, 'end');
    editor.dispatchEvent(new Event('input'));
  }
}
