/**
 * The prompt that a model's own chat template makes of messages. Control tokens come only from the
 * template: where the characters of one stand in a message, a mark is put among them for as long
 * as the template works on it, so that they cannot be taken for one afterwards.
 */
import { checkBoolean, checkDepth, checkOptions } from './checks.js';
import { LogitscopeError, mustBe, reasonOf, show } from './errors.js';
import {
  OPENED_CHAT_TEMPLATE,
  OPENED_CHAT_TEMPLATE_LENGTH,
  TOKENIZER_PIECE_DATA,
  TOKENIZER_PIECE_LENGTH,
  TOKENIZER_PIECE_SPECIAL,
  TOKENIZER_PIECE_STRIPS,
} from './layout.js';
import { fromUtf8 } from './module.js';
import { trustedAddress } from './trusted.js';
import { Words } from './words.js';

/** @typedef {import('./core.js').Core} Core */
/** @typedef {import('./types.js').ChatPart} ChatPart */

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];
/** What strftime_now takes for today: the day that Llama 3's template names itself. */
const DATE = '2024-07-26';
/** Characters of a template, of all messages, and of what is made of them. */
const LENGTH_MAX = 1 << 20;
/** Characters of all control tokens: what has them by the thousand comes to a third of it. */
const CONTROLS_MAX = 1 << 18;
/** How long a template may run, and how long its worker may take to begin. */
const TIME_MAX = 1000;
const START_MAX = 20_000;
const REASON_MAX = 200;
/** The marks to choose from: private use, so that a text seldom holds one. */
const MARKS = Array.from({ length: 6400 }, (_, i) => String.fromCharCode(0xe000 + i));
const ANY_MARK = /[\ue000-\uf8ff]/g;

const inNode = typeof process === 'object' && typeof process.versions?.node === 'string';

/** @param {Core} core @returns {string} */
function templateOf({ module, model }) {
  const at = module.view().getUint32(model + OPENED_CHAT_TEMPLATE, true);
  const length = module.view().getUint32(model + OPENED_CHAT_TEMPLATE_LENGTH, true);
  if (!at) throw new LogitscopeError('unsupported', 'no_chat_template');
  if (length > LENGTH_MAX) throw tooLong('chat_template');
  return fromUtf8(module.bytes(at, length));
}

/**
 * The control tokens of a model by their text, and where they stand in a text, read either way.
 * @typedef {{ ids: Map<string, number>, forward: Words, backward: Words }} Controls
 */

/** Of each model once. @type {WeakMap<Core, Controls>} */
const known = new WeakMap();

/** @param {Core} core @returns {Controls} */
function controlsOf(core) {
  const found = known.get(core);
  if (found) return found;
  const { module, model } = core;
  const size = core.needModel().vocab_size;
  /** @type {Map<string, number>} */
  const ids = new Map();
  let characters = 0;
  for (let id = 0; id < size; id++) {
    const at = module.need(module.calls.tokenizer_piece(model, id));
    const view = module.view();
    if (!view.getUint8(at + TOKENIZER_PIECE_SPECIAL)) continue;
    const length = view.getUint32(at + TOKENIZER_PIECE_LENGTH, true);
    const text = fromUtf8(module.bytes(view.getUint32(at + TOKENIZER_PIECE_DATA, true), length));
    characters += text.length;
    if (characters > CONTROLS_MAX) throw tooLong('control_tokens', CONTROLS_MAX);
    if (text && !ids.has(text)) ids.set(text, id);
  }
  const words = [...ids.keys()];
  const controls = { ids, forward: new Words(words, false), backward: new Words(words, true) };
  known.set(core, controls);
  return controls;
}

/** @param {string} name */
const tooLong = (name, limit = LENGTH_MAX) =>
  new LogitscopeError('too_long', 'chat_too_long', { name, limit });

/** Puts the mark where a message could make a control token, whole or together with what follows. */
class Guard {
  #controls;
  #mark;

  /**
   * @param {Controls} controls
   * @param {string} mark
   */
  constructor(controls, mark) {
    this.#controls = controls;
    this.#mark = mark;
  }

  /**
   * A value of a message: strings marked, but for the words by which a template tells kinds apart.
   * @param {string} name
   * @param {unknown} value
   * @returns {unknown}
   */
  value(name, value) {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return value.map((each) => this.value(name, each));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(
        Object.entries(value).map(([key, each]) => [
          this.#text(key),
          key === 'type' && /^[a-z_]+$/.test(String(each)) ? each : this.value(name, each),
        ]),
      );
    }
    if (value === undefined || value === null || typeof value === 'boolean') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    throw mustBe(name, 'plain_data', value);
  }

  /** @param {string} text */
  #text(text) {
    const { forward, backward } = this.#controls;
    const cuts = new Uint8Array(text.length + 1);
    const starts = backward.read(text);
    for (const [at, node] of starts.entries()) if (backward.wordAt(node)) cuts[at + 1] = 1;
    // A template trims a text, and puts another right behind it.
    const end = text.trimEnd().length;
    const start = text.length - text.trimStart().length;
    if (start < end) {
      for (const n of forward.openAt(forward.read(text)[end - 1]))
        if (n <= end - start) cuts[end - n + 1] = 1;
      for (const n of backward.openAt(starts[start])) if (n <= end - start) cuts[start + n - 1] = 1;
    }
    let marked = '';
    let from = 0;
    for (let at = cuts.indexOf(1); at >= 0; at = cuts.indexOf(1, at + 1)) {
      marked += text.slice(from, at) + this.#mark;
      from = at;
    }
    return marked + text.slice(from);
  }
}

/**
 * @param {string} text with marks
 * @param {Controls} controls
 * @param {string} mark
 * @returns {ChatPart[]}
 */
function partsOf(text, { ids, backward }, mark) {
  let thinking = false;
  /** @type {ChatPart[]} */
  const parts = [];
  const say = (/** @type {string} */ said) => {
    // What a model thinks stands between these two, and ends with its turn.
    for (const each of said.replaceAll(mark, '').split(/(?<=<think>)|(?=<\/think>)/)) {
      if (each.startsWith('</think>')) thinking = false;
      if (each) parts.push({ text: each, special: false, ...(thinking && { thinking }) });
      if (each.endsWith('<think>')) thinking = true;
    }
  };
  const starts = backward.read(text);
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const n = backward.wordAt(starts[at]);
    if (!n || (n === 1 && text[at + 1] === mark)) continue;
    say(text.slice(from, at));
    from = at + n;
    const token = text.slice(at, from);
    thinking = token === '<think>';
    parts.push({ text: token, special: true, token: ids.get(token) });
    at = from - 1;
  }
  say(text.slice(from));
  return parts;
}

/**
 * The ids of the parts: a text is encoded whole between two control tokens, as it stands there,
 * without the white space that these take along.
 * @param {Core} core
 * @param {ChatPart[]} parts
 */
function idsOf(core, parts) {
  /** @type {number[]} */
  const ids = [];
  let text = '';
  let before = 0;
  const flush = (after = 0) => {
    let [start, end] = [0, text.length];
    const isSpace = (/** @type {number} */ at) => /\p{White_Space}/u.test(text[at]);
    if (before & 2) while (start < end && isSpace(start)) start++;
    if (after & 1) while (start < end && isSpace(end - 1)) end--;
    const kept = text.slice(start, end);
    if (kept) for (const id of core.encode(kept, { bos: false })) ids.push(id);
    text = '';
    before = after;
  };
  for (const part of parts) {
    if (part.token === undefined) {
      text += part.text;
      continue;
    }
    const piece = core.module.need(core.module.calls.tokenizer_piece(core.model, part.token));
    flush(core.module.view().getUint8(piece + TOKENIZER_PIECE_STRIPS));
    ids.push(part.token);
  }
  flush();
  return Uint32Array.from(ids);
}

/**
 * A worker; in Node in a process of its own. Of another origin than the page's, as a blob that imports it.
 * @param {string | URL | Uint8Array} code or its address
 * @param {(answer: any) => void} onanswer
 * @param {(error: unknown) => void} onerror
 */
async function startWorker(code, onanswer, onerror) {
  if (!inNode) {
    const carried = code instanceof Uint8Array;
    const near = !carried && new URL(code, location.href).origin === globalThis.origin;
    const text = carried ? code : `import(${JSON.stringify(String(code))})`;
    const blob = new Blob([/** @type {BlobPart} */ (text)], { type: 'text/javascript' });
    const worker = near
      ? new Worker(trustedAddress(String(code)), { type: 'module' })
      : new Worker(trustedAddress(URL.createObjectURL(blob))); // of a file's page: classic ones only
    worker.onmessage = ({ data }) => onanswer(data);
    worker.onerror = (event) => onerror(event.message ?? 'the worker did not start');
    return worker;
  }
  const processes = 'node:child_process'; // a variable, so that bundlers for the browser leave it alone
  const { fork } = /** @type {typeof import('node:child_process')} */ (await import(processes));
  const child = fork(new URL('./template-process.js', import.meta.url), [String(code)], {
    execArgv: [],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.on('message', onanswer);
  child.on('error', onerror);
  child.on('exit', () => onerror(new Error('its process ended')));
  return {
    postMessage: (/** @type {any} */ job) => child.send(job),
    terminate: () => child.kill('SIGKILL'),
  };
}

/**
 * A worker that renders, one job after the other.
 * @typedef {{ hear: (answer: any) => void, fail: (error: unknown) => void, ready: boolean,
 *   worker: { postMessage: (job: any) => void, terminate: () => unknown } }} Renderer
 */

/** One that waits for the next job, since a page may be without a network by then. @type {Renderer | null} */
let idle = null;

/** @param {string | URL | Uint8Array} code @returns {Promise<Renderer>} */
async function startRenderer(code) {
  /** @type {Renderer} */
  const renderer = { ready: false, hear() {}, fail() {}, worker: /** @type {any} */ (null) };
  const hear = (/** @type {any} */ answer) => {
    renderer.ready = true;
    renderer.hear(answer);
  };
  renderer.worker = await startWorker(code, hear, (error) => renderer.fail(error));
  return renderer;
}

/**
 * Renders in a worker, which is ended when its time is over, and in Node when it has answered.
 * @param {import('./template.js').Job} job
 * @param {string | URL | Uint8Array} [code] of the worker or its address, where that does not lie beside this module
 * @returns {Promise<string>}
 */
async function render(job, code = new URL('./template.js', import.meta.url)) {
  const kept = idle;
  idle = null;
  /** @type {Renderer | null} */
  let renderer = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const slow = new LogitscopeError('bad_file', 'chat_template_slow', { limit: TIME_MAX });
  try {
    const mine = (renderer = kept ?? (await startRenderer(code)));
    const { text, long, reason } = await new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        timer = setTimeout(() => reject(slow), TIME_MAX);
        mine.worker.postMessage(job);
      };
      mine.fail = reject;
      mine.hear = (answer) => (answer.ready ? begin() : resolve(answer));
      timer = setTimeout(() => reject(slow), START_MAX);
      if (mine.ready) begin();
    });
    if (long) throw tooLong('prompt');
    if (text === undefined) throw new Error(reason);
    if (!inNode && !idle) {
      idle = renderer;
      renderer = null;
    }
    return text;
  } catch (error) {
    if (error instanceof LogitscopeError) throw error;
    const reason = String(error instanceof Error ? error.message : reasonOf(error));
    throw new LogitscopeError('bad_file', 'chat_template_failed', {
      reason: reason.slice(0, REASON_MAX),
    });
  } finally {
    clearTimeout(timer);
    renderer?.worker.terminate();
  }
}

/** @param {unknown} messages */
function checkMessages(messages) {
  if (!Array.isArray(messages) || !messages.length) throw mustBe('messages', 'messages', messages);
  for (const [i, message] of messages.entries()) {
    const isObject = typeof message === 'object' && message !== null;
    if (!isObject) throw mustBe('messages', 'messages', message, i);
    if (!ROLES.includes(message.role)) {
      throw new LogitscopeError('invalid_argument', 'must_be_one_of', {
        setting: 'role',
        names: ROLES.join(', '),
        value: show(message.role),
      });
    }
  }
}

/** @param {unknown} date */
function checkDate(date) {
  const isDay = typeof date === 'string' && /^\d{4}-\d\d-\d\d$/.test(date);
  if (!isDay || new Date(date).toJSON()?.slice(0, 10) !== date) throw mustBe('date', 'a_day', date);
}

/** @param {string} name @param {unknown} value of bounded depth */
const asJson = (name, value) =>
  JSON.stringify(value, (_, each) => {
    if (typeof each === 'bigint') throw mustBe(name, 'plain_data', each);
    return each;
  });

/**
 * @param {Core} core
 * @param {import('./types.js').Message[]} messages
 * @param {import('./types.js').ChatOptions} [options]
 * @returns {Promise<import('./types.js').Chat>}
 */
export async function chat(core, messages, options = {}) {
  const names = ['tools', 'system', 'date', 'add_generation_prompt', 'variables', 'renderer'];
  const { bos_token_id, eos_token_id } = core.needModel();
  checkOptions('options of chat', options, names);
  const { tools, system, date = DATE, add_generation_prompt = true, variables, renderer } = options;
  checkMessages(messages);
  checkDepth('messages', messages);
  checkDepth('tools', tools);
  checkDepth('variables', variables);
  if (system !== undefined && typeof system !== 'string')
    throw mustBe('system', 'a_string', system);
  if (tools !== undefined && !Array.isArray(tools)) throw mustBe('tools', 'a_list', tools);
  if (variables !== undefined && (typeof variables !== 'object' || Array.isArray(variables)))
    throw mustBe('variables', 'an_object', variables);
  checkDate(date);
  checkBoolean('add_generation_prompt', add_generation_prompt);

  const template = templateOf(core);
  const all = system === undefined ? messages : [{ role: 'system', content: system }, ...messages];
  const given = Object.entries({ messages: all, tools, variables })
    .map(([name, value]) => asJson(name, value))
    .join('');
  if (given.length > LENGTH_MAX) throw tooLong('messages');
  const controls = controlsOf(core);
  const taken = new Set([given, template, ...controls.ids.keys()].join('').match(ANY_MARK));
  const mark = MARKS.find((it) => !taken.has(it));
  if (!mark) throw mustBe('messages', 'plain_data', messages);
  const guard = new Guard(controls, mark);
  const text = (/** @type {number | null} */ id) => (id === null ? '' : core.piece(id).text);
  const values = {
    .../** @type {object} */ (guard.value('variables', variables)),
    messages: all.map(({ role, ...rest }) => ({
      role,
      .../** @type {object} */ (guard.value('messages', rest)),
    })),
    ...(tools && { tools: guard.value('tools', tools) }),
    add_generation_prompt,
    bos_token: text(bos_token_id),
    eos_token: text(eos_token_id),
  };
  const rendered = await render({ template, date, values, limit: LENGTH_MAX }, renderer);
  const parts = partsOf(rendered, controls, mark);
  return { text: parts.map((part) => part.text).join(''), parts, ids: idsOf(core, parts), date };
}
