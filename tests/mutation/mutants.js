/**
 * Mutants of C code: copies with one operator, constant, condition or statement changed. The five operators are those
 * of Offutt et al. 1996, "An experimental determination of sufficient mutant operators".
 */

/**
 * @typedef {object} Mutant
 * @property {number} at offset of the change, in characters
 * @property {number} line from 1
 * @property {string} before
 * @property {string} after
 */

/** Replacements of each operator. @type {Record<string, string[]>} */
const OPERATORS = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '==': ['!='],
  '!=': ['=='],
  '&&': ['||'],
  '||': ['&&'],
  '+': ['-'],
  '-': ['+'],
  '/': ['*'],
  '%': ['*'],
  '+=': ['-='],
  '-=': ['+='],
  '*=': ['/='],
  '/=': ['*='],
  '++': ['--'],
  '--': ['++'],
};

/** Comments, strings and preprocessor lines; no mutant changes them. */
const DEAD = /\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|^[ \t]*#(?:.*\\\n)*.*$/gm;
/** A binary operator with spaces around it, as clang-format writes it. */
const BINARY = /(?<= )(?:[<>=!]=|&&|\|\||[-+*/]=|[-+/%<>])(?= )/g;
const COUNT = /\+\+|--/g;
const TIMES = /(?<=[\w)\]] )\*(?= [\w(])/g;
const NUMBER = /(?<![\w.])(?:\d+\.\d+f?|\d+)(?![\w.])/g;
const TRUTH = /\b(?:true|false)\b/g;
const CONDITION = /\b(?:if|while) \(/g;
/** A statement that is an assignment or a call; a mutant omits it. */
const STATEMENT = /^(?: {4})+(?:[\w.>[\]*-]+(?: [-+*/|&]?= |\()).*;$/gm;
const DECLARED =
  /^ *(?:return|break|continue|const|static|struct|unsigned|int|float|double|bool|size_t|u?int\d+_t)\b/;

/** @param {string} number */
function otherNumbers(number) {
  if (!number.includes('.')) return [String(Number(number) + 1), ...(number === '1' ? ['0'] : [])];
  const suffix = number.endsWith('f') ? 'f' : '';
  const value = Number.parseFloat(number);
  return [`${(value + 1).toFixed(2)}${suffix}`];
}

/** Returns the index of the bracket that closes the one at `open`. @param {string} code @param {number} open */
function closing(code, open) {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    if (code[at] === '(') depth++;
    if (code[at] === ')' && --depth === 0) return at;
  }
  return -1;
}

/**
 * Returns all mutants of a file, in the order of their offsets.
 * @param {string} source
 * @returns {Mutant[]}
 */
export function mutantsOf(source) {
  const code = source.replace(DEAD, (text) => text.replace(/[^\n]/g, ' '));
  /** @type {Mutant[]} */
  const mutants = [];
  let line = 1;
  const lines = [...source].map((letter) => (letter === '\n' ? line++ : line));
  /** @param {number} at @param {string} before @param {string[]} others */
  const add = (at, before, others) => {
    for (const after of others) mutants.push({ at, line: lines[at], before, after });
  };
  for (const kind of [BINARY, COUNT])
    for (const { 0: operator, index } of code.matchAll(kind))
      add(index, operator, OPERATORS[operator] ?? []);
  for (const { index } of code.matchAll(TIMES)) add(index, '*', ['/']);
  for (const { 0: number, index } of code.matchAll(NUMBER))
    add(index, number, otherNumbers(number));
  for (const { 0: truth, index } of code.matchAll(TRUTH))
    add(index, truth, [truth === 'true' ? 'false' : 'true']);
  for (const { 0: head, index } of code.matchAll(CONDITION)) {
    const open = index + head.length - 1;
    const close = closing(code, open);
    const condition = source.slice(open, close + 1);
    if (close > 0) add(open, condition, [`(!${condition})`]);
  }
  for (const { 0: statement, index } of code.matchAll(STATEMENT))
    if (!DECLARED.test(statement)) {
      const at = index + statement.search(/\S/);
      add(at, source.slice(at, index + statement.length), [';']);
    }
  return mutants.sort((a, b) => a.at - b.at);
}

/** Returns the file with one change. @param {string} source @param {Mutant} mutant */
export function mutated(source, { at, before, after }) {
  return source.slice(0, at) + after + source.slice(at + before.length);
}
