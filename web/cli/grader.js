/** Grades the functions of submissions. */
import { CONVENTIONS, byConvention } from '../grade/convention.js';
import { reason } from '../grade/reasons.js';
import { grade } from '../grade/grade.js';
import { scoreOf } from '../grade/score.js';
import { TestedFunction } from '../grade/tested-function.js';
import { UsageError } from './flags.js';

/** Time limit for loading a file, in ms: large Python libraries need seconds on a busy computer. */
export const LOAD_MS = 20000;
/** Below this score, the rules of other courses are not tried as the reason. */
const LEAST = 50;

/**
 * A function to grade, with its weight.
 * @typedef {{ as: string, lesson: boolean, weight: number }} Part
 *
 * @typedef {object} Graded
 * @property {string} as
 * @property {boolean} lesson
 * @property {number} weight
 * @property {number} score
 * @property {import('../grade/grade.js').Verdict[]} verdicts
 * @property {{ code?: string, message: string } | null} fault
 * @property {import('../grade/diagnose.js').Fault[]} notes differences that cost no points
 * @property {string} [convention] the rule of another course by which the function gets the full score
 * @property {string} [error] the reason why the function could not be called
 */

/** @typedef {import('../grade/grade.js').Verdict} Verdict */

/**
 * Returns the weights that are meant for one function.
 * @param {Record<string, number>} weights
 * @param {string} as
 */
const weightsFor = (weights, as) =>
  Object.fromEntries(
    Object.entries(weights).flatMap(([name, weight]) => {
      const [of, property] = name.includes('.') ? name.split('.') : [as, name];
      return of === as ? [[property, weight]] : [];
    }),
  );

/** @param {Part} part @returns {Graded} */
const gradedNothing = ({ as, lesson, weight }) => ({
  as,
  lesson,
  weight,
  score: 0,
  verdicts: [],
  fault: null,
  notes: [],
});

/** Grades each file in a process of its own. */
export class Grader {
  #engine;
  #submissions;
  #options;

  /**
   * @param {any} engine
   * @param {import('./submission.js').Submissions} submissions
   * @param {{ parts: Part[], weights: Record<string, number>, time: number, seconds: number,
   *   rule?: import('../grade/convention.js').Convention, stdio?: boolean,
   *   why: (graded: Graded) => string }} options time: limit of one call; seconds: limit of a submission;
   *   rule: the course's rule; why: returns the reason for lost points
   */
  constructor(engine, submissions, options) {
    this.#engine = engine;
    this.#submissions = submissions;
    this.#options = options;
  }

  /**
   * @param {TestedFunction} tested
   * @param {Part} part
   * @param {any} by the engine, following the usual rules or a course's rule
   * @param {(verdict: Verdict) => void} [onverdict]
   */
  async #gradeBy(tested, part, by, onverdict) {
    const { stdio, seconds, weights } = this.#options;
    const { as, lesson } = part;
    const graded = gradedNothing(part);
    if (stdio) tested.close();
    const { error } = await tested.use(as);
    if (error) return { ...graded, error };
    const onfault = (/** @type {any} */ fault) => void (graded.fault = fault);
    const onnotes = (/** @type {any[]} */ notes) => void (graded.notes = notes);
    const given = { engine: by, tested, as, lesson, seconds, onverdict, onfault, onnotes };
    graded.verdicts = await grade(given);
    graded.score = scoreOf(graded.verdicts, weightsFor(weights, as));
    return graded;
  }

  /**
   * Returns another course's rule under which the function would get the full score. Returns undefined if there is
   * none, or if another fault explains the loss.
   * @param {TestedFunction} tested
   * @param {Part} part
   * @param {Graded} usual
   */
  async #conventionOf(tested, part, { score, fault, error, verdicts }) {
    const open = !fault || (fault.code !== undefined && fault.code in CONVENTIONS);
    const asked = ['top_k', 'top_p', 'chain', 'generate'].includes(part.as) && !part.lesson;
    const late = verdicts.some(({ code }) => code === 'late');
    if (error || score < LEAST || score === 100 || !open || !asked || late) return undefined;
    const { spent } = tested;
    for (const name of Object.keys(CONVENTIONS)) {
      const by = byConvention(this.#engine, /** @type {any} */ (name));
      const { verdicts: other } = await this.#gradeBy(tested, part, by);
      tested.spent = spent; // these calls do not count towards the time limit of all calls
      if (other.length && other.every(({ holds }) => holds)) return name;
    }
    return undefined;
  }

  /**
   * Grades a function. If it loses points and the course teaches another rule, grades it by this rule too.
   * @param {TestedFunction} tested
   * @param {Part} part
   * @param {(verdict: Verdict) => void} [onverdict]
   * @returns {Promise<Graded>}
   */
  async #gradePart(tested, part, onverdict) {
    const { rule, why } = this.#options;
    if (!rule) {
      const usual = await this.#gradeBy(tested, part, this.#engine, onverdict);
      return { ...usual, convention: await this.#conventionOf(tested, part, usual) };
    }
    /** @type {Graded} */
    const usual = await this.#gradeBy(tested, part, this.#engine);
    const course =
      usual.error || usual.score === 100
        ? usual
        : await this.#gradeBy(tested, part, byConvention(this.#engine, rule));
    const better = course.score > usual.score;
    const found = better ? course : usual;
    if (better) found.notes.push(reason('by_rule', { rule, why: why(usual) }));
    for (const verdict of found.verdicts) onverdict?.(verdict);
    return found;
  }

  /**
   * Grades the functions of a file. If the file does not load in time, no function is called.
   * @param {{ file: string, within?: string }} submission
   * @param {{ onverdict?: (part: Part) => ((verdict: Verdict) => void) | undefined,
   *   ongraded?: (graded: Graded) => void, printer?: import('./submission.js').Printer }} [told]
   *   printer: for text that the submission prints
   */
  async grade({ file, within }, { onverdict, ongraded, printer } = {}) {
    const { parts, time, seconds } = this.#options;
    const [limit, total] = [1000 * time, 1000 * seconds];
    const start = this.#submissions.start(file, within, printer);
    const tested = new TestedFunction(start, parts[0].as, limit, parts.length > 1, total, LOAD_MS);
    /** @type {Graded[]} */
    const all = [];
    try {
      for (const part of parts) {
        let graded = gradedNothing(part);
        const hung = all.find(({ error }) => error && tested.stuck);
        try {
          graded = hung
            ? { ...graded, error: hung.error }
            : await this.#gradePart(tested, part, onverdict?.(part));
        } catch (error) {
          // Continue with the next submission after an error.
          if (error instanceof UsageError) throw error;
          graded.error = String(error);
        }
        all.push(graded);
        ongraded?.(graded);
      }
    } finally {
      tested.close();
    }
    return all;
  }
}
