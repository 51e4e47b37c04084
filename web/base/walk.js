/**
 * The index in a list that a key leads to; undefined for another key.
 * @param {KeyboardEvent} event its default action is prevented if the key leads somewhere
 * @param {[string, string]} keys that lead one back and one on; Home and End lead to the ends
 * @param {number} at the index now
 * @param {number} last
 * @param {boolean} [ring] whether the first one follows the last one
 */
export function walkList(event, [back, on], at, last, ring = false) {
  const to = { [back]: at - 1, [on]: at + 1, Home: 0, End: last }[event.key];
  if (to === undefined) return undefined;
  event.preventDefault();
  if (ring) return (to + last + 1) % (last + 1);
  return Math.max(0, Math.min(last, to));
}
