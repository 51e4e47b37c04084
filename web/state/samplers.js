/**
 * Data about each sampler on the shelf: names in other programs and source, both from C, and pictures of its effect on
 * two small distributions. The engine's table has its group and its usual value.
 */
import { SOURCES } from '../engine/sampler-sources.js';
import { EFFECTS, ALWAYS_SHOWN, PARTS } from './settings.js';

/** @import { SettingRow } from '../plots/trace.js' */

/**
 * `given` names the entry of GIVEN that the picture needs in addition to the logits; null for a sampler
 * without a picture. `shown` has settings that only the picture uses.
 * @typedef {{ by: string, year: number, url: string }} Source year 0: a page that changes
 * @typedef {keyof typeof GIVEN} Given
 * @typedef {{ aliases: string[], source?: Source, given?: Given | null, shown?: object }} SamplerFacts
 *
 * @typedef {object} Picture the shares before and after, the most probable token first
 * @property {number[]} before
 * @property {number[]} after
 * @property {boolean[]} kept
 * @property {boolean[]} marked true if the input (GIVEN) is about the token
 * @property {boolean} changed
 * @property {number} removed
 * @property {number} bits the increase of the entropy, in bits
 */

/**
 * Returns the samplers of the shelf in groups by their effect, in canonical order. The constraint and the user's own
 * sampler are not in the table: they are the first and the last of their group.
 * @param {SettingRow[]} table
 */
export function groupSamplers(table) {
  return EFFECTS.map((group) => {
    const rows = table.filter(
      ({ name, effect }) => effect === group && !ALWAYS_SHOWN.includes(name),
    );
    const names = rows.map(({ name }) => name);
    return { group, names: group === 'steer' ? ['constraint', ...names, 'own'] : names };
  });
}

/**
 * Returns the first value of a sampler that is added to the chain; undefined if the user must enter it.
 * @param {SettingRow[]} table
 * @param {string} name
 * @returns {number | undefined}
 */
export function startOf(table, name) {
  const row = table.find((it) => it.name === name);
  return row?.kind === 'map' ? undefined : row?.usual;
}

/** The pictures of samplers that read more than logits. @type {Record<string, { given: Given, shown?: object }>} */
const PICTURED = {
  guidance_scale: { given: 'second' },
  contrastive_beta: { given: 'second' },
  logit_bias: { given: 'bias' },
  encoder_repetition_penalty: { given: 'text' },
  repetition_penalty: { given: 'text' },
  frequency_penalty: { given: 'text' },
  presence_penalty: { given: 'text' },
  no_repeat_ngram_size: { given: 'text' },
  dry_multiplier: { given: 'text' },
  min_new_tokens: { given: 'end' },
  exponential_decay_length_penalty: { given: 'late' },
  xtc_probability: { given: 'coin' },
  mirostat: { given: 'target', shown: { mirostat_tau: 2 } },
  green_bias: { given: 'key' },
  synthid_depth: { given: 'key' },
  renormalize_logits: { given: 'none' },
};

/** @type {[string, SamplerFacts][]} */
const rows = Object.entries(SOURCES).map(([name, { aliases, ...source }]) => [
  name,
  { aliases: aliases.split(', ').filter(Boolean), source, ...PICTURED[name] },
]);
/** @type {Readonly<Record<string, SamplerFacts>>} */
export const SAMPLERS = Object.freeze({
  ...Object.fromEntries(rows.filter(([name]) => !ALWAYS_SHOWN.includes(name))),
  constraint: {
    aliases: [
      'grammar',
      'GBNF',
      'JSON schema',
      'structured output',
      'guided decoding',
      'regex',
      'banned_words',
      'bad_words_ids',
      'banned strings',
      'forced_bos_token_id',
    ],
    source: { by: 'Willard, Louf', year: 2023, url: 'https://arxiv.org/abs/2307.09702' },
    given: 'form',
  },
  own: {
    aliases: ['custom', 'code', 'JavaScript', 'logits processor'],
    given: null,
  },
});

/** Everything that a search finds: the shelf, the samplers that are always shown, the settings of other programs. */
const FINDABLE = {
  ...Object.fromEntries(rows),
  ...SAMPLERS,
  import: {
    aliases: [
      'import',
      'export',
      'preset',
      'llama.cpp',
      'KoboldCpp',
      'Ollama',
      'Modelfile',
      'generation_config.json',
      'SillyTavern',
      'text-generation-webui',
      'LM Studio',
      'vLLM',
      'SGLang',
      'tabbyAPI',
      'ExLlamaV2',
      'OpenAI API',
      'transformers',
      'MLX',
    ],
  },
};

/** Probabilities of sixteen tokens in percent: with one favourite, and with many similar ones. */
const SHARES = {
  confident: [58, 16, 8, 5, 3.5, 2.5, 1.8, 1.3, 1, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1],
  flat: [11.5, 10.5, 9.8, 9, 8.3, 7.7, 7, 6.4, 5.8, 5.2, 4.6, 4, 3.4, 2.8, 2.2, 1.8],
};
const OTHER = [30, 5, 4, 3, 16, 12, 6, 5, 4, 3, 3, 2, 2, 2, 2, 1];
/** Returns the logits of these probabilities, shifted so that the largest are positive, as in a model. */
const logitsOf = (/** @type {number[]} */ shares) => shares.map((share) => Math.log(share) + 3);

/** A text with a repeat: its last two tokens occurred before, and token 2 followed them. */
const TEXT = [1, 0, 2, 5, 1, 0];
const ALLOWED = [1, 2, 5, 8, 11, 12];
const ALL = SHARES.flat.map((_, id) => id);
const END = { end_tokens: [1] };

/**
 * Everything that a picture needs beside the logits: settings, options of `warp` (`beside`), and tokens to mark
 * (`about`).
 * @type {Readonly<Record<'text' | 'second' | 'form' | 'bias' | 'end' | 'late' | 'coin' | 'key' | 'target' | 'none',
 *   { settings?: object, beside?: { history?: number[], second?: number[], step?: number }, about?: number[] }>>}
 */
const GIVEN = Object.freeze({
  text: { beside: { history: TEXT }, about: TEXT },
  second: { beside: { second: logitsOf(OTHER) } },
  form: {
    settings: {
      logit_bias: Object.fromEntries(
        ALL.filter((id) => !ALLOWED.includes(id)).map((id) => [id, false]),
      ),
    },
    about: ALLOWED,
  },
  bias: { settings: { logit_bias: { 0: -1, 2: 1 } }, about: [0, 2] },
  end: { settings: END, about: END.end_tokens },
  late: { settings: END, beside: { step: 8 }, about: END.end_tokens },
  coin: { settings: { seed: 1 } },
  key: { beside: { history: TEXT } },
  target: {},
  none: {},
});

/**
 * Computes the pictures: runs each sampler alone on both distributions.
 * @param {Pick<import('../engine/remote.js').RemoteLogitscope, 'warp' | 'table'>} engine
 * @param {string[]} names
 * @returns {Promise<Record<string, Record<keyof typeof SHARES, Picture>>>}
 */
export async function drawPictures(engine, names) {
  const drawable = names.filter((name) => SAMPLERS[name].given !== null);
  const drawn = drawable.map(async (name) => {
    const [confident, flat] = await Promise.all([
      drawPicture(engine, name, SHARES.confident),
      drawPicture(engine, name, SHARES.flat),
    ]);
    return [name, { confident, flat }];
  });
  return Object.fromEntries(await Promise.all(drawn));
}

/**
 * @param {Pick<import('../engine/remote.js').RemoteLogitscope, 'warp' | 'table'>} engine
 * @param {string} name
 * @param {number[]} shares
 * @returns {Promise<Picture>}
 */
async function drawPicture(engine, name, shares) {
  const { given, shown } = SAMPLERS[name];
  const start = startOf(engine.table, name);
  const { settings, beside, about = [] } = given ? GIVEN[given] : /** @type {any} */ ({});
  const asked = { ...settings, ...shown, ...(start === undefined ? {} : { [name]: start }) };
  const trace = await engine.warp(logitsOf(shares), asked, beside);
  const whole = shares.reduce((sum, share) => sum + share, 0);
  const before = shares.map((share) => share / whole);
  const after = [...trace.p];
  return {
    before,
    after,
    changed: before.some((p, id) => Math.abs(p - after[id]) > 1e-6),
    kept: Array.from(trace.logits, (logit) => logit > -Infinity),
    marked: ALL.map((id) => about.includes(id)),
    removed: trace.vocab_size - trace.kept,
    bits: trace.entropy - trace.raw_entropy,
  };
}

/**
 * Returns a text in lower case without accents, spaces and punctuation, so that min_p, min-p and minP are equal.
 * @param {string} text
 */
const plainLetters = (text) =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/**
 * Returns the samplers that match a search, best first: the whole name, the beginning of a name, a part of a name,
 * all words in the sentence. An empty search matches all.
 * @param {string} query
 * @param {string[]} names
 * @param {(name: string) => string[]} said returns the localised name of a sampler and its sentence
 */
export function findSamplers(query, names, said) {
  const asked = plainLetters(query);
  if (!asked) return names;
  const words = query.split(/\s+/).map(plainLetters).filter(Boolean);
  /** @param {string} name */
  const distance = (name) => {
    const { aliases, source } = /** @type {Record<string, SamplerFacts>} */ (FINDABLE)[name];
    const [title, ...sentences] = said(name);
    const known = [name, title, ...aliases, ...(PARTS[name] ?? [])].map(plainLetters);
    if (known.includes(asked)) return 0;
    if (known.some((text) => text.startsWith(asked))) return 1;
    if (known.some((text) => text.includes(asked))) return 2;
    const text = plainLetters([...sentences, source?.by ?? ''].join(' '));
    return words.every((word) => text.includes(word)) ? 3 : 4;
  };
  const found = names.map((name) => ({ name, far: distance(name) })).filter(({ far }) => far < 4);
  return found.sort((a, b) => a.far - b.far).map(({ name }) => name);
}
