/**
 * Mutants of the correct samplers. Each has one small change: another operator, a slightly different number, or a
 * missing piece. The grader must give no mutant the full score unless it is equivalent.
 */
import { SOFTMAX } from './graded.js';
import { RIGHT } from './planted.js';

/** Patterns with their replacements. @type {[RegExp, string[]][]} */
const CHANGES = [
  [/ < /g, [' <= ', ' > ']],
  [/ > /g, [' >= ', ' < ']],
  [/ >= /g, [' > ', ' <= ']],
  [/ === /g, [' !== ']],
  [/ \|\| /g, [' && ']],
  [/ && /g, [' || ']],
  [/ \+ /g, [' - ']],
  [/ - /g, [' + ']],
  [/ \/ /g, [' * ']],
  [/ \* /g, [' / ']],
  [/ \+= /g, [' = ', ' -= ']],
  [/\b0\b/g, ['1', '-1']],
  [/\b1\b/g, ['0', '2']],
  [/-Infinity/g, ['-1e9', '0', 'Infinity']],
  [/\.at\(-1\)/g, ['.at(0)', '.at(-2)']],
  [/new Set\(history\)/g, ['history']],
  [/\? (\w+(?:\[\w+\])?(?: [/*] \w)?) : /g, ['? 0 : ']],
  [/Math\.exp\(([^)]*)\)/g, ['($1)']],
  [/^ *(?:out|ids|before)\b[^;{]*;$/gm, ['']],
  [/^ *if \([^{]*;$/gm, ['']],
  [/\bplace\b/g, ['id']],
  [
    /slice\(-model\.context_length\)/g,
    ['slice(0, model.context_length)', 'slice(1 - model.context_length)'],
  ],
  [/slice\(prompt_ids\.length\)/g, ['slice(0)', 'slice(prompt_ids.length + 1)']],
  [/random\(\)/g, ['0.5', '1 - random()']],
];

/**
 * Changes that change no result, each judged by a person: a pattern of the changed line, the reason, and the
 * function.
 * @type {[line: RegExp, why: string, as?: string][]}
 */
export const EQUIVALENT = [
  // The ids are sorted already, and sorting keeps the order of two ids if the comparison returns a positive number.
  [/\|\| a \+ b\)/, 'of equal logits the lower id still comes first'],
  [/k > logits\.length/, 'the last logit as the limit keeps all'],
  [/logits\[id\] >= 0 \?/, '0 / r and 0 * r are 0'],
  [
    /\(id === best \? 0 : -Infinity\)/,
    'in the loop alone: the token that stays has all of the mass, whatever its logit',
    'generate',
  ],
  [
    /\(id === best \? l : -1e9\).*/,
    'in the loop alone: its share is 0 to the last bit',
    'generate',
  ],
  [/fill\(-1e9\)/, 'in the loop alone: its share is 0 to the last bit', 'generate'],
  [/l >= limit \? l : -1e9/, 'in the loop alone: its share is 0 to the last bit', 'generate'],
  [/p\[id\] > -1\)/, 'a token without a share is never the first above u', 'generate'],
  [
    /if \(limit === (2|0)\) return logits/,
    'in the loop alone: a share that rounds away is never drawn',
    'generate',
  ],
  [/(bias|synthid_depth) === -1/, 'none is below 0, and at 0 the rest changes nothing'],
  [/bits\[id\] <= green_fraction/, 'one token of 2^32 has bits that are the limit itself'],
  [/const id of history\)/, 'each time it is computed from the logit that was given'],
];

/**
 * True if offset `at` is in a function of SOFTMAX that the source never calls.
 * @param {string} source
 * @param {number} at
 */
function unused(source, at) {
  const start = source.indexOf(SOFTMAX);
  const second = source.indexOf('const ranked', start);
  if (start < 0 || at < start || at >= start + SOFTMAX.length) return false;
  return source.split(at < second ? 'softmax(' : 'ranked(').length === (at < second ? 2 : 1);
}

/** @returns {{ as: string, at: number, from: string, to: string, source: string }[]} */
export function mutants() {
  return Object.entries(RIGHT).flatMap(([as, source]) =>
    CHANGES.flatMap(([pattern, others]) =>
      [...source.matchAll(pattern)]
        .filter(({ index }) => !unused(source, index))
        .flatMap((match) =>
          others.map((other) => {
            const [from] = match;
            const to = from.replace(new RegExp(pattern.source, 'm'), other);
            const at = match.index;
            const changed = source.slice(0, at) + to + source.slice(at + from.length);
            const line = (text) =>
              text
                .slice(text.lastIndexOf('\n', at - 1) + 1)
                .split('\n')[0]
                .trim();
            return { as, at, from: line(source), to: line(changed), source: changed };
          }),
        )
        .filter((mutant) => mutant.source !== source),
    ),
  );
}

/** Reason why a mutant is equivalent, or undefined. @param {{ as: string, to: string }} mutant */
export const excuse = ({ as, to }) =>
  EQUIVALENT.find(([line, , only]) => line.test(to) && (only === undefined || only === as))?.[1];

/**
 * Selects `count` elements at equal distances; every call selects the same.
 * @template T @param {T[]} all @param {number} count @returns {T[]}
 */
export const spread = (all, count) =>
  Array.from(
    { length: Math.min(count, all.length) },
    (_, i) => all[Math.floor((i * all.length) / count)],
  );
