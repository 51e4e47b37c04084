/** Compares distributions of this engine with those of another program, and prints the result. */

/** Probabilities below this do not count: with 32 bits another program may round them to 0 or to the cut. */
const FAINT = 1e-9;
const CLOSE = 1e-6;

/**
 * Sets of kept tokens may differ at the cut of a truncation, if another program sums in 32 bits: a case whose sets
 * differ by tokens of less than 1e-4 in all is counted as such. A case in which the reading says that the chain there
 * is another (`said`) is counted apart.
 * @param {{ about: string, ours: Map<number, number>, theirs: Map<number, number>, said?: boolean }[]} all
 */
export function compareChains(all) {
  const cases = all.filter(({ said }) => !said);
  let [same, close, atCut, largest] = [0, 0, 0, 0];
  const odd = [];
  for (const { about, ours, theirs } of cases) {
    const ids = new Set([...ours.keys(), ...theirs.keys()]);
    let [difference, apart] = [0, 0];
    for (const id of ids) {
      const [a, b] = [ours.get(id) ?? 0, theirs.get(id) ?? 0];
      difference = Math.max(difference, Math.abs(a - b));
      if (a > 0 !== b > 0 && Math.max(a, b) > FAINT) apart += Math.max(a, b);
    }
    if (apart === 0) same++;
    else if (apart < 1e-4) atCut++;
    if (apart === 0) largest = Math.max(largest, difference);
    if (apart === 0 && difference <= CLOSE) close++;
    else odd.push({ about, difference, apart, kept: `${ours.size} ${theirs.size}` });
  }
  console.log(
    `${cases.length} settings: ${same} with the same tokens kept, ${close} of them with p within ${CLOSE}; largest difference ${largest.toExponential(2)}; ${atCut} differ at a cut by tokens of less than 1e-4; ${all.length - cases.length} more have a note that they differ`,
  );
  for (const { about, difference, apart, kept } of odd.slice(0, 25))
    console.log(
      `  ${difference.toExponential(1)} ${apart.toExponential(1)} kept ${kept}: ${about}`,
    );
}
