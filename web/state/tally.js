/** Counts many draws, to compare with the distribution. */

/**
 * `counts` holds by id the number of draws of a token and its final probability.
 * @typedef {{ total: number, counts: Map<number, { n: number, p: number }> }} Tally
 *
 * A source of draws: a session, or an engine over given logits.
 * @typedef {{ draw: (settings: import('../engine/types.js').Settings, choice: { step: number }) =>
 *   Promise<import('../engine/types.js').Drawn> }} Drawer
 */

/** The draws for one message, so that a new request never waits long. */
const CHUNK = 100;
/** Separates the seeds of tallies from those of texts: the golden ratio in 36 bits. */
const STRIDE = 0x9e3779b97;

/**
 * Returns the seed of a tally, different for each seed and step.
 * @param {number} seed
 * @param {number} step
 */
export function tallySeed(seed, step) {
  return (seed + (step + 1) * STRIDE) % 2 ** 53;
}

/**
 * Returns settings under which every draw comes from the current distribution: XTC's coin keeps its
 * result.
 * @param {import('../engine/types.js').Settings} settings
 * @param {import('../plots/trace.js').Trace} trace
 */
export function withoutCoin(settings, trace) {
  if (!settings.xtc_probability) return settings;
  const stage = trace.stages.find(({ name }) => name === 'xtc_probability');
  return { ...settings, xtc_probability: Number(Boolean(stage?.removed)) };
}

/**
 * Adds draws of the engine to a tally, yielding it after each round.
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
 * Returns half the sum of |drawn share - p| over the whole vocabulary. Tokens never drawn have the
 * remaining mass.
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
