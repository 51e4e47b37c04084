/** Whether an answer is right, and which sentence it has. Pure; what is measured comes by `measured`. */

/**
 * @typedef {import('./lesson-file.js').Question} Question
 * @typedef {import('./lesson-file.js').Typical} Typical
 * @typedef {import('./measures.js').Asked} Asked
 * @typedef {(asked: Asked) => Promise<number | string | undefined>} Measured of the state shown
 * @typedef {'close' | 'high' | 'low'} Side of a number for which nothing is said: rounded too early, or where it lies
 * @typedef {{ right: boolean, say: string, side?: Side }} Verdict
 */

/**
 * What the grader made of code: whether it is right, the fault that it has, and the sentence of that.
 * @typedef {{ right: boolean, fault: string | null, say: string }} Coded
 */

/** Two texts name the same token whether or not the space before it is written. @param {unknown} text */
const bare = (text) => String(text ?? '').trim();

/** @param {number} a @param {unknown} b @param {number} tolerance */
function near(a, b, tolerance) {
  return typeof b === 'number' && Math.abs(a - b) <= tolerance + 1e-12;
}

/** @param {number} value @param {{ above?: number, below?: number }} bounds */
function within(value, { above = -Infinity, below = Infinity }) {
  return value > above && value < below;
}

/**
 * Whether a state is the one to reach.
 * @param {import('./lesson-file.js').Goal} goal
 * @param {number | string | undefined} value
 */
export function reached(
  { equals, at_least = -Infinity, at_most = Infinity, tolerance = 0 },
  value,
) {
  if (typeof equals === 'string') return bare(value) === bare(equals);
  if (typeof value !== 'number') return false;
  if (equals !== undefined) return near(value, equals, tolerance);
  return value >= at_least && value <= at_most;
}

/** A number within this many tolerances is close. */
const CLOSE = 3;
const MOST_DECIMALS = 6;

/** @param {number} value @param {number} truth @param {number} tolerance @returns {Side} */
function sideOf(value, truth, tolerance) {
  const cut = (/** @type {number} */ by) => [
    Math.round(truth * by) / by,
    Math.trunc(truth * by) / by,
  ];
  const powers = Array.from({ length: MOST_DECIMALS }, (_, i) => 10 ** (i + 1));
  const early = powers.some((by) => cut(by).some((rounded) => near(value, rounded, 0)));
  if (tolerance > 0 && (early || near(value, truth, CLOSE * tolerance))) return 'close';
  return value > truth ? 'high' : 'low';
}

/** @param {Question} question @param {number} value @param {Measured} measured */
async function judgeNumber({ answer, tolerance = 0, wrong = [] }, value, measured) {
  const truth = await measured(/** @type {Asked} */ (answer));
  if (near(value, truth, tolerance)) return null;
  for (const typical of wrong) {
    const { equals, measure, say } = typical;
    const by = typical.tolerance ?? tolerance;
    const named = measure === undefined ? equals : await measured(/** @type {Asked} */ (typical));
    const met = named === undefined ? within(value, typical) : near(value, named, by);
    if (met) return say;
  }
  return typeof truth === 'number' ? { side: sideOf(value, truth, tolerance) } : '';
}

/** @param {Question} question @param {string} text @param {Measured} measured */
async function judgeToken({ answer, wrong = [] }, text, measured) {
  if (bare(text) === bare(await measured(/** @type {Asked} */ (answer)))) return null;
  for (const typical of wrong) {
    const { equals, measure, say } = typical;
    const named = measure === undefined ? equals : await measured(/** @type {Asked} */ (typical));
    if (bare(named) === bare(text)) return say;
  }
  return '';
}

/** @param {Question} question @param {number} index of the option @param {Measured} measured */
async function judgeChoice({ options = [], answer, tolerance = 0 }, index, measured) {
  const { right, value, say = '' } = options[index];
  if (!answer) return right ? null : say;
  const truth = await measured(answer);
  const met =
    typeof value === 'number' ? near(value, truth, tolerance) : bare(value) === bare(truth);
  return met ? null : say;
}

/** @param {Question} question @param {number[]} order places of the items as the author wrote them */
function judgeOrder({ wrong = [] }, order) {
  if (order.every((item, place) => item === place)) return null;
  const early = wrong.find(({ before: [a, b] = [0, 0] }) => order.indexOf(a) < order.indexOf(b));
  return early?.say ?? '';
}

/** @param {Question} question @param {Measured} measured of the state that stands now */
async function judgeState({ goal, wrong = [] }, measured) {
  const wanted = /** @type {import('./lesson-file.js').Goal} */ (goal);
  if (reached(wanted, await measured(wanted))) return null;
  for (const typical of wrong) {
    const { equals, say } = typical;
    const value = await measured(typical.measure ? /** @type {Asked} */ (typical) : wanted);
    const met =
      typeof value === 'number'
        ? within(value, typical)
        : value !== undefined && bare(equals ?? value) === bare(value);
    if (met) return say;
  }
  return '';
}

/** @param {Question} question @param {Coded} coded */
function judgeCode({ wrong = [] }, { right, fault, say }) {
  if (right) return null;
  const typical = fault === null ? undefined : wrong.find((each) => each.fault === fault);
  return typical ? `${say} ${typical.say}` : say;
}

/**
 * @param {Question} question
 * @param {any} given what the grader made of code, a number, a text, the index of an option, an order; nothing for a state
 * @param {Measured} measured
 * @returns {Promise<Verdict>} `say` is the sentence of a right answer or of a typical wrong one
 */
export async function judge(question, given, measured) {
  const say = await {
    number: () => judgeNumber(question, given, measured),
    token: () => judgeToken(question, given, measured),
    choice: () => judgeChoice(question, given, measured),
    order: async () => judgeOrder(question, given),
    state: () => judgeState(question, measured),
    code: async () => judgeCode(question, given),
  }[question.kind]();
  if (say === null) return { right: true, say: question.right ?? '' };
  return typeof say === 'string' ? { right: false, say } : { right: false, say: '', ...say };
}
