/** The keys that walk along a chart, mark by mark: the same on each, and those of any slider. */

/** How many marks the page keys pass. */
export const LEAP = 10;

/**
 * The mark that a key leads to, of those from 0 to `last`; undefined for a key that leads nowhere.
 * @param {KeyboardEvent} event prevented from doing anything else where it leads somewhere
 * @param {number} at
 * @param {number} last
 */
export function walkTo(event, at, last) {
  const to = {
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    PageUp: at + LEAP,
    PageDown: at - LEAP,
    Home: 0,
    End: last,
  }[event.key];
  if (to === undefined) return undefined;
  event.preventDefault();
  return Math.max(0, Math.min(last, to));
}
