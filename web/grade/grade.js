/**
 * The grader: checks the properties of a learner's sampler, chain or decode loop, and finds the smallest
 * input on which each failing property fails.
 */
import { casesOf } from './cases.js';
import { CHAIN, chainProperties } from './chain.js';
import { diagnose } from './diagnose.js';
import { generationProperties, isNeutral } from './generation.js';
import { bitsOf, coinOf } from './hashes.js';
import { LearnerStages } from './learner-stages.js';
import { propertiesOf } from './properties.js';
import { reason, refusal } from './reasons.js';
import { IDLE } from './score.js';
import { shrink } from './shrink.js';
import { SPECS } from './specs.js';

/** @typedef {import('./inputs.js').Case} Case */
/** @typedef {import('./tested-function.js').TestedFunction} TestedFunction */

/**
 * @typedef {object} Verdict
 * @property {string} name
 * @property {string} says
 * @property {boolean} holds
 * @property {number} cases number of inputs
 * @property {string} [needs] a setting: only a function that reads it is asked
 * @property {number} [weight]
 * @property {boolean} [lesson] whether it is one of the lesson's cases
 * @property {boolean} [idle] whether it holds for a function that does nothing
 * @property {any} [input] the smallest failing one
 * @property {ArrayLike<number> | null} [expected]
 * @property {ArrayLike<number> | null} [got]
 * @property {string} [message]
 * @property {string} [code]
 * @property {Record<string, string | number>} [params]
 */

/** The functions that can be graded: every sampler, a chain, a decode loop. */
export const GRADED = [...Object.keys(SPECS), 'chain', 'generate'];
/** An endless loop costs its time limit once a function. */
const MAX_HANGS = 1;
const MAX_ENDS = 3;
/** Answers to a property that are kept for the diagnosis. */
const KEPT = 16;

/**
 * @param {string} as
 * @param {any} engine
 * @param {boolean} lesson whether to ask the lesson's cases
 * @param {number} [seed] of the random inputs
 * @returns {Promise<import('./properties.js').Property[]>}
 */
async function tryingFor(as, engine, lesson, seed) {
  if (lesson) return casesOf(as);
  if (as === 'chain') return chainProperties(seed);
  return as === 'generate' ? generationProperties(seed) : propertiesOf(as, engine, seed);
}

/**
 * The names of a function's properties, as weights use them.
 * @param {string} as
 * @param {any} engine
 * @param {boolean} lesson whether to ask the lesson's cases
 */
export async function propertyNames(as, engine, lesson) {
  return (await tryingFor(as, engine, lesson)).map(({ name }) => name);
}

/**
 * Completes the given settings with neutral values for all others that a sampler may read.
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

/** Ends a check: the function refuses a setting that lessons may refuse. */
class Refused extends Error {}

/**
 * The settings of a call that a function may refuse.
 * @param {string} as
 * @param {Record<string, any>} settings
 */
const refusable = (as, settings) =>
  ['temperature', 'top_k', 'top_p'].filter(
    (name) => settings[name] === 0 && (as === name || (as === 'generate' && name === 'top_p')),
  );

/** Whether a function raised its error on purpose. @param {import('./tested-function.js').Answer} answer */
const isRefusal = ({ error, hung, code }) =>
  error !== undefined && !hung && !code && !error.startsWith('ZeroDivisionError');

/**
 * Asks a learner's function, and keeps the answers and differences for the diagnosis.
 * @param {any} engine
 * @param {TestedFunction} tested
 * @param {string} as
 */
export function askingOf(engine, tested, as) {
  /** The settings that it has read so far. @type {Set<string>} */
  const reads = new Set();
  /** @type {import('./diagnose.js').Asked[]} */
  const asked = [];
  const keep = (
    /** @type {any} */ input,
    /** @type {any} */ settings,
    /** @type {any} */ answer,
  ) => {
    asking.last = { input, settings, answer };
    if (asking.room-- > 0) asked.push(asking.last);
    return answer;
  };
  const meets = (
    /** @type {import('./tested-function.js').Answer} */ answer,
    /** @type {Record<string, any>} */ settings,
  ) => {
    if (answer.error === undefined) asking.answered++;
    else if (asking.answered && isRefusal(answer)) {
      const [name] = refusable(as, settings);
      if (!name) return;
      asking.note(reason('refuses', { settings: `${name} 0` }));
      throw new Refused();
    }
  };
  const asking = {
    engine,
    reads,
    asked,
    /** Number of further answers to keep; answers from shrinking are too much alike. */
    room: 0,
    /** Number of answers without an error. */
    answered: 0,
    /** Settings and rules that its parameters cannot express. @type {Set<string>} */
    skipped: new Set(),
    /** Differences that cost nothing. @type {Map<string, import('./diagnose.js').Fault>} */
    notes: new Map(),
    note(/** @type {import('./diagnose.js').Fault} */ found) {
      asking.notes.set(found.message, found);
    },
    /** The last answer. @type {import('./diagnose.js').Asked | null} */
    last: null,
    async ask(/** @type {any} */ input) {
      if (as === 'generate') {
        const { expected: _, order: __, ...given } = input;
        const answer = await tested.call({ call: 'generate', ...given });
        const { graph, skipped, blind = [] } = answer.log ?? {};
        // A parameter is missed only if its setting does something.
        if (skipped?.split(' with ').some((name) => isNeutral(name, input.settings)))
          return refusal('own_message');
        if (graph !== undefined) reads.add('torch');
        for (const name of skipped ? [skipped] : blind) asking.skipped.add(name);
        if (skipped) return answer;
        meets(answer, input.settings);
        return keep(input, input.settings, answer);
      }
      const { logits, settings, history, second, step = 0 } = input;
      const all = complete(engine, as, settings);
      const answer = await tested.call({
        call: 'warp',
        logits: Float32Array.from(logits),
        settings: all,
        history,
        step,
        coin: coinOf(settings.seed ?? 0),
        bits: bitsOf(as, all, history, logits.length),
        second: second ? Float32Array.from(second) : null,
      });
      for (const name of answer.read ?? []) reads.add(name);
      meets(answer, settings);
      return keep(input, all, answer);
    },
  };
  return asking;
}

/**
 * @param {import('./properties.js').Property} property
 * @param {any} asking
 * @param {{ hung?: () => boolean, late?: () => boolean }} [time]
 * @returns {Promise<Verdict>}
 */
async function judge(
  { name, says, cases, fails, shrinks, needs },
  asking,
  { hung = () => true, late = () => false } = {},
) {
  // An input that the engine itself refuses says nothing about the learner.
  const tried = async (/** @type {any} */ input) => {
    if (late()) return null;
    try {
      return await fails(input, asking);
    } catch (error) {
      const isOther = /** @type {any} */ (error)?.name !== 'LogitscopeError';
      if (isOther && !(error instanceof Refused)) throw error;
      return null;
    }
  };
  // Twins do not read the settings that properties need, so their answers tell nothing.
  asking.room = needs ? 0 : KEPT;
  for (const [at, input] of cases.entries()) {
    const failure = await tried(input);
    if (!failure) continue;
    const { length } = cases;
    const { room } = asking;
    // A wrong answer is always kept, since it tells the fault.
    if (room < 0 && asking.last && !needs) asking.asked.push(asking.last);
    asking.room = 0;
    const least = shrinks && !hung() ? await shrink(input, failure, tried) : { input, failure };
    asking.room = room;
    // A few more answers tell similar faults apart.
    for (let next = at + 1; next < length && asking.room > 0 && !hung(); next++)
      await tried(cases[next]);
    return { name, says, needs, holds: false, cases: length, input: least.input, ...least.failure };
  }
  return { name, says, needs, holds: !late(), cases: cases.length };
}

/** Whether a function that does nothing holds a property, by function and property. @type {Map<string, boolean>} */
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
  const idle = askingOf(engine, /** @type {any} */ (IDLE), as);
  const { holds } = await judge(property, idle);
  held.set(key, holds);
  return holds;
}

/**
 * Grades a loaded function.
 * @param {{ engine: any, tested: TestedFunction, as: string, onverdict?: (verdict: Verdict) => void,
 *   onfault?: (fault: import('./diagnose.js').Fault) => void, seconds?: number, lesson?: boolean,
 *   seed?: number, onnotes?: (notes: import('./diagnose.js').Fault[]) => void }} given
 *   seconds: time of all calls together; lesson: asks the lesson's cases; seed: of the random inputs;
 *   onnotes: gets the differences that cost nothing
 * @returns {Promise<Verdict[]>}
 */
export async function grade(given) {
  const { engine, tested, as, onverdict, onfault, seconds = Infinity, lesson = false } = given;
  const { seed } = given;
  const asking = askingOf(engine, tested, as);
  const verdicts = [];
  const late = () => tested.spent >= 1000 * seconds;
  for (const property of await tryingFor(as, engine, lesson, seed)) {
    const { name, says, needs, weight, cases } = property;
    if (needs && !asking.reads.has(needs)) continue;
    const untried = late()
      ? reason('late', { seconds })
      : tested.hangs >= MAX_HANGS
        ? reason('untried')
        : tested.ends >= MAX_ENDS && reason('gone', { count: MAX_ENDS });
    const { answered } = asking;
    const found = untried
      ? { name, says, holds: false, cases: 0, ...untried }
      : await judge(property, asking, { hung: () => tested.hangs + tested.ends > 0, late });
    // A loop without a parameter for any of the settings was not asked.
    if (found.holds && asking.answered === answered && asking.skipped.size && cases.length)
      continue;
    // The time of all calls may have ended the last one.
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
  const names = [...asking.skipped].join(', ');
  if (names) asking.note(reason('not_asked', { names }));
  given.onnotes?.([...asking.notes.values()]);
  // A new place has no state of earlier calls.
  const afresh = async (/** @type {any} */ input) => {
    if (stages?.used) await tested.use(as);
    if (tested.hangs + tested.ends > 0 || late() || (await tested.load()).error) return null;
    return asking.ask(input).catch((/** @type {unknown} */ error) => {
      if (error instanceof Refused) return null;
      throw error;
    });
  };
  const composed = !lesson && (as === 'chain' || as === 'generate');
  const stages =
    composed && tested.hangs + tested.ends === 0 && !late()
      ? new LearnerStages(engine, tested, (stage, settings) => complete(engine, stage, settings))
      : null;
  const { spent } = tested;
  const fault = onfault && (await diagnose(as, verdicts, asking.asked, engine, afresh, stages));
  if (stages?.used) await tested.use(as);
  tested.spent = spent; // these calls are no part of the learner's time
  if (fault) onfault?.(fault);
  return verdicts;
}
