/**
 * Reads the tokenizer.json of Hugging Face: byte-level BPE, BPE as in SentencePiece, and lists of words. A part that
 * cannot be converted exactly is refused by its name.
 */
import { phrase, show } from '../engine/errors.js';
import { checkedMerges, pairOf } from './byte-pairs.js';
import { unsupported } from './faults.js';
import { GPT2, preTokenizerOf } from './pre-tokenizers.js';
import {
  BYTE,
  NORMAL,
  UNKNOWN,
  UNUSED,
  idsByName,
  markAdded,
  plainVocabulary,
  tokensById,
} from './token-list.js';

/** @import { Vocabulary } from './token-list.js' */

const SPACE = '\u2581';
/** Bits of the metadata key tokenizer.logitscope.space_prefix. */
const ONCE = 1;
const SPARING = 2;
const BYTE_LEVEL = 4;

/** @param {string} name @param {string} part @param {any} value @returns {Error} */
const unsupportedPart = (name, part, value) =>
  unsupported(name, 'vocab_part', { part, value: show(value?.type ?? value) });

/**
 * Returns the steps of a normalizer, pre-tokenizer, post-processor or decoder; the steps of a Sequence as one flat
 * list.
 * @param {any} step @returns {any[]}
 */
function stepsOf(step) {
  if (!step) return [];
  if (step.type !== 'Sequence') return [step];
  const { normalizers, pretokenizers, processors, decoders } = step;
  const steps = normalizers ?? pretokenizers ?? processors ?? decoders ?? [];
  return Array.isArray(steps) ? steps.flatMap(stepsOf) : [step];
}

/** Decoders whose text is the same as the engine's. */
const DECODERS = ['ByteLevel', 'Metaspace', 'Replace', 'ByteFallback', 'Fuse', 'Strip'];

/** @param {any} json @param {string} name @returns {Vocabulary} */
export function fromTokenizerJson(json, name) {
  const { model } = json;
  const type = model.type ?? (model.merges ? 'BPE' : 'model without a type');
  for (const step of stepsOf(json.decoder))
    if (!DECODERS.includes(step?.type)) throw unsupportedPart(name, 'decoder', step);
  const read = new Map([
    ['BPE', readBpe],
    ['WordLevel', readWords],
  ]).get(type);
  if (!read || !model.vocab || Array.isArray(model.vocab))
    throw unsupportedPart(name, 'model', type);
  const vocabulary = read(json, name);
  addEnds(vocabulary, json, name);
  return vocabulary;
}

/**
 * Returns the tokens of the model and the added tokens, in the order of their ids.
 * @param {any} json @param {string} name
 */
function tokensOf({ model, added_tokens }, name) {
  const added = Array.isArray(added_tokens) ? added_tokens : [];
  const { tokens, types } = tokensById(
    [
      ...Object.entries(model.vocab),
      ...added.map((each) => /** @type {[string, unknown]} */ ([each?.content, each?.id])),
    ],
    name,
  );
  const strips = markAdded({ tokens, types }, added, name);
  const unknown = model.unk_token ? tokens.indexOf(model.unk_token) : -1;
  if (unknown >= 0) types[unknown] = UNKNOWN;
  return { tokens, types, added, strips, unknown };
}

/** @param {any} json @param {string} name @returns {Vocabulary} */
function readBpe(json, name) {
  const { model } = json;
  for (const part of ['continuing_subword_prefix', 'end_of_word_suffix', 'dropout'])
    if (model[part]) throw unsupportedPart(name, part, model[part]);
  const { tokens, types, added, strips, unknown } = tokensOf(json, name);
  const known = new Set(tokens);
  const list = model.merges ?? [];
  if (!Array.isArray(list)) throw unsupportedPart(name, 'merges', list);
  const pairs = list.map(pairOf);
  const merges = checkedMerges(pairs, (token) => known.has(token));
  const steps = stepsOf(json.pre_tokenizer);
  const common = { tokens, types, strips, notes: [] };
  const ids = { ...idsByName({ tokens, types }), ...(unknown >= 0 && { unknown }) };
  if (steps.at(-1)?.type === 'ByteLevel') {
    const { pre, flags } = splitOf(json, steps, name);
    return { ...common, model: 'gpt2', pre, merges, ids, flags };
  }
  const flags = spacesOf(json, steps, tokens, name);
  const scores = scoresOf({ tokens, types }, pairs, Boolean(model.byte_fallback), name);
  const notes =
    added.some((each) => each.normalized) && flags['ggml.add_space_prefix'] === true
      ? [phrase('vocab_note_normalized', { file: name })]
      : [];
  return { ...common, model: 'llama', scores, ids, flags, notes };
}

/** Returns true if the step cuts a text into the matches of its pattern. */
const keepsMatches = (/** @type {any} */ { behavior, invert }) =>
  invert ? behavior === 'Removed' : behavior === 'Isolated';

/**
 * Returns the rule for splitting a text, and flags, for byte-level BPE.
 * @param {any} json @param {any[]} steps @param {string} name
 */
function splitOf({ model, normalizer }, steps, name) {
  const last = steps[steps.length - 1];
  // After another step, ByteLevel would add the space before each piece, not once before the text.
  if (last.add_prefix_space && steps.length > 1)
    throw unsupportedPart(name, 'pre_tokenizer', 'ByteLevel add_prefix_space');
  const expressions = steps.slice(0, -1).map((step) => {
    if (step.type === 'Digits') return step.individual_digits ? '\\p{N}' : '\\p{N}+';
    const expression = step.pattern?.Regex;
    if (step.type !== 'Split' || typeof expression !== 'string' || !keepsMatches(step))
      throw unsupportedPart(name, 'pre_tokenizer', step);
    return expression;
  });
  if (last.use_regex !== false) expressions.push(GPT2);
  const forms = stepsOf(normalizer);
  for (const step of forms)
    if (step.type !== 'NFC') throw unsupportedPart(name, 'normalizer', step);
  const wanted = { nfc: forms.length > 0, whole: Boolean(model.ignore_merges) };
  const row = preTokenizerOf(expressions, wanted);
  if (!row)
    throw unsupported(name, 'vocab_split', {
      value: show(expressions[0] ?? ''),
      n: expressions.length,
    });
  /** @type {Record<string, boolean | number>} */
  const flags = {};
  if (last.add_prefix_space) flags['logitscope.space_prefix'] = BYTE_LEVEL | SPARING;
  if (Boolean(row.nfc) !== wanted.nfc) flags['logitscope.nfc'] = wanted.nfc;
  if (Boolean(row.whole) !== wanted.whole) flags['logitscope.ignore_merges'] = wanted.whole;
  return { pre: row.pre, flags };
}

/** Returns true for a step that replaces each space by U+2581. @param {any} step */
const replacesSpaces = (step) =>
  step.type === 'Replace' && step.pattern?.String === ' ' && step.content === SPACE;

/**
 * Returns the flags for BPE that writes a space as U+2581. The replacement is a step of the normalizer or of the
 * pre-tokenizer.
 * @param {any} json @param {any[]} steps @param {string[]} tokens @param {string} name
 * @returns {Record<string, boolean | number>}
 */
function spacesOf({ normalizer }, steps, tokens, name) {
  const forms = stepsOf(normalizer);
  const prepends = forms[0]?.type === 'Prepend' && forms[0].prepend === SPACE;
  const rest = prepends ? forms.slice(1) : forms;
  const replaces = rest.length > 0 && replacesSpaces(rest[0]);
  for (const step of replaces ? rest.slice(1) : rest)
    throw unsupportedPart(name, 'normalizer', step);
  const [step, ...others] = steps;
  for (const other of others) throw unsupportedPart(name, 'pre_tokenizer', other);
  // The normalizer has replaced all spaces, so a Split at spaces does nothing.
  const idle = step?.type === 'Split' && step.pattern?.String === ' ' && replaces;
  if (step?.type === 'Metaspace' && !forms.length) return readMetaspace(step, tokens, name);
  if (!replaces || (step && !idle)) throw unsupportedPart(name, 'pre_tokenizer', step ?? 'null');
  return { 'ggml.add_space_prefix': prepends };
}

/** @param {any} step @param {string[]} tokens @param {string} name */
function readMetaspace(step, tokens, name) {
  const scheme = step.prepend_scheme ?? (step.add_prefix_space === false ? 'never' : 'always');
  if (step.replacement !== SPACE || !['always', 'first', 'never'].includes(scheme))
    throw unsupportedPart(name, 'pre_tokenizer', step);
  // The cut before each U+2581 changes nothing if no token has U+2581 after its beginning.
  if (step.split !== false && tokens.some((token) => token.indexOf(SPACE, 1) > 0))
    throw unsupportedPart(name, 'pre_tokenizer', 'Metaspace split');
  return {
    'ggml.add_space_prefix': scheme !== 'never',
    'logitscope.space_prefix': SPARING | (scheme === 'first' ? ONCE : 0),
  };
}

/**
 * Turns merges into scores. The engine joins the two neighbours whose joined text is the token with the highest
 * score. This gives the same result if a token has a merge for each of its splits into two tokens, and these merges
 * have consecutive ranks; otherwise the file is refused. A longer token without a merge becomes unused.
 * @param {Pick<Vocabulary, 'tokens' | 'types'>} vocabulary @param {[string, string][]} pairs @param {boolean} bytes
 * @param {string} name
 */
function scoresOf({ tokens, types }, pairs, bytes, name) {
  const ids = new Map(tokens.map((token, id) => [token, id]));
  const scores = new Float32Array(tokens.length);
  const splits = new Uint16Array(tokens.length);
  let last = -1;
  for (const [rank, [left, right]] of pairs.entries()) {
    const id = /** @type {number} */ (ids.get(left + right));
    if (id !== last && splits[id] && types[id] === NORMAL)
      throw unsupported(name, 'vocab_merge_order', { token: show(tokens[id]) });
    if (!splits[id]) scores[id] = -1 - rank;
    splits[id]++;
    last = id;
  }
  for (const [id, token] of tokens.entries()) {
    if (types[id] !== NORMAL) continue;
    if (bytes && /^<0x[0-9A-F]{2}>$/.test(token)) types[id] = BYTE;
    else if (splits[id] && splits[id] !== countSplits(token, ids))
      throw unsupported(name, 'vocab_merge_order', { token: show(token) });
    else if (!splits[id] && [...token].length > 1) types[id] = UNUSED;
  }
  return scores;
}

/** Counts the ways to cut a token into two tokens. @param {string} token @param {Map<string, number>} ids */
function countSplits(token, ids) {
  let count = 0;
  for (let at = 1; at < token.length; at++)
    if (ids.has(token.slice(0, at)) && ids.has(token.slice(at))) count++;
  return count;
}

/** Reads a list of characters, or of words that begin with their space. @param {any} json @param {string} name */
function readWords(json, name) {
  const { tokens, types, strips, unknown } = tokensOf(json, name);
  for (const step of stepsOf(json.normalizer)) throw unsupportedPart(name, 'normalizer', step);
  const steps = stepsOf(json.pre_tokenizer);
  const { type, pattern, behavior, invert } = steps[0] ?? {};
  const empty = pattern?.String === '' || pattern?.Regex === '';
  const spaces = pattern?.String === ' ' && behavior === 'MergedWithNext';
  if (
    steps.length !== 1 ||
    type !== 'Split' ||
    invert ||
    !(spaces || (empty && behavior === 'Isolated'))
  )
    throw unsupportedPart(name, 'pre_tokenizer', steps[0] ?? 'null');
  const entries = tokens.flatMap((token, id) =>
    types[id] === NORMAL ? [/** @type {[string, number]} */ ([token, id])] : [],
  );
  const plain = plainVocabulary(entries, name);
  const model = spaces ? 'logitscope-word' : plain.model;
  if (!spaces && model === 'logitscope-word')
    throw unsupportedPart(name, 'pre_tokenizer', steps[0]);
  const notes =
    unknown < 0 ? [] : [phrase('vocab_note_unknown', { file: name, token: tokens[unknown] })];
  return { model, tokens, types, strips, ids: idsByName({ tokens, types }), flags: {}, notes };
}

/**
 * Reads the tokens that the post-processor puts before and after a text.
 * @param {Vocabulary} vocabulary @param {any} json @param {string} name
 */
function addEnds({ tokens, ids, flags }, { post_processor }, name) {
  const templates = stepsOf(post_processor).filter(({ type }) => type !== 'ByteLevel');
  flags['ggml.add_bos_token'] = false;
  for (const step of templates) {
    if (step.type !== 'TemplateProcessing' || !Array.isArray(step.single))
      throw unsupportedPart(name, 'post_processor', step);
    const around = step.single.map((/** @type {any} */ part) => part?.SpecialToken?.id ?? null);
    const at = around.indexOf(null);
    if (at < 0 || at > 1 || around.length - at > 2 || around.lastIndexOf(null) !== at)
      throw unsupportedPart(name, 'post_processor', step);
    const idOf = (/** @type {string} */ token) => step.special_tokens?.[token]?.ids?.[0];
    for (const [key, token] of [
      ['bos', around[at - 1]],
      ['eos', around[at + 1]],
    ]) {
      if (token === undefined) continue;
      const id = idOf(token) ?? tokens.indexOf(token);
      if (!(id >= 0 && id < tokens.length)) throw unsupportedPart(name, 'post_processor', token);
      ids[key] = id;
      flags[`ggml.add_${key}_token`] = true;
    }
  }
}
