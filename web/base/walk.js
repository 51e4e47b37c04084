/**
 * Returns the index in a list to which a key moves; undefined for other keys. Home and End move to the ends.
 * @param {KeyboardEvent} event its default action is prevented if the key moves
 * @param {[string, string]} keys the keys for the previous and the next item
 * @param {number} at the current index
 * @param {number} last the last index
 * @param {boolean} [ring] true if the first item follows the last item
 */
export function walkList(event, [back, on], at, last, ring = false) {
  const to = { [back]: at - 1, [on]: at + 1, Home: 0, End: last }[event.key];
  if (to === undefined) return undefined;
  event.preventDefault();
  if (ring) return (to + last + 1) % (last + 1);
  return Math.max(0, Math.min(last, to));
}
