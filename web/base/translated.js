/** Repairs the page after a browser's translator has replaced text nodes by <font> elements. */

/**
 * Lit writes into a <font> as if it were the text node. Then the <font> replaces itself by the new text, which the
 * translator translates again.
 * @param {ParentNode} root
 */
export function undoTranslated(root) {
  for (const font of root.querySelectorAll('font'))
    Object.defineProperty(font, 'data', {
      configurable: true,
      set: (text) => font.replaceWith(text),
    });
}
