/** Makes an error of a refusal that another program sent. Its texts are shown as text only. */
import { LogitscopeError } from '../engine/errors.js';

/** The most characters of a text, and the most values. */
const TEXT_MAX = 500;
const VALUES_MAX = 20;

/** @param {unknown} value */
const isPlain = (value) =>
  typeof value === 'number' || (typeof value === 'string' && value.length <= TEXT_MAX);

/**
 * @param {any} refusal { code, key, values }, or { code: 'asked', message } with the sentence of the
 *   user's own program
 */
export function refusalOf(refusal) {
  const { code, key, values = {}, message } = refusal ?? {};
  if (code === 'asked' && typeof message === 'string')
    return new LogitscopeError('asked', 'asked_failed', { reason: message.slice(0, TEXT_MAX) });
  const known = [code, key].every((name) => /^[a-z_]{1,60}$/.test(name));
  const given = Object.values(Object(values));
  if (known && given.length <= VALUES_MAX && given.every(isPlain))
    return new LogitscopeError(code, key, { ...values });
  return new LogitscopeError('asked', 'asked_form', { what: 'refusal' });
}
