/** In one sentence: which parts of a state were left out, and why. */
import { list, t } from '../locale/locale.js';

/** @param {import('../state/page-state.js').Dropped[]} dropped */
export function sayDropped(dropped) {
  if (dropped.length === 0) return '';
  const parts = dropped.map(({ part, why, minimum, maximum, message }) =>
    t('state.part', { part, why: message ?? t(`state.why.${why}`, { minimum, maximum }) }),
  );
  return t('state.dropped', { n: parts.length, parts: list(parts) });
}
