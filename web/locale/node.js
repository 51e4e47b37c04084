/** Reads the page's strings from the files of this folder in Node: '#locales' in package.json. */
import { readFileSync, readdirSync } from 'node:fs';

/** @param {string} code @returns {import('./locale.js').Messages} */
const read = (code) => JSON.parse(readFileSync(new URL(`${code}.json`, import.meta.url), 'utf8'));

const codes = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.slice(0, -'.json'.length));

export const english = read('en');
export const others = codes
  .filter((code) => code !== 'en')
  .map((code) => {
    const messages = read(code);
    return { code, name: String(messages.language), load: async () => ({ default: messages }) };
  });
