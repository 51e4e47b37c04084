/** Fetches a lesson from the address itself, from the shipped lessons, or from a file of the same origin. */
import { fetchText } from '../../state/assets.js';
import { SHIPPED, lessonFile } from '../../lessons/shipped.js';
import { disguise, language } from '../../locale/locale.js';

const CARRIED = '#lesson=';

/** Returns true if the address has or names a lesson; if not, the page lists the lessons. @param {string} name */
export const isNamed = (name) => name !== '' || location.hash.startsWith(CARRIED);

/** @param {string} name */
export async function fetchLesson(name) {
  if (name === '') return decodeURIComponent(location.hash.slice(CARRIED.length));
  if (SHIPPED.includes(name)) return fetchShipped(name);
  const { origin } = new URL(name, document.baseURI);
  if (origin === location.origin) return fetchText(name, document.baseURI);
  throw new Error(name);
}

/** @param {string} name */
const fetchShipped = async (name) => disguise.lesson(await fetchText(lessonFile(name, language())));

/** Fetches all shipped lessons in the page's language. @returns {Promise<import('../../lessons/lesson-file.js').Lesson[]>} */
export async function fetchList() {
  const files = SHIPPED.map(fetchShipped);
  return (await Promise.all(files)).map((text) => JSON.parse(text));
}
