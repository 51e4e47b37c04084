/**
 * Gives each name of a template a place (the key of a variable), by the rules of Jinja's compiler.
 * The whole body of a scope decides which variable a name means. So a name may have no value before
 * its `set`, even if an outer scope has a variable of that name.
 */
import { refuse } from './fault.js';
import { isFilter } from './filters.js';
import { isTest } from './tests.js';

/** @import { Node } from './parser.js' */
/** The source of a name's initial value: a parameter, the context, an outer variable, or none. @typedef {{ from: 'parameter' | 'context' | 'none' } | { from: 'alias', place: string }} Load */

/** The names of one scope. */
class Names {
  /** The place of each name. @type {Map<string, string>} */
  places = new Map();
  /** @type {Map<string, Load & { name: string }>} */
  loads = new Map();
  /** @type {Set<string>} */
  assigns = new Set();

  /** @param {Names | null} parent @param {number} level */
  constructor(parent, level) {
    this.parent = parent;
    this.level = level;
  }

  copy() {
    const copy = new Names(this.parent, this.level);
    copy.places = new Map(this.places);
    copy.loads = new Map(this.loads);
    copy.assigns = new Set(this.assigns);
    return copy;
  }

  /** @param {string} name @returns {string | undefined} */
  find(name) {
    return this.places.get(name) ?? this.parent?.find(name);
  }

  /** @param {string} name @param {Load} load */
  #define(name, load) {
    const place = `${this.level} ${name}`;
    this.places.set(name, place);
    this.loads.set(place, { ...load, name });
    return place;
  }

  /** @param {string} name */
  store(name) {
    this.assigns.add(name);
    if (this.places.has(name)) return;
    const outer = this.parent?.find(name);
    this.#define(name, outer === undefined ? { from: 'none' } : { from: 'alias', place: outer });
  }

  /** @param {string} name */
  parameter(name) {
    this.assigns.add(name);
    return this.#define(name, { from: 'parameter' });
  }

  /** @param {string} name */
  load(name) {
    if (this.find(name) === undefined) this.#define(name, { from: 'context' });
  }

  /** Merges the names of the branches of an `if`, of which at most one runs. @param {Names[]} branches */
  merge(branches) {
    const before = new Set(this.assigns);
    for (const branch of branches) {
      for (const [name, place] of branch.places) this.places.set(name, place);
      for (const [place, load] of branch.loads) this.loads.set(place, load);
      for (const name of branch.assigns) this.assigns.add(name);
    }
    for (const name of this.assigns) {
      if (before.has(name)) continue;
      const outer = this.parent?.find(name);
      const place = /** @type {string} */ (this.find(name));
      const load = outer === undefined ? 'context' : 'alias';
      this.loads.set(place, /** @type {any} */ ({ from: load, place: outer, name }));
    }
  }
}

/** A scope. It maps its names and the names of outer scopes to places. */
export class Scope {
  /** @type {Names} */
  names;

  /** @param {Scope | null} parent */
  constructor(parent) {
    const outer = parent?.names ?? null;
    this.names = new Names(outer, outer ? outer.level + 1 : 0);
  }

  /** @param {string} name @returns {string} */
  place(name) {
    return this.names.find(name) ?? refuse(`the name '${name}' has no place`);
  }
}

/** The parts of a node in the order of visits. @param {Node} node @returns {Node[]} */
const partsOf = (node) =>
  Object.values(node)
    .flat()
    .filter((part) => part !== null && typeof part === 'object' && 'type' in part);

/**
 * Adds the names of a node to a scope, except names in a body with its own scope.
 * @param {Node} node
 * @param {Names} names
 * @returns {void}
 */
function addNames(node, names, asParameter = false) {
  const all = (/** @type {Node[]} */ nodes) => {
    for (const each of nodes) addNames(each, names, asParameter);
  };
  switch (node.type) {
    case 'Name':
      if (asParameter || node.ctx === 'param') names.parameter(node.name);
      else if (node.ctx === 'store') names.store(node.name);
      else names.load(node.name);
      return;
    case 'NSRef':
      return names.load(node.name);
    case 'If': {
      addNames(node.test, names);
      const branches = [node.body, node.elif, node.else_].map((body) => {
        const branch = names.copy();
        for (const each of body) addNames(each, branch);
        return branch;
      });
      return names.merge(branches);
    }
    case 'Macro':
      return names.store(node.name);
    case 'Assign':
      return all([node.node, node.target]);
    case 'For':
      return addNames(node.iter, names);
    case 'CallBlock':
      return node.call ? addNames(node.call, names) : undefined;
    case 'FilterBlock':
      return addNames(node.filter, names);
    case 'With':
      return all(node.values);
    case 'AssignBlock':
      return addNames(node.target, names);
    default:
      return all(partsOf(node));
  }
}

/** The names in `wanted` that the nodes read before they set them. @param {Node[]} nodes @param {string[]} wanted */
function namesReadFirst(nodes, wanted) {
  const left = new Set(wanted);
  /** @type {Set<string>} */
  const found = new Set();
  const look = (/** @type {Node} */ node) => {
    if (node.type === 'Name') {
      if (node.ctx === 'load' && left.has(node.name)) found.add(node.name);
      else left.delete(node.name);
    }
    for (const part of partsOf(node)) look(part);
  };
  for (const node of nodes) look(node);
  return found;
}

/** True if a node assigns to a name. @param {Node} node @param {string} name @returns {boolean} */
const stores = (node, name) =>
  (node.type === 'Name' && node.ctx === 'store' && node.name === name) ||
  partsOf(node).some((part) => stores(part, name));

/**
 * Refuses a filter or test that Jinja does not have. Inside an `if`, Jinja reports an unknown one
 * only when it runs.
 * @param {Node} node
 * @param {boolean} late
 */
function checkNames(node, late) {
  const isUnknown =
    (node.type === 'Filter' && !isFilter(node.name)) ||
    (node.type === 'Test' && !isTest(node.name));
  if (isUnknown && !late) refuse(`Unknown ${node.type.toLowerCase()}: ${node.name}`);
  for (const part of partsOf(node)) checkNames(part, late || node.type === 'CondExpr');
}

/** @typedef {{ scope: Scope, late: boolean, loop: boolean }} Place the surroundings of a statement: its scope; `late`: true inside an `if`; `loop`: true in a loop of the same function */

/** Gives a macro or the body of a `call` its scope. @param {Node} node @param {Scope} outer */
function giveMacroScope(node, outer) {
  const scope = new Scope(outer);
  const { names } = scope;
  for (const each of [...node.args, ...node.defaults, ...node.body]) addNames(each, names);
  const read = namesReadFirst(node.body, ['caller', 'kwargs', 'varargs']);
  const own = node.args.map((/** @type {Node} */ arg) => arg.name);
  const caller = own.indexOf('caller');
  if (read.has('caller') && caller >= 0 && caller - own.length + node.defaults.length < 0)
    refuse('the special "caller" argument must be omitted or be given a default');
  if (new Set(own).size < own.length) refuse('a macro has two arguments of one name');
  node.reads = read;
  if (read.has('caller') && caller < 0) names.parameter('caller');
  for (const name of ['kwargs', 'varargs']) {
    if (!read.has(name)) continue;
    if (own.includes(name)) read.delete(name);
    else names.parameter(name);
  }
  node.scope = scope;
  for (const each of node.defaults) checkNames(each, false);
  giveScopes(node.body, { scope, late: false, loop: false });
}

/** @param {Node} node @param {Scope} outer */
function giveLoopScopes(node, outer) {
  if (stores(node, 'loop')) refuse("Can't assign to special loop variable in for-loop target");
  node.scope = new Scope(outer);
  node.loop = node.scope.names.parameter('loop');
  addNames(node.target, node.scope.names, true);
  for (const each of node.body) addNames(each, node.scope.names);
  node.elseScope = new Scope(outer);
  for (const each of node.else_) addNames(each, node.elseScope.names);
  node.testScope = new Scope(outer);
  addNames(node.target, node.testScope.names, true);
  if (node.test) addNames(node.test, node.testScope.names);
}

/** Gives the branches of a condition their scopes. @param {Node} node @param {Place} place */
function giveBranchScopes(node, { scope, loop }) {
  for (const { test } of [node, ...node.elif]) checkNames(test, true);
  const others = node.elif.map((/** @type {Node} */ branch) => branch.body);
  for (const body of [node.body, ...others, node.else_])
    giveScopes(body, { scope, late: true, loop });
}

/** Gives each statement that has a body a scope. @param {Node[]} nodes @param {Place} place */
function giveScopes(nodes, place) {
  const { scope, late, loop } = place;
  /** @param {Node} node @param {Node[]} parts parts in the new scope, in the order of visits */
  const inner = (node, parts) => {
    node.scope = new Scope(scope);
    for (const each of parts) addNames(each, node.scope.names);
    giveScopes(node.body, { scope: node.scope, late: false, loop });
  };
  for (const node of nodes) {
    const check = (/** @type {(Node | null)[]} */ ...parts) => {
      for (const part of parts) if (part) checkNames(part, late);
    };
    switch (node.type) {
      case 'If':
        giveBranchScopes(node, place);
        break;
      case 'For':
        giveLoopScopes(node, scope);
        check(node.iter);
        if (node.test) checkNames(node.test, false);
        giveScopes(node.body, { scope: node.scope, late: false, loop: true });
        // A recursive loop is compiled to a function, which contains the `else` branch.
        giveScopes(node.else_, {
          scope: node.elseScope,
          late: false,
          loop: loop && !node.recursive,
        });
        break;
      case 'Macro':
        giveMacroScope(node, scope);
        break;
      case 'CallBlock':
        check(node.call);
        giveMacroScope(node, scope);
        break;
      case 'FilterBlock':
        inner(node, [...node.body, node.filter]);
        checkNames(node.filter, false);
        break;
      case 'AssignBlock':
        inner(node, node.body);
        if (node.filter) checkNames(node.filter, false);
        break;
      case 'With':
        check(...node.values);
        inner(node, [...node.targets, ...node.body]);
        break;
      case 'Break':
      case 'Continue':
        if (!loop) refuse(`{% ${node.type.toLowerCase()} %} stands outside a loop`);
        break;
      default:
        check(node);
    }
  }
}

/** Gives all nodes of a template their scopes; returns the outermost scope. @param {Node[]} nodes */
export function settleTemplate(nodes) {
  const scope = new Scope(null);
  for (const node of nodes) addNames(node, scope.names);
  giveScopes(nodes, { scope, late: false, loop: false });
  return scope;
}
