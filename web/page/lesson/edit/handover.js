/** Makes the first figure of a lesson from the instrument's state in the address. */
import { handoverOf } from '../../../lessons/draft.js';
import { parseHash, parseQuery } from '../../../state/page-state.js';
import { parseLogits } from '../../../views/logits/parse.js';

/** Most logits that a lesson may have. */
const MOST_LOGITS = 200;

/**
 * Returns the logits that the user has pasted; undefined if the state shows others.
 * @param {string | undefined} view @param {any} state
 */
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
