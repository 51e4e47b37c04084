/** A page that a browser's translator has changed: it puts a <font> in the place of each text. */

/**
 * Lit writes a changed text into the node that it knows. So each <font> gives way to that node, and the
 * translator finds the new text.
 * @param {ParentNode} root
 */
export function undoTranslated(root) {
  for (const font of root.querySelectorAll('font'))
    Object.defineProperty(font, 'data', {
      configurable: true,
      set: (text) => font.replaceWith(text),
    });
}
