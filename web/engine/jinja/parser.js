/** Parses a template, by the grammar of Jinja 3.1 with loop controls and `{% generation %}`. */
import { CONSTANTS, ExpressionParser } from './expressions.js';
import { refuse } from './fault.js';
import { str } from './text.js';

/** @typedef {import('./expressions.js').Node} Node */

const UNSUPPORTED = new Set(['autoescape', 'block', 'extends', 'from', 'import', 'include']);

/** Parses statements. */
class Parser extends ExpressionParser {
  /** @param {string[]} ends names of the tags that end the body; empty: only the template's end */
  body(ends = []) {
    /** @type {Node[]} */
    const nodes = [];
    for (;;) {
      const token = this.next();
      if (token.type === 'data') nodes.push({ type: 'Data', text: str(token.value) });
      else if (token.type === 'variable_begin') {
        nodes.push({ type: 'Output', nodes: [this.tuple()] });
        this.expect('variable_end');
      } else if (token.type === 'block_begin') {
        if (this.now.type === 'name' && ends.includes(this.now.value)) return nodes;
        nodes.push(this.#statement(ends));
        this.expect('block_end');
      } else if (ends.length) {
        return refuse(`the template ends where {% ${ends.at(-1)} %} is missing`);
      } else return nodes;
    }
  }

  /** @param {string[]} ends @returns {Node} */
  #statement(ends) {
    const name = this.expect('name').value;
    if (UNSUPPORTED.has(name)) return refuse(`the tag {% ${name} %} is not supported`);
    switch (name) {
      case 'for':
        return this.#for();
      case 'if':
        return this.#if();
      case 'set':
        return this.#set();
      case 'macro':
        return this.#macro();
      case 'call':
        return this.#call();
      case 'filter':
        return {
          type: 'FilterBlock',
          ...this.#swapped('filter', this.filters(null, true), 'endfilter'),
        };
      case 'with':
        return this.#with();
      case 'print':
        return this.#print();
      case 'break':
        return { type: 'Break' };
      case 'continue':
        return { type: 'Continue' };
      case 'generation':
        return {
          type: 'CallBlock',
          call: null,
          args: [],
          defaults: [],
          body: this.#inside('endgeneration'),
        };
    }
    const wanted = ends.length ? `, where {% ${ends.join(' %} or {% ')} %} may stand` : '';
    return refuse(`Unknown tag: {% ${name} %}${wanted}`);
  }

  /** Makes a body and a part, which precedes it in the source but is visited after it. @param {string} key @param {any} part @param {string} end */
  #swapped(key, part, end) {
    return { body: this.#inside(end), [key]: part };
  }

  /** Parses the statements up to a tag and the tag itself. @param {string[]} ends */
  #inside(...ends) {
    this.skip(':');
    this.expect('block_end');
    const nodes = this.body(ends);
    if (ends.length === 1) this.next();
    return nodes;
  }

  /** @returns {Node} */
  #for() {
    const target = this.#target();
    this.expect('name', 'in');
    const iter = this.tuple(false);
    const test = this.skip('name', 'if') ? this.expression() : null;
    const recursive = this.skip('name', 'recursive');
    const body = this.#inside('endfor', 'else');
    const hasElse = this.next().value === 'else';
    return {
      type: 'For',
      target,
      iter,
      body,
      else_: hasElse ? this.#inside('endfor') : [],
      test,
      recursive,
    };
  }

  /** @returns {Node} */
  #if() {
    const test = this.tuple(false);
    const body = this.#inside('elif', 'else', 'endif');
    /** @type {Node[]} */
    const elif = [];
    for (;;) {
      const end = this.next().value;
      if (end === 'elif') {
        const another = this.tuple(false);
        elif.push({
          type: 'If',
          test: another,
          body: this.#inside('elif', 'else', 'endif'),
          elif: [],
          else_: [],
        });
      } else
        return { type: 'If', test, body, elif, else_: end === 'else' ? this.#inside('endif') : [] };
    }
  }

  /** @returns {Node} */
  #set() {
    const target = this.#target(true);
    if (this.skip('=')) return { type: 'Assign', target, node: this.tuple() };
    const filter = this.filters(null);
    return { type: 'AssignBlock', target, filter, body: this.#inside('endset') };
  }

  #signature() {
    /** @type {Node[]} */
    const args = [];
    /** @type {Node[]} */
    const defaults = [];
    this.expect('(');
    while (!this.is(')')) {
      if (args.length) this.expect(',');
      const name = this.#assignable(this.expect('name').value);
      args.push({ type: 'Name', name, ctx: 'param' });
      if (this.skip('=')) defaults.push(this.expression());
      else if (defaults.length) refuse('non-default argument follows default argument');
    }
    this.expect(')');
    return { args, defaults };
  }

  /** @returns {Node} */
  #macro() {
    const name = this.#assignable(this.expect('name').value);
    return { type: 'Macro', name, ...this.#signature(), body: this.#inside('endmacro') };
  }

  /** @returns {Node} */
  #call() {
    const signature = this.is('(') ? this.#signature() : { args: [], defaults: [] };
    const call = this.expression();
    if (call.type !== 'Call') refuse('expected call');
    return { type: 'CallBlock', call, ...signature, body: this.#inside('endcall') };
  }

  /** @returns {Node} */
  #with() {
    /** @type {Node[]} */
    const targets = [];
    /** @type {Node[]} */
    const values = [];
    while (!this.is('block_end')) {
      if (targets.length) this.expect(',');
      targets.push(this.#target(false, 'param'));
      this.expect('=');
      values.push(this.expression());
    }
    return { type: 'With', targets, values, body: this.#inside('endwith') };
  }

  /** @returns {Node} */
  #print() {
    /** @type {Node[]} */
    const nodes = [];
    while (!this.is('block_end')) {
      if (nodes.length) this.expect(',');
      nodes.push(this.expression());
    }
    return { type: 'Output', nodes };
  }

  /** @param {string} name */
  #assignable(name) {
    return CONSTANTS.has(name) ? refuse(`cannot assign to '${name}'`) : name;
  }

  /** Parses the target of an assignment. @param {boolean} [inNamespace] @param {string} [ctx] @returns {Node} */
  #target(inNamespace = false, ctx = 'store') {
    /** @type {Node[]} */
    const items = [];
    let isTuple = false;
    while (!this.is('block_end') && !this.is(')')) {
      items.push(this.#targetItem(inNamespace, ctx));
      if (!this.skip(',')) break;
      isTuple = true;
    }
    if (isTuple) return { type: 'Tuple', items, ctx };
    return items[0] ?? refuse(`Expected an expression, got ${this.shown()}`);
  }

  /** @param {boolean} inNamespace @param {string} ctx @returns {Node} */
  #targetItem(inNamespace, ctx) {
    if (this.skip('(')) {
      const target = this.#target(inNamespace, ctx);
      this.expect(')');
      return target;
    }
    const name = this.expect('name').value;
    if (inNamespace && this.skip('.'))
      return { type: 'NSRef', name, attr: this.expect('name').value };
    return { type: 'Name', name: this.#assignable(name), ctx };
  }
}

/** @param {string} source @returns {Node[]} */
export const parse = (source) => new Parser(source).body();
