/** Parses the expressions of a template, by the grammar of Jinja 3.1. */
import { refuse } from './fault.js';
import { tokenize } from './lexer.js';
import { str } from './text.js';

/**
 * A node of the syntax tree. Its parts are in the order in which Jinja visits them.
 * @typedef {{ type: string, [part: string]: any }} Node
 */

const COMPARISONS = new Set(['==', '!=', '<', '<=', '>', '>=']);
const ARGUMENTS = new Set(['name', 'string', 'integer', 'float', '(', '[', '{']);
export const CONSTANTS = new Map(
  /** @type {[string, any][]} */ ([
    ['true', true],
    ['True', true],
    ['false', false],
    ['False', false],
    ['none', null],
    ['None', null],
  ]),
);

/** @type {{ args: Node[], kwargs: Node[], dynArgs: Node | null, dynKwargs: Node | null }} */
const NO_ARGUMENTS = { args: [], kwargs: [], dynArgs: null, dynKwargs: null };

/** Parses expressions from the tokens of a template. */
export class ExpressionParser {
  #at = 0;

  /** @param {string} source */
  constructor(source) {
    this.tokens = tokenize(source);
  }

  get now() {
    return this.tokens[this.#at];
  }

  /** True if the next token has this type and, if given, this value. @param {string} type @param {string} [value] */
  is(type, value) {
    return this.now.type === type && (value === undefined || this.now.value === value);
  }

  next() {
    const token = this.now;
    if (token.type !== 'eof') this.#at++;
    return token;
  }

  look() {
    return this.tokens[Math.min(this.#at + 1, this.tokens.length - 1)];
  }

  /** @param {string} type @param {string} [value] */
  skip(type, value) {
    const is = this.is(type, value);
    if (is) this.next();
    return is;
  }

  /** @param {string} type @param {string} [value] */
  expect(type, value) {
    if (this.is(type, value)) return this.next();
    return refuse(`expected ${value ?? type}, got ${this.shown()}`);
  }

  shown() {
    const { type, value } = this.now;
    if (type === 'eof') return 'the end of the template';
    return type === 'name' ? `'${value}'` : `'${type}'`;
  }

  /** @param {boolean} [conditional] @param {boolean} [enclosed] @returns {Node} */
  tuple(conditional = true, enclosed = false) {
    /** @type {Node[]} */
    const items = [];
    let isTuple = false;
    for (;;) {
      if (items.length) this.expect(',');
      if (['variable_end', 'block_end', ')'].includes(this.now.type)) break;
      items.push(this.expression(conditional));
      if (!this.is(',')) break;
      isTuple = true;
    }
    if (!isTuple && items.length) return items[0];
    if (!isTuple && !enclosed) return refuse(`Expected an expression, got ${this.shown()}`);
    return { type: 'Tuple', items, ctx: 'load' };
  }

  /** @param {boolean} [conditional] @returns {Node} */
  expression(conditional = true) {
    let node = this.#or();
    while (conditional && this.skip('name', 'if')) {
      const test = this.#or();
      const otherwise = this.skip('name', 'else') ? this.expression() : null;
      node = { type: 'CondExpr', test, expr1: node, expr2: otherwise };
    }
    return node;
  }

  #or() {
    let left = this.#and();
    while (this.skip('name', 'or')) left = { type: 'Or', left, right: this.#and() };
    return left;
  }

  #and() {
    let left = this.#not();
    while (this.skip('name', 'and')) left = { type: 'And', left, right: this.#not() };
    return left;
  }

  /** @returns {Node} */
  #not() {
    return this.skip('name', 'not') ? { type: 'Not', node: this.#not() } : this.#compare();
  }

  #compare() {
    const expr = this.#sum();
    const ops = [];
    for (;;) {
      const { type } = this.now;
      if (COMPARISONS.has(type)) {
        this.next();
        ops.push({ type: 'Operand', op: type, expr: this.#sum() });
      } else if (this.skip('name', 'in'))
        ops.push({ type: 'Operand', op: 'in', expr: this.#sum() });
      else if (
        this.is('name', 'not') &&
        this.look().type === 'name' &&
        this.look().value === 'in'
      ) {
        this.#at += 2;
        ops.push({ type: 'Operand', op: 'not in', expr: this.#sum() });
      } else break;
    }
    return ops.length ? { type: 'Compare', expr, ops } : expr;
  }

  /** @param {string[]} operators @param {() => Node} operand */
  #binary(operators, operand) {
    let left = operand();
    while (operators.includes(this.now.type)) {
      const op = this.next().type;
      left = { type: 'Binary', op, left, right: operand() };
    }
    return left;
  }

  /** @returns {Node} */
  #sum() {
    return this.#binary(['+', '-'], () => this.#concat());
  }

  #concat() {
    const nodes = [this.#product()];
    while (this.skip('~')) nodes.push(this.#product());
    return nodes.length === 1 ? nodes[0] : { type: 'Concat', nodes };
  }

  /** @returns {Node} */
  #product() {
    return this.#binary(['*', '/', '//', '%'], () => this.#binary(['**'], () => this.#unary()));
  }

  /** @param {boolean} [withFilter] @returns {Node} */
  #unary(withFilter = true) {
    const sign = this.is('-') || this.is('+') ? this.next().type : null;
    const node = sign ? { type: 'Unary', op: sign, node: this.#unary(false) } : this.#primary();
    const whole = this.#callsAndItems(node);
    return withFilter ? this.#filtersAndTests(whole) : whole;
  }

  /** @returns {Node} */
  #primary() {
    const { type, value } = this.now;
    if (type === 'name') {
      this.next();
      if (CONSTANTS.has(value)) return { type: 'Const', value: CONSTANTS.get(value) };
      return { type: 'Name', name: value, ctx: 'load' };
    }
    if (type === 'string') {
      let whole = '';
      while (this.is('string')) whole += this.next().value;
      return { type: 'Const', value: str(whole) };
    }
    if (type === 'integer' || type === 'float') return { type: 'Const', value: this.next().value };
    if (this.skip('(')) {
      const node = this.tuple(true, true);
      this.expect(')');
      return node;
    }
    if (this.skip('[')) return { type: 'List', items: this.#items(']', () => this.expression()) };
    if (this.skip('{')) return { type: 'Dict', items: this.#items('}', () => this.#pair()) };
    return refuse(`unexpected ${this.shown()}`);
  }

  /** @param {string} end @param {() => Node} item */
  #items(end, item) {
    /** @type {Node[]} */
    const items = [];
    while (!this.is(end)) {
      if (items.length) this.expect(',');
      if (this.is(end)) break;
      items.push(item());
    }
    this.expect(end);
    return items;
  }

  /** @returns {Node} */
  #pair() {
    const key = this.expression();
    this.expect(':');
    return { type: 'Pair', key, value: this.expression() };
  }

  /** @param {Node} node */
  #callsAndItems(node) {
    let whole = node;
    for (;;) {
      if (this.is('.') || this.is('[')) whole = this.#subscript(whole);
      else if (this.is('(')) whole = { type: 'Call', node: whole, ...this.#arguments() };
      else return whole;
    }
  }

  /** Parses the filters, tests and calls that follow an expression. @param {Node} node */
  #filtersAndTests(node) {
    let whole = node;
    for (;;) {
      if (this.is('|')) whole = this.filters(whole);
      else if (this.is('name', 'is')) whole = this.#test(whole);
      else if (this.is('(')) whole = { type: 'Call', node: whole, ...this.#arguments() };
      else return whole;
    }
  }

  /** @param {Node} node @returns {Node} */
  #subscript(node) {
    if (this.skip('.')) {
      const { type, value } = this.next();
      if (type === 'name') return { type: 'Getattr', node, attr: value };
      if (type !== 'integer') return refuse('expected name or number');
      return { type: 'Getitem', node, arg: { type: 'Const', value } };
    }
    this.expect('[');
    /** @type {Node[]} */
    const args = [];
    while (!this.is(']')) {
      if (args.length) this.expect(',');
      args.push(this.#subscribed());
    }
    this.expect(']');
    if (args.length === 1) return { type: 'Getitem', node, arg: args[0] };
    if (!args.length || args.some(({ type }) => type === 'Slice'))
      return refuse('such an item is not supported');
    return { type: 'Getitem', node, arg: { type: 'Tuple', items: args, ctx: 'load' } };
  }

  /** @returns {Node} */
  #subscribed() {
    const first = this.is(':') ? null : this.expression();
    if (!this.skip(':')) return /** @type {Node} */ (first);
    const isEnd = () => this.is(':') || this.is(']') || this.is(',');
    const stop = isEnd() ? null : this.expression();
    const step = this.skip(':') && !isEnd() ? this.expression() : null;
    return { type: 'Slice', start: first, stop, step };
  }

  #arguments() {
    /** @type {Node[]} */
    const args = [];
    /** @type {Node[]} */
    const kwargs = [];
    /** @type {Node | null} */
    let dynArgs = null;
    /** @type {Node | null} */
    let dynKwargs = null;
    const ensure = (/** @type {boolean} */ isRight) => {
      if (!isRight) refuse('invalid syntax for function call expression');
    };
    this.expect('(');
    for (let isFirst = true; !this.is(')'); isFirst = false) {
      if (!isFirst) {
        this.expect(',');
        if (this.is(')')) break;
      }
      if (this.skip('*')) {
        ensure(!dynArgs && !dynKwargs);
        dynArgs = this.expression();
      } else if (this.skip('**')) {
        ensure(!dynKwargs);
        dynKwargs = this.expression();
      } else if (this.is('name') && this.look().type === '=') {
        ensure(!dynKwargs);
        const key = this.next().value;
        this.next();
        kwargs.push({ type: 'Keyword', key, value: this.expression() });
      } else {
        ensure(!dynArgs && !dynKwargs && !kwargs.length);
        args.push(this.expression());
      }
    }
    this.expect(')');
    return { args, kwargs, dynArgs, dynKwargs };
  }

  /** Parses a name that may contain dots. */
  #dotted() {
    let name = this.expect('name').value;
    while (this.skip('.')) name += `.${this.expect('name').value}`;
    return name;
  }

  /** Parses filters. @param {Node | null} node @param {boolean} [begins] true if no pipe precedes the first filter @returns {any} */
  filters(node, begins = false) {
    let whole = node;
    for (let isFirst = begins; isFirst || this.skip('|'); isFirst = false) {
      const name = this.#dotted();
      const given = this.is('(') ? this.#arguments() : NO_ARGUMENTS;
      whole = { type: 'Filter', node: whole, name, ...given };
    }
    return whole;
  }

  /** @param {Node} node @returns {Node} */
  #test(node) {
    this.expect('name', 'is');
    const isNegated = this.skip('name', 'not');
    const name = this.#dotted();
    let given = NO_ARGUMENTS;
    const { type, value } = this.now;
    if (type === '(') given = this.#arguments();
    else if (ARGUMENTS.has(type) && !(type === 'name' && ['else', 'or', 'and'].includes(value))) {
      if (type === 'name' && value === 'is') refuse('You cannot chain multiple tests with is');
      given = { ...NO_ARGUMENTS, args: [this.#callsAndItems(this.#primary())] };
    }
    const test = { type: 'Test', node, name, ...given };
    return isNegated ? { type: 'Not', node: test } : test;
  }
}
