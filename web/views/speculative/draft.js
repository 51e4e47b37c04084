/** The address or the bytes of the draft model, for the engine's worker. */
import { assets } from '../../state/assets.js';

/**
 * Returns null if the model has no draft model, or if this single-file page does not contain it.
 * @param {import('../../state/models.js').Offer} offer
 * @returns {string | Uint8Array | null}
 */
export function addressOf({ draft }) {
  if (!draft) return null;
  const { inside, base } = assets;
  if (inside.size > 0) return inside.get(draft) ?? null;
  return new URL(draft, base).href;
}
