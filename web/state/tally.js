/** Counts the tokens of many draws, to compare with the distribution. */

/**
 * `counts` maps a token's id to the number of its draws, `n`, and its final probability, `p`.
 * @typedef {{ total: number, counts: Map<number, { n: number, p: number }> }} Tally
 *
 * A source of draws: a session, or an engine over given logits.
 * @typedef {{ draw: (settings: import('../engine/types.js').Settings, choice: { step: number }) =>
 *   Promise<import('../engine/types.js').Drawn> }} Drawer
 */

/** Draws in one message: few enough that other requests do not wait long. */
const CHUNK = 100;
/**
 * Distance between the seeds of many draws, so large that they are never seeds of texts: the golden ratio in 36 bits.
 */
const STRIDE = 0x9e3779b97;

/**
 * Returns the seed for many draws; it is another one for each seed and step of the text.
 * @param {number} seed
 * @param {number} step
 */
export function tallySeed(seed, step) {
  return (seed + (step + 1) * STRIDE) % 2 ** 53;
}

/**
 * Returns settings in which XTC's random decision is already made, so that all draws have the displayed distribution.
 * @param {import('../engine/types.js').Settings} settings
 * @param {import('../plots/trace.js').Trace} trace
 */
export function withoutCoin(settings, trace) {
  if (!settings.xtc_probability) return settings;
  const stage = trace.stages.find(({ name }) => name === 'xtc_probability');
  return { ...settings, xtc_probability: Number(Boolean(stage?.removed)) };
}

/**
 * Draws many times, adds the counts to a tally, and yields the tally after each message.
 * @param {Drawer} source
 * @param {import('../engine/types.js').Settings} settings with the tally's seed
 * @param {number} draws
 * @param {Tally} from
 * @returns {AsyncGenerator<Tally, void, void>}
 */
export async function* countDraws(source, settings, draws, from) {
  let { total } = from;
  const counts = new Map(from.counts);
  const end = total + draws;
  while (total < end) {
    const steps = Array.from({ length: Math.min(CHUNK, end - total) }, (_, i) => total + i);
    const drawn = await Promise.all(steps.map((step) => source.draw(settings, { step })));
    for (const { id, p } of drawn) counts.set(id, { n: (counts.get(id)?.n ?? 0) + 1, p });
    total += steps.length;
    yield { total, counts: new Map(counts) };
  }
}

/**
 * Returns half the sum of |drawn share - p| over all tokens. Tokens that were never drawn add the probability that
 * the others leave.
 * @param {Tally} tally
 */
export function totalVariation({ total, counts }) {
  let apart = 0;
  let mass = 0;
  for (const { n, p } of counts.values()) {
    apart += Math.abs(n / total - p);
    mass += p;
  }
  return (apart + Math.max(0, 1 - mass)) / 2;
}
