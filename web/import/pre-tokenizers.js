/**
 * Expressions by which a tokenizer.json splits a text, with the engine's names for them (src/pretokenizer.c). An
 * expression is known if it equals one of the table after a rewriting that does not change its matches.
 */

/** Expressions for English endings such as 's, as several programs write them; longer expressions first. */
const ENDINGS = [
  "(?:(?i:'s|'t|'re|'ve|'m|'ll|'d))",
  "(?i:(?:'s|'t|'re|'ve|'m|'ll|'d))",
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)",
  "'(?i:[sdmt]|ll|ve|re)",
  "(?i:'[sdmt]|'ll|'ve|'re)",
  "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])",
];
/** A placeholder for each of the ENDINGS. */
const E = '\0';
const SPACES = '\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const PREFIX = '[^\\r\\n\\p{L}\\p{N}]?';
const UPPER = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]';
const LOWER = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]';

export const GPT2 =
  "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

/** @param {string} numbers @param {string} [marks] */
const llama3 = (numbers, marks = '') => {
  const letters = marks ? `[\\p{L}${marks}]` : '\\p{L}';
  return `${E}|${PREFIX}${letters}+|${numbers}| ?[^\\s\\p{L}${marks}\\p{N}]+[\\r\\n]*|${SPACES}`;
};

/** @param {string} numbers @param {string} ending */
const patternOfCases = (numbers, ending) =>
  `${PREFIX}${UPPER}*${LOWER}+${ending}|${PREFIX}${UPPER}+${LOWER}*${ending}|${numbers}` +
  `| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${SPACES}`;

/**
 * The known lists of expressions. `names` are the values of `tokenizer.ggml.pre` for which the engine uses this list.
 * The flags name the engine's additions: `nfc` normalises the text to form C, `whole` turns a piece that is a token into
 * this token without merges.
 * @type {{ passes: string[], names: { pre: string, nfc?: boolean, whole?: boolean }[] }[]}
 */
const TABLE = [
  { passes: [], names: [{ pre: 'none' }] },
  { passes: [GPT2], names: [{ pre: 'gpt-2' }, { pre: 'olmo', nfc: true }] },
  {
    passes: ['\\p{N}', GPT2],
    names: [{ pre: 'smollm' }, { pre: 'command-r', nfc: true }],
  },
  {
    passes: [llama3('\\p{N}{1,3}')],
    names: [{ pre: 'smaug-bpe' }, { pre: 'llama-bpe', whole: true }],
  },
  { passes: [llama3('\\p{N}{1,2}')], names: [{ pre: 'nanochat' }] },
  { passes: [llama3('\\p{N}')], names: [{ pre: 'hunyuan' }, { pre: 'qwen2', nfc: true }] },
  { passes: [llama3('\\p{N}', '\\p{M}')], names: [{ pre: 'qwen35', nfc: true }] },
  { passes: [patternOfCases('\\p{N}', '')], names: [{ pre: 'tekken', whole: true }] },
  { passes: [patternOfCases('\\p{N}{1,3}', `${E}?`)], names: [{ pre: 'gpt-4o' }] },
  {
    passes: [
      '[\\r\\n]',
      '\\s?\\p{L}+',
      '\\s?\\p{P}+',
      '[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+',
      '\\p{N}',
    ],
    names: [{ pre: 'deepseek-coder' }],
  },
];

/**
 * Rewrites an expression to the spelling of the table: line ends become escapes, endings become E, possessive
 * quantifiers become greedy. The last change is safe in these expressions, because no character fits both a
 * quantifier and the part after it.
 * @param {string} expression
 */
function rewritten(expression) {
  let text = expression.replaceAll('\r', '\\r').replaceAll('\n', '\\n');
  for (const endings of ENDINGS) text = text.replaceAll(endings, E);
  return text
    .replace(/([?+*]|\{\d+(?:,\d*)?\})\+/g, '$1')
    .replace('\\s*[\\r\\n]|', '\\s*[\\r\\n]+|')
    .replace("'(?:[sdmt]|ll|ve|re)", "'s|'t|'re|'ve|'m|'ll|'d")
    .replace(/(?<=N}\]\+\|)\\s\+\$\|\\s\+\(\?!\\S\)\|\\s$/, '\\s+(?!\\S)|\\s+');
}

/**
 * Returns the name and flags of the engine's rule for a list of expressions. If several rules have this list, the
 * rule with the nearest flags is chosen. Returns undefined for unknown expressions.
 * @param {string[]} expressions @param {{ nfc: boolean, whole: boolean }} flags
 */
export function preTokenizerOf(expressions, { nfc, whole }) {
  const key = expressions.map(rewritten).join('\n');
  const row = TABLE.find(({ passes }) => passes.join('\n') === key);
  const differs = (/** @type {{ nfc?: boolean, whole?: boolean }} */ name) =>
    Number(Boolean(name.nfc) !== nfc) + Number(Boolean(name.whole) !== whole);
  return row && [...row.names].sort((a, b) => differs(a) - differs(b))[0];
}
