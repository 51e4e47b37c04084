/** Turns a link of the page into arguments for the engine. */
import { Logitscope, LogitscopeError } from '../engine/index.js';
import { findModel, MODELS } from './models.js';
import { parseHash } from './page-state.js';

/** Values that the page uses if a link does not state them. */
const BEGIN = { seed: 42, max_new_tokens: 100 };

/**
 * @param {string | URL} link
 * @returns {Promise<import('../engine/link.js').Linked>}
 */
export async function fromLink(link) {
  const url = URL.canParse(link) ? new URL(link) : null;
  if (!url) throw new LogitscopeError('invalid_argument', 'link_address', { value: String(link) });
  const scope = await Logitscope.load();
  const { state, dropped } = parseHash(url.hash, scope.table);
  scope.close();
  const [odd] = dropped;
  if (odd) throw new LogitscopeError('invalid_argument', 'link_part', { value: odd.part });
  const { name, model, examples } = findModel(url.searchParams.get('model') ?? MODELS[0].name);
  const {
    settings = {},
    prompt = examples[0],
    chat = null,
    branch = [],
    ...others
  } = /** @type {import('./page-state.js').PageState} */ (state ?? {});
  const {
    system,
    date,
    thinking = null,
    seed = BEGIN.seed,
    max_new_tokens = BEGIN.max_new_tokens,
  } = others;
  return {
    name,
    model: /^hub:/.test(String(model)) ? String(model) : new URL(String(model), url).href,
    options: {
      ...settings,
      ...(thinking && { thinking: { settings: thinking } }),
      prompt,
      seed,
      max_new_tokens,
    },
    chat:
      chat === null ? null : { content: chat, ...(system && { system }), ...(date && { date }) },
    branch,
  };
}
