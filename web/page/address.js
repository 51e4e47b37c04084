/**
 * The page's own instrument and its address: the state lives after the #, which no server sees, the
 * choice of model and view in the query. Discrete changes are places to go back to; while a knob
 * turns, the place is only rewritten. Where history is refused the state stays in memory.
 */
import { Rest } from '../base/rest.js';
import { formatHash, parseHash } from '../state/page-state.js';

/** How long changes rest before they are written, in ms. */
const REST = 250;

/** @param {import('./scope.js').LogitScope} scope */
export function followAddress(scope) {
  /** @type {import('../state/page-state.js').PageState | null} What a page without a hash began with. */
  let first = null;
  const rest = new Rest();
  let known = location.href;
  let discrete = false;
  /** While an address is being taken over, nothing is written. */
  let reading = 0;

  const attributes = scope.begin;
  scope.begin = (table, info) => {
    if (location.hash.length < 2) return attributes(table, info);
    return scope.heed(parseHash(location.hash, table, info?.vocab_size));
  };

  function written() {
    const address = new URL(location.href);
    if (scope.source) address.searchParams.set('model', scope.source);
    if (scope.view !== 'bench' || address.searchParams.has('view'))
      address.searchParams.set('view', scope.view);
    address.hash = formatHash(scope.state, scope.table);
    return address.href;
  }

  function write() {
    if (reading > 0 || scope.moving.running) return later(false);
    const href = written();
    if (href === known) return;
    try {
      if (discrete) history.pushState(null, '', href);
      else history.replaceState(null, '', href);
    } catch {
      // a sandboxed frame or a file: the state stays in memory
    }
    known = href;
    discrete = false;
  }

  /** @param {boolean} place whether the change is one to come back to */
  function later(place) {
    discrete ||= place;
    rest.after(REST, write);
  }

  async function read() {
    if (location.href === known) return;
    known = location.href;
    rest.stop();
    reading++;
    try {
      const query = new URLSearchParams(location.search);
      const model = query.get('model');
      if (model && model !== scope.source) await scope.open(model);
      scope.view = query.get('view') ?? 'bench';
      const empty = location.hash.length < 2;
      const state = empty
        ? first
        : scope.heed(parseHash(location.hash, scope.table, scope.info?.vocab_size));
      if (state) await scope.restore(state);
    } finally {
      reading--;
      discrete = false;
      rest.stop();
    }
  }

  scope.addEventListener('logit-ready', () => {
    if (first) return later(true);
    first = { ...scope.state, branch: [] };
    known = location.href;
  });
  scope.addEventListener('logit-change', () => first && later(!scope.moving.direct));
  scope.addEventListener('logit-step', () => first && later(true));
  scope.addEventListener('logit-show', () => first && later(true));
  addEventListener('popstate', read);
  addEventListener('hashchange', read);
  return { get href() {
    return first ? written() : location.href;
  } };
}
