/**
 * The format of a lesson's file, and its checker. Anybody can write a lesson, so the checker refuses everything that
 * is not in the format. A lesson has no HTML and no code to run. Addresses occur only as links, which the page shows
 * as links.
 */
import { show } from '../engine/errors.js';
import { MEASURES } from '../engine/measures.js';
import { COUNT_MAX } from '../engine/step-costs.js';
import { suites } from '../engine/suites.js';
import { MOST_FAULTS } from './faults.js';
import { STATE_LIMIT } from './marks.js';
import { LESSON_MEASURES } from './measures.js';
import { readMarkdown } from './markdown.js';
import { readFigureChange } from './figure-change.js';

/** @import { Asked, LessonState } from './measures.js' */
/** @import { LessonFault } from './faults.js' */
/** @import { TableRow } from '../engine/types.js' */

/**
 * A typical wrong answer: a value, a measure, or bounds. `before`, for an order: the first item is before the
 * second one.
 * @typedef {Partial<Asked> & { equals?: number | string, above?: number, below?: number,
 *   tolerance?: number, before?: [number, number], fault?: string, say: string }} Typical
 * @typedef {Asked & { equals?: number | string, at_least?: number, at_most?: number, tolerance?: number }} Goal
 * @typedef {{ text: string, right?: boolean, value?: number | string, say?: string }} Option
 *
 * @typedef {object} Question
 * @property {string} id
 * @property {'number' | 'choice' | 'order' | 'state' | 'token' | 'code'} kind
 * @property {string} ask
 * @property {string} right the sentence shown after a right answer
 * @property {string} [hint]
 * @property {string} [solution]
 * @property {boolean} [hold] true if the figure cannot be changed before the first answer
 * @property {LessonState} [state] replaces the figure's state
 * @property {Typical[]} [wrong]
 * @property {Asked} [answer]
 * @property {number} [tolerance]
 * @property {string} [unit]
 * @property {Option[]} [options]
 * @property {string[]} [items] in the correct order
 * @property {Goal} [goal]
 * @property {number} [choose] the number of tokens that the question offers
 * @property {string} [as] the function to write: a sampler, `chain` or `generate`
 * @property {string} [begin] the initial text of the editor
 * @property {string} [example] correct code, shown as the solution
 *
 * A guess that the learner draws before the figure: the distribution of the figure's state with `settings`.
 * `tokens`: the tokens with a bar; `start`: the bars begin as the figure's state has them, or all even.
 * @typedef {{ ask: string, settings?: Record<string, any>, tokens?: string[], start?: 'shown' | 'even' }} Guess
 *
 * `controls`: the names of the controls below a figure. The controls of biases and of the first token offer
 * `tokens`.
 * @typedef {{ show: keyof typeof CHOICES, state: LessonState, beside?: LessonState, knob?: string,
 *   controls?: string[], tokens?: string[], guess?: Guess, caption?: string }} Figure
 * @typedef {{ title?: string, text?: string | string[], figure?: Figure, questions?: Question[] }} Part
 * @typedef {{ lesson: 1, name: string, number?: number, minutes?: number, title: string, aim: string,
 *   result: string, extension?: string, guide?: string | string[], parts: Part[] }} Lesson
 *   `guide`: notes for the teacher, which learners do not see
 */

const LARGEST = 200_000;
/** Most bytes of a file: UTF-8 has at most 4 bytes for a character. */
export const LARGEST_FILE = 4 * LARGEST + 4;
const LONGEST = 2000;
/** Most tokens of a text that a lesson writes. */
const LONGEST_TEXT = 100;
/** Controls of a figure for something else than a numeric setting. */
const CONTROLS = ['seed', 'prompt', 'length', 'constraint', 'logit_bias', 'forced_first'];
const CONSTRAINTS = ['json', 'name_age_city', 'three_numbers'];
export const KINDS = ['number', 'choice', 'order', 'state', 'token', 'code'];
/** Names of fields that could hold an address or code. They get a fault of their own. */
const ADDRESS = /^(url|href|src|endpoint|xapi|action|fetch|import|script|style|html|on\w+)$/i;
/** Matches HTML. A tag begins with a letter, slash or exclamation mark, so "p < 1" does not match. */
const MARKUP = /<[a-z/!][^>]*>?/i;

/**
 * @typedef {(value: any, at: string, check: Check) => void} Rule checks one value
 * @typedef {Record<string, Rule>} Rules by key of an object; a name that ends with ! is required
 */

/** Collects faults, at most MOST_FAULTS. */
class Check {
  /** @type {LessonFault[]} */
  faults = [];

  /** Kind of the part's figure; null if there is none. @type {keyof typeof CHOICES | null} */
  show = null;

  /** @param {TableRow[]} table */
  constructor(table) {
    this.table = table;
  }

  /** @param {LessonFault['key']} key @param {string} at @param {Record<string, string | number>} [values] */
  fail(key, at, values = {}) {
    if (this.faults.length < MOST_FAULTS)
      this.faults.push({ code: 'bad_lesson', key, values: { at, ...values } });
    return false;
  }

  /** @param {LessonFault['key']} key @param {string} at @param {any} value */
  refuse(key, at, value) {
    return this.fail(key, at, { value: show(value) });
  }

  /**
   * @param {any} value
   * @param {string} at
   * @param {Rules} rules
   */
  object(value, at, rules) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return this.refuse('object', at, value);
    const names = Object.keys(rules).map((name) => name.replace('!', ''));
    for (const name of Object.keys(value)) {
      const rule = Object.hasOwn(rules, name) ? rules[name] : rules[`${name}!`];
      const place = at === 'the lesson' ? name : `${at}.${name}`;
      if (names.includes(name)) rule(value[name], place, this);
      else if (ADDRESS.test(name)) this.fail('endpoint', at, { name });
      else this.fail('unknown', at, { name: show(name), names: names.join(', ') });
    }
    const needed = Object.keys(rules).filter((name) => name.endsWith('!'));
    const missing = needed.map((name) => name.slice(0, -1)).filter((name) => !(name in value));
    for (const name of missing) this.fail('missing', at, { name });
    return missing.length === 0;
  }
}

/** @param {{ maximum?: number }} [bounds] @returns {Rule} */
const text =
  ({ maximum = LONGEST } = {}) =>
  (value, at, check) => {
    if (typeof value !== 'string') return check.refuse('text', at, value);
    if (value.length > maximum) return check.fail('long', at, { n: value.length, limit: maximum });
    const html = MARKUP.exec(value.replace(/`[^`]*`/g, ''));
    if (html) return check.refuse('markup', at, html[0]);
    for (const [, address] of value.matchAll(/\]\(([^)]*)\)/g))
      if (address.startsWith('#')) checkShown(address, at, check);
      else if (!/^https?:\/\/[^\s]+$/.test(address)) check.refuse('link', at, address);
  };

/** Checks the change in the link of a button. @type {Rule} */
const checkShown = (address, at, check) => {
  const { show: kind } = check;
  if (kind === null) return void check.refuse('unfigured', at, address);
  const { settings: given, choices: chosen, ...others } = readFigureChange(address, check.table);
  const bounds = { u: number(0, 1), seed: number(0, Number.MAX_SAFE_INTEGER), prompt: plainText };
  settings(given, at, check);
  check.object(chosen, at, CHOICES[kind]);
  check.object(others, at, bounds);
};

/** Accepts any text. It is given to the model or to an editor and never shown as markup. @type {Rule} */
const plainText = (value, at, check) => {
  if (typeof value !== 'string') check.refuse('text', at, value);
  else if (value.length > LONGEST) check.fail('long', at, { n: value.length, limit: LONGEST });
};

/** @param {number} [minimum] @param {number} [maximum] @returns {Rule} */
const number =
  (minimum = -Number.MAX_VALUE, maximum = Number.MAX_VALUE) =>
  (value, at, check) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) check.refuse('number', at, value);
    else if (value < minimum || value > maximum)
      check.fail('between', at, { minimum, maximum, value });
  };

/** @type {Rule} */
const flag = (value, at, check) => {
  if (typeof value !== 'boolean') check.refuse('flag', at, value);
};

/** @param {readonly string[]} names @returns {Rule} */
const oneOfNames = (names) => (value, at, check) => {
  if (!names.includes(value))
    check.fail('among', at, { names: names.join(', '), value: show(value) });
};

/** @param {Rule} rule @param {number} [least] @param {number} [most] @returns {Rule} */
const list =
  (rule, least = 1, most = 40) =>
  (value, at, check) => {
    if (!Array.isArray(value)) return check.refuse('list', at, value);
    if (value.length > most) return check.fail('many', at, { n: value.length, limit: most });
    if (value.length < least) return check.fail('few', at, { n: value.length, limit: least });
    value.forEach((item, i) => rule(item, `${at}[${i}]`, check));
  };

/** @type {Rule} */
const texts = (value, at, check) => {
  if (typeof value === 'string') text()(value, at, check);
  else if (Array.isArray(value)) list(text())(value, at, check);
  else check.refuse('texts', at, value);
};

/** @type {Rule} */
const textOrNumber = (value, at, check) => {
  if (typeof value !== 'string') number()(value, at, check);
  else plainText(value, at, check);
};

/** Accepts biases by token id; `false` forbids the token. @type {Rule} */
const biases = (value, at, check) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return void check.refuse('object', at, value);
  for (const [id, bias] of Object.entries(value)) {
    number(0, 1e6)(Number(id), `${at}.${id}`, check);
    if (bias !== false) number()(bias, `${at}.${id}`, check);
  }
};

/** Settings of a lesson whose values are not numbers. @type {Rules} */
const OTHERS = {
  logit_bias: biases,
  constraint: oneOfNames(CONSTRAINTS),
  forced_first: textOrNumber,
};

/** Accepts settings: numbers of the table, an order of samplers, and OTHERS. @type {Rule} */
const settings = (value, at, check) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return void check.refuse('object', at, value);
  const samplers = check.table.filter(({ sampler }) => sampler).map(({ name }) => name);
  for (const [name, given] of Object.entries(value)) {
    const row = check.table.find((each) => each.name === name);
    if (name === 'order') list(oneOfNames(samplers))(given, `${at}.order`, check);
    else if (Object.hasOwn(OTHERS, name)) OTHERS[name](given, `${at}.${name}`, check);
    else if (!row || !/^(real|integer)$/.test(row.kind)) check.fail('setting', at, { name });
    else number(row.minimum, row.maximum)(given, `${at}.${name}`, check);
  }
};

/** @type {Rule} */
const model = (value, at, check) => {
  if (typeof value !== 'string' || /^[a-z][a-z0-9+.-]*:|^\/\/|\\/i.test(value))
    check.refuse('model', at, value);
};

/** @type {Rule} */
const axisRange = (value, at, check) =>
  void check.object(value, at, {
    'name!': plainText,
    'from!': number(),
    'to!': number(),
    'step!': number(1e-6),
  });

/**
 * By kind of figure, the fields of its state besides prompt and settings, with their rules.
 * @satisfies {Record<string, Rules>}
 */
export const CHOICES = {
  landscape: {},
  sweep: {
    figure: oneOfNames(['entropy', 'nucleus', 'penalty', 'trade', 'judged', 'any']),
    first: axisRange,
    measure: oneOfNames(Object.keys(MEASURES)),
    samples: number(1, 1000),
    max_new_tokens: number(1, 400),
  },
  bigram: { text: plainText, by: oneOfNames(['words', 'characters']) },
  cost: {
    prompt_tokens: number(1, COUNT_MAX),
    new_tokens: number(1, COUNT_MAX),
    width: number(1, COUNT_MAX),
  },
  text: { length: number(0, LONGEST_TEXT) },
  loop: { step: number(0, 40) },
  sentences: {
    kind: oneOfNames(['ways', 'knob', 'right', 'mask']),
    beam_width: number(1, 20),
    allowed: list(plainText, 2, 8),
  },
  compare: {
    suite: oneOfNames(suites.map(({ name }) => name)),
    blind: flag,
    max_new_tokens: number(1, 400),
  },
};

/** @type {Rule} */
const choices = (value, at, check) =>
  void check.object(value, at, CHOICES[check.show ?? 'landscape']);

/** @type {Rule} */
const state = (value, at, check) => {
  const whole = check.object(value, at, {
    logits: list(number(-1e4, 1e4), 2, 200),
    tokens: list(plainText, 2, 200),
    model,
    prompt: plainText,
    settings,
    seed: number(0, Number.MAX_SAFE_INTEGER),
    u: number(0, 1),
    choices,
  });
  if (!whole || check.show === 'cost' || check.show === 'bigram') return;
  if (value.logits && /text|compare|loop|sentences/.test(check.show ?? ''))
    check.fail('prompt', at);
  if (Array.isArray(value.logits) === (typeof value.prompt === 'string')) check.fail('source', at);
  const { logits = [], tokens = logits } = value;
  if (tokens.length !== logits.length)
    check.fail('tokens', at, { n: tokens.length, limit: logits.length });
};

/** @type {Rules} */
const OF_MEASURE = {
  rank: number(1, 1e6),
  token: plainText,
  setting: plainText,
  u: number(0, 1),
  text: plainText,
  settings,
  choices,
};
const measured = oneOfNames(Object.keys(LESSON_MEASURES));

/** @type {Rule} */
const askedMeasure = (value, at, check) =>
  void check.object(value, at, { 'measure!': measured, ...OF_MEASURE });

/** @type {Rule} */
const goal = (value, at, check) => {
  const bounds = {
    equals: textOrNumber,
    at_least: number(),
    at_most: number(),
    tolerance: number(0),
  };
  if (!check.object(value, at, { 'measure!': measured, ...OF_MEASURE, ...bounds })) return;
  if (!['equals', 'at_least', 'at_most'].some((name) => name in value)) check.fail('aim', at);
};

/** @type {Rule} */
const typicalAnswer = (value, at, check) =>
  void check.object(value, at, {
    'say!': text(),
    measure: measured,
    ...OF_MEASURE,
    equals: textOrNumber,
    above: number(),
    below: number(),
    tolerance: number(0),
    before: list(number(0, 40), 2, 2),
    fault: plainText,
  });

/** @type {Rule} */
const option = (value, at, check) =>
  void check.object(value, at, { 'text!': text(), right: flag, value: textOrNumber, say: text() });

/** Accepts the name of a function that the grader knows: a sampler, `chain` or `generate`. @type {Rule} */
const gradable = (value, at, check) => {
  const samplers = check.table.filter(({ sampler }) => sampler).map(({ name }) => name);
  oneOfNames([...samplers, 'chain', 'generate'])(value, at, check);
};

/** For each kind of question: its own fields. @type {Record<string, Rules>} */
const OF_KIND = {
  number: { 'answer!': askedMeasure, tolerance: number(0), unit: text({ maximum: 20 }) },
  choice: { 'options!': list(option, 2, 8), answer: askedMeasure, tolerance: number(0) },
  order: { 'items!': list(text(), 2, 10) },
  state: { 'goal!': goal },
  token: { 'answer!': askedMeasure, choose: number(2, 12) },
  code: { 'as!': gradable, begin: plainText, example: plainText },
};

/** @type {Rule} */
const id = (value, at, check) => {
  if (typeof value !== 'string' || !/^[\w-]{1,40}$/.test(value)) check.refuse('id', at, value);
};

/** @type {Rule} */
const question = (value, at, check) => {
  const kind = KINDS.includes(value?.kind) ? value.kind : null;
  const whole = check.object(value, at, {
    'id!': id,
    'kind!': oneOfNames(KINDS),
    'ask!': text(),
    'right!': text(),
    hint: text(),
    solution: text(),
    hold: flag,
    state,
    wrong: list(typicalAnswer),
    ...(kind ? OF_KIND[kind] : Object.assign({}, ...Object.values(OF_KIND).map(withoutRequired))),
  });
  if (!whole || !kind) return;
  if (kind === 'choice' && !value.answer && Array.isArray(value.options)) {
    const n = value.options.filter((/** @type {any} */ each) => each?.right === true).length;
    if (n !== 1) check.fail('right', at, { n });
  }
  const unit = LESSON_MEASURES[value.answer?.measure]?.unit;
  if (unit && (kind === 'token' || kind === 'number') && (unit === 'token') !== (kind === 'token'))
    check.fail('unit', at, { kind });
};

/** @param {Rules} rules */
const withoutRequired = (rules) =>
  Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name.replace('!', ''), rule]));

/** @type {Rule} */
const control = (value, at, check) => {
  const sliders = check.table.filter(
    ({ kind, low, high }) => /^(real|integer)$/.test(kind) && high > low,
  );
  oneOfNames([...CONTROLS, ...sliders.map(({ name }) => name)])(value, at, check);
};

/** Accepts a guess of the next token. A figure that counts something has no such guess. @type {Rule} */
const guess = (value, at, check) => {
  const { show: kind } = check;
  if (kind === 'cost' || kind === 'bigram') return void check.fail('stateless', at);
  check.object(value, at, {
    'ask!': text(),
    settings,
    tokens: list(plainText, 2, 8),
    start: oneOfNames(['shown', 'even']),
  });
};

/** @type {Rule} */
const figure = (value, at, check) =>
  void check.object(value, at, {
    'show!': oneOfNames(Object.keys(CHOICES)),
    'state!': state,
    beside: state,
    knob: plainText,
    controls: list(control, 1, 8),
    tokens: list(plainText, 1, 8),
    guess,
    caption: text(),
  });

/** @type {Rule} */
const part = (value, at, check) => {
  const shown = value?.figure?.show;
  check.show = shown === undefined || !Object.hasOwn(CHOICES, shown) ? null : shown;
  check.object(value, at, {
    title: text({ maximum: 120 }),
    text: texts,
    figure,
    questions: list(question, 1, 12),
  });
  for (const [i, each] of Object.entries(Array.isArray(value?.questions) ? value.questions : []))
    if ((each?.answer || each?.goal) && !each.state && !value.figure)
      check.fail('stateless', `${at}.questions[${i}]`);
  check.show = null;
};

/** Most characters that a mark needs in the state, beside the question's id. */
const BESIDE_ID = ':9999r '.length;

/** @param {Check} check @param {any} lesson */
function checkIds(check, lesson) {
  const ids = new Set();
  for (const [i, { questions }] of Object.entries(lesson.parts ?? []))
    for (const [j, { id: name }] of Object.entries(questions ?? [])) {
      if (ids.has(name)) check.refuse('twice', `parts[${i}].questions[${j}].id`, name);
      ids.add(name);
    }
  const n = [...ids].reduce((sum, name) => sum + name.length + BESIDE_ID, 0);
  if (n > STATE_LIMIT) check.fail('long', 'the state of all questions', { n, limit: STATE_LIMIT });
}

/**
 * Returns the faults of a lesson in the order of the file.
 * @param {any} lesson
 * @param {TableRow[]} table of the engine's settings
 * @returns {LessonFault[]}
 */
export function checkLesson(lesson, table) {
  const check = new Check(table);
  const whole = check.object(lesson, 'the lesson', {
    'lesson!': oneOfNames(/** @type {any} */ ([1])),
    'name!': id,
    number: number(1, 99),
    minutes: number(1, 90),
    'title!': text({ maximum: 120 }),
    'aim!': text(),
    'result!': text(),
    extension: text(),
    guide: texts,
    'parts!': list(part, 1, 20),
  });
  if (whole && check.faults.length === 0) checkIds(check, lesson);
  return check.faults;
}

/**
 * Reads a lesson's file: JSON if it begins with a bracket, else Markdown.
 * @param {string | null} source null if the bytes are not text
 * @param {TableRow[]} table
 * @returns {{ lesson: Lesson | null, read: any, faults: LessonFault[] }} `lesson` is null if there is a
 *   fault; `read` is the parsed file, valid or not
 */
export function readLesson(source, table) {
  /** @type {LessonFault[]} */
  let faults;
  let lesson = null;
  if (source === null) faults = [{ code: 'bad_lesson', key: 'encoding', values: {} }];
  else if (source.length > LARGEST)
    faults = [{ code: 'bad_lesson', key: 'large', values: { n: source.length, limit: LARGEST } }];
  else
    try {
      lesson = /^\s*[{[]/.test(source) ? JSON.parse(source) : readMarkdown(source);
      faults = checkLesson(lesson, table);
    } catch (error) {
      const reason = /** @type {Error} */ (error).message;
      faults = [{ code: 'bad_lesson', key: 'unreadable', values: { reason } }];
    }
  return { lesson: faults.length === 0 ? lesson : null, read: lesson, faults };
}

/** @param {Lesson} lesson */
export function questionIds({ parts }) {
  return parts.flatMap(({ questions = [] }) => questions.map((each) => each.id));
}
