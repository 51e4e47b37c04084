/** Runs in the page: finds elements that overflow the window or their box. */

/**
 * Finds shown elements that extend past the window or hide part of their text. Charts, tables, the row of the
 * stages' names and other rows may scroll. A phone shows one stage at a time: each must fit the window and hold its
 * parts.
 */
export function findFaults() {
  const faults = [];
  const walk = (root, around) => {
    for (const element of root.querySelectorAll('*')) {
      const card = element.closest('.alone > li');
      const box = card && card !== element ? card.getBoundingClientRect() : around;
      if (element.shadowRoot) walk(element.shadowRoot, box);
      if (element.closest('.visually-hidden, .scroll, .chooser > *, .sideways *, svg, legend'))
        continue;
      if (!element.checkVisibility()) continue; // skips elements inside a closed fold
      const line = element.parentElement ?? element;
      if (getComputedStyle(line).textOverflow === 'ellipsis') continue; // allowed: an ellipsis shows that the text is cut
      const { left, right, width } = element.getBoundingClientRect();
      const past = right > box.right + 0.5 || left < box.left - 0.5;
      const name = `${root.host?.localName ?? ''} ${element.localName}.${element.className}`;
      if (width > 1 && (card === element ? width > innerWidth + 0.5 : past))
        faults.push(`${name} from ${left} to ${right}`);
      const { overflowX, textOverflow, direction } = getComputedStyle(element);
      const cut = ['hidden', 'clip'].includes(overflowX) && textOverflow !== 'ellipsis';
      // In a right-to-left page, a handle of an axis extends to the other side for touch.
      const turned = direction === 'rtl' && element.querySelector('logit-landscape');
      if (
        cut &&
        !turned &&
        element.clientWidth > 1 &&
        element.scrollWidth > element.clientWidth + 1
      )
        faults.push(`${name} hides a part`);
    }
  };
  walk(document, { left: 0, right: innerWidth });
  return { faults, width: document.documentElement.scrollWidth };
}

/**
 * Finds overlapping text lines and controls, unless one contains the other. It skips charts. A docked card covers
 * content, so the window should be high.
 */
export function findOverlaps() {
  const CONTROLS = 'button, input, select, textarea, [role=slider]';
  const boxes = [];
  const seen = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    getComputedStyle(element).pointerEvents !== 'none' && // overlays in a box, such as a count, may overlap it
    !element.closest('.visually-hidden, svg, canvas, [popover], dialog, .plot, .held');
  /** True if a text box has no border, so it shows only its text. */
  const isBare = (element) =>
    element.matches('input') && getComputedStyle(element).borderTopColor === 'rgba(0, 0, 0, 0)';
  const above = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host;
  /** The visible part of each box after clipping by its scrolling ancestors. */
  const windows = new Map();
  const windowOf = (element) => {
    if (!element) return { left: 0, top: 0, right: innerWidth, bottom: Infinity };
    const known = windows.get(element);
    if (known) return known;
    let found = windowOf(above(element));
    const { overflowX, display } = getComputedStyle(element);
    if (overflowX !== 'visible' && display !== 'inline')
      found = meet(found, element.getBoundingClientRect());
    windows.set(element, found);
    return found;
  };
  const meet = (one, other) => ({
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
  });
  const add = (element, box, what) => {
    const place = meet(box, windowOf(element));
    if (place.right - place.left > 2 && place.bottom - place.top > 2)
      boxes.push({ element, ...place, what });
  };
  const walk = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) walk(element.shadowRoot);
      if (
        element.clientWidth === 1 ||
        !seen(element) ||
        element.matches('style, option, optgroup, noscript')
      )
        continue;
      if (element.matches(CONTROLS) && !isBare(element))
        add(element, element.getBoundingClientRect(), '');
      for (const node of element.childNodes) {
        if (node.nodeType !== Node.TEXT_NODE || node.data.trim() === '') continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const rect of range.getClientRects()) add(element, rect, node.data.trim());
      }
    }
  };
  walk(document);
  const host = (node) => node.getRootNode().host;
  const within = (one, other) => {
    for (let at = other; at; at = host(at)) if (one.contains(at)) return true;
    return false;
  };
  const name = ({ element, what }) =>
    `${host(element)?.localName ?? ''} ${element.localName}.${element.className} ${what.slice(0, 40)}`;
  const found = new Set();
  boxes.sort((one, other) => one.top - other.top);
  for (const [i, one] of boxes.entries())
    for (const other of boxes.slice(i + 1)) {
      if (other.top > one.bottom - 3) break;
      const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const high = Math.min(one.bottom, other.bottom) - other.top;
      if (wide < 3 || high < 3 || (one.what && one.element === other.element)) continue;
      if (one.what && other.what && Math.min(wide, high) < 4) continue; // glyphs are lower than their box
      if (within(one.element, other.element) || within(other.element, one.element)) continue;
      found.add(`${name(one)} | ${name(other)}`);
    }
  return [...found];
}
