/**
 * The grader: checks the properties of a learner's sampler, chain or decode loop. For a property that fails, it looks
 * for the smallest input that fails.
 */
import { casesOf } from './cases.js';
import { chainProperties } from './chain.js';
import { diagnose } from './diagnose.js';
import { Examiner, Refused, complete } from './examiner.js';
import { generationProperties } from './generation.js';
import { LearnerStages } from './learner-stages.js';
import { propertiesOf } from './properties.js';
import { reason } from './reasons.js';
import { IDLE } from './score.js';
import { shrink } from './shrink.js';
import { SPECS } from './specs.js';

/** @import { TestedFunction } from './tested-function.js' */

/**
 * @typedef {object} Verdict
 * @property {string} name
 * @property {string} says
 * @property {boolean} holds
 * @property {number} cases the number of inputs
 * @property {string} [needs] a setting; the property is tested only if the function reads it
 * @property {number} [weight]
 * @property {boolean} [lesson] true for one of the lesson's cases
 * @property {boolean} [idle] true if a function that does nothing has the property too
 * @property {any} [input] the smallest failing input
 * @property {ArrayLike<number> | null} [expected]
 * @property {ArrayLike<number> | null} [got]
 * @property {string} [message]
 * @property {string} [code]
 * @property {Record<string, string | number>} [params]
 */

/** The functions that can be graded: each sampler, a chain, a decode loop. */
export const GRADED = [...Object.keys(SPECS), 'chain', 'generate'];
/** After this many timeouts, or ended processes, the function is not called any more. */
const MAX_HANGS = 1;
const MAX_ENDS = 3;
/** Number of answers for each property that are kept for finding the fault. */
const KEPT = 16;

/**
 * @param {string} as
 * @param {any} engine
 * @param {boolean} lesson true for the lesson's cases
 * @param {number} [seed] of the random inputs
 * @returns {Promise<import('./properties.js').Property[]>}
 */
async function propertiesFor(as, engine, lesson, seed) {
  if (lesson) return casesOf(as);
  if (as === 'chain') return chainProperties(seed);
  return as === 'generate' ? generationProperties(seed) : propertiesOf(as, engine, seed);
}

/**
 * Returns the names of a function's properties, which weights use.
 * @param {string} as
 * @param {any} engine
 * @param {boolean} lesson true for the lesson's cases
 */
export async function propertyNames(as, engine, lesson) {
  return (await propertiesFor(as, engine, lesson)).map(({ name }) => name);
}

/**
 * @param {import('./properties.js').Property} property
 * @param {Examiner} examiner
 * @param {{ hung?: () => boolean, late?: () => boolean }} [time]
 * @returns {Promise<Verdict>}
 */
async function tryProperty(
  { name, says, cases, fails, shrinks, needs },
  examiner,
  { hung = () => true, late = () => false } = {},
) {
  // If the engine refuses an input, the learner's answer does not count.
  const tried = async (/** @type {any} */ input) => {
    if (late()) return null;
    try {
      return await fails(input, examiner);
    } catch (error) {
      const isOther = /** @type {any} */ (error)?.name !== 'LogitscopeError';
      if (isOther && !(error instanceof Refused)) throw error;
      return null;
    }
  };
  // Keeps no answers if the property `needs` a setting: the wrong forms do not read it, so a comparison would mislead.
  examiner.room = needs ? 0 : KEPT;
  for (const [at, input] of cases.entries()) {
    const failure = await tried(input);
    if (!failure) continue;
    const { length } = cases;
    const { room } = examiner;
    // Always keep a wrong answer, because it shows the fault.
    if (room < 0 && examiner.last && !needs) examiner.asked.push(examiner.last);
    examiner.room = 0;
    const least = shrinks && !hung() ? await shrink(input, failure, tried) : { input, failure };
    examiner.room = room;
    // A few more answers help to tell similar faults apart.
    for (let next = at + 1; next < length && examiner.room > 0 && !hung(); next++)
      await tried(cases[next]);
    return { name, says, needs, holds: false, cases: length, input: least.input, ...least.failure };
  }
  return { name, says, needs, holds: !late(), cases: cases.length };
}

/**
 * For each function and property: true if a function that does nothing has the property.
 * @type {Map<string, boolean>}
 */
const held = new Map();

/**
 * @param {import('./properties.js').Property} property
 * @param {any} engine
 * @param {string} as
 * @param {boolean} lesson
 */
async function holdsIdle(property, engine, as, lesson) {
  const key = `${as} ${property.name} ${lesson}`;
  const known = held.get(key);
  if (known !== undefined) return known;
  const idle = new Examiner(engine, IDLE, as);
  const { holds } = await tryProperty(property, idle);
  held.set(key, holds);
  return holds;
}

/**
 * Finds the fault behind failed properties. The calls for this do not count for the learner's time limit.
 * @param {Parameters<typeof grade>[0]} given
 * @param {Verdict[]} verdicts
 * @param {Examiner} examiner
 * @param {() => boolean} late
 */
async function faultOf({ engine, tested, as, lesson }, verdicts, examiner, late) {
  const { spent } = tested;
  const broken = () => tested.hangs + tested.ends > 0 || late();
  const composed = !lesson && (as === 'chain' || as === 'generate');
  const stages =
    composed && !broken()
      ? new LearnerStages(engine, tested, (stage, settings) => complete(engine, stage, settings))
      : null;
  // In a new process, thread or frame, there is no state of earlier calls.
  const afresh = async (/** @type {any} */ input) => {
    if (stages?.used) await tested.use(as);
    if (broken() || (await tested.load()).error) return null;
    return examiner.ask(input).catch((/** @type {unknown} */ error) => {
      if (error instanceof Refused) return null;
      throw error;
    });
  };
  const fault = await diagnose(as, verdicts, examiner.asked, engine, afresh, stages);
  if (stages?.used) await tested.use(as);
  tested.spent = spent;
  return fault;
}

/**
 * Grades a loaded function.
 * @param {{ engine: any, tested: TestedFunction, as: string, onverdict?: (verdict: Verdict) => void,
 *   onfault?: (fault: import('./diagnose.js').Fault) => void, seconds?: number, lesson?: boolean,
 *   seed?: number, onnotes?: (notes: import('./diagnose.js').Fault[]) => void }} given
 *   seconds: the time for all calls; lesson: true for the lesson's cases; seed: of the random inputs;
 *   onnotes: receives the differences that cost no points
 * @returns {Promise<Verdict[]>}
 */
export async function grade(given) {
  const { engine, tested, as, onverdict, onfault, seconds = Infinity, lesson = false } = given;
  const { seed } = given;
  const examiner = new Examiner(engine, tested, as);
  const verdicts = [];
  const late = () => tested.spent >= 1000 * seconds;
  for (const property of await propertiesFor(as, engine, lesson, seed)) {
    const { name, says, needs, weight, cases } = property;
    if (needs && !examiner.reads.has(needs)) continue;
    const untried = late()
      ? reason('late', { seconds })
      : tested.hangs >= MAX_HANGS
        ? reason('untried')
        : tested.ends >= MAX_ENDS && reason('gone', { count: MAX_ENDS });
    const { answered } = examiner;
    const found = untried
      ? { name, says, holds: false, cases: 0, ...untried }
      : await tryProperty(property, examiner, { hung: () => tested.hangs + tested.ends > 0, late });
    // A loop without a parameter for these settings was not called.
    if (found.holds && examiner.answered === answered && examiner.skipped.size && cases.length)
      continue;
    // Perhaps the last call has ended because the total time was over.
    const ended = !found.holds && (!found.code || found.code === 'hung');
    const why = ended && late() ? reason('late', { seconds }) : {};
    const verdict = {
      ...found,
      ...why,
      weight,
      ...(lesson && { lesson }),
      idle: await holdsIdle(property, engine, as, lesson),
    };
    verdicts.push(verdict);
    onverdict?.(verdict);
  }
  const names = [...examiner.skipped].join(', ');
  if (names) examiner.note(reason('not_asked', { names }));
  given.onnotes?.([...examiner.notes.values()]);
  if (onfault) {
    const fault = await faultOf(given, verdicts, examiner, late);
    if (fault) onfault(fault);
  }
  return verdicts;
}
