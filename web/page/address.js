/**
 * The page's own instrument and its address: the state lives after the #, which no server sees, the
 * choice of model and view in the query. Discrete changes are places to go back to; while a knob
 * turns, the place is only rewritten. Where history is refused the state stays in memory.
 */
import { Rest } from '../base/rest.js';
import { keepInstrument } from './places.js';
import { formatHash, leftOut, parseHash, parseQuery, viewOf } from '../state/page-state.js';

/** How long changes rest before they are written, in ms. */
const WRITE_DELAY_MS = 250;

/** @param {import('./scope.js').LogitScope} scope */
export function followAddress(scope) {
  /** @type {import('../state/page-state.js').PageState | null} What a page without a hash began with. */
  let first = null;
  const rest = new Rest();
  let known = location.href;
  let discrete = false;
  /** While an address is being taken over, nothing is written. */
  let reading = 0;

  begin();

  /** What a load begins with. */
  function begin() {
    scope.address = { fragment: location.hash, dropped: parseQuery(location.search).dropped };
  }

  /**
   * The state as far as a link can say it: the ids of a reader's own file mean nothing elsewhere.
   * @returns {import('../state/page-state.js').PageState}
   */
  function linkable() {
    const { state } = scope;
    if (scope.source !== null) return state;
    const { logit_bias: _, ...settings } = state.settings;
    return { ...state, settings, branch: [] };
  }

  function written(state = linkable()) {
    const address = new URL(location.href);
    if (scope.source === null) address.searchParams.delete('model');
    else address.searchParams.set('model', scope.source);
    if (scope.source === null || scope.context === null) address.searchParams.delete('context');
    else address.searchParams.set('context', String(scope.context));
    // A state without a view is the bench's.
    if (scope.view === 'bench') address.searchParams.delete('view');
    else address.searchParams.set('view', scope.view);
    address.hash = formatHash(state, scope.table);
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
    rest.after(WRITE_DELAY_MS, write);
  }

  async function read() {
    if (location.href === known) return;
    if (!first) return begin();
    known = location.href;
    rest.stop();
    reading++;
    try {
      const { hash, search } = location;
      const { asked, dropped } = parseQuery(search);
      const { context = null } = asked;
      const view = viewOf(asked, hash);
      const model = asked.model ?? scope.source;
      if (model && (model !== scope.source || context !== scope.context))
        await scope.open(model, context);
      const parsed =
        hash.length < 2
          ? { state: first, dropped: [] }
          : parseHash(hash, scope.table, scope.info?.vocab_size);
      const state = scope.acceptParsed({ ...parsed, dropped: [...dropped, ...parsed.dropped] });
      if (state) await scope.restore({ ...scope.unnamed, ...state, view });
      else scope.view = view;
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
  // What was changed just before is not written yet.
  addEventListener('pagehide', () => keepInstrument(first ? written() : location.href));
  addEventListener('popstate', read);
  addEventListener('hashchange', read);
  return {
    /** The page's address for others: where in the look around one is says nothing to them. */
    get href() {
      if (!first) return location.href;
      const { beat: _, ...state } = linkable();
      return written(state);
    },
    /** What of the state no link can say, by the names of the list. */
    get left() {
      return first
        ? [...(scope.source === null ? ['model'] : []), ...leftOut(scope.state, scope.table)]
        : [];
    },
  };
}
