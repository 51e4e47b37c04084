/**
 * The words of the grader's report in one language. English is in the grader; other languages are in the page's files.
 */
import { readFileSync } from 'node:fs';
import { propertyWords } from '../grade/property-words.js';
import { KINDS } from './submission.js';

/** @import { Verdict } from '../grade/grade.js' */
/** @typedef {{ program: string, version: string }} Python */

export const LANGUAGES = ['en', 'es'];

const LABELS = {
  en: {
    holds: 'holds',
    fails: 'FAILS',
    input: 'smallest input: ',
    expected: 'expected ',
    got: 'got      ',
    fault: 'what is wrong: ',
    note: 'at no cost: ',
    failing: 'fails: ',
    byRule: (/** @type {string} */ name) => `by --convention ${name} it has full marks`,
    more: (/** @type {number} */ n) => ` and ${n} more`,
    sum: (/** @type {number} */ holds, /** @type {number} */ fails) =>
      `${holds} hold, ${fails} fail`,
    points: (/** @type {number} */ score) => `${score} of 100`,
    python: (/** @type {Python} */ { program, version }) => `Python ${version}: ${program}`,
    unread: {
      kind: (/** @type {string} */ kind) => `${kind} is not graded: ${KINDS.join(', ')} are`,
      several: (/** @type {string} */ names) => `which of ${names} is it? name one sampler`,
      none: (/** @type {string} */ names) =>
        `it holds ${names || 'nothing'}: no file ends in ${KINDS.join(', ')}`,
      special: () => 'it is a link or no file: its own content is needed',
      closed: () => 'it cannot be read: permission denied',
    },
  },
  es: {
    holds: 'cumple',
    fails: 'FALLA ',
    input: 'entrada más pequeña: ',
    expected: 'esperado ',
    got: 'obtenido ',
    fault: 'qué falla: ',
    note: 'sin coste: ',
    failing: 'falla: ',
    byRule: (/** @type {string} */ name) => `con --convention ${name} tiene la nota máxima`,
    more: (/** @type {number} */ n) => ` y ${n} más`,
    sum: (/** @type {number} */ holds, /** @type {number} */ fails) =>
      `${holds} se cumplen, ${fails} fallan`,
    points: (/** @type {number} */ score) => `${score} de 100`,
    python: (/** @type {Python} */ { program, version }) => `Python ${version}: ${program}`,
    unread: {
      kind: (/** @type {string} */ kind) => `${kind} no se califica: sí ${KINDS.join(', ')}`,
      several: (/** @type {string} */ names) => `¿cuál es: ${names}? llama sampler a uno`,
      none: (/** @type {string} */ names) =>
        `contiene ${names || 'nada'}: ningún archivo acaba en ${KINDS.join(', ')}`,
      special: () => 'es un enlace o no es un archivo: hace falta su propio contenido',
      closed: () => 'no se puede leer: permiso denegado',
    },
  },
};

/** @param {string} language */
export function wordsOf(language) {
  const labels = LABELS[/** @type {keyof typeof LABELS} */ (language)];
  if (language === 'en') {
    const says = (/** @type {string} */ _, /** @type {Verdict} */ verdict) => verdict.says;
    return { ...labels, says, why: (/** @type {{ message?: string }} */ { message }) => message };
  }
  const file = new URL(`../locale/${language}.json`, import.meta.url);
  /** @type {Record<string, any>} */
  const messages = JSON.parse(readFileSync(file, 'utf8'));
  const has = (/** @type {string} */ key) => typeof messages[key] === 'string';
  const t = (/** @type {string} */ key, /** @type {Record<string, any>} */ params = {}) =>
    messages[key].replace(/\{(\w+)\}/g, (/** @type {string} */ _, /** @type {string} */ name) =>
      String(params[name]),
    );
  return {
    ...labels,
    says: (/** @type {string} */ as, /** @type {Verdict} */ verdict) =>
      verdict.lesson ? verdict.says : propertyWords(as, verdict, t, has),
    why: (/** @type {{ code?: string, params?: any, message?: string }} */ it) =>
      it.code && has(`sampler.fail.${it.code}`)
        ? t(`sampler.fail.${it.code}`, it.params)
        : it.message,
  };
}
