/** Renders a template with JSON values. Each character of their texts keeps its origin. */
import { formatDate } from './dates.js';
import { strftimeNow } from './globals.js';
import { Interpreter } from './interpreter.js';
import { MESSAGE, ROLE, Str } from './text.js';
import { Dict } from './values.js';

/** Roles that templates may turn into control tokens. */
const ROLES = new Set(
  'system developer user assistant tool function ipython observation functions'.split(' '),
);

/** @param {string} text @param {string} origin */
const saidText = (text, origin) => new Str(text, origin.repeat(text.length));

/**
 * Converts a JSON value to a template's value. A known role or a `type` counts as the template's own
 * text, since templates make control tokens from it.
 * @param {unknown} value
 * @param {number} above number of levels above the fields of a message: 2 for the list of messages,
 *   0 for a field; negative elsewhere
 * @param {string} [key] key of the value, if it is in an object
 * @returns {import('./values.js').Value}
 */
function valueOf(value, above, key = '') {
  if (typeof value === 'string') {
    const isRole = key === 'role' && above === 0;
    const isKind = isRole ? ROLES.has(value) : key === 'type' && /^[a-z_]+$/.test(value);
    return isKind ? new Str(value) : saidText(value, isRole ? ROLE : MESSAGE);
  }
  if (typeof value === 'number') {
    // JavaScript cannot distinguish 1 and 1.0. The number is an int if JSON.stringify writes only digits.
    const written = JSON.stringify(value);
    return /[.e]/.test(written) ? value : BigInt(written);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => valueOf(each, above - 1));
  return new Dict(
    Object.entries(value).map(([name, each]) => [
      saidText(name, MESSAGE),
      valueOf(each, above - 1, name),
    ]),
  );
}

/**
 * @param {string} template
 * @param {string} date date of `strftime_now`, YYYY-MM-DD
 * @param {Record<string, unknown>} said variables from outside, such as the messages
 * @param {Record<string, string>} own texts that count as the template's own
 * @returns {Str}
 */
export function renderTemplate(template, date, said, own) {
  /** @type {Map<string, import('./values.js').Value>} */
  const context = new Map();
  context.set(
    'strftime_now',
    strftimeNow((format) => formatDate(date, format)),
  );
  for (const [name, value] of Object.entries(said))
    context.set(name, valueOf(value, name === 'messages' ? 2 : -1));
  for (const [name, text] of Object.entries(own)) context.set(name, new Str(text));
  return new Interpreter(context).render(template);
}
