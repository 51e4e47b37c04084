/** Where the text of a lesson comes from: the address itself, what is shipped, or a file of the same origin. */
import { fetchText } from '../../state/assets.js';
import { SHIPPED, lessonFile } from '../../lessons/shipped.js';
import { disguise, language } from '../../locale/locale.js';

const CARRIED = '#lesson=';

/** Whether a lesson is asked for by name, or in the address; without one there is the list. @param {string} name */
export const isNamed = (name) => name !== '' || location.hash.startsWith(CARRIED);

/** @param {string} name */
export async function fetchLesson(name) {
  if (name === '') return decodeURIComponent(location.hash.slice(CARRIED.length));
  if (SHIPPED.includes(name)) return fetchShipped(name);
  const { origin } = new URL(name, document.baseURI);
  if (origin === location.origin) return fetchText(name, document.baseURI);
  throw new Error(name);
}

/** What stands in a lesson to be read. */
const TEXTS =
  'title aim result extension guide text caption ask right hint say items solution'.split(' ');

/** With its texts as the page shows its own. @param {string} name */
async function fetchShipped(name) {
  const text = await fetchText(lessonFile(name, language()));
  /** @param {any} value @param {string} key @returns {any} */
  const shaped = (value, key) => {
    if (typeof value === 'string') return TEXTS.includes(key) ? disguise.of(value) : value;
    if (Array.isArray(value)) return value.map((each) => shaped(each, key));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([name, each]) => [name, shaped(each, name)]);
    return Object.fromEntries(entries);
  };
  return JSON.stringify(shaped(JSON.parse(text), ''));
}

/** All that are shipped, in the page's language. @returns {Promise<import('../../lessons/lesson-file.js').Lesson[]>} */
export async function fetchList() {
  const files = SHIPPED.map(fetchShipped);
  return (await Promise.all(files)).map((text) => JSON.parse(text));
}
