/** The settings of the thinking part of a generation, checked and completed. */
import { checkIds, checkOptions, isObject } from './checks.js';
import { LogitscopeError, mustBe, show } from './errors.js';
import { BEGIN, END, Thinking } from './thinking.js';

/** @import { Core } from './core.js' */
/** @import { Resolved } from './settings.js' */

/**
 * Checks a delimiter.
 * @param {Core} core
 * @param {string} name
 * @param {any} given
 */
function checkDelimiter(core, name, given) {
  const { vocab_size, tokenizer } = core.needModel();
  const setting = `thinking.${name}`;
  if (given === '' || given?.length === 0) throw mustBe(setting, 'a_delimiter', given);
  if (typeof given === 'string') {
    if (tokenizer) return;
    const values = { setting, n: vocab_size, value: show(given) };
    throw new LogitscopeError('no_model', 'needs_tokenizer', values);
  }
  if (typeof given !== 'number' && !Array.isArray(given) && !ArrayBuffer.isView(given))
    throw mustBe(setting, 'a_delimiter', given);
  checkIds(setting, typeof given === 'number' ? [given] : /** @type {any} */ (given), vocab_size);
}

/**
 * The settings of the thinking: those of the text, replaced where `own` says so.
 * @param {Core} core
 * @param {Record<string, any>} settings of the text
 * @param {unknown} own
 * @param {readonly string[]} also names in `settings` that are options of a generation
 * @returns {Resolved}
 */
function resolveOwn(core, settings, own, also) {
  if (!isObject(own)) throw mustBe('thinking.settings', 'an_object', own);
  core.resolve(own); // refuses unknown names
  const names = [...core.table.map(({ name }) => name), 'order'];
  const setting = Object.keys(own).find((name) => !names.includes(name));
  if (setting) throw new LogitscopeError('unsupported', 'thinking_setting', { setting });
  return core.resolve({ ...settings, ...own }, also);
}

/**
 * Opens the thinking of a generation; the prompt and the tokens drawn so far are read.
 * @param {Core} core
 * @param {{ ids: number[], length: number }} text ids so far; the first `length` are the prompt
 * @param {any} options of the generation
 * @param {readonly string[]} also names of these options that are no settings
 */
export function openThinking(core, { ids, length }, options, also) {
  const names = ['settings', 'begin', 'end'];
  checkOptions('thinking', options.thinking ?? {}, names);
  const { settings = {}, begin = BEGIN, end = END } = options.thinking ?? {};
  checkDelimiter(core, 'begin', begin);
  checkDelimiter(core, 'end', end);
  if (String(begin) === String(end)) throw mustBe('thinking.end', 'another_delimiter', end);
  const resolved = resolveOwn(core, options, settings, also);
  core.chain.check(resolved, core.needModel().vocab_size);
  const followed = new Thinking(begin, end);
  const { tokenizer } = core.needModel();
  const pieceOf = (/** @type {number} */ id) =>
    tokenizer ? core.piece(id) : { id, text: '', special: false };
  followed.pushPrompt(ids.slice(0, length).map(pieceOf));
  for (const id of ids.slice(length)) followed.push(id, pieceOf(id));
  return {
    resolved,
    /** True if the next token belongs to the thinking. */
    get on() {
      return followed.on;
    },
    /** @param {number} id of the drawn token */
    push: (id) => followed.push(id, pieceOf(id)),
    report: () => ({ begin, end, settings: core.report(resolved) }),
  };
}
