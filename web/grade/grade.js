/**
 * The grader: holds a learner's warper, chain or decode loop to what holds for the built-in one,
 * and finds the smallest input on which each property that fails does so.
 */
import { CHAIN, chainProperties } from './chain.js';
import { coinOf } from './coin.js';
import { reason } from './expect.js';
import { generationProperties } from './generation.js';
import { propertiesOf } from './properties.js';
import { shrink } from './shrink.js';
import { SPECS } from './specs.js';

/** @typedef {import('./inputs.js').Case} Case */
/** @typedef {import('./subject.js').Subject} Subject */

/**
 * @typedef {object} Verdict
 * @property {string} name
 * @property {string} says
 * @property {boolean} holds
 * @property {number} cases how many it was tried on
 * @property {string} [needs] a setting: asked only of a function that reads it
 * @property {any} [input] the smallest that fails
 * @property {ArrayLike<number> | null} [expected]
 * @property {ArrayLike<number> | null} [got]
 * @property {string} [message]
 * @property {string} [code]
 * @property {Record<string, string | number>} [params]
 */

/** What can be graded: every warper, a chain, a decode loop. */
export const GRADED = [...Object.keys(SPECS), 'chain', 'generate'];
const MAX_HANGS = 3;

/**
 * @param {string} as
 * @param {any} engine
 * @returns {Promise<import('./properties.js').Property[]>}
 */
async function tryingFor(as, engine) {
  if (as === 'chain') return chainProperties();
  return as === 'generate' ? generationProperties() : propertiesOf(as, engine);
}

/**
 * Every setting that a warper may read, neutral but for those given.
 * @param {any} engine
 * @param {string} as
 * @param {Record<string, any>} settings
 */
function complete(engine, as, settings) {
  const rows = engine.table.filter((/** @type {any} */ row) =>
    as === 'chain' ? CHAIN.includes(row.name) : !row.warper || row.name === as,
  );
  return {
    ...Object.fromEntries(rows.map((/** @type {any} */ { name, neutral }) => [name, neutral])),
    ...settings,
  };
}

/**
 * What a learner's function makes of an input.
 * @param {any} engine
 * @param {Subject} subject
 * @param {string} as
 */
export function askingOf(engine, subject, as) {
  /** @type {Set<string>} The settings that it has looked at so far. */
  const reads = new Set();
  return {
    engine,
    reads,
    async ask(/** @type {any} */ input) {
      if (as === 'generate') return subject.call({ call: 'generate', ...input });
      const { logits, settings, history } = input;
      const answer = await subject.call({
        call: 'warp',
        logits: Float32Array.from(logits),
        settings: complete(engine, as, settings),
        history,
        coin: coinOf(settings.seed ?? 0),
      });
      for (const name of answer.read ?? []) reads.add(name);
      return answer;
    },
  };
}

/**
 * @param {import('./properties.js').Property} property
 * @param {any} asking
 * @param {() => boolean} hangs
 * @returns {Promise<Verdict>}
 */
async function judge({ name, says, cases, fails, shrinks, needs }, asking, hangs) {
  // An input that the engine itself refuses says nothing about the learner.
  const tried = async (/** @type {any} */ input) => {
    try {
      return await fails(input, asking);
    } catch (error) {
      if (/** @type {any} */ (error)?.name === 'LogitscopeError') return null;
      throw error;
    }
  };
  for (const input of cases) {
    const failure = await tried(input);
    if (!failure) continue;
    const least = shrinks && !hangs() ? await shrink(input, failure, tried) : { input, failure };
    const { length } = cases;
    return { name, says, needs, holds: false, cases: length, input: least.input, ...least.failure };
  }
  return { name, says, needs, holds: true, cases: cases.length };
}

/**
 * Grades what `subject` calls, which has been loaded.
 * @param {{ engine: any, subject: Subject, as: string, onverdict?: (verdict: Verdict) => void }} given
 * @returns {Promise<Verdict[]>}
 */
export async function grade({ engine, subject, as, onverdict }) {
  const asking = askingOf(engine, subject, as);
  const verdicts = [];
  for (const property of await tryingFor(as, engine)) {
    const { name, says, needs } = property;
    if (needs && !asking.reads.has(needs)) continue;
    const verdict =
      subject.hangs < MAX_HANGS
        ? await judge(property, asking, () => subject.hangs > 0)
        : {
            name,
            says,
            holds: false,
            cases: 0,
            ...reason('untried', { count: MAX_HANGS }),
          };
    verdicts.push(verdict);
    onverdict?.(verdict);
  }
  return verdicts;
}
