/** Counts the words and controls in the window; the tests of the screen and their measurements use it. */

/**
 * Runs in the page: returns the visible words and controls within the window. The words of a model or a prompt do not
 * count (`translate="no"`, text fields), and neither do numbers without a letter.
 */
export function countScreen() {
  /** @type {string[]} */
  const words = [];
  /** @type {string[]} */
  const controls = [];
  const seen = (/** @type {DOMRect} */ { left, top, right, bottom, width, height }) =>
    width > 1 && height > 1 && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
  const CONTROL =
    'a[href], button, input, select, textarea, summary, [contenteditable], [tabindex], [role=slider]';
  /** @param {Element} element */
  const clipped = (element) => {
    const { clipPath, visibility, opacity } = getComputedStyle(element);
    return clipPath.startsWith('inset(50%') || visibility === 'hidden' || opacity === '0';
  };
  /** @param {Node} node @param {boolean} counted */
  const walk = (node, counted) => {
    if (node instanceof Text) {
      const range = document.createRange();
      range.selectNodeContents(node);
      if (counted && [...range.getClientRects()].some(seen))
        words.push(...(node.data.match(/\S*\p{L}\S*/gu) ?? []));
      return;
    }
    if (node instanceof Element) {
      if (!node.checkVisibility?.() && getComputedStyle(node).display !== 'contents') return;
      if (clipped(node) && node.localName !== 'slot') return;
      if (/^(script|style|svg|option|textarea|canvas)$/.test(node.localName)) {
        if (node.localName !== 'textarea') return;
      }
      const disabled = node.matches(':disabled, [inert] *, [aria-disabled=true]');
      // A group of which one item has the focus is one control: tabs, radio buttons, words.
      const member = node.matches('[tabindex="-1"]');
      if (node.matches(CONTROL) && !disabled && !member && seen(node.getBoundingClientRect()))
        controls.push(
          `${node.localName} ${node.getAttribute('aria-label') ?? node.textContent?.trim().slice(0, 30) ?? ''}`,
        );
      if (node.localName === 'textarea' || node.getAttribute('translate') === 'no') counted = false;
    }
    const inner =
      node instanceof HTMLSlotElement && node.assignedNodes().length > 0
        ? node.assignedNodes()
        : ((node instanceof Element ? node.shadowRoot : null) ?? node).childNodes;
    for (const child of inner) walk(child, counted);
  };
  walk(document.body, true);
  return { words, controls };
}
