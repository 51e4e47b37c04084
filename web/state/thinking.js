/** Finds the drawn tokens that are a model's thoughts: those between <think> and </think>. */

const MARK = /<(\/?)think>/g;
const LONGEST = '</think>'.length;

/**
 * @param {{ text: string }[]} steps
 * @param {boolean} begun whether the prompt ends within
 * @returns {boolean[]} one for each step; the tags count as thoughts
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
