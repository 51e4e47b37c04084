/**
 * Renders the syntax tree of a template. `scopes.js` gives each name a place, the key of a variable.
 * A `Frame` stores the values of places; each call of a macro or of a recursive loop gets a new
 * frame.
 */
import { getAttribute, getItem, getSlice } from './attributes.js';
import { refuse } from './fault.js';
import { runFilter } from './filters.js';
import { cycle, globals } from './globals.js';
import { COMPARE, negate, operate } from './operators.js';
import { parse } from './parser.js';
import { settleTemplate } from './scopes.js';
import { runTest } from './tests.js';
import { Str, concat, str } from './text.js';
import {
  Dict,
  Func,
  Iter,
  Namespace,
  Thing,
  Tuple,
  Undefined,
  equal,
  lengthOf,
  listOf,
  needDefined,
  needIterator,
  text,
  isTrue,
  typeName,
} from './values.js';

/** @import { Value, Named } from './values.js' */
/** @import { Node } from './parser.js' */
/** @import { Scope } from './scopes.js' */
/** The statement that ended a body early; undefined if the body ran to its end. @typedef {'break' | 'continue' | undefined} Ended */

/** The values of places. A place that this frame does not have is looked up in the outer frame. */
class Frame {
  /** @type {Map<string, Value>} */
  #values = new Map();

  /** @param {Frame | null} outer */
  constructor(outer) {
    this.outer = outer;
  }

  /** The value of a place; JavaScript's undefined if it has none. @param {string} place @returns {Value} */
  get(place) {
    return this.#values.has(place) ? this.#values.get(place) : this.outer?.get(place);
  }

  /** @param {string} place @param {Value} value */
  set(place, value) {
    this.#values.set(place, value);
  }
}

/** Maximum number of nested calls of macros and recursive loops; Python's limit is a little lower. */
const CALLS_MAX = 256;

/** Marks the end of a loop's items. */
const END = Symbol('end');

/** The variable `loop`. It reads one item ahead only if the template asks for `last` or `nextitem`. */
class Loop extends Thing {
  kind = 'LoopContext';
  /** @type {Value} */
  #after = undefined;
  /** @type {Value} */
  #before = undefined;
  /** @type {Value} */
  #current = undefined;
  /** @type {number | null} */
  #length = null;
  #index0 = -1;
  /** @type {Value[] | null} */
  #changed = null;

  /** @param {Value} all @param {number} depth @param {((all: Value, depth: number) => Str) | null} again */
  constructor(all, depth, again) {
    super();
    this.all = all;
    this.rest = needIterator(all);
    this.depth = depth;
    this.again = again;
    const int = (/** @type {() => number} */ n) => () => BigInt(n());
    this.attributes = new Map(
      Object.entries({
        index: int(() => this.#index0 + 1),
        index0: int(() => this.#index0),
        length: int(() => this.length),
        revindex: int(() => this.length - this.#index0),
        revindex0: int(() => this.length - this.#index0 - 1),
        first: () => this.#index0 === 0,
        last: () => this.#peek() === END,
        depth: int(() => depth + 1),
        depth0: int(() => depth),
        previtem: () =>
          this.#index0 === 0 ? new Undefined('there is no previous item') : this.#before,
        nextitem: () => {
          const next = this.#peek();
          return next === END ? new Undefined('there is no next item') : next;
        },
        cycle: () => new Func('cycle', (args) => cycle(args, this.#index0)),
        changed: () => new Func('changed', (args) => this.#hasChanged(args)),
      }),
    );
  }

  #pull() {
    const step = this.rest.next();
    return step.done ? END : step.value;
  }

  #peek() {
    if (this.#after === undefined) this.#after = this.#pull();
    return this.#after;
  }

  /** The next item, or END. @returns {Value} */
  advance() {
    const next = this.#peek();
    this.#after = undefined;
    if (next === END) return END;
    this.#index0++;
    this.#before = this.#current;
    this.#current = next;
    return next;
  }

  get length() {
    if (this.#length !== null) return this.#length;
    let length = lengthOf(this.all);
    if (length === null) {
      const left = [];
      for (let next = this.#pull(); next !== END; next = this.#pull()) left.push(next);
      this.rest = left.values();
      const isAhead = this.#after !== undefined && this.#after !== END;
      length = left.length + this.#index0 + 1 + (isAhead ? 1 : 0);
    }
    this.#length = length;
    return length;
  }

  /** @param {Value[]} args */
  #hasChanged(args) {
    const isSame = this.#changed !== null && equal(this.#changed, args);
    if (!isSame) this.#changed = args;
    return !isSame;
  }
}

/** A macro as a function, with the facts about its parameters. */
class Macro extends Func {
  /** @param {Node} node @param {(args: Value[], named: Named) => Value} call */
  constructor(node, call) {
    const { reads } = node;
    super(node.name ?? 'caller', call, {
      name: node.name === undefined ? null : str(node.name),
      arguments: new Tuple(node.args.map((/** @type {Node} */ arg) => str(arg.name))),
      catch_kwargs: reads.has('kwargs'),
      catch_varargs: reads.has('varargs'),
      caller: reads.has('caller'),
    });
  }
}

export class Interpreter {
  /** @type {Map<string, Value>} */
  #context;
  #calls = 0;

  /** @param {Map<string, Value>} context the template's input variables */
  constructor(context) {
    this.#context = new Map([...globals(), ...context]);
  }

  /** @param {string} template @returns {Str} */
  render(template) {
    const nodes = parse(template);
    const scope = settleTemplate(nodes);
    const frame = new Frame(null);
    /** @type {Str[]} */
    const out = [];
    this.#enter(scope, frame);
    this.#run(nodes, scope, frame, out);
    return concat(out);
  }

  /** Runs a body one level deeper; refuses more than CALLS_MAX levels. @template T @param {() => T} body @returns {T} */
  #deeper(body) {
    if (++this.#calls > CALLS_MAX) refuse(`macros call each other more than ${CALLS_MAX} deep`);
    const result = body();
    this.#calls--;
    return result;
  }

  /** Sets the initial values of a scope's names. @param {Scope} scope @param {Frame} frame */
  #enter(scope, frame) {
    for (const [place, load] of scope.names.loads) {
      if (load.from === 'context') frame.set(place, this.#context.get(load.name));
      else if (load.from === 'alias') frame.set(place, frame.get(load.place));
      else if (load.from === 'none') frame.set(place, undefined);
    }
  }

  /**
   * Clears the values of a scope's names, for example at the end of a loop.
   * @param {Scope} scope
   * @param {Frame} frame
   */
  #leave(scope, frame) {
    for (const place of scope.names.loads.keys()) frame.set(place, undefined);
  }

  /** @param {Node[]} nodes @param {Scope} scope @param {Frame} frame @param {Str[]} out @returns {Ended} */
  #run(nodes, scope, frame, out) {
    for (const node of nodes) {
      const ended = this.#statement(node, scope, frame, out);
      if (ended) return ended;
    }
    return undefined;
  }

  /** @param {Node} node @param {Scope} scope @param {Frame} frame @param {Str[]} out @returns {Ended} */
  #statement(node, scope, frame, out) {
    switch (node.type) {
      case 'Data':
        out.push(node.text);
        return undefined;
      case 'Output':
        for (const each of node.nodes) out.push(text(this.#value(each, scope, frame)));
        return undefined;
      case 'If':
        return this.#if(node, scope, frame, out);
      case 'For':
        return this.#for(node, scope, frame, out);
      case 'Assign':
        this.#assign(node.target, this.#value(node.node, scope, frame), scope, frame);
        return undefined;
      case 'AssignBlock':
      case 'FilterBlock':
        return this.#captured(node, scope, frame, out);
      case 'With':
        return this.#with(node, scope, frame, out);
      case 'Macro':
        frame.set(scope.place(node.name), this.#macro(node, frame));
        return undefined;
      case 'CallBlock':
        out.push(text(this.#callBlock(node, scope, frame)));
        return undefined;
      case 'Break':
        return 'break';
      default:
        return 'continue';
    }
  }

  /** @param {Node} node @param {Scope} scope @param {Frame} frame @param {Str[]} out @returns {Ended} */
  #if(node, scope, frame, out) {
    for (const { test, body } of [node, ...node.elif])
      if (isTrue(this.#value(test, scope, frame))) return this.#run(body, scope, frame, out);
    return this.#run(node.else_, scope, frame, out);
  }

  /** @param {Node} node @param {Scope} scope @param {Frame} frame @param {Str[]} out @returns {Ended} */
  #for(node, scope, frame, out) {
    if (!node.recursive) {
      const all = this.#value(node.iter, scope, frame);
      return this.#loop(node, new Loop(this.#tested(node, all, frame), 0, null), frame, out);
    }
    const again = (/** @type {Value} */ all, /** @type {number} */ depth) => {
      /** @type {Str[]} */
      const inside = [];
      const own = new Frame(frame);
      this.#deeper(() =>
        this.#loop(node, new Loop(this.#tested(node, all, own), depth, again), own, inside),
      );
      return concat(inside);
    };
    out.push(again(this.#value(node.iter, scope, frame), 0));
    return undefined;
  }

  /** The items that pass the `if` of a loop. @param {Node} node @param {Value} all @param {Frame} frame */
  #tested(node, all, frame) {
    return node.test ? new Iter(this.#itemsThatPass(node, all, frame)) : all;
  }

  /** @param {Node} node @param {Value} all @param {Frame} outer @returns {Generator<Value>} */
  *#itemsThatPass(node, all, outer) {
    const frame = new Frame(outer);
    this.#enter(node.testScope, frame);
    const each = needIterator(all);
    for (let step = each.next(); !step.done; step = each.next()) {
      this.#assign(node.target, step.value, node.testScope, frame);
      if (isTrue(this.#value(node.test, node.testScope, frame)))
        yield this.#assigned(node.target, node.testScope, frame);
    }
  }

  /**
   * Returns the value just assigned to a target; a tuple if the target has several names.
   * @param {Node} target
   * @param {Scope} scope
   * @param {Frame} frame
   * @returns {Value}
   */
  #assigned(target, scope, frame) {
    if (target.type === 'Name') return frame.get(scope.place(target.name));
    return new Tuple(
      target.items.map((/** @type {Node} */ item) => this.#assigned(item, scope, frame)),
    );
  }

  /** @param {Node} node @param {Loop} loop @param {Frame} frame @param {Str[]} out @returns {Ended} */
  #loop(node, loop, frame, out) {
    let isEmpty = true;
    for (let item = loop.advance(); item !== END; item = loop.advance()) {
      this.#assign(node.target, item, node.scope, frame);
      frame.set(node.loop, loop);
      this.#enter(node.scope, frame);
      const ended = this.#run(node.body, node.scope, frame, out);
      if (ended === 'break') break;
      // `else` runs unless an iteration has reached the end of the body.
      if (ended !== 'continue') isEmpty = false;
    }
    if (!node.recursive || node.else_.length) this.#leave(node.scope, frame);
    if (!isEmpty || !node.else_.length) return undefined;
    this.#enter(node.elseScope, frame);
    const ended = this.#run(node.else_, node.elseScope, frame, out);
    if (!ended) this.#leave(node.elseScope, frame);
    return ended;
  }

  /** Runs a block and uses its text: a filter prints it, a `set` assigns it. @param {Node} node @param {Scope} scope @param {Frame} frame @param {Str[]} out @returns {Ended} */
  #captured(node, scope, frame, out) {
    /** @type {Str[]} */
    const inside = [];
    this.#enter(node.scope, frame);
    const ended = this.#run(node.body, node.scope, frame, inside);
    if (ended) return ended;
    const whole = concat(inside);
    const value = node.filter ? this.#filter(node.filter, node.scope, frame, whole) : whole;
    if (node.type === 'FilterBlock') out.push(text(value));
    else this.#assign(node.target, value, scope, frame);
    this.#leave(node.scope, frame);
    return undefined;
  }

  /** @param {Node} node @param {Scope} scope @param {Frame} frame @param {Str[]} out @returns {Ended} */
  #with(node, scope, frame, out) {
    this.#enter(node.scope, frame);
    for (const [i, target] of node.targets.entries())
      this.#assign(target, this.#value(node.values[i], scope, frame), node.scope, frame);
    const ended = this.#run(node.body, node.scope, frame, out);
    if (!ended) this.#leave(node.scope, frame);
    return ended;
  }

  /** @param {Node} target @param {Value} value @param {Scope} scope @param {Frame} frame @returns {void} */
  #assign(target, value, scope, frame) {
    if (target.type === 'Name') return frame.set(scope.place(target.name), value);
    if (target.type === 'NSRef') {
      const space = frame.get(scope.place(target.name));
      if (!(space instanceof Namespace)) refuse('cannot assign attribute on non-namespace object');
      return space.values.set(str(target.attr), value);
    }
    const values = listOf(value);
    if (values.length !== target.items.length)
      refuse(`cannot unpack ${values.length} values into ${target.items.length}`);
    for (const [i, item] of target.items.entries()) this.#assign(item, values[i], scope, frame);
  }

  /** Binds the arguments of a call to a macro's parameters, as Jinja's runtime does. @param {Node} node @param {Value[]} args @param {Named} given */
  #parameters(node, args, given) {
    /** @type {string[]} */
    const names = node.args.map((/** @type {Node} */ arg) => arg.name);
    const named = new Map(given);
    /** @type {Map<string, Value>} */
    const values = new Map();
    const title = node.name === undefined ? 'None' : `'${node.name}'`;
    for (const [i, name] of names.entries()) {
      if (i < args.length) values.set(name, args[i]);
      else if (named.has(name)) {
        values.set(name, named.get(name));
        named.delete(name);
      }
    }
    const found = names.includes('caller');
    if (node.reads.has('caller') && !found) {
      values.set('caller', named.get('caller') ?? new Undefined('No caller defined'));
      named.delete('caller');
    }
    if (node.reads.has('kwargs'))
      values.set('kwargs', new Dict([...named].map(([key, value]) => [str(key), value])));
    else if (named.size)
      refuse(`macro ${title} takes no keyword argument '${named.keys().next().value}'`);
    if (node.reads.has('varargs')) values.set('varargs', new Tuple(args.slice(names.length)));
    else if (args.length > names.length)
      refuse(`macro ${title} takes not more than ${names.length} argument(s)`);
    return values;
  }

  /** @param {Node} node @param {Frame} outer */
  #macro(node, outer) {
    return new Macro(node, (args, named) => {
      const frame = new Frame(outer);
      const { scope } = node;
      const values = this.#parameters(node, args, named);
      for (const [name, value] of values) frame.set(scope.place(name), value);
      const required = node.args.length - node.defaults.length;
      const missing = node.args.filter((/** @type {Node} */ { name }) => !values.has(name));
      for (const { name } of missing) frame.set(scope.place(name), undefined);
      this.#enter(scope, frame);
      for (const [i, { name }] of node.args.entries()) {
        if (values.has(name)) continue;
        const value =
          i < required
            ? new Undefined(`parameter '${name}' was not provided`)
            : this.#value(node.defaults[i - required], scope, frame);
        frame.set(scope.place(name), value);
      }
      /** @type {Str[]} */
      const out = [];
      this.#deeper(() => this.#run(node.body, scope, frame, out));
      return concat(out);
    });
  }

  /** @param {Node} node @param {Scope} scope @param {Frame} frame */
  #callBlock(node, scope, frame) {
    const caller = this.#macro(node, frame);
    if (!node.call) return caller.call([], new Map());
    const callee = this.#value(node.call.node, scope, frame);
    const { args, named } = this.#arguments(node.call, scope, frame);
    if (named.has('caller')) refuse("multiple values for keyword argument 'caller'");
    return this.#call(callee, args, new Map([...named, ['caller', caller]]));
  }

  /** @param {Value} callee @param {Value[]} args @param {Named} named @returns {Value} */
  #call(callee, args, named) {
    needDefined(callee);
    if (callee instanceof Func) return callee.call(args, named);
    if (callee instanceof Loop) {
      if (!callee.again)
        return refuse("The loop must have the 'recursive' marker to be called recursively.");
      if (args.length !== 1 || named.size) refuse('loop takes one argument');
      return callee.again(args[0], callee.depth + 1);
    }
    return refuse(`'${typeName(callee)}' object is not callable`);
  }

  /** @param {Node} node @param {Scope} scope @param {Frame} frame */
  #arguments(node, scope, frame) {
    const args = node.args.map((/** @type {Node} */ each) => this.#value(each, scope, frame));
    /** @type {Named} */
    const named = new Map();
    if (node.dynArgs) args.push(...listOf(this.#value(node.dynArgs, scope, frame)));
    const name = (/** @type {string} */ key, /** @type {Value} */ value) => {
      if (named.has(key)) refuse(`multiple values for keyword argument '${key}'`);
      named.set(key, value);
    };
    for (const { key, value } of node.kwargs) name(key, this.#value(value, scope, frame));
    if (node.dynKwargs) {
      const all = this.#value(node.dynKwargs, scope, frame);
      if (!(all instanceof Dict)) return refuse('what stands behind ** must be a mapping');
      for (const [key, value] of all.entries())
        name(key instanceof Str ? key.text : refuse('keywords must be strings'), value);
    }
    return { args, named };
  }

  /** @param {Node} node @param {Scope} scope @param {Frame} frame @param {Str | null} [block] the block's text, if the filter applies to a block @returns {Value} */
  #filter(node, scope, frame, block = null) {
    const value = node.node ? this.#filterable(node.node, scope, frame, block) : block;
    const { args, named } = this.#arguments(node, scope, frame);
    return runFilter(node.name, [value, ...args], named);
  }

  /** @param {Node} node @param {Scope} scope @param {Frame} frame @param {Str | null} block */
  #filterable(node, scope, frame, block) {
    return node.type === 'Filter'
      ? this.#filter(node, scope, frame, block)
      : this.#value(node, scope, frame);
  }

  /** @param {Node} node @param {Scope} scope @param {Frame} frame @returns {Value} */
  #value(node, scope, frame) {
    const value = (/** @type {Node} */ part) => this.#value(part, scope, frame);
    switch (node.type) {
      case 'Const':
        return node.value;
      case 'Name': {
        const found = frame.get(scope.place(node.name));
        return found === undefined ? new Undefined(`'${node.name}' is undefined`) : found;
      }
      case 'Getattr':
        return getAttribute(value(node.node), node.attr);
      case 'Getitem':
        return this.#item(node, scope, frame);
      case 'Call': {
        const callee = value(node.node);
        const { args, named } = this.#arguments(node, scope, frame);
        return this.#call(callee, args, named);
      }
      case 'Filter':
        return this.#filter(node, scope, frame);
      case 'Test': {
        const tested = value(node.node);
        const { args, named } = this.#arguments(node, scope, frame);
        return runTest(node.name, [tested, ...args], named);
      }
      case 'And': {
        const left = value(node.left);
        return isTrue(left) ? value(node.right) : left;
      }
      case 'Or': {
        const left = value(node.left);
        return isTrue(left) ? left : value(node.right);
      }
      case 'Not':
        return !isTrue(value(node.node));
      case 'CondExpr':
        if (isTrue(value(node.test))) return value(node.expr1);
        return node.expr2
          ? value(node.expr2)
          : new Undefined('the inline if-expression evaluated to false and has no else');
      case 'Compare':
        return this.#compare(node, scope, frame);
      case 'Concat':
        return concat(node.nodes.map((/** @type {Node} */ each) => text(value(each))));
      case 'Binary':
        return operate(node.op, value(node.left), value(node.right));
      case 'Unary':
        return negate(node.op, value(node.node));
      case 'List':
        return node.items.map(value);
      case 'Tuple':
        return new Tuple(node.items.map(value));
      default:
        return new Dict(
          node.items.map((/** @type {Node} */ pair) => [value(pair.key), value(pair.value)]),
        );
    }
  }

  /** @param {Node} node @param {Scope} scope @param {Frame} frame */
  #item({ node, arg }, scope, frame) {
    const of = this.#value(node, scope, frame);
    if (arg.type !== 'Slice') return getItem(of, this.#value(arg, scope, frame));
    const bound = (/** @type {Node | null} */ part) =>
      part ? this.#value(part, scope, frame) : null;
    return getSlice(of, bound(arg.start), bound(arg.stop), bound(arg.step));
  }

  /** @param {Node} node @param {Scope} scope @param {Frame} frame */
  #compare(node, scope, frame) {
    let left = this.#value(node.expr, scope, frame);
    for (const { op, expr } of node.ops) {
      const right = this.#value(expr, scope, frame);
      if (!COMPARE[op](left, right)) return false;
      left = right;
    }
    return true;
  }
}
