/** Repairs a page that a browser's translator has changed: it replaces each text by a <font>. */

/**
 * Makes each <font> forward a new text: Lit writes into the node that it knows, and the translator
 * finds the text again.
 * @param {ParentNode} root
 */
export function undoTranslated(root) {
  for (const font of root.querySelectorAll('font'))
    Object.defineProperty(font, 'data', {
      configurable: true,
      set: (text) => font.replaceWith(text),
    });
}
