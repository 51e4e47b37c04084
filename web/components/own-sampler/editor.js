/** What the editors of a reader's code share: how long a call may take, and their keys. */

export const LIMIT_MS = 2000;

/**
 * Tab indents, Escape leaves, Ctrl+Enter runs. What Tab changes is said by an input event.
 * @param {KeyboardEvent} event
 * @param {() => void} run
 * @param {() => void} leave
 */
export function onEditorKey(event, run, leave) {
  const editor = /** @type {HTMLTextAreaElement} */ (event.target);
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    run();
  } else if (event.key === 'Escape') {
    leave();
  } else if (event.key === 'Tab' && !event.shiftKey && !event.ctrlKey && !event.altKey) {
    event.preventDefault();
    // The one way that leaves undo as it is.
    if (document.execCommand('insertText', false, '  ')) return;
    editor.setRangeText('  ', editor.selectionStart, editor.selectionEnd, 'end');
    editor.dispatchEvent(new Event('input'));
  }
}
