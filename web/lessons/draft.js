/**
 * Changes the draft of a lesson in the editor: reads and writes values by their path, takes the instrument's state,
 * and makes files and links of the finished lesson. Each change returns a new draft, which shares its unchanged parts
 * with the old one.
 */
import { LESSON_MEASURES } from './measures.js';

/** @import { LessonFault } from './faults.js' */
/** @import { LessonState } from './measures.js' */
/** @import { TableRow } from '../engine/types.js' */

/**
 * @typedef {(string | number)[]} Place the path of a value, for example ['parts', 0, 'title']
 * @typedef {Record<string, any>} Draft a lesson, or a part of a lesson; fields may be missing
 * The instrument's state; `left`: the names of settings that a lesson cannot contain.
 * @typedef {{ state: LessonState, knob?: string, left: string[] }} Handover
 */

/** Writes a path as in the checker's faults. @param {Place} place */
export const placeName = (place) =>
  place.map((key, i) => (typeof key === 'number' ? `[${key}]` : i > 0 ? `.${key}` : key)).join('');

/** Returns the path of the value that a fault is about. @param {LessonFault} fault */
export function faultPlace({ key, values: { at = '', name } }) {
  const whole = at === 'the lesson' ? '' : String(at);
  if (key !== 'missing') return whole;
  return whole === '' ? String(name) : `${whole}.${name}`;
}

/**
 * Returns the number of a question in the whole lesson, from 1.
 * @param {Draft} draft
 * @param {number} part
 * @param {number} question its index in the part
 */
export const questionNumber = ({ parts = [] }, part, question) =>
  parts
    .slice(0, part)
    .reduce(
      (/** @type {number} */ sum, /** @type {Draft} */ { questions = [] }) =>
        sum + questions.length,
      question + 1,
    );

/** @param {any} draft @param {Place} place @returns {any} */
export const get = (draft, place) => place.reduce((value, key) => value?.[key], draft);

/**
 * Returns the draft with another value at a path; undefined removes the value.
 * @param {any} draft
 * @param {Place} place
 * @param {any} value
 * @returns {any}
 */
export function put(draft, [key, ...rest], value) {
  if (key === undefined) return value;
  const inner = rest.length === 0 ? value : put(draft?.[key], rest, value);
  if (Array.isArray(draft) || typeof key === 'number') {
    const list = [...(draft ?? [])];
    if (inner === undefined) list.splice(Number(key), 1);
    else list[Number(key)] = inner;
    return list;
  }
  if (inner !== undefined) return { ...draft, [key]: inner };
  const { [key]: _, ...others } = draft ?? {};
  return others;
}

/**
 * Returns the list with one item moved.
 * @template T
 * @param {T[]} list
 * @param {number} from
 * @param {number} to
 */
export function moved(list, from, to) {
  const copy = [...list];
  copy.splice(to, 0, ...copy.splice(from, 1));
  return copy;
}

/** @param {unknown} value @param {boolean} texts true if an empty text is a gap too */
const isGap = (value, texts) =>
  value === undefined || (value === '' && texts) || (Array.isArray(value) && value.length === 0);

/**
 * Removes gaps from a draft: empty lists and, if `texts` is true, empty texts. Items of lists stay, because questions
 * are found by index. A value without gaps is returned as it is.
 * @param {any} value
 * @param {boolean} [texts]
 * @returns {any}
 */
export function filled(value, texts = true) {
  if (Array.isArray(value)) {
    const items = value.map((item) => filled(item, texts));
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const all = Object.entries(value);
  const kept = all
    .map(([key, item]) => [key, filled(item, texts && key !== 'state' && key !== 'beside')])
    .filter(([, item]) => !isGap(item, texts));
  const same = kept.length === all.length && kept.every(([key, item]) => item === value[key]);
  return same ? value : Object.fromEntries(kept);
}

/** Makes a file name from a title. @param {string} title */
export function slug(title) {
  const plain = title.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);
}

/** @param {Handover | null} handover @returns {Draft} */
export function newPart(handover) {
  const part = { title: '', text: '' };
  if (!handover) return part;
  const { state, knob } = handover;
  return { ...part, figure: { show: 'landscape', state, ...(knob ? { knob } : {}) } };
}

/** For each kind of figure: a new one without a model or logits. @type {Record<string, () => Draft>} */
const FIGURES = {
  landscape: () => ({ state: {} }),
  sweep: () => ({
    state: {
      choices: {
        figure: 'any',
        first: { name: 'temperature', from: 0.2, to: 2, step: 0.2 },
        ...{ measure: 'ttr', samples: 4, max_new_tokens: 40 },
      },
    },
  }),
  bigram: () => ({
    state: {
      settings: { temperature: 0 },
      choices: { text: 'the cat sat on the mat', by: 'words' },
    },
  }),
  cost: () => ({ state: { choices: { prompt_tokens: 8, new_tokens: 20, width: 64 } } }),
  text: () => ({ state: { choices: { length: 24 } }, controls: ['temperature', 'seed'] }),
  loop: () => ({ state: {} }),
  compare: () => ({ state: { choices: { suite: 'extremes', max_new_tokens: 40 } } }),
  sentences: () => ({ state: { choices: { beam_width: 4 } }, controls: ['temperature'] }),
};

/** Kinds of figures. */
export const SHOWN = Object.keys(FIGURES);

/** Kinds of figures that need no model and no logits. */
export const SOURCELESS = ['bigram', 'cost'];

/** Kinds of figures that write texts, so that they need a model. */
export const WRITING = ['text', 'loop', 'compare', 'sentences'];

/**
 * Changes the kind of a figure. Its model or logits stay if the new kind can use them.
 * @param {Draft} figure
 * @param {string} show
 * @param {LessonState} first the source for a figure that had none
 * @returns {Draft}
 */
export function asShown({ state: { choices: _, ...about }, caption, guess }, show, first) {
  const { state, ...others } = FIGURES[show]();
  const silent = WRITING.includes(show) && about.logits;
  const source = silent || !(about.prompt ?? about.logits) ? first : about;
  return {
    show,
    state: { ...(SOURCELESS.includes(show) ? {} : source), ...state },
    ...others,
    ...(caption ? { caption } : {}),
    ...(guess && !SOURCELESS.includes(show) ? { guess } : {}),
  };
}

/** @param {Handover | null} handover @returns {Draft} */
export const newLesson = (handover) => ({
  lesson: 1,
  name: 'lesson',
  title: '',
  aim: '',
  result: '',
  parts: [newPart(handover)],
});

/** Returns an id that no question has. @param {Draft} draft */
export function freeId({ parts = [] }) {
  const taken = parts.flatMap((/** @type {Draft} */ { questions = [] }) =>
    questions.map((/** @type {Draft} */ { id }) => id),
  );
  let n = taken.length + 1;
  while (taken.includes(`q${n}`)) n++;
  return `q${n}`;
}

/** For each kind of question: the fields of a new one. @type {Record<string, () => Draft>} */
const BEGINNINGS = {
  number: () => ({ answer: { measure: 'p', rank: 1 }, tolerance: 0.006 }),
  choice: () => ({ options: [{ text: '', right: true }, { text: '' }] }),
  order: () => ({ items: ['', '', ''] }),
  state: () => ({ goal: { measure: 'p', rank: 1, at_least: 0.9 } }),
  token: () => ({ answer: { measure: 'token', rank: 1 } }),
  code: () => ({
    as: 'top_k',
    begin:
      'export default function top_k(logits, settings) {\n  const k = settings.top_k;\n  return logits.slice();\n}\n',
    example: '',
  }),
};

/** Kinds of questions that the form offers. */
export const FORM_KINDS = Object.keys(BEGINNINGS);

/** Fields that questions of all kinds have. */
const COMMON = ['id', 'kind', 'hold', 'ask', 'state', 'right', 'hint', 'solution'];

/** @param {string} id @param {string} kind @returns {Draft} */
export const newQuestion = (id, kind) => ({ id, kind, ask: '', ...BEGINNINGS[kind](), right: '' });

/**
 * Changes the kind of a question. Fields that both kinds have stay.
 * @param {Draft} question
 * @param {string} kind
 * @param {Draft} [before] this question when it last had the new kind
 */
export function asKind(question, kind, before = {}) {
  const kept = Object.entries(question).filter(([name]) => COMMON.includes(name));
  const own = Object.entries(before).filter(([name]) => !COMMON.includes(name));
  const { id, ask, right, ...others } = Object.fromEntries(kept);
  return { ...newQuestion(id, kind), ...Object.fromEntries(own), ask, right, ...others, kind };
}

/**
 * Changes the measure of a goal or an answer. Parameters that the new measure needs stay or get a default; others are
 * removed.
 * @param {Draft} asked
 * @param {string} measure
 */
export function byMeasure({ settings, rank, token, setting, u, measure: _, ...bounds }, measure) {
  const of = LESSON_MEASURES[measure]?.of ?? [];
  const named = of.includes('token') && token !== undefined;
  return {
    measure,
    ...(named ? { token } : of.includes('rank') ? { rank: rank ?? 1 } : {}),
    ...(of.includes('token') && !of.includes('rank') && !named ? { token: '' } : {}),
    ...(of.includes('setting') ? { setting: setting ?? 'temperature' } : {}),
    ...(of.includes('u') ? { u: u ?? 0.5 } : {}),
    ...(settings ? { settings } : {}),
    ...bounds,
  };
}

/**
 * Converts the instrument's state to a lesson's state, which can have fewer settings.
 * @param {{ settings: Record<string, any>, [part: string]: any }} state with the names used in an address
 * @param {{ model?: string, written?: string, given?: { tokens: string[], logits: number[] } }} beside
 *   `written`: the text after the prompt; `given`: logits that the user typed
 * @param {TableRow[]} table
 * @returns {Handover}
 */
export function handoverOf(state, { model, written = '', given }, table) {
  const kinds = Object.fromEntries(table.map(({ name, kind }) => [name, kind]));
  const { prompt = '', seed, chat, system, landscape_knob, landscape_u } = state;
  const all = Object.entries((given && state.logits_settings) ?? state.settings);
  const holds = ([name = '']) => name === 'order' || /^(real|integer)$/.test(kinds[name] ?? '');
  const settings = Object.fromEntries(all.filter(([name]) => holds([name]) && name !== 'seed'));
  const left = all.filter(([name]) => !holds([name])).map(([name]) => name);
  for (const [name, value] of Object.entries({ chat, system })) if (value) left.push(name);
  const source = given ? given : { ...(model ? { model } : {}), prompt: prompt + written };
  return {
    state: {
      ...source,
      settings,
      ...(seed === undefined ? {} : { seed }),
      ...(typeof landscape_u === 'number' ? { u: landscape_u } : {}),
    },
    ...(landscape_knob ? { knob: landscape_knob } : {}),
    left,
  };
}

/** Most characters of a link. Mail programs and chats cut off longer ones. */
export const LINK_LIMIT = 8000;

/** @param {Draft} lesson */
export const fileText = (lesson) => `${JSON.stringify(lesson, null, 2)}\n`;

/**
 * Returns an address with the whole lesson in it.
 * @param {Draft} lesson @param {string} href of any page of the site @param {string} language
 */
export function linkOf(lesson, href, language) {
  const page = new URL(href);
  page.search = '';
  page.hash = '';
  const carried = encodeURIComponent(JSON.stringify(lesson)).replace(/'/g, '%27');
  return `${page.href}?lesson&lang=${language}#lesson=${carried}`;
}

/** Returns the address of the lesson's guide for teachers. @type {typeof linkOf} */
export const guideOf = (lesson, href, language) =>
  linkOf(lesson, href, language).replace('?lesson&', '?lesson&guide&');

/**
 * Returns HTML that shows the lesson in another page: with the whole lesson in the link, or with a file if the link
 * would be too long.
 * @param {Draft} lesson
 * @param {string} href
 * @param {string} language
 */
export function embedOf(lesson, href, language) {
  const link = linkOf(lesson, href, language);
  const [page] = link.split('?');
  const file = `${page}?lesson=${lesson.name}.json&lang=${language}`;
  const quote = (/** @type {string} */ text) =>
    text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  const src = quote(link.length > LINK_LIMIT ? file : link);
  return `<iframe src="${src}" title="${quote(lesson.title)}" width="100%" height="900" loading="lazy"></iframe>`;
}
