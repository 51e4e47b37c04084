/** In one sentence: which parts of a state were left out, and why. */
import { list, t } from '../locale/locale.js';

/** How many parts are named; of any more the number is told. */
const NAMED = 8;

/** @param {import('../state/page-state.js').Dropped[]} dropped */
export function sayDropped(dropped) {
  if (dropped.length === 0) return '';
  const parts = dropped
    .slice(0, NAMED)
    .map(({ part, why, minimum, maximum, message }) =>
      t('state.part', { part, why: message ?? t(`state.why.${why}`, { minimum, maximum }) }),
    );
  const more = dropped.length - parts.length;
  if (more > 0) parts.push(t('state.more', { n: more }));
  return t('state.dropped', { n: dropped.length, parts: list(parts) });
}
