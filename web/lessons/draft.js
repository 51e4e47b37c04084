/**
 * A lesson while it is written: values by their place, a lesson made of what stands in the
 * instrument, and what is handed out of it. A draft is never changed but replaced, so that what is
 * equal before and after is the same.
 */
import { LESSON_MEASURES } from './measures.js';

/**
 * @typedef {(string | number)[]} Place of a value, such as ['parts', 0, 'title']
 * @typedef {Record<string, any>} Draft of the form of a lesson, with gaps
 * @typedef {import('./faults.js').LessonFault} LessonFault
 * @typedef {import('./measures.js').LessonState} LessonState
 * @typedef {import('../engine/types.js').TableRow} TableRow
 * @typedef {{ state: LessonState, knob?: string, left: string[] }} Taken `left`: what no lesson can hold
 */

/** How a checker's fault names a place. @param {Place} place */
export const placeName = (place) =>
  place.map((key, i) => (typeof key === 'number' ? `[${key}]` : i > 0 ? `.${key}` : key)).join('');

/** The place that a fault is about. @param {LessonFault} fault */
export function faultPlace({ key, values: { at = '', name } }) {
  const whole = at === 'the lesson' ? '' : String(at);
  if (key !== 'missing') return whole;
  return whole === '' ? String(name) : `${whole}.${name}`;
}

/**
 * The number of a question in its lesson, from 1: as the reader counts them.
 * @param {Draft} draft
 * @param {number} part
 * @param {number} question its place in the part
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
 * The draft with another value at a place; undefined removes it.
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
 * The list with one of its items elsewhere; an order names its items by their places.
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

/** @param {unknown} value @param {boolean} texts whether an empty text is a gap too */
const isGap = (value, texts) =>
  value === undefined || (value === '' && texts) || (Array.isArray(value) && value.length === 0);

/**
 * A draft without its gaps: lists without items, and `texts` that are empty. What has none is the
 * same as before. Tokens and items of lists stay, since their places count.
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

/** A name for a file, of a title. @param {string} title */
export function slug(title) {
  const plain = title.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);
}

/** @param {Taken | null} taken @returns {Draft} */
export const newPart = (taken) => ({
  title: '',
  text: '',
  ...(taken ? { figure: newFigure(taken) } : {}),
});

/** @param {{ state: LessonState, knob?: string }} taken @returns {Draft} */
export const newFigure = ({ state, knob }) => ({
  show: 'landscape',
  state,
  ...(knob ? { knob } : {}),
});

/** What each kind of figure begins with, beside its source. @type {Record<string, () => Draft>} */
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
};

/** The kinds of figures. */
export const SHOWN = Object.keys(FIGURES);

/** Those that need no model and no logits. */
export const SOURCELESS = ['bigram', 'cost'];

/** Those that write, for which logits alone are not enough. */
export const WRITING = ['text', 'loop', 'compare'];

/**
 * The figure as one of another kind, about the same text where that can be.
 * @param {Draft} figure
 * @param {string} show
 * @param {LessonState} first what it is about where it has been about nothing
 * @returns {Draft}
 */
export function asShown({ state: { choices: _, ...about }, caption }, show, first) {
  const { state, ...others } = FIGURES[show]();
  const silent = WRITING.includes(show) && about.logits;
  const source = silent || !(about.prompt ?? about.logits) ? first : about;
  return {
    show,
    state: { ...(SOURCELESS.includes(show) ? {} : source), ...state },
    ...others,
    ...(caption ? { caption } : {}),
  };
}

/** @param {Taken | null} taken @returns {Draft} */
export const newLesson = (taken) => ({
  lesson: 1,
  name: 'lesson',
  title: '',
  aim: '',
  result: '',
  parts: [newPart(taken)],
});

/** A name that no other question has. @param {Draft} draft */
export function freeId({ parts = [] }) {
  const taken = parts.flatMap((/** @type {Draft} */ { questions = [] }) =>
    questions.map((/** @type {Draft} */ { id }) => id),
  );
  let n = taken.length + 1;
  while (taken.includes(`q${n}`)) n++;
  return `q${n}`;
}

/** What a question of a kind begins with. @type {Record<string, () => Draft>} */
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

/** The kinds that the form knows. */
export const FORM_KINDS = Object.keys(BEGINNINGS);

/** What is the same in each kind. */
const COMMON = ['id', 'kind', 'hold', 'ask', 'state', 'right', 'hint', 'solution'];

/** @param {string} id @param {string} kind @returns {Draft} */
export const newQuestion = (id, kind) => ({ id, kind, ask: '', ...BEGINNINGS[kind](), right: '' });

/**
 * The question as one of another kind.
 * @param {Draft} question
 * @param {string} kind
 * @param {Draft} [before] as it was of that kind
 */
export function asKind(question, kind, before = {}) {
  const kept = Object.entries(question).filter(([name]) => COMMON.includes(name));
  const own = Object.entries(before).filter(([name]) => !COMMON.includes(name));
  const { id, ask, right, ...others } = Object.fromEntries(kept);
  return { ...newQuestion(id, kind), ...Object.fromEntries(own), ask, right, ...others, kind };
}

/**
 * What is asked for by another measure: of it only what that measure has.
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
 * The state of the instrument as a lesson can hold it.
 * @param {{ settings: Record<string, any>, [part: string]: any }} state by the names of an address
 * @param {{ model?: string, written?: string, given?: { tokens: string[], logits: number[] } }} beside
 *   what was written after the prompt, or the reader's own logits
 * @param {TableRow[]} table
 * @returns {Taken}
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

/** Longer links are cut by programs through which they are sent. */
export const LINK_LIMIT = 8000;

/** The file. @param {Draft} lesson */
export const fileText = (lesson) => `${JSON.stringify(lesson, null, 2)}\n`;

/** The page that carries the lesson whole. @param {Draft} lesson @param {string} href of any page of the site @param {string} language */
export function linkOf(lesson, href, language) {
  const page = new URL(href);
  page.search = '';
  page.hash = '';
  const carried = encodeURIComponent(JSON.stringify(lesson)).replace(/'/g, '%27');
  return `${page.href}?lesson&lang=${language}#lesson=${carried}`;
}

/** The address of its guide for teachers, where the codes of a class are read. @type {typeof linkOf} */
export const guideOf = (lesson, href, language) =>
  linkOf(lesson, href, language).replace('?lesson&', '?lesson&guide&');

/**
 * The line for a page of one's own: with the lesson whole, or where that is too long with its file.
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
