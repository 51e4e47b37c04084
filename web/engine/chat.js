/**
 * Makes a prompt from messages by the model's chat template. Only the template can make control
 * tokens: rendering records the origin of each character, so a control token's name in a message
 * stays text.
 */
import { checkBoolean, checkDepth, checkOptions } from './checks.js';
import { LogitscopeError, mustBe, reasonOf, show } from './errors.js';
import {
  TOKENIZER_PIECE_DATA,
  TOKENIZER_PIECE_LENGTH,
  TOKENIZER_PIECE_SPECIAL,
  TOKENIZER_PIECE_STRIPS,
} from './layout.js';
import { fromUtf8 } from './module.js';
import { startAt, startCode, startOwn } from './start-worker.js';
import { WordFinder } from './word-finder.js';

/** @import { Core } from './core.js' */
/** @import { ChatPart } from './types.js' */

/** Maximum number of characters of a role. */
const ROLE_MAX = 64;
/** Names of the unnamed template and of the template for tools, as in transformers. */
const DEFAULT = 'default';
const TOOL_USE = 'tool_use';
/** Default date of strftime_now: the default date in Llama 3's template. */
const DATE = '2024-07-26';
/** Maximum number of characters of a template, of all messages, and of the rendered text. */
const LENGTH_MAX = 1 << 20;
/**
 * Maximum number of characters of all control tokens together. A model with thousands of control tokens uses a
 * third of this limit.
 */
const CONTROLS_MAX = 1 << 18;
/** Time limit for rendering, and for the start of its worker, in ms. */
const TIME_MAX = 1000;
const START_MAX = 20_000;
const REASON_MAX = 200;
/**
 * Replaces each character of a message during the search for control tokens, so that none is found
 * in a message. It is half a surrogate pair, which no control token contains.
 */
const SAID = '\ud800';

const inNode = typeof process === 'object' && typeof process.versions?.node === 'string';

/**
 * The template with this name. Without a name: the template for tools if tools are given and the
 * file has it, else the default template.
 * @param {Core} core
 * @param {unknown} name
 * @param {boolean} hasTools
 */
function templateOf({ module, chatTemplates }, name, hasTools) {
  if (!chatTemplates.size) throw new LogitscopeError('unsupported', 'no_chat_template');
  const usual = hasTools && chatTemplates.has(TOOL_USE) ? TOOL_USE : DEFAULT;
  const place = chatTemplates.get(name === undefined ? usual : /** @type {string} */ (name));
  const names = [...chatTemplates.keys()].join(', ');
  if (!place)
    throw new LogitscopeError('invalid_argument', 'must_be_one_of', {
      setting: 'template',
      names,
      value: show(name),
    });
  if (place.length > LENGTH_MAX) throw tooLong('chat_template');
  return fromUtf8(module.bytes(place.at, place.length));
}

/**
 * A model's control tokens: ids by text, and an automaton that finds the texts.
 * @typedef {{ ids: Map<string, number>, words: WordFinder }} Controls
 */

/** The control tokens of each model, computed once. @type {WeakMap<Core, Controls>} */
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
    const { u8, u32 } = module.fields(at);
    if (!u8(TOKENIZER_PIECE_SPECIAL)) continue;
    const text = fromUtf8(module.bytes(u32(TOKENIZER_PIECE_DATA), u32(TOKENIZER_PIECE_LENGTH)));
    characters += text.length;
    if (characters > CONTROLS_MAX) throw tooLong('control_tokens', CONTROLS_MAX);
    if (text && !ids.has(text)) ids.set(text, id);
  }
  const controls = { ids, words: new WordFinder([...ids.keys()]) };
  known.set(core, controls);
  return controls;
}

/** @param {string} name */
const tooLong = (name, limit = LENGTH_MAX) =>
  new LogitscopeError('too_long', 'chat_too_long', { name, limit });

/**
 * Refuses values that JSON cannot represent exactly.
 * @param {string} name
 * @param {unknown} value
 */
function checkPlain(name, value) {
  if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) checkPlain(name, each);
    return;
  }
  const isPlain =
    value === undefined ||
    value === null ||
    /^(string|boolean)$/.test(typeof value) ||
    Number.isFinite(value);
  if (!isPlain) throw mustBe(name, 'plain_data', value);
}

/** @typedef {{ text: string, origin: string | null }} Rendered a text, and a letter for each character's origin; null: the template wrote all */

/**
 * Finds the position and length of each control token that the template wrote.
 * @param {Rendered} rendered
 * @param {RegExp} said matches the origins whose text must not make control tokens
 * @param {WordFinder} words
 */
function findControlTokens({ text, origin }, said, words) {
  const own = origin
    ? Array.from(origin, (each, at) => (said.test(each) ? SAID : text[at])).join('')
    : text;
  const starts = words.read(own);
  /** @type {[number, number][]} */
  const found = [];
  for (let at = 0; at < text.length; at++) {
    const n = words.wordAt(starts[at]);
    if (!n) continue;
    found.push([at, n]);
    at += n - 1;
  }
  return found;
}

/**
 * @param {Rendered} rendered
 * @param {Controls} controls
 * @returns {ChatPart[]}
 */
function partsOf(rendered, { ids, words }) {
  const { text, origin } = rendered;
  const found = findControlTokens(rendered, /[mr]/, words);
  if (origin?.includes('r')) {
    const all = findControlTokens(rendered, /m/, words);
    const made = all.find(([at, n]) => {
      const origins = origin.slice(at, at + n);
      return origins.includes('r') && origins.includes(' ');
    });
    if (made) throw mustBe('role', 'a_role', text.slice(made[0], made[0] + made[1]));
  }
  let thinking = false;
  /** @type {ChatPart[]} */
  const parts = [];
  const addText = (/** @type {string} */ said) => {
    // A model's thinking begins after <think>. It ends before </think>, or before the next control token.
    for (const each of said.split(/(?<=<think>)|(?=<\/think>)/)) {
      if (each.startsWith('</think>')) thinking = false;
      if (each) parts.push({ text: each, special: false, ...(thinking && { thinking }) });
      if (each.endsWith('<think>')) thinking = true;
    }
  };
  let from = 0;
  for (const [at, n] of found) {
    addText(text.slice(from, at));
    from = at + n;
    const token = text.slice(at, from);
    thinking = token === '<think>';
    parts.push({ text: token, special: true, token: ids.get(token) });
  }
  addText(text.slice(from));
  return parts;
}

/**
 * Encodes all parts of a prompt. The text between two control tokens is encoded at once, after the
 * removal of the white space that these tokens strip.
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
    flush(core.module.fields(piece).u8(TOKENIZER_PIECE_STRIPS));
    ids.push(part.token);
  }
  flush();
  return Uint32Array.from(ids);
}

/** @typedef {string | URL | Uint8Array} Code a worker's code or its address */

/** @param {Code} [code] of another worker than the package's own */
function startWorker(code) {
  if (code instanceof Uint8Array) return startCode(/** @type {BlobPart} */ (code));
  if (code !== undefined) return startAt(code);
  const start = () => new Worker(new URL('./template.js', import.meta.url), { type: 'module' });
  return startOwn(start, import.meta.url, 'template.js', 'renderer');
}

/**
 * Starts the rendering worker; in Node, in a separate process.
 * @param {Code | undefined} code
 * @param {(answer: any) => void} onanswer
 * @param {(error: unknown) => void} onerror
 */
async function startPort(code, onanswer, onerror) {
  if (!inNode) {
    const worker = startWorker(code);
    worker.onmessage = ({ data }) => onanswer(data);
    worker.onerror = ({ message }) => onerror(message);
    return worker;
  }
  const child = (await import('#node')).startTemplates(/** @type {string | URL} */ (code));
  child.on('message', onanswer);
  child.on('error', onerror);
  child.on('exit', () => onerror(new Error('its process ended')));
  child.unref(); // an idle child does not keep the program alive; during a job a timer does
  child.channel?.unref();
  return {
    postMessage: (/** @type {any} */ job) => child.send(job),
    terminate: () => child.kill('SIGKILL'),
  };
}

/**
 * A rendering worker, with its code or address. It runs one job at a time. `ready`: true once it has
 * started.
 * @typedef {{ code: unknown, hear: (answer: any) => void, fail: (error: unknown) => void, ready: boolean,
 *   worker: { postMessage: (job: any) => void, terminate: () => unknown } }} Renderer
 */

/** @param {unknown} code */
const idOfCode = (code) => (code instanceof URL ? code.href : code);

/** A started worker, kept for the next job because the page may then be offline. @type {Renderer | null} */
let idle = null;
/** Resolves when the last queued job has ended. @type {Promise<unknown>} */
let queue = Promise.resolve();

/** @param {Code} [code] @returns {Promise<Renderer>} */
async function startRenderer(code) {
  /** @type {Renderer} */
  const renderer = {
    code: idOfCode(code),
    ready: false,
    hear() {},
    fail() {},
    worker: /** @type {any} */ (null),
  };
  const hear = (/** @type {any} */ answer) => {
    renderer.ready = true;
    renderer.hear(answer);
  };
  renderer.worker = await startPort(code, hear, (error) => renderer.fail(error));
  return renderer;
}

/**
 * Queues a job, so that one worker can run all jobs in order.
 * @param {import('./template.js').Job} job
 * @param {Code} [code]
 * @returns {Promise<Rendered>}
 */
function render(job, code) {
  const mine = queue.then(() => renderNow(job, code));
  queue = mine.catch(() => {});
  return mine;
}

/**
 * Renders in a worker, which is terminated at the time limit.
 * @param {import('./template.js').Job} job
 * @param {Code} [code] of another worker than the package's own
 * @returns {Promise<Rendered>}
 */
async function renderNow(job, code) {
  if (idle && idle.code !== idOfCode(code)) idle.worker.terminate();
  const kept = idle?.code === idOfCode(code) ? idle : null;
  idle = null;
  /** @type {Renderer | null} */
  let renderer = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const slow = new LogitscopeError('bad_file', 'chat_template_slow', { limit: TIME_MAX });
  const missing = new LogitscopeError('load_failed', 'worker_missing', {
    name: inNode ? 'template-process.js' : 'template.js',
  });
  try {
    const mine = (renderer = kept ?? (await startRenderer(code)));
    const {
      text,
      origin = null,
      long,
      reason,
    } = await new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        timer = setTimeout(() => reject(slow), TIME_MAX);
        mine.worker.postMessage(job);
      };
      mine.fail = (error) => reject(mine.ready ? error : missing);
      mine.hear = (answer) => (answer.ready ? begin() : resolve(answer));
      timer = setTimeout(() => reject(missing), START_MAX);
      if (mine.ready) begin();
    });
    if (long) throw tooLong('prompt');
    if (text === undefined) throw new Error(reason);
    idle = renderer;
    renderer = null;
    mine.fail = () => {
      if (idle === mine) idle = null;
    };
    return { text, origin };
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
    const { role } = message;
    if (typeof role !== 'string' || !role || role.length > ROLE_MAX)
      throw mustBe('role', 'a_role', role);
  }
}

/** @param {unknown} date */
function checkDate(date) {
  const isDay = typeof date === 'string' && /^\d{4}-\d\d-\d\d$/.test(date);
  if (!isDay || new Date(date).toJSON()?.slice(0, 10) !== date) throw mustBe('date', 'a_day', date);
}

const OPTIONS = 'tools template system date add_generation_prompt variables renderer'.split(' ');

/**
 * @param {Core} core
 * @param {import('./types.js').Message[]} messages
 * @param {import('./types.js').ChatOptions} [options]
 * @returns {Promise<import('./types.js').Chat>}
 */
export async function chat(core, messages, options = {}) {
  const { bos_token_id, eos_token_id } = core.needModel();
  checkOptions('options of chat', options, OPTIONS);
  const { tools, system, date = DATE, add_generation_prompt = true, variables } = options;
  checkMessages(messages);
  for (const [name, value] of Object.entries({ messages, tools, variables })) {
    checkDepth(name, value);
    checkPlain(name, value);
  }
  if (system !== undefined && typeof system !== 'string')
    throw mustBe('system', 'a_string', system);
  if (tools !== undefined && !Array.isArray(tools)) throw mustBe('tools', 'a_list', tools);
  if (variables !== undefined && (typeof variables !== 'object' || Array.isArray(variables)))
    throw mustBe('variables', 'an_object', variables);
  checkDate(date);
  checkBoolean('add_generation_prompt', add_generation_prompt);

  const template = templateOf(core, options.template, tools !== undefined);
  const all = system === undefined ? messages : [{ role: 'system', content: system }, ...messages];
  // transformers also passes None if there are no tools or documents.
  const given = {
    tools: null,
    documents: null,
    ...variables,
    messages: all,
    ...(tools && { tools }),
  };
  const said = JSON.stringify({ ...given, add_generation_prompt });
  if (said.length > LENGTH_MAX) throw tooLong('messages');
  const controls = controlsOf(core);
  const own = {
    ...(bos_token_id !== null && { bos_token: core.piece(bos_token_id).text }),
    ...(eos_token_id !== null && { eos_token: core.piece(eos_token_id).text }),
  };
  const job = { template, date, said, own, limit: LENGTH_MAX };
  const parts = partsOf(await render(job, options.renderer), controls);
  return { text: parts.map((part) => part.text).join(''), parts, ids: idsOf(core, parts), date };
}
