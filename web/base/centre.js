/**
 * Scrolls a row sideways until a part of it is in the middle.
 * @param {Element | null} row
 * @param {Element | null | undefined} part
 */
export function centre(row, part) {
  if (!row || !part) return;
  const [at, of] = [part, row].map((each) => each.getBoundingClientRect());
  row.scrollLeft += at.left - of.left + (at.width - of.width) / 2;
}
