/** The functions that every template can call. */
import { bind, needInt } from './arguments.js';
import { refuse } from './fault.js';
import { Str, str } from './text.js';
import { Dict, Func, Namespace, Range, Thing, Tuple, listOf, text } from './values.js';

/** @import { Value, Named } from './values.js' */

/** Maximum number of items that `range` returns, as in Jinja's sandbox. */
const RANGE_MAX = 100_000;

/** @param {Value[]} args @param {Named} named */
function range(args, named) {
  const [first, second, third] = bind('range', '/start! /stop /step', args, named);
  const int = (/** @type {Value} */ value) => BigInt(needInt(value, 'range'));
  const step = third === undefined ? 1n : int(third);
  if (step === 0n) refuse('range() arg 3 must not be zero');
  const all =
    second === undefined
      ? new Range(0n, int(first), step)
      : new Range(int(first), int(second), step);
  return all.length > RANGE_MAX ? refuse(`range of more than ${RANGE_MAX} numbers`) : all;
}

/** @param {Value[]} args @param {Named} named */
function dict(args, named) {
  if (args.length > 1) refuse('dict takes at most one argument');
  const made = new Dict();
  const [from] = args;
  if (from instanceof Dict) for (const [key, value] of from.entries()) made.set(key, value);
  else if (from !== undefined)
    for (const entry of listOf(from)) {
      const pair = listOf(entry);
      if (pair.length !== 2) refuse('dict needs pairs of a key and a value');
      made.set(pair[0], pair[1]);
    }
  for (const [key, value] of named) made.set(str(key), value);
  return made;
}

/** @param {Value[]} args @param {number} n */
export function cycle(args, n) {
  return args.length ? args[n % args.length] : refuse('no items for cycling given');
}

/** @param {Value[]} items @param {Named} named */
function cycler(items, named) {
  if (!items.length || named.size) refuse('cycler needs items');
  const made = new Thing();
  let n = 0;
  made.kind = 'Cycler';
  made.attributes = new Map(
    Object.entries({
      current: () => items[n % items.length],
      items: () => new Tuple(items),
      next: () =>
        new Func('next', (args, names) => {
          bind('next', '', args, names);
          return items[n++ % items.length];
        }),
      pos: () => BigInt(n % items.length),
      reset: () =>
        new Func('reset', (args, names) => {
          bind('reset', '', args, names);
          n = 0;
          return null;
        }),
    }),
  );
  return made;
}

/** @param {Value[]} args @param {Named} named */
function joiner(args, named) {
  const [separator] = bind('joiner', 'sep', args, named);
  let isUsed = false;
  return new Func('joiner', (more, names) => {
    bind('joiner', '', more, names);
    const said = isUsed ? (separator ?? str(', ')) : str('');
    isUsed = true;
    return said;
  });
}

/** @type {Record<string, (args: Value[], named: Named) => Value>} */
const FUNCTIONS = {
  cycler,
  dict,
  joiner,
  lipsum: () => refuse("the function 'lipsum' is not supported"),
  namespace: (args, named) => new Namespace(dict(args, named)),
  raise_exception: (args, named) => {
    const [reason] = bind('raise_exception', 'message!', args, named);
    return refuse(text(reason).text);
  },
  range,
};

/** @returns {[string, Func][]} */
export const globals = () =>
  Object.entries(FUNCTIONS).map(([name, call]) => [name, new Func(name, call)]);

/** @param {(format: string) => string} write */
export const strftimeNow = (write) =>
  new Func('strftime_now', (args, named) => {
    const [format] = bind('strftime_now', 'format!', args, named);
    if (!(format instanceof Str)) return refuse('strftime_now needs a string');
    return format.remade(write(format.text));
  });
