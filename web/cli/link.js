/** `--link`: a link of the page in place of flags. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fromLink } from '../state/link.js';
import { UsageError } from './flags.js';

/**
 * The values of the flags that a link stands for: those that the command has. A model that lies in the
 * package is not fetched.
 * @param {string} link
 * @param {import('./flags.js').Flag[]} flags
 * @returns {Promise<Record<string, any>>}
 */
export async function takeLink(link, flags) {
  const { name, model, options, chat } = await fromLink(link);
  const own = fileURLToPath(new URL(`../../models/${name}.gguf`, import.meta.url));
  const { prompt, ...others } = options;
  const said = chat && { chat: chat.content, system: chat.system, date: chat.date };
  const values = { model: existsSync(own) ? own : model, ...others, ...(said ?? { prompt }) };
  if (chat && !flags.some((flag) => flag.name === 'chat'))
    throw new UsageError('the link holds a chat, which this command does not take');
  const known = Object.entries(values).filter(
    ([key, value]) => value !== undefined && flags.some((flag) => flag.name === key),
  );
  return Object.fromEntries(known);
}
