/** Finds the drawn tokens that belong to the model's thinking: from <think> to </think>. */
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
