/** The flags of `generate` for the thinking part of a text. */
import { UsageError, nearestOf, settingFlag, toValue } from './flags.js';

/** @type {import('./flags.js').Flag[]} */
export const THINKING = [
  {
    name: 'thinking',
    kind: 'texts',
    help: 'NAME=VALUE, a setting of the thinking part in place of that of the text; may be repeated',
  },
  {
    name: 'thinking_begin',
    kind: 'text',
    needs: 'thinking',
    help: 'with --thinking: the text or the ids after which the thinking begins (<think>)',
  },
  {
    name: 'thinking_end',
    kind: 'text',
    needs: 'thinking',
    help: 'with --thinking: the text or the ids with which it ends (</think>)',
  },
];

/** Returns the ids if a text is a list of numbers. @param {string} text */
const toDelimiter = (text) => (/^\d+( \d+)*$/.test(text) ? text.split(' ').map(Number) : text);

/**
 * Returns the option `thinking` of a generation; {} without these flags.
 * @param {any} values
 * @param {any[]} table
 */
export function thinkingOf({ thinking: given, thinking_begin, thinking_end }, table) {
  if (!given) return {};
  const flags = [
    ...table.map(settingFlag),
    { name: 'order', kind: /** @type {const} */ ('names'), help: '' },
  ];
  if (given.settings) return { thinking: given }; // of a link
  /** @type {Record<string, any>} */
  const settings = {};
  for (const text of given) {
    const [, word, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (word === undefined)
      throw new UsageError(`--thinking must be NAME=VALUE, got ${JSON.stringify(text)}`);
    const name = word.replaceAll('-', '_');
    const flag = flags.find((each) => each.name === name);
    if (!flag) {
      const names = flags.map((each) => each.name);
      throw new UsageError(
        `--thinking: unknown setting ${word}${nearestOf(name, names, ', known are ')}`,
      );
    }
    settings[name] = toValue(flag, value, settings[name]);
  }
  return {
    thinking: {
      settings,
      ...(thinking_begin !== undefined && { begin: toDelimiter(thinking_begin) }),
      ...(thinking_end !== undefined && { end: toDelimiter(thinking_end) }),
    },
  };
}
