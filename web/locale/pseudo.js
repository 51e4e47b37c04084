/**
 * Pseudo-locales for tests: longer strings (double, long), right to left (rtl), and markup in strings
 * (xss). ?strings=NAME turns one on for any language; the browser does not keep the choice.
 */
import { announceLanguage, disguise } from './locale.js';

/** Matches parts of a string that must not change: placeholders, and code and addresses in lessons. */
const KEPT = /(\{\w+\}|`[^`]*`|\]\([^)]*\))/;

const PLAIN = 'AEIOUYaeiouycnrst';
const ACCENTED = 'ÅÉÎÖÛÝåéîöûýçñŕšť';

/** Adds accents to letters. @param {string} text */
const accented = (text) =>
  text.replace(/[a-z]/gi, (letter) => ACCENTED[PLAIN.indexOf(letter)] ?? letter);

/** Words of many lengths that make a string longer; one is longer than the words of most languages. */
const FILLING = 'öñé ťŵö ťĥŕéé ƒöûŕƒîvéšîxšévéñ éîĝĥť ñîñé ťéñ éļévéñ ťŵéļvé ťĥîŕťééñ ƒöûŕťééñ';

/** @param {string} text */
function longer(text) {
  const words = text.split(KEPT).map((part, i) => (i % 2 ? part : accented(part)));
  const filling = FILLING.repeat(Math.ceil(text.length / FILLING.length)).slice(0, text.length);
  return `${words.join('')} ${filling}`.trimEnd();
}

/** Markup in each string: if the page parses a string as markup by mistake, it becomes an element and runs a script. */
const MARKUP = '<img class=disguised src=x onerror="disguised=1">';

/** @type {Record<string, (text: string) => string>} */
const DISGUISES = {
  double: (text) => `${text} ${text}`,
  long: longer,
  rtl: (text) => text,
  xss: (text) => `${MARKUP}'"> ${text} &amp;</b>`,
};

/** The fields of a lesson that contain text for people. */
const TEXTS =
  'title aim result extension guide text caption ask right hint say items solution'.split(' ');

/** Returns a part of a lesson with its texts changed. @param {any} value @param {string} key @returns {any} */
function shaped(value, key) {
  if (typeof value === 'string') return TEXTS.includes(key) ? disguise.of(value) : value;
  if (Array.isArray(value)) return value.map((each) => shaped(each, key));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, shaped(each, name)]);
  return Object.fromEntries(entries);
}

/** @param {string} name */
export function beginPseudo(name) {
  if (!Object.hasOwn(DISGUISES, name)) return;
  const root = document.documentElement;
  if (name === 'rtl') root.dir = 'rtl';
  disguise.of = DISGUISES[name];
  disguise.lesson = (text) => JSON.stringify(shaped(JSON.parse(text), ''));
  announceLanguage();
  root.dataset.strings = name;
  addEventListener('click', (event) => carry(event, name), { capture: true });
}

/** Keeps the pseudo-locale in the links of a lesson's page. @param {Event} event @param {string} name */
function carry(event, name) {
  const link = event.composedPath().find((each) => each instanceof HTMLAnchorElement);
  if (!(link instanceof HTMLAnchorElement) || link.pathname !== location.pathname) return;
  if (link.origin !== location.origin || !link.search) return;
  const address = new URL(link.href);
  address.searchParams.set('strings', name);
  link.href = address.href;
}
