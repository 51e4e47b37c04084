/** A page that a browser's translator has changed: it puts a <font> in the place of each text. */

/**
 * Lit writes a text that changes to the node in its place, so that a <font> gives way to the text,
 * which the translator then finds anew.
 * @param {ParentNode} root
 */
export function undoTranslated(root) {
  for (const font of root.querySelectorAll('font'))
    Object.defineProperty(font, 'data', {
      configurable: true,
      set: (text) => font.replaceWith(text),
    });
}
