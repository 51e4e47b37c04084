/** Finds the drawn tokens that belong to the model's thinking: from <think> to </think>. */

const MARK = /<(\/?)think>/g;
const LONGEST = '</think>'.length;

/**
 * @param {{ text: string }[]} steps
 * @param {boolean} begun true if the prompt ends inside the thinking
 * @returns {boolean[]} for each step, true if the token belongs to the thinking; the tags belong to it
 */
export function findThinking(steps, begun) {
  let thinking = begun;
  let tail = '';
  return steps.map(({ text }) => {
    const before = thinking;
    tail += text;
    for (const [, end] of tail.matchAll(MARK)) thinking = !end;
    tail = tail.slice(tail.search(/<[^>]*$/) >>> 0).slice(-LONGEST);
    return before || thinking;
  });
}
