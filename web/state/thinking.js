/** Finds the thinking in a text: from <think> to </think>. */
import { Thinking } from '../engine/thinking.js';

/**
 * @param {{ id: number, text: string }[]} steps
 * @param {boolean} begun true if the prompt ends inside the thinking
 * @returns {boolean[]} for each step, true if the token belongs to the thinking; the tags belong to it
 */
export function findThinking(steps, begun) {
  const thinking = new Thinking();
  thinking.on = begun;
  return steps.map((step) => {
    const before = thinking.on;
    thinking.push(step.id, step);
    return before || thinking.on;
  });
}

/**
 * @param {import('../engine/types.js').Piece[]} pieces of the prompt
 * @param {{ id: number, text: string }[]} steps
 * @returns {boolean[]} for each step and for the next one, true if the settings of the thinking draw it
 */
export function findThinkingDraws(pieces, steps) {
  const thinking = new Thinking();
  thinking.pushPrompt(pieces);
  const draws = [thinking.on];
  for (const step of steps) {
    thinking.push(step.id, step);
    draws.push(thinking.on);
  }
  return draws;
}
