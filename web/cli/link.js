/** `--link`: takes the values of flags from a link to the page. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fromLink } from '../state/link.js';
import { UsageError } from './flags.js';

/** Flags that give a text. */
const TEXTS = ['prompt', 'prompt_file', 'chat', 'interactive'];

/**
 * Returns the values in a link for flags that the command has and the user has not given. A model of this package is
 * read from the package and not fetched.
 * @param {Record<string, any>} given values of the other flags, and `link`
 * @param {import('./flags.js').Flag[]} flags
 * @returns {Promise<Record<string, any>>}
 */
export async function takeLink(given, flags) {
  const { name, model, options, chat } = await fromLink(given.link);
  const own = fileURLToPath(new URL(`../../models/${name}.gguf`, import.meta.url));
  const { prompt, ...others } = options;
  const said = chat ? { chat: chat.content, system: chat.system, date: chat.date } : { prompt };
  const hasText = TEXTS.some((flag) => given[flag] !== undefined);
  const values = {
    model: existsSync(own) ? own : model,
    ...others,
    ...(!hasText && said),
    ...given,
  };
  if (chat && !hasText && !flags.some((flag) => flag.name === 'chat'))
    throw new UsageError('the link holds a chat, which this command does not take');
  const known = (/** @type {string} */ key) =>
    key in given || flags.some((flag) => flag.name === key);
  return Object.fromEntries(
    Object.entries(values).filter(([key, value]) => value !== undefined && known(key)),
  );
}
