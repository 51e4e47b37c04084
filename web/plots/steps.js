/** Lays out the picture of a sampler on the shelf: probabilities before and after it, as steps. */

/** @param {{ before: number[], after: number[], width: number, height: number }} options */
export function layoutSteps({ before, after, width, height }) {
  const most = Math.max(...before, ...after);
  /** @param {number[]} shares */
  const steps = (shares) => {
    const sides = shares.map((p, i) => {
      const right = (width * (i + 1)) / shares.length;
      return `V${(height * (1 - p / most)).toFixed(2)}H${right.toFixed(2)}`;
    });
    return `M0 ${height}${sides.join('')}V${height}Z`;
  };
  return { before: steps(before), after: steps(after) };
}
