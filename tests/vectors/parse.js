/**
 * Reads the line-oriented vectors of this folder (README.md describes them). It imports nothing, so that
 * Node and browser can share it. An unknown line is an error.
 */

/**
 * @typedef {object} Expectation
 * @property {number} line
 * @property {string} name
 * @property {string[]} words
 * @property {number} tolerance
 */

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {number} line
 * @property {string} source
 * @property {Float32Array | null} logits
 * @property {number[]} history
 * @property {Record<string, any>} settings
 * @property {number} step of XTC's coin
 * @property {number[] | null} pcg32 initstate, initseq
 * @property {number} skip
 * @property {number[] | null} random seed, step
 * @property {bigint | null} splitmix64
 * @property {Expectation[]} expectations
 */

const LITERALS = { inf: Infinity, '-inf': -Infinity, nan: NaN };

/**
 * @param {string} word
 * @returns {number}
 */
export function number(word) {
  if (Object.hasOwn(LITERALS, word)) return LITERALS[word];
  if (!/^-?[0-9.]+(e[+-]?[0-9]+)?$/.test(word)) throw new Error(`${word} is no number`);
  return Number(word);
}

/**
 * @param {string} word decimal or 0x
 * @returns {number}
 */
export function integer(word) {
  if (!/^([0-9]+|0x[0-9a-f]+)$/.test(word)) throw new Error(`${word} is no integer`);
  return Number(word);
}

const GIVENS = {
  source: (it, words) => { it.source = words.join(' '); },
  note: () => {},
  logits: (it, words) => { it.logits = Float32Array.from(words, number); },
  probs: (it, words) => { it.logits = Float32Array.from(words, (word) => Math.log(number(word))); },
  log_range: (it, [n]) => {
    it.logits = Float32Array.from({ length: integer(n) }, (_, i) => Math.log(i));
  },
  history: (it, words) => { it.history = words.map(integer); },
  set: (it, [name, value]) => { it.settings[name] = number(value); },
  bias: (it, [id, value]) => {
    it.settings.logit_bias ??= {};
    it.settings.logit_bias[id] = value === 'ban' ? false : number(value);
  },
  convention: (it, [name]) => { it.settings.convention = name; },
  breaker: (it, words) => {
    it.settings.dry_sequence_breakers ??= [];
    it.settings.dry_sequence_breakers.push(words.map(integer));
  },
  ends: (it, words) => {
    it.settings.end_tokens = words.map(integer);
  },
  coin: (it, [seed, step]) => {
    it.settings.seed = integer(seed);
    it.step = integer(step);
  },
  order: (it, words) => { it.settings.order = words; },
  pcg32: (it, words) => { it.pcg32 = words.map(integer); },
  skip: (it, [n]) => { it.skip = integer(n); },
  random: (it, words) => { it.random = words.map(integer); },
  splitmix64: (it, [state]) => { it.splitmix64 = BigInt(state); },
};

/**
 * @param {string[]} words after `expect`
 * @param {number} line
 * @returns {Expectation}
 */
function parseExpectation([name, ...words], line) {
  const tolerant = words.at(-2) === 'tol';
  const tolerance = tolerant ? number(words.at(-1) ?? '') : 0;
  return { line, name, words: tolerant ? words.slice(0, -2) : words, tolerance };
}

/**
 * @param {string} text a whole file
 * @returns {Case[]}
 */
export function parse(text) {
  /** @type {Case[]} */
  const cases = [];
  text.split('\n').forEach((content, index) => {
    const line = index + 1;
    const [keyword, ...words] = content.split(' ').filter((word) => word);
    if (!keyword || keyword.startsWith('#')) return;
    const it = cases.at(-1);
    if (keyword === 'case') {
      cases.push({
        name: words[0],
        line,
        source: '',
        logits: null,
        history: [],
        settings: {},
        step: 0,
        pcg32: null,
        skip: 0,
        random: null,
        splitmix64: null,
        expectations: [],
      });
    } else if (it && keyword === 'expect') it.expectations.push(parseExpectation(words, line));
    else if (it && words.length && Object.hasOwn(GIVENS, keyword)) GIVENS[keyword](it, words);
    else throw new Error(`line ${line}: ${content}`);
  });
  return cases;
}

/**
 * Returns the words of each line of a list, without comments and empty lines.
 * @param {string} text
 * @returns {string[][]}
 */
export function parseList(text) {
  return text.split('\n').filter((line) => line.trim() && !line.startsWith('#'))
    .map((line) => line.trim().split(/\s+/));
}
