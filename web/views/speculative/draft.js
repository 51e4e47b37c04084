/** Where the model lies that drafts for another, as the engine's worker takes it. */
import { assets } from '../../state/assets.js';

/**
 * Null where nothing drafts for it, or where the page carries its models and not this one.
 * @param {import('../../state/models.js').Offer} offer
 * @returns {string | Uint8Array | null}
 */
export function addressOf({ draft }) {
  if (!draft) return null;
  const { inside, base } = assets;
  if (inside.size > 0) return inside.get(draft) ?? null;
  return new URL(draft, base).href;
}
