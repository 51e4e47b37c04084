/** The report of `generate` about a loop in its text. */
import { findEarlyLoop } from '../engine/text-loops.js';
import { quoted } from './terminal.js';

/** @type {import('./flags.js').Flag} */
export const BREAK_LOOP = {
  name: 'break_loop',
  kind: 'switch',
  help: 'for the first loop of the text: the mildest value of each setting that would have broken it',
};

/**
 * Returns the loop of a text as part of a line; '' without one, or if `loopLines` describes it.
 * @param {{ ids: number[] }} result
 * @param {{ break_loop?: boolean }} values
 */
export function loopPart({ ids }, { break_loop }) {
  const loop = break_loop ? null : findEarlyLoop(ids);
  return loop ? `; a loop from token ${loop.start + 1} (see --break-loop)` : '';
}

/**
 * Returns lines about a loop. Tokens are counted from 1.
 * @param {import('../engine/types.js').LoopBreaks | null} found
 * @param {(ids: number[]) => string} decode
 * @param {number[]} ids of the text
 */
export function loopLines(found, decode, ids) {
  if (!found)
    return 'no loop: no cycle of tokens occurs three times in a row, nor one of 8 tokens or more twice\n';
  const { loop, thinking, already, breaks, unbroken } = found;
  const cycle = quoted(decode(ids.slice(loop.start, loop.start + loop.period)));
  const head = `a loop from token ${loop.start + 1}: ${cycle} ${loop.times} times\n`;
  const change = (
    /** @type {import('../engine/types.js').OtherToken} */ { index, token, instead },
  ) => `at token ${index + 1}: ${quoted(instead.text)} in place of ${quoted(token.text)}`;
  if (already) return `${head}these settings draw it otherwise ${change(already)}\n`;
  const where = thinking ? 'in the thinking, ' : '';
  const lines = breaks.map((each) => {
    const from =
      each.first < each.index ? `; the text changes from token ${each.first + 1} on` : '';
    return `${where}${each.setting} ${each.value} breaks it ${change(each)}${from}\n`;
  });
  const others = unbroken.map(({ setting, value }) => `${setting} ${value}`);
  const rest = others.length > 0 ? `not broken up to ${others.join(', ')}\n` : '';
  return head + lines.join('') + rest;
}
