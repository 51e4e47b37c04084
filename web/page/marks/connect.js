/**
 * Tells a lesson's marks to the course systems around it, and takes back what these have kept. Each
 * system has an adapter, fetched when it is named; a score that was told or kept never falls, and
 * of a learner who has answered nothing none is told.
 */
import { readMarks } from '../../lessons/marks.js';
import { t } from '../../locale/locale.js';

/**
 * @typedef {import('../lesson/lesson.js').LogitLesson} LogitLesson
 * @typedef {LogitLesson['result']} Result
 * @typedef {{ state?: string, score?: number | null }} Kept what a system has kept of a learner
 *
 * What an adapter is given: `take` may be called at any time, `refuse` shows one sentence.
 * @typedef {object} Host
 * @property {LogitLesson} lesson
 * @property {(kept: unknown) => void} take
 * @property {(key: 'none' | 'policy' | 'failed' | 'actor', values?: Record<string, string>) => void} refuse
 *
 * `recall` resolves when all that was kept has been taken, before which nothing is told.
 * @typedef {object} Adapter
 * @property {() => Promise<void>} recall
 * @property {(result: Result, known: boolean) => void} tell `known` where the system has kept just that
 * @property {(deed: Deed) => void} [note] hears of each answer
 * @typedef {{ name: 'answer' | 'solution', id: string, right?: boolean }} Deed
 */

/** @type {Record<string, () => Promise<(host: Host) => Adapter>>} */
const ADAPTERS = {
  splice: async () => (await import('./splice.js')).splice,
  scorm12: async () => (await import('./scorm.js')).scorm12,
  scorm2004: async () => (await import('./scorm.js')).scorm2004,
  xapi: async () => (await import('./xapi.js')).xapi,
  jsinput: async () => (await import('./jsinput.js')).jsinput,
};

/**
 * Where the marks of a lesson go: to the systems that the page names and, from the page's own lesson
 * in a frame, to the page around it.
 * @param {LogitLesson} lesson
 * @param {boolean} framed
 */
export async function connect(lesson, framed) {
  const named = lesson.report.split(/[\s,]+/).filter(Boolean);
  const names = new Set([
    ...named,
    ...(lesson.xapi ? ['xapi'] : []),
    ...(framed ? ['splice'] : []),
  ]);
  if (framed) import('./host.js').then(({ answerHost }) => answerHost(lesson));
  for (const name of names)
    if (Object.hasOwn(ADAPTERS, name)) follow(lesson, await ADAPTERS[name]());
    else say(lesson, 'unknown', { name, names: Object.keys(ADAPTERS).join(', ') });
}

/** @param {LogitLesson} lesson @param {string} key @param {Record<string, string>} [values] */
function say(lesson, key, values) {
  lesson.untold = lesson.speak(() => t(`lesson.untold.${key}`, values));
}

/**
 * What a system has kept, which may be anything: it may have been written by another version or hand.
 * @param {any} given
 * @returns {Required<Kept>}
 */
function readKept(given) {
  if (typeof given === 'string')
    try {
      return readKept(JSON.parse(given));
    } catch {
      return { state: given, score: null };
    }
  const { state, score } = given ?? {};
  const good = typeof score === 'number' && score >= 0 && score <= 1;
  return { state: typeof state === 'string' ? state : '', score: good ? score : null };
}

/** @param {LogitLesson} lesson @param {(host: Host) => Adapter} adapt */
async function follow(lesson, adapt) {
  /** The best score that was told or kept. @type {number | null} */
  let best = null;
  /** What the system had kept. */
  let kept = readKept(null);
  let told = '';
  let recalled = false;

  function tell() {
    const { result } = lesson;
    if (result.score !== null) best = Math.max(best ?? 0, result.score);
    if (!recalled || best === null) return;
    const now = { ...result, score: best };
    const text = JSON.stringify(now);
    const known = now.state === kept.state && best === kept.score;
    if (text !== told) adapter.tell(now, known);
    told = text;
  }

  const adapter = adapt({
    lesson,
    async take(given) {
      kept = readKept(given);
      const { state, score } = kept;
      if (score !== null) best = Math.max(best ?? 0, score);
      await lesson.opened;
      if (Object.keys(readMarks(state)).length > 0) lesson.restore(state);
      tell();
    },
    refuse: (key, values) => say(lesson, key, values),
  });
  // On their way to the lesson, so that an answer is noted before its mark is told.
  for (const name of /** @type {const} */ (['answer', 'solution']))
    lesson.addEventListener(
      `logit-${name}`,
      (event) => adapter.note?.({ name, .../** @type {CustomEvent} */ (event).detail }),
      true,
    );
  lesson.addEventListener('logit-result', tell);
  await adapter.recall();
  await lesson.opened;
  recalled = true;
  tell();
}
