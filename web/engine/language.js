/**
 * Regular languages over the characters of a JSON string, built from sets by union, intersection,
 * complement and repetition. Derivatives (Brzozowski 1964; Owens, Reppy and Turon 2009) make them
 * deterministic. The result is written as rules of a grammar (src/grammar.h).
 */

/** @typedef {[number, number][]} Ranges first and last code point of each range; ascending, with gaps between them */
/**
 * @typedef {object} Node
 * @property {number} id
 * @property {'none' | 'empty' | 'set' | 'seq' | 'or' | 'and' | 'not' | 'repeat'} kind
 * @property {Node[]} parts
 * @property {Ranges} ranges characters of a set; empty for other kinds
 * @property {number} least minimum number of times in a repeat
 * @property {number} most maximum number of times in a repeat
 * @property {boolean} nullable true if the language contains the empty text
 */

/** Maximum number of parts of all nodes together, also of derivatives. A language with more is refused. */
const WORK_MAX = 1 << 20;
const STATES_MAX = 4000;
/** Maximum number of nested parentheses of a rule; a grammar allows 100. */
const NESTING_MAX = 40;
/** Maximum number of ranges of one class; a grammar allows 256. */
const RANGES_MAX = 200;

/** Every character that a text can contain: all but surrogates. @type {Ranges} */
export const CHARACTERS = [
  [0, 0xd7ff],
  [0xe000, 0x10ffff],
];

/** The error for a language that is too large to be made deterministic. */
export class TooLarge extends Error {}

/** @param {Ranges} ranges in any order @returns {Ranges} */
export function normalise(ranges) {
  /** @type {Ranges} */
  const out = [];
  for (const [low, high] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = out.at(-1);
    if (last && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else out.push([low, high]);
  }
  return out;
}

/** @param {Ranges} a @param {Ranges} b @returns {Ranges} */
export const intersect = (a, b) =>
  normalise(
    a.flatMap(([low, high]) =>
      b.flatMap(([from, to]) =>
        from <= high && to >= low
          ? [/** @type {[number, number]} */ ([Math.max(low, from), Math.min(high, to)])]
          : [],
      ),
    ),
  );

/** The characters outside of the ranges. @param {Ranges} ranges @returns {Ranges} */
export function complement(ranges) {
  /** @type {Ranges} */
  const gaps = [];
  let next = 0;
  for (const [low, high] of normalise(ranges)) {
    if (low > next) gaps.push([next, low - 1]);
    next = high + 1;
  }
  if (next <= 0x10ffff) gaps.push([next, 0x10ffff]);
  return intersect(gaps, CHARACTERS);
}

/** @param {Ranges} ranges @param {number} code */
const contains = (ranges, code) => ranges.some(([low, high]) => low <= code && code <= high);

/** Makes languages. Nodes are shared: equal parts in equal order give one node. */
export class Languages {
  /** @type {Map<string, Node>} */
  #nodes = new Map();
  /** @type {Map<string, Node>} */
  #derived = new Map();
  #work = 0;

  none = this.#node('none', [], false);
  empty = this.#node('empty', [], true);
  any = this.set(CHARACTERS);
  all = this.repeat(this.any, 0, Infinity);

  /**
   * @param {Node['kind']} kind
   * @param {Node[]} parts
   * @param {boolean} nullable
   * @param {Partial<Node>} [more]
   * @returns {Node}
   */
  #node(kind, parts, nullable, { ranges = [], least = 0, most = 0 } = {}) {
    this.#work += 1 + parts.length + ranges.length;
    if (this.#work > WORK_MAX) throw new TooLarge();
    const key = `${kind} ${parts.map(({ id }) => id)} ${ranges.join(';')} ${least} ${most}`;
    let node = this.#nodes.get(key);
    if (!node) {
      node = { id: this.#nodes.size, kind, parts, ranges, least, most, nullable };
      this.#nodes.set(key, node);
    }
    return node;
  }

  /** The texts of one character from these ranges. @param {Ranges} ranges @returns {Node} */
  set(ranges) {
    return ranges.length ? this.#node('set', [], false, { ranges }) : this.none;
  }

  /** @param {Node} a @param {Node} b @returns {Node} */
  seq(a, b) {
    if (a === this.none || b === this.none) return this.none;
    if (a === this.empty) return b;
    if (b === this.empty) return a;
    if (a.kind === 'seq') return this.seq(a.parts[0], this.seq(a.parts[1], b));
    return this.#node('seq', [a, b], a.nullable && b.nullable);
  }

  /** @param {Node[]} list @returns {Node} */
  or(list) {
    const flat = new Set(list.flatMap((node) => (node.kind === 'or' ? node.parts : [node])));
    flat.delete(this.none);
    if (flat.has(this.all)) return this.all;
    const sets = [...flat].filter(({ kind }) => kind === 'set');
    if (sets.length > 1) {
      for (const node of sets) flat.delete(node);
      flat.add(this.set(normalise(sets.flatMap(({ ranges }) => ranges.map(copy)))));
    }
    const parts = [...flat].sort((a, b) => a.id - b.id);
    if (parts.length < 2) return parts[0] ?? this.none;
    return this.#node(
      'or',
      parts,
      parts.some(({ nullable }) => nullable),
    );
  }

  /** @param {Node[]} list @returns {Node} */
  and(list) {
    const flat = new Set(list.flatMap((node) => (node.kind === 'and' ? node.parts : [node])));
    flat.delete(this.all);
    if (flat.has(this.none)) return this.none;
    const parts = [...flat].sort((a, b) => a.id - b.id);
    if (parts.length < 2) return parts[0] ?? this.all;
    return this.#node(
      'and',
      parts,
      parts.every(({ nullable }) => nullable),
    );
  }

  /** @param {Node} node @returns {Node} */
  not(node) {
    if (node.kind === 'not') return node.parts[0];
    if (node === this.none) return this.all;
    return node === this.all ? this.none : this.#node('not', [node], !node.nullable);
  }

  /** @param {Node} node @param {number} least @param {number} most @returns {Node} */
  repeat(node, least, most) {
    if (most === 0 || node === this.empty) return this.empty;
    if (node === this.none) return least ? this.none : this.empty;
    if (least === 1 && most === 1) return node;
    if (node.kind === 'repeat' && node.least === 0 && node.most === Infinity) return node;
    return this.#node('repeat', [node], node.nullable || least === 0, { least, most });
  }

  /** The language that contains only this text. @param {string} text */
  text(text) {
    const codes = Array.from(text, (letter) => /** @type {number} */ (letter.codePointAt(0)));
    return codes.reduceRight((rest, code) => this.seq(this.set([[code, code]]), rest), this.empty);
  }

  /**
   * Takes all texts that begin with a character; returns the language of their remainders.
   * @param {Node} node
   * @param {number} code
   * @returns {Node}
   */
  derivative(node, code) {
    const key = `${node.id} ${code}`;
    let derived = this.#derived.get(key);
    if (!derived) this.#derived.set(key, (derived = this.#derive(node, code)));
    return derived;
  }

  /** @param {Node} node @param {number} code */
  #derive(node, code) {
    const { kind, parts, ranges, least, most } = node;
    const inner = (/** @type {Node} */ part) => this.derivative(part, code);
    switch (kind) {
      case 'set':
        return contains(ranges, code) ? this.empty : this.none;
      case 'seq': {
        const first = this.seq(inner(parts[0]), parts[1]);
        return parts[0].nullable ? this.or([first, inner(parts[1])]) : first;
      }
      case 'or':
        return this.or(parts.map(inner));
      case 'and':
        return this.and(parts.map(inner));
      case 'not':
        return this.not(inner(parts[0]));
      case 'repeat':
        return this.seq(inner(parts[0]), this.repeat(parts[0], Math.max(least - 1, 0), most - 1));
      default:
        return this.none;
    }
  }

  /**
   * Splits all characters into classes, so that each set of the language has all characters of a
   * class or none.
   * @returns {Ranges[]}
   */
  #classes() {
    const sets = [...this.#nodes.values()].filter(({ kind }) => kind === 'set');
    const starts = new Set(CHARACTERS.map(([low]) => low));
    for (const { ranges } of sets) for (const [low, high] of ranges) starts.add(low).add(high + 1);
    const cuts = [...starts].sort((a, b) => a - b);
    /** @type {Map<string, Ranges>} */
    const classes = new Map();
    cuts.forEach((low, i) => {
      const inside = intersect([[low, (cuts[i + 1] ?? 0x110000) - 1]], CHARACTERS);
      if (!inside.length) return;
      const key = sets.map(({ ranges }) => Number(contains(ranges, low))).join('');
      classes.set(key, [...(classes.get(key) ?? []), ...inside]);
    });
    return [...classes.values()];
  }

  /**
   * Makes the language's automaton: its states, the initial state first. It omits states from which no
   * text of the language can end.
   * @param {Node} root
   * @returns {State[]} empty if the language is empty
   */
  states(root) {
    const classes = this.#classes();
    const found = [root];
    const index = new Map([[root, 0]]);
    /** @type {Map<number, Ranges>[]} */
    const edges = [];
    for (let i = 0; i < found.length; i++) {
      /** @type {Map<number, Ranges>} */
      const out = new Map();
      for (const ranges of classes) {
        const next = this.derivative(found[i], ranges[0][0]);
        if (next === this.none) continue;
        if (!index.has(next)) index.set(next, found.push(next) - 1);
        const to = /** @type {number} */ (index.get(next));
        out.set(to, [...(out.get(to) ?? []), ...ranges]);
      }
      if (found.length > STATES_MAX) throw new TooLarge();
      edges.push(out);
    }
    return withoutDeadStates(found.map(({ nullable }, i) => ({ ends: nullable, edges: edges[i] })));
  }
}

/** @param {[number, number]} range @returns {[number, number]} */
const copy = ([low, high]) => [low, high];

/** @typedef {{ ends: boolean, edges: Map<number, Ranges> }} State */

/**
 * Keeps the states from which a text can end, and renumbers them.
 * @param {State[]} states
 * @returns {State[]}
 */
function withoutDeadStates(states) {
  /** @type {number[][]} */
  const into = states.map(() => []);
  states.forEach(({ edges }, from) => {
    for (const to of edges.keys()) into[to].push(from);
  });
  const live = new Set(states.flatMap(({ ends }, i) => (ends ? [i] : [])));
  for (const state of live) for (const from of into[state]) live.add(from);
  if (!live.has(0)) return [];
  const kept = [...live].sort((a, b) => a - b);
  const place = new Map(kept.map((state, i) => [state, i]));
  return kept.map((state) => ({
    ends: states[state].ends,
    edges: new Map(
      [...states[state].edges].flatMap(([to, ranges]) => {
        const at = place.get(to);
        return at === undefined ? [] : [/** @type {[number, Ranges]} */ ([at, ranges])];
      }),
    ),
  }));
}

const SHORT = new Map([
  [8, 'b'],
  [9, 't'],
  [10, 'n'],
  [12, 'f'],
  [13, 'r'],
  [0x22, '"'],
  [0x5c, '\\'],
]);

/** The grammar's escape for a code point. @param {number} code */
function escapeOf(code) {
  const letter = String.fromCharCode(code);
  if (/[0-9A-Za-z]/.test(letter)) return letter;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/**
 * @param {Ranges} ranges
 * @returns {string[]} the grammar's classes for the ranges; a literal for a single character
 */
function classesOf(ranges) {
  if (ranges.length === 1 && ranges[0][0] === ranges[0][1]) return [`"${escapeOf(ranges[0][0])}"`];
  const out = [];
  for (let i = 0; i < ranges.length; i += RANGES_MAX) {
    const part = ranges
      .slice(i, i + RANGES_MAX)
      .map(([low, high]) => (low === high ? escapeOf(low) : `${escapeOf(low)}-${escapeOf(high)}`));
    out.push(`[${part.join('')}]`);
  }
  return out;
}

/** Characters that a JSON string contains unescaped. */
const PLAIN = complement([
  [0, 0x1f],
  [0x22, 0x22],
  [0x5c, 0x5c],
]);

/** The grammar of one character of the ranges inside a JSON string. @param {Ranges} ranges */
export function grammarOfCharacter(ranges) {
  const whole = normalise(ranges.map(copy));
  const plain = intersect(whole, PLAIN);
  const parts = plain.length ? classesOf(plain) : [];
  const short = [...SHORT].filter(([code]) => contains(whole, code));
  if (short.length)
    parts.push(
      `"\\\\" ${classesOf(normalise(short.map(([, it]) => [it.charCodeAt(0), it.charCodeAt(0)])))[0]}`,
    );
  for (const high of [0, 1]) {
    /** @type {Ranges} */
    const low = [];
    for (let i = 0; i < 16; i++) {
      const code = 16 * high + i;
      const digit = i.toString(16).charCodeAt(0);
      if (contains(whole, code) && !SHORT.has(code)) low.push([digit, digit]);
    }
    if (low.length) parts.push(`"\\\\u00${high}" ${classesOf(normalise(low))[0]}`);
  }
  return parts.length > 1 ? `(${parts.join(' | ')})` : parts[0];
}

/**
 * Writes the grammar of a language's texts, each followed by the closing quote.
 * @param {State[]} states
 * @param {(body: string | null) => string} rule makes a rule and returns its name; null: `define`
 *   gives the body later
 * @param {(name: string, body: string) => void} define
 */
export function grammarOfStates(states, rule, define) {
  /** @type {number[]} for each state, the number of other states with an edge to it */
  const edgesTo = states.map(() => 0);
  states.forEach(({ edges }, from) => {
    for (const to of edges.keys()) if (to !== from) edgesTo[to]++;
  });
  /** @type {Map<string, string>} */
  const sets = new Map();
  const set = (/** @type {Ranges} */ ranges) => {
    const text = grammarOfCharacter(ranges);
    if (text.length < 24) return text;
    let name = sets.get(text);
    if (!name) sets.set(text, (name = rule(text)));
    return name;
  };
  /** @type {Map<number, string>} */
  const names = new Map();
  /** @type {number[]} */
  const todo = [];
  const nameOf = (/** @type {number} */ state) => {
    let name = names.get(state);
    if (!name) {
      names.set(state, (name = rule(null)));
      todo.push(state);
    }
    return name;
  };
  /** @type {(at: number, depth: number) => string} */
  const body = (at, depth) => {
    const { ends, edges } = states[at];
    const self = edges.get(at);
    const others = [...edges].filter(([to]) => to !== at);
    const parts = others.map(([to, ranges]) => `${set(ranges)} ${inlined(to, depth)}`);
    if (ends) parts.unshift('"\\""');
    const rest = parts.length > 1 ? `(${parts.join(' | ')})` : parts[0];
    return self ? `${set(self)}* ${rest}` : rest;
  };
  /** @type {(at: number, depth: number) => string} */
  const inlined = (at, depth) => {
    const nests = states[at].edges.size + Number(states[at].ends) > 1;
    if (at !== 0 && edgesTo[at] === 1 && depth < NESTING_MAX)
      return body(at, depth + Number(nests));
    return nameOf(at);
  };
  const start = edgesTo[0] ? nameOf(0) : body(0, 0);
  for (const state of todo) define(/** @type {string} */ (names.get(state)), body(state, 0));
  return start;
}
