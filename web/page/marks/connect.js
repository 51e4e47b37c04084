/**
 * Connects a lesson with course systems. The page names the systems; for each of them an adapter is fetched.
 * delivery.js sends the marks.
 */
import { t } from '../../locale/locale.js';
import { Delivery, say } from './delivery.js';
import { answerHost } from './host.js';

/** @type {Record<string, () => Promise<import('./delivery.js').Adapt>>} */
const ADAPTERS = {
  splice: async () => (await import('./splice.js')).splice,
  scorm12: async () => (await import('./scorm.js')).scorm12,
  scorm2004: async () => (await import('./scorm.js')).scorm2004,
  xapi: async () => (await import('./xapi.js')).xapi,
  jsinput: async () => (await import('./jsinput.js')).jsinput,
};

/**
 * Sends the marks to the named systems, and in a frame also to the parent page.
 * @param {import('../lesson/lesson.js').LogitLesson} lesson
 * @param {boolean} framed true if the lesson is in a frame
 */
export function connect(lesson, framed) {
  const named = lesson.report.split(/[\s,]+/).filter(Boolean);
  if (lesson.xapi) named.push('xapi');
  const names = new Set([...named, ...(framed ? ['splice'] : [])]);
  // Call this before any message is sent: the parent page may answer the first one with a state.
  if (framed) answerHost(lesson);
  for (const name of names)
    if (Object.hasOwn(ADAPTERS, name))
      new Delivery(lesson, name, named.includes(name), ADAPTERS[name]).begin();
    else
      say(lesson, name, () =>
        t('lesson.unreported.unknown', { name, names: Object.keys(ADAPTERS).join(', ') }),
      );
}
