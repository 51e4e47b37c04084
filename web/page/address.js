/**
 * The address of the page's own instrument. The state is in the fragment, which no server sees; model and
 * view are in the query. A discrete change adds an entry to the history; a moving knob rewrites the
 * current entry. Each entry also has a record of the state that does not fit into the address; visit.js
 * keeps that state. If the browser refuses history, the state stays in memory.
 */
import { Debounce } from '../base/debounce.js';
import { t } from '../locale/locale.js';
import { sameValue } from '../state/fields.js';
import { modelOf } from '../state/files.js';
import { MODELS } from '../state/models.js';
import { formatHash, leftOut, parseHash, parseQuery, viewOf } from '../state/page-state.js';
import { keepInstrument } from './site-links.js';

/**
 * @typedef {import('../state/page-state.js').PageState} PageState
 * @typedef {import('./visit.js').EntryRecord} EntryRecord
 */

/** The pause between a change and the update of the address, in ms. */
const WRITE_DELAY_MS = 250;
/** The longest wait for the end of this document after a reload or a link has begun, in ms. It may be cancelled. */
const LEAVE_MS = 30_000;

/** Returns the record of the current history entry; null if the user typed the address. @returns {EntryRecord | null} */
const currentRecord = () => history.state?.logitscope ?? null;

/** @param {import('./local-files.js').FileRecord} file */
async function findFiles(file) {
  await import('./reopen.js');
  return (await import('./local-files.js')).findFiles(file);
}

/**
 * Accepts typed text that still waits for its debounce or for loss of focus.
 * @param {Debounce} kept its action does not run
 */
function takeTyped(kept) {
  let box = /** @type {any} */ (document.activeElement);
  while (box?.shadowRoot?.activeElement) box = box.shadowRoot.activeElement;
  if (/^text/.test(box?.type)) {
    box.blur();
    box.focus();
  }
  Debounce.flush(kept);
}

export class PageAddress {
  #scope;
  /** The state of a page without a fragment; null before the first model. @type {PageState | null} */
  #first = null;
  #debounce = new Debounce();
  /** The entry's address when it was last read or written. */
  #known = location.href;
  /** The entry's record when it was last read or written. */
  #record = currentRecord();
  /** The address of the state when it was last read or written. */
  #reached = '';
  /** True if the pending changes add an entry. */
  #discrete = false;
  #pending = false;
  /** True if the current entry belongs to a run, which adds it at the first token and rewrites it at the end. */
  #ofRun = false;
  /** True if the user was told that the storage is full. */
  #full = false;
  /** The time before which no address is written: a reload or a link has begun, and the browser would drop a new entry. */
  #leaves = 0;
  /** The number of addresses that are being read; while it is not 0, no address is written. */
  #reading = 0;
  /** @type {typeof import('./visit.js') | null} */
  #visit = null;
  /** @type {Promise<unknown> | null} */
  #fetching = null;

  /** @param {import('./scope.js').LogitScope} scope */
  constructor(scope) {
    this.#scope = scope;
    this.#begin();
    const changed = (/** @type {boolean} */ discrete) => this.#first && this.#later(discrete);
    scope.addEventListener('logit-ready', () => this.#onReady());
    scope.addEventListener('logit-found', (event) => this.#onFound(event));
    scope.addEventListener('logit-change', () => changed(!scope.moving.direct));
    for (const type of ['logit-step', 'logit-show'])
      scope.addEventListener(type, () => changed(true));
    addEventListener('beforeunload', () => (this.#leaves = performance.now() + LEAVE_MS));
    addEventListener('pagehide', () => this.#leave());
    document.addEventListener('visibilitychange', () => document.hidden && this.#leave());
    for (const type of ['popstate', 'hashchange'])
      addEventListener(type, (event) => this.#read(event));
  }

  /** The page's address for sharing, without the beat of the tour. */
  get href() {
    if (!this.#first) return location.href;
    const { beat: _, ...state } = this.#linkable;
    return this.#format(state);
  }

  /** The names of the parts of the state that a link cannot contain. */
  get left() {
    const { source, state, table } = this.#scope;
    if (!this.#first) return [];
    return [...(source === null ? ['model'] : []), ...leftOut(state, table)];
  }

  /** Fetches visit.js, once. */
  #fetchVisit() {
    this.#fetching ??= import('./visit.js').then((module) => (this.#visit = module));
    return this.#fetching;
  }

  /** Gives the address to the scope for its first load. */
  #begin() {
    const record = this.#record;
    this.#scope.missing = record?.file ?? null;
    this.#scope.address = {
      fragment: location.hash,
      dropped: parseQuery(location.search).dropped,
      coming: record && this.#fetchVisit().catch(() => {}), // without visit.js the state is only in the address
      complete: (state) => this.#complete(state),
    };
  }

  /** @param {PageState | null} state */
  #complete(state) {
    if (!this.#visit || !this.#record) return state;
    return this.#visit.complete(state, this.#visit.recall(this.#record), this.#scope);
  }

  /** The state that a link can contain, without token ids if the model is the user's own file: other computers do not have it. @returns {PageState} */
  get #linkable() {
    const { state, source } = this.#scope;
    if (source !== null) return state;
    const { logit_bias: _, ...settings } = state.settings;
    return { ...state, settings, branch: [], landscape_ids: [] };
  }

  /** The address with the offered model that is loading, since a reload ends the load; null for none. */
  get #coming() {
    const { coming, state } = this.#scope;
    if (!coming) return null;
    const { prompt, settings, ...choices } = state;
    const { logit_bias: _, ...others } = settings; // its ids belong to the current model
    const kept = { ...choices, branch: [], landscape_ids: [], settings: others };
    const address = new URL(this.#format(coming.typed ? { ...kept, prompt } : kept));
    address.searchParams.set('model', coming.name);
    address.searchParams.delete('context');
    return address.href;
  }

  #format(state = this.#linkable) {
    const { source, context, view, table } = this.#scope;
    const address = new URL(location.href);
    // A state without a view is a state of the bench.
    const query = {
      model: source,
      context: source === null ? null : context,
      view: view === 'bench' ? null : view,
    };
    for (const [name, value] of Object.entries(query))
      if (value === null) address.searchParams.delete(name);
      else address.searchParams.set(name, String(value));
    address.hash = formatHash(state, table);
    return address.href;
  }

  /** True while no address may be written. */
  get #holds() {
    return this.#reading > 0 || performance.now() < this.#leaves;
  }

  /** @returns {void} */
  #write() {
    if (this.#scope.missing) return;
    const { running } = this.#scope.moving;
    if (this.#holds || (running && this.#ofRun)) return this.#later(false);
    const method = this.#method;
    this.#pending = false;
    this.#ofRun = running;
    const href = this.#format();
    this.#reached = href;
    const record = this.#keep();
    if (href === this.#known && sameValue(record, this.#record)) return;
    this.#put(method, record, href);
    this.#known = href;
    this.#discrete = false;
  }

  /** @returns {'pushState' | 'replaceState'} */
  get #method() {
    return this.#discrete && !this.#ofRun ? 'pushState' : 'replaceState';
  }

  /** @param {'pushState' | 'replaceState'} method @param {EntryRecord} record @param {string} href */
  #put(method, record, href) {
    this.#record = record;
    try {
      history[method]({ logitscope: record }, '', href);
    } catch {
      // a sandboxed frame or a page from disk: the state stays in memory
    }
  }

  /** Keeps the state that the address cannot contain and returns its record. */
  #keep() {
    const scope = this.#scope;
    const { record, full } = this.#visit?.keep(scope) ?? { record: {}, full: false };
    if (full && !this.#full) scope.notice = scope.speak(() => t('state.full'));
    this.#full = full;
    return record;
  }

  /** Keeps pending changes in sessionStorage before the page closes, since a browser ignores changes of the history during a reload. */
  #leave() {
    const closed = !this.#first || this.#scope.missing || this.#reading > 0;
    if (closed) return keepInstrument({ href: location.href });
    takeTyped(this.#debounce);
    const coming = this.#coming;
    const href = coming ?? this.#format();
    // The bench emits a change only after its reading, so a change may not be pending yet.
    if (href !== this.#reached) this.#pending = this.#discrete = true;
    const at = [this.#known, this.#record];
    const unwritten = this.#pending && {
      at,
      next: [this.#method, coming ? {} : this.#keep(), href],
    };
    keepInstrument({ href, unwritten });
  }

  /** @param {boolean} discrete true if the change adds an entry */
  #later(discrete) {
    this.#discrete ||= discrete;
    this.#pending = true;
    if (this.#scope.moving.running && !this.#ofRun && !this.#holds) return this.#write();
    this.#debounce.schedule(WRITE_DELAY_MS, () => this.#write());
  }

  /**
   * Applies the address of the current entry.
   * @param {Event | null} [event] null to read the address again, without the file that the entry names
   */
  async #read(event = null) {
    const record = currentRecord();
    if (event && location.href === this.#known && sameValue(record, this.#record)) return;
    this.#record = record;
    if (!this.#first) return this.#begin();
    this.#known = location.href;
    this.#debounce.cancel();
    this.#pending = this.#ofRun = false;
    this.#reading++;
    this.#scope.missing = null;
    try {
      await this.#restore(event !== null);
    } finally {
      this.#reading--;
      this.#reached = this.#format();
      this.#discrete = this.#pending = false;
      this.#debounce.cancel();
    }
  }

  /** Opens the model of the address and restores its state. @param {boolean} withFile true to open the file that the entry names */
  async #restore(withFile) {
    const scope = this.#scope;
    const { hash, search } = location;
    const { asked, dropped } = parseQuery(search);
    const { context = null } = asked;
    const view = viewOf(asked, hash);
    if (this.#record) await this.#fetchVisit();
    const file = withFile && this.#record?.file;
    if (file) {
      const files = await findFiles(file);
      if (!files) return void (scope.missing = file);
      if (files.some((each, i) => each !== scope.files[i]))
        await scope.open(modelOf(files), file.context, true);
    }
    // An address without a model means the page's first model. If the user typed it, the current model stays.
    const model = asked.model ?? (this.#record && !file && withFile ? MODELS[0].name : null);
    if (model && (model !== scope.source || context !== scope.context))
      await scope.open(model, context, true);
    const parsed =
      hash.length < 2
        ? { state: this.#first, dropped: [] }
        : parseHash(hash, scope.table, scope.info?.vocab_size);
    const accepted = scope.acceptParsed({ ...parsed, dropped: [...dropped, ...parsed.dropped] });
    const state = this.#complete(accepted);
    // No address has the user's own sampler.
    if (state) scope.instrument.own = null;
    if (state) await scope.restore({ ...scope.unnamed, ...state, view });
    else scope.view = view;
  }

  #onReady() {
    const scope = this.#scope;
    this.#fetchVisit().catch(() => {}); // without the network only the address keeps the state
    if (this.#first) return this.#later(true);
    this.#first = { ...scope.state, branch: [] };
    this.#known = location.href;
    this.#reached = this.#format();
    if (this.#record?.text) this.#visit?.markKept(scope);
    // If another model replaces the entry's file, this adds an entry.
    if (this.#record?.file && scope.source !== null) return this.#later(true);
    if (!this.#record) this.#put('replaceState', {}, this.#known);
  }

  /** @param {Event} event has the entry's files; it has no files if the user chose another model */
  async #onFound(event) {
    const scope = this.#scope;
    const { files } = /** @type {CustomEvent} */ (event).detail;
    const { missing } = scope;
    if (!missing) return;
    if (files.length > 0) (await import('./local-files.js')).foundAgain(missing, files);
    if (this.#first) {
      this.#known = '';
      await this.#read(files.length > 0 ? event : null);
      return this.#later(true);
    }
    if (files.length === 0) scope.missing = null;
    scope.begin();
  }
}
