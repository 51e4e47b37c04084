/**
 * Sends a lesson's marks to the course systems around it, and takes back the marks that they have kept.
 * Each system has an adapter, fetched when it is named. A score never falls, and a learner without
 * answers has none. Marks that a system does not take are kept and sent again; the learner is
 * told.
 */
import { readMarks } from '../../lessons/marks.js';
import { t } from '../../locale/locale.js';
import { recallUnsent, rememberUnsent } from '../lesson/progress.js';
import { answerHost } from './host.js';
import { Refusal } from './refusal.js';

/**
 * @typedef {import('../lesson/lesson.js').LogitLesson} LogitLesson
 * @typedef {LogitLesson['result']} Result
 * @typedef {{ state?: string, score?: number | null }} Kept what a system has kept of a learner
 *
 * The arguments of an adapter: it may call `take` at any time; `refuse` shows one sentence, or removes
 * it.
 * @typedef {object} Host
 * @property {LogitLesson} lesson
 * @property {boolean} named whether the page wants this system
 * @property {(kept: unknown) => void} take
 * @property {(refusal: Refusal | null) => void} refuse
 *
 * Each call may throw, or reject: it is then made again after a pause.
 * @typedef {object} Adapter
 * @property {() => Promise<void>} recall resolves when all that was kept has been taken, before which
 *   nothing is told
 * @property {(result: Result, known: boolean) => unknown} tell `known` where the system has kept just that
 * @property {(deed: Deed) => unknown} [note] hears of each answer
 * @property {() => void} [end] the page goes
 * @property {string} [learner] who learns, where the system has said it
 * @typedef {{ name: 'answer' | 'solution', id: string, right?: boolean }} Deed
 * @typedef {(host: Host) => Adapter} Adapt
 */

/** @type {Record<string, () => Promise<Adapt>>} */
const ADAPTERS = {
  splice: async () => (await import('./splice.js')).splice,
  scorm12: async () => (await import('./scorm.js')).scorm12,
  scorm2004: async () => (await import('./scorm.js')).scorm2004,
  xapi: async () => (await import('./xapi.js')).xapi,
  jsinput: async () => (await import('./jsinput.js')).jsinput,
};

/** The first and the longest pause between two tries, in ms; each is twice the one before. */
const [FIRST_PAUSE, LAST_PAUSE] = [1000, 60_000];
/** How long "trying again" is shown before it is tried, so that it can be read, in ms. */
const SHOWN_MS = 400;

/**
 * Where the marks of a lesson go: to the systems that the page names and, from the page's own lesson
 * in a frame, to the page around it.
 * @param {LogitLesson} lesson
 * @param {boolean} framed
 */
export function connect(lesson, framed) {
  const named = lesson.report.split(/[\s,]+/).filter(Boolean);
  if (lesson.xapi) named.push('xapi');
  const names = new Set([...named, ...(framed ? ['splice'] : [])]);
  // Before any message leaves: a page around the lesson may answer the first one with a state.
  if (framed) answerHost(lesson);
  for (const name of names)
    if (Object.hasOwn(ADAPTERS, name)) follow(lesson, name, named.includes(name));
    else
      say(lesson, name, () =>
        t('lesson.unreported.unknown', { name, names: Object.keys(ADAPTERS).join(', ') }),
      );
}

/**
 * Shows a sentence about one system, or none.
 * @param {LogitLesson} lesson
 * @param {string} name
 * @param {(() => string) | null} text
 * @param {() => void} [again]
 */
function say(lesson, name, text, again) {
  const { [name]: _, ...others } = lesson.unreported;
  lesson.unreported = text ? { ...others, [name]: { text: lesson.speak(text), again } } : others;
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

/** @param {unknown} error @returns {Refusal} */
function refusalOf(error) {
  if (error instanceof Refusal) return error;
  return new Refusal('failed', { reason: String(/** @type {any} */ (error)?.message ?? error) });
}

/** @param {LogitLesson} lesson @param {string} name @param {boolean} named by the page */
function follow(lesson, name, named) {
  /** @type {Adapter | null} */
  let adapter = null;
  /** The best score that was told or kept. @type {number | null} */
  let best = null;
  /** What the system had kept. */
  let kept = readKept(null);
  let told = '';
  let recalled = false;
  /** Answers that were not noted yet. @type {Deed[]} */
  const deeds = [];
  let [running, again, ended] = [false, false, false];
  /** Whether the learner reads that something failed. */
  let failing = false;
  let pause = FIRST_PAUSE;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** Under which name unsent marks are kept in the browser; null where nobody knows whose they are. */
  const keyOfUnsent = () =>
    adapter?.learner ? JSON.stringify([name, adapter.learner, lesson.result.lesson]) : null;

  /** What is to be told now. */
  function current() {
    const { result } = lesson;
    if (result.score !== null) best = Math.max(best ?? 0, result.score);
    return { ...result, score: best };
  }

  /** @param {unknown} given */
  async function take(given) {
    kept = readKept(given);
    await restore(kept);
    attempt();
  }

  /** @param {Required<Kept>} what */
  async function restore({ state, score }) {
    if (score !== null) best = Math.max(best ?? 0, score);
    await lesson.opened;
    if (Object.keys(readMarks(state)).length > 0) lesson.restore(state);
  }

  /** @type {Host} */
  const host = {
    lesson,
    named,
    take,
    refuse: (refusal) => say(lesson, name, refusal && sentenceOf(refusal)),
  };

  /** @param {Adapter} from */
  async function recall(from) {
    await from.recall();
    await lesson.opened;
    const key = keyOfUnsent();
    if (key) await restore(readKept(recallUnsent(key)));
    recalled = true;
  }

  /** @param {Adapter} to */
  async function tell(to) {
    const now = current();
    const text = JSON.stringify(now);
    if (best === null || text === told) return;
    await to.tell(now, now.state === kept.state && best === kept.score);
    told = text;
  }

  /** Brings the system up to date. Never rejects. */
  async function attempt() {
    again = true;
    if (running || ended) return;
    running = true;
    clearTimeout(timer);
    try {
      while (again) {
        again = false;
        adapter ??= (await ADAPTERS[name]())(host);
        if (!recalled) await recall(adapter);
        for (; deeds.length > 0; deeds.shift()) await adapter.note?.(deeds[0]);
        await tell(adapter);
      }
      succeed();
    } catch (error) {
      fail(refusalOf(error));
    }
    running = false;
  }

  function succeed() {
    pause = FIRST_PAUSE;
    const key = keyOfUnsent();
    if (key && told) rememberUnsent(key, null);
    if (!failing) return;
    failing = false;
    say(lesson, name, told ? () => t('lesson.unreported.sent') : null);
  }

  /** @param {Refusal} refusal */
  function fail(refusal) {
    const key = keyOfUnsent();
    const { state, score } = current();
    const held = score !== null && key !== null && rememberUnsent(key, { state, score });
    const where = () => t(held ? 'lesson.unreported.kept' : 'lesson.unreported.open');
    const text = sentenceOf(refusal);
    failing = true;
    ended = refusal.final;
    const whole = refusal.key === 'failed' ? () => `${text()} ${where()}` : text;
    say(lesson, name, whole, ended ? undefined : byHand);
    if (ended) return;
    timer = setTimeout(attempt, pause);
    pause = Math.min(2 * pause, LAST_PAUSE);
  }

  function byHand() {
    say(lesson, name, () => t('lesson.unreported.trying'));
    clearTimeout(timer);
    timer = setTimeout(attempt, SHOWN_MS);
  }

  // On their way to the lesson, so that an answer is noted before its mark is told.
  for (const deed of /** @type {const} */ (['answer', 'solution']))
    lesson.addEventListener(
      `logit-${deed}`,
      (event) => {
        deeds.push({ name: deed, .../** @type {CustomEvent} */ (event).detail });
        attempt();
      },
      true,
    );
  lesson.addEventListener('logit-result', attempt);
  addEventListener('online', attempt);
  document.addEventListener('visibilitychange', () => document.hidden && attempt());
  addEventListener('pagehide', () => attempt().finally(() => adapter?.end?.()));
  // A page that comes back from the browser's cache begins another session.
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    recalled = false;
    attempt();
  });
  attempt();
}

/** @param {Refusal} refusal */
const sentenceOf = ({ key, values }) => {
  return () => t(`lesson.unreported.${key}`, { host: t('lesson.system'), ...values });
};
