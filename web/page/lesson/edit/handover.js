/** Converts the instrument's state in the address to a lesson's first figure. */
import { handoverOf } from '../../../lessons/draft.js';
import { parseHash, parseQuery } from '../../../state/page-state.js';
import { parseLogits } from '../../../views/logits/parse.js';

/** The most logits that a lesson may contain. */
const MOST_LOGITS = 200;

/** Returns the logits that the user pasted; undefined if the address shows none. @param {string | undefined} view @param {any} state */
function pastedLogits(view, { logits_pasted, logits_kind, logits_source = 'pasted' }) {
  if (view !== 'logits' || !logits_pasted || logits_source !== 'pasted') return undefined;
  const read = parseLogits(logits_pasted, logits_kind);
  return 'logits' in read && read.logits.length <= MOST_LOGITS ? read : undefined;
}

/**
 * Returns null if the address has no state.
 * @param {import('../../../engine/types.js').TableRow[]} table
 * @param {import('../reader.js').LessonReader} reader
 * @returns {Promise<import('../../../lessons/draft.js').Handover | null>}
 */
export async function handoverFromAddress(table, reader) {
  const { state } = parseHash(location.hash, table);
  if (!state || location.hash.length < 2) return null;
  const { model, view } = parseQuery(location.search).asked;
  const given = pastedLogits(view, state);
  const { prompt = '', branch = [] } = state;
  const written = given || branch.length === 0 ? '' : await reader.text({ model, prompt }, branch);
  return handoverOf(state, { model, written, given }, table);
}
