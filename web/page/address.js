/**
 * The page's own instrument and its address: the state lives after the #, which no server sees, the
 * choice of model and view in the query. Discrete changes are places to go back to; while a knob
 * turns, the place is only rewritten. Where history is refused the state stays in memory. An entry of
 * the history also says what visit.js keeps beside its address.
 */
import { Debounce } from '../base/debounce.js';
import { t } from '../locale/locale.js';
import { sameValue } from '../state/fields.js';
import { MODELS } from '../state/models.js';
import { formatHash, leftOut, parseHash, parseQuery, viewOf } from '../state/page-state.js';
import { keepInstrument, recallInstrument } from './site-links.js';

/** How long changes rest before they are written, in ms. */
const WRITE_DELAY_MS = 250;

/** @param {import('./scope.js').LogitScope} scope */
export function followAddress(scope) {
  /** @type {import('../state/page-state.js').PageState | null} What a page without a hash began with. */
  let first = null;
  const debounce = new Debounce();
  let known = location.href;
  /** The address of the state that was written last, or read. */
  let reached = '';
  /** What the entry holds, as it was written. @type {import('./visit.js').Place | null} */
  let place = placeHere();
  let discrete = false;
  /** Whether changes wait to be written. */
  let waiting = false;
  /** Whether the entry is that of a run, pushed with its first token and rewritten at its end. */
  let ofRun = false;
  /** Whether it was said that there is no room. */
  let said = false;
  /** While an address is being taken over, nothing is written. */
  let reading = 0;

  /** @type {typeof import('./visit.js') | null} */
  let visit = null;
  /** @type {Promise<unknown> | null} */
  let fetching = null;

  takeUnwritten();
  begin();

  /** Fetches visit.js, which keeps state beside the address; nothing fetches it before it is needed. */
  function fetchVisit() {
    fetching ??= import('./visit.js').then((module) => (visit = module));
    return fetching;
  }

  /** What the entry of the history holds; null for an address that somebody wrote. @returns {import('./visit.js').Place | null} */
  function placeHere() {
    return history.state?.logitscope ?? null;
  }

  /** What a load begins with. */
  function begin() {
    const coming = place && fetchVisit().catch(() => {}); // then the address alone says what shows
    scope.missing = place?.file ?? null;
    scope.address = {
      fragment: location.hash,
      dropped: parseQuery(location.search).dropped,
      coming,
      complete: withKept,
    };
  }

  /** @param {import('../state/page-state.js').PageState | null} state */
  function withKept(state) {
    if (!visit || !place) return state;
    return visit.complete(state, visit.recall(place), scope);
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

  /** @returns {void} */
  function write() {
    if (scope.missing) return;
    const { running } = scope.moving;
    if (reading > 0 || (running && ofRun)) return later(false);
    const how = howNext();
    waiting = false;
    ofRun = running;
    const href = (reached = written());
    const now = keep();
    if (href === known && sameValue(now, place)) return;
    put(how, now, href);
    known = href;
    discrete = false;
  }

  const howNext = () => (discrete && !ofRun ? 'pushState' : 'replaceState');

  /** @param {'pushState' | 'replaceState'} how @param {import('./visit.js').Place} now @param {string} href */
  function put(how, now, href) {
    place = now;
    try {
      history[how]({ logitscope: now }, '', href);
    } catch {
      // a sandboxed frame or a file: the state stays in memory
    }
  }

  /** Keeps what the address does not hold. */
  function keep() {
    const { place: now, full } = visit?.keep(scope) ?? { place: {}, full: false };
    if (full && !said) scope.notice = scope.speak(() => t('state.full'));
    said = full;
    return now;
  }

  /** Keeps changes that wait, as in a run, before the page closes: a reload ignores history written then. */
  function leave() {
    if (!first || scope.missing || reading > 0) return keepInstrument({ href: location.href });
    visit?.takeTyped(debounce);
    const href = written();
    if (href !== reached) waiting = discrete = true; // the bench says so only once it is read
    const unwritten = waiting && { at: [known, place], next: [howNext(), keep(), href] };
    keepInstrument({ href, unwritten });
  }

  /** Writes the changes that the document before this one kept for this entry. */
  function takeUnwritten() {
    const { unwritten } = recallInstrument();
    if (self !== top || !sameValue(unwritten?.at, [known, place])) return;
    const [how, now, href] = unwritten.next;
    put(how, now, href);
    known = location.href;
  }

  /** @param {boolean} back whether the change is one to come back to */
  function later(back) {
    discrete ||= back;
    waiting = true;
    if (scope.moving.running && !ofRun && reading === 0) return write();
    debounce.schedule(WRITE_DELAY_MS, write);
  }

  /** @param {Event | null} [event] none: again, without the file that the entry names */
  async function read(event = null) {
    const here = placeHere();
    if (event && location.href === known && sameValue(here, place)) return;
    place = here;
    if (!first) return begin();
    known = location.href;
    debounce.cancel();
    waiting = ofRun = false;
    reading++;
    scope.missing = null;
    try {
      const { hash, search } = location;
      const { asked, dropped } = parseQuery(search);
      const { context = null } = asked;
      const view = viewOf(asked, hash);
      if (place) await fetchVisit();
      const file = event && place?.file;
      if (file) {
        const files = await findFiles(file);
        if (!files) return void (scope.missing = file);
        if (files.some((each, i) => each !== scope.files[i]))
          await scope.open(files.length > 1 ? files : files[0], file.context, true);
      }
      // An address without a model means the page's own, unless somebody typed it while another model shows.
      const model = asked.model ?? (place && !file && event ? MODELS[0].name : null);
      if (model && (model !== scope.source || context !== scope.context))
        await scope.open(model, context, true);
      const parsed =
        hash.length < 2
          ? { state: first, dropped: [] }
          : parseHash(hash, scope.table, scope.info?.vocab_size);
      const state = withKept(
        scope.acceptParsed({ ...parsed, dropped: [...dropped, ...parsed.dropped] }),
      );
      if (state) await scope.restore({ ...scope.unnamed, ...state, view });
      else scope.view = view;
    } finally {
      reading--;
      reached = written();
      discrete = waiting = false;
      debounce.cancel();
    }
  }

  /** @param {import('./local-files.js').FileRecord} file */
  async function findFiles(file) {
    await import('./reopen.js');
    return (await import('./local-files.js')).findFiles(file);
  }

  scope.addEventListener('logit-ready', () => {
    fetchVisit().catch(() => {}); // without the network nothing more is kept than the address
    if (first) return later(true);
    first = { ...scope.state, branch: [] };
    known = location.href;
    reached = written();
    if (place?.text) visit?.taken(scope);
    // Another model in place of the entry's file makes a new entry.
    if (place?.file && scope.source !== null) return later(true);
    if (!place) put('replaceState', {}, known);
  });
  scope.addEventListener('logit-found', async (event) => {
    const { files } = /** @type {CustomEvent} */ (event).detail;
    const { missing } = scope;
    if (!missing) return;
    if (files.length > 0) (await import('./local-files.js')).foundAgain(missing, files);
    if (first) {
      known = '';
      await read(files.length > 0 ? event : null);
      return later(true);
    }
    if (files.length === 0) scope.missing = null;
    scope.begin();
  });
  addEventListener('pagehide', leave);
  document.addEventListener('visibilitychange', () => document.hidden && leave());
  scope.addEventListener('logit-change', () => first && later(!scope.moving.direct));
  scope.addEventListener('logit-step', () => first && later(true));
  scope.addEventListener('logit-show', () => first && later(true));
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
