/**
 * Gates remove tokens before any sampler: a constraint, banned words, a forced first token.
 */
import { LogitscopeError, mustBe, phrase, show, shown } from './errors.js';
import * as layout from './layout.js';
import { toUtf8 } from './module.js';

/**
 * The gates that settings turn on. `grammar` is the constraint's grammar; `constraint_start` is the
 * timeline position at which the generated part begins, by default the end of the timeline.
 * @typedef {object} Asked
 * @property {import('./types.js').Constraint} [constraint]
 * @property {number} [constraint_start]
 * @property {(string | number | number[])[]} [banned_words]
 * @property {number | string} [forced_first]
 * @property {string} [grammar]
 */

/**
 * Makes the grammar of a constraint. A worker loads schema.js at the first constraint.
 * @type {(constraint: unknown) => string}
 */
let compile = () => {
  throw new Error('schema.js is not imported');
};

/** @param {typeof compile} grammarOf the function of schema.js */
export function compileWith(grammarOf) {
  compile = grammarOf;
}

/** The gates, in the order of enum gate in src/gate.h. */
export const GATES = /** @type {const} */ (['constraint', 'banned_words', 'forced_first']);
/** The names of settings that belong to gates. @type {string[]} */
export const GATE_NAMES = [...GATES, 'constraint_start'];

/** @param {unknown} id */
const isId = (id) => Number.isInteger(id) && Number(id) >= 0 && Number(id) < 2 ** 32;

/** @param {string} name @param {unknown} list texts, ids, lists of ids */
export function checkSequences(name, list) {
  const isSequence = (/** @type {unknown} */ it) =>
    isId(it) ||
    (typeof it === 'string' && it !== '') ||
    (Array.isArray(it) && it.length > 0 && it.every(isId));
  if (Array.isArray(list) && list.every(isSequence)) return;
  const odd = Array.isArray(list) ? list.find((it) => !isSequence(it)) : list;
  throw mustBe(name, 'a_list_of_texts_or_ids', odd);
}

/** @param {Record<string, any>} asked @returns {Asked} */
export function resolveGates(asked) {
  /** @type {Asked} */
  const gates = {};
  const { constraint, constraint_start: start, banned_words: banned, forced_first: first } = asked;
  if (constraint != null) Object.assign(gates, { constraint, grammar: compile(constraint) });
  if (banned != null) {
    checkSequences('banned_words', banned);
    gates.banned_words = banned;
  }
  if (first != null) {
    if (!isId(first) && typeof first !== 'string') {
      throw mustBe('forced_first', 'a_token_or_text', first);
    }
    gates.forced_first = first;
  }
  if (start != null) {
    if (!isId(start)) {
      throw new LogitscopeError('out_of_range', 'constraint_start', { value: shown(start) });
    }
    gates.constraint_start = start;
  }
  return gates;
}

/** The gates of an open model, with its sorted vocabulary and the last compiled constraint. */
export class Gates {
  #core;
  #lexicon = 0;
  #constraint = { text: '', handle: 0 };

  /** @param {import('./core.js').Core} core */
  constructor(core) {
    this.#core = core;
  }

  /**
   * @param {string} name
   * @param {unknown} value
   * @param {number} vocabSize
   */
  #needTokenizer(name, value, vocabSize) {
    const { info } = this.#core;
    if (info?.tokenizer && info.vocab_size === vocabSize) return;
    throw new LogitscopeError('no_model', 'needs_tokenizer', {
      setting: name,
      n: vocabSize,
      value: shown(value),
    });
  }

  /** @param {string} text @returns {number} the one token that spells the text */
  #oneToken(text) {
    const ids = this.#core.spelling(text);
    if (ids.length === 1) return ids[0];
    const id = text && this.#core.tokenOf(text);
    if (typeof id === 'number') return id;
    throw new LogitscopeError('invalid_argument', 'forced_many', {
      text: show(text),
      n: ids.length || phrase('none'),
    });
  }

  /**
   * Gives C the settings that do not depend on the timeline, and compiles the grammar. Throws if a
   * gate cannot be satisfied.
   * @param {Asked} gates
   * @param {number} vocabSize
   */
  prepare({ constraint, grammar, banned_words: words = [], forced_first: first }, vocabSize) {
    const core = this.#core;
    const { module } = core;
    if (grammar !== undefined) {
      this.#needTokenizer('constraint', constraint, vocabSize);
      this.#open(grammar);
    }
    if (typeof first === 'string') this.#needTokenizer('forced_first', first, vocabSize);
    const sequences = words.flatMap((word) => {
      if (typeof word !== 'string') return [[word].flat()];
      this.#needTokenizer('banned_words', word, vocabSize);
      const spelled = [word, ` ${word}`].map((text) => core.spelling(text));
      const whole = spelled[0].length === 1 ? null : core.tokenOf(word);
      return [...spelled, whole === null ? [] : [whole]].filter((ids) => ids.length);
    });
    const flat = sequences.flatMap((ids) => [ids.length, ...ids]);
    if (module.calls.settings_banned(module.place(flat), flat.length)) module.fail();
    const forced = typeof first === 'string' ? this.#oneToken(first) : first;
    module.calls.settings_forced(forced ?? -1);
  }

  /** @param {string} text */
  #open(text) {
    const { module, model } = this.#core;
    const { calls } = module;
    if (this.#constraint.handle && this.#constraint.text === text) return;
    this.#lexicon ||= module.need(calls.lexicon_open(model));
    const bytes = toUtf8(text);
    const at = module.exchange(bytes.length);
    module.writeBytes(at, bytes);
    const handle = module.need(calls.constraint_open(this.#lexicon, at, bytes.length));
    calls.constraint_close(this.#constraint.handle);
    this.#constraint = { text, handle };
  }

  /**
   * Sets the mask of allowed tokens after a history in the heap, and turns off the forced token after
   * the first generated one. Returns the address of the mask's struct; 0 without a constraint.
   * @param {Asked} gates
   * @param {number} history
   * @param {number} count
   */
  follow({ grammar, constraint_start }, history, count) {
    const start = constraint_start ?? count;
    const { module } = this.#core;
    const { calls } = module;
    if (start > count) {
      throw new LogitscopeError('out_of_range', 'constraint_start_beyond', {
        limit: count,
        value: start,
      });
    }
    if (start < count) calls.settings_forced(-1);
    if (grammar === undefined) return 0;
    const { handle } = this.#constraint;
    const mask = module.need(calls.constraint_follow(handle, history + 4 * start, count - start));
    calls.settings_allowed(mask);
    return mask;
  }

  /**
   * Reads the state of the constraint from a mask's struct.
   * @param {number} at
   * @returns {import('./types.js').ConstraintState}
   */
  read(at) {
    const { module } = this.#core;
    const { u32 } = module.fields(at);
    const bits = module.bytes(at + layout.CONSTRAINT_MASK_BYTES, 32);
    return {
      rule: module.text(at + layout.CONSTRAINT_MASK_RULE),
      complete: u32(layout.CONSTRAINT_MASK_COMPLETE) !== 0,
      allowed: u32(layout.CONSTRAINT_MASK_COUNT),
      bytes: Array.from({ length: 256 }, (_, i) => i).filter((i) => (bits[i >> 3] >> (i & 7)) & 1),
    };
  }

  /**
   * True if a text is complete and no token can follow, not even an end token.
   * @param {Asked} gates
   * @param {number[]} ids
   */
  isSpent(gates, ids) {
    if (gates.grammar === undefined) return false;
    this.#open(gates.grammar); // another session may have opened another grammar
    const { module } = this.#core;
    const mask = this.follow(gates, module.place(ids), ids.length);
    const { complete, allowed } = this.read(mask);
    return complete && allowed === 0;
  }

  close() {
    const { calls } = this.#core.module;
    calls.constraint_close(this.#constraint.handle);
    calls.lexicon_close(this.#lexicon);
    this.#constraint = { text: '', handle: 0 };
    this.#lexicon = 0;
  }
}
