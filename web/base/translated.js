/** Repairs a page after a browser's translator has replaced each text node with a <font>. */

/**
 * Makes each <font> replace itself with a text when Lit writes into it as if it were the text node. The
 * translator then finds and translates the new text.
 * @param {ParentNode} root
 */
export function undoTranslated(root) {
  for (const font of root.querySelectorAll('font'))
    Object.defineProperty(font, 'data', {
      configurable: true,
      set: (text) => font.replaceWith(text),
    });
}
