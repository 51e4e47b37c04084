/**
 * Keeps the address of the page and the state of its instrument equal. The state is in the fragment, which no server
 * sees; model and view are in the query. A single change adds an entry to the history, a moving knob rewrites the
 * current entry. visit.js keeps the state that is too long for an address, and each entry has a record of it. If the
 * browser refuses to change the history, the state is only in memory.
 */
import { Debounce, takeTyped } from '../base/debounce.js';
import { t } from '../locale/locale.js';
import { sameValue } from '../state/fields.js';
import { modelOf } from '../state/files.js';
import { MODELS } from '../state/models.js';
import { formatHash, leftOut, parseHash, parseQuery, viewOf } from '../state/page-state.js';
import { Turns } from '../state/turns.js';
import { keepInstrument } from './site-links.js';

/** @import { PageState } from '../state/page-state.js' */
/** @import { EntryRecord } from './visit.js' */

/** Time between a change and the update of the address, in ms. */
const WRITE_DELAY_MS = 250;
/**
 * After a reload or a link has begun, no address is written for this time at most, in ms: the user can still cancel
 * it.
 */
const LEAVE_MS = 30_000;

/**
 * Returns the page's data in the current entry of the browser history; null if the user typed the address.
 * @returns {EntryRecord | null}
 */
const currentRecord = () => history.state?.logitscope ?? null;

/** @param {import('./local-files.js').FileRecord} file */
async function findFiles(file) {
  await import('./reopen.js');
  return (await import('./local-files.js')).findFiles(file);
}

export class PageAddress {
  #scope;
  /** The state that an address without a fragment means; null before the first model. @type {PageState | null} */
  #first = null;
  #debounce = new Debounce();
  /** The address of the current entry, as last read or written. */
  #known = location.href;
  /** The record of the current entry, as last read or written. */
  #record = currentRecord();
  /** The last change of the history; none if another entry came after it. @type {import('./site-links.js').Write[]} */
  #last = [];
  /** The address that would show the state, as last read or written. */
  #reached = '';
  /** True if the pending changes will add an entry; false if they rewrite the current one. */
  #discrete = false;
  #pending = false;
  /** True if a run has added the current entry. The run adds it at its first token and rewrites it at its end. */
  #ofRun = false;
  /** True if the page has told the user that the browser's storage is full. */
  #full = false;
  /**
   * No address is written before this time, because a reload or a link has begun and the browser would drop a new
   * entry.
   */
  #leaves = 0;
  /** Number of addresses that are being applied now. Meanwhile, no address is written. */
  #reading = 0;
  /** The newest address ends the older ones that are still being applied. */
  #turns = new Turns();
  /** The event of an entry that came before the first model was ready; null if there was none. @type {Event | null} */
  #early = null;
  /** @type {typeof import('./visit.js') | null} */
  #visit = null;
  /** @type {Promise<unknown> | null} */
  #fetching = null;

  /** @param {import('./scope.js').LogitScope} scope */
  constructor(scope) {
    this.#scope = scope;
    this.#passToInstrument();
    const changed = (/** @type {boolean} */ discrete) =>
      this.#first && this.#scheduleWrite(discrete);
    scope.addEventListener('logit-ready', () => this.#onReady());
    scope.addEventListener('logit-found', (event) => this.#onFound(event));
    scope.addEventListener('logit-change', () => changed(!scope.moving.direct));
    for (const type of ['logit-step', 'logit-show'])
      scope.addEventListener(type, () => changed(true));
    addEventListener('beforeunload', () => (this.#leaves = performance.now() + LEAVE_MS));
    addEventListener('pagehide', () => this.#storePending());
    document.addEventListener('visibilitychange', () => document.hidden && this.#storePending());
    for (const type of ['popstate', 'hashchange'])
      addEventListener(type, (event) => this.#applyEntry(event));
  }

  /** The address to share. It does not start the tour. */
  get href() {
    if (!this.#first) return location.href;
    const { beat: _, ...state } = this.#linkableState;
    const [file] = this.#scope.source === null ? this.#scope.files : [];
    const made = file ? { made_with: file.name.slice(0, 80) } : {};
    return this.#formatAddress({ ...state, ...made });
  }

  /** Names of the parts of the state that do not fit into a link. */
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

  /** Passes the address to the instrument before its first load. */
  #passToInstrument() {
    const record = this.#record;
    this.#scope.missing = record?.file ?? null;
    this.#scope.address = {
      fragment: location.hash,
      dropped: parseQuery(location.search).dropped,
      coming: record && this.#fetchVisit().catch(() => {}), // if visit.js is missing, uses the address alone
      complete: (state) => this.#addStored(state),
    };
  }

  /** @param {PageState | null} state */
  #addStored(state) {
    if (!this.#visit || !this.#record) return state;
    return this.#visit.complete(state, this.#visit.recall(this.#record), this.#scope);
  }

  /**
   * The state as a link has it. If the model is a file of the user, token ids are left out, because another computer
   * does not have its vocabulary.
   * @returns {PageState}
   */
  get #linkableState() {
    const { state, source } = this.#scope;
    if (source !== null) return state;
    const { logit_bias: _, ...settings } = state.settings;
    return { ...state, settings, branch: [], landscape_ids: [] };
  }

  /** The address while an offered model is loading, so that a reload loads it again; null if none is loading. */
  get #comingAddress() {
    const { coming, state } = this.#scope;
    if (!coming) return null;
    const { prompt, settings, ...choices } = state;
    const { logit_bias: _, ...others } = settings; // leaves out biases: their ids belong to the old model
    const kept = { ...choices, branch: [], landscape_ids: [], settings: others };
    const address = new URL(this.#formatAddress(coming.typed ? { ...kept, prompt } : kept));
    address.searchParams.set('model', coming.name);
    address.searchParams.delete('context');
    return address.href;
  }

  #formatAddress(state = this.#linkableState) {
    const { source, context, view, table } = this.#scope;
    const address = new URL(location.href);
    // An address without a view means the bench.
    const asked = /^source:(\w+)/.exec(source ?? '')?.[1] ?? null;
    const query = {
      model: asked ? null : source,
      source: asked,
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
  get #mustWait() {
    return this.#reading > 0 || performance.now() < this.#leaves;
  }

  /** @returns {void} */
  #write() {
    if (this.#scope.missing) return;
    const { running } = this.#scope.moving;
    if (this.#mustWait || (running && this.#ofRun)) return this.#scheduleWrite(false);
    const method = this.#historyMethod;
    this.#pending = false;
    this.#ofRun = running;
    const href = this.#formatAddress();
    this.#reached = href;
    const record = this.#storeParts();
    if (href === this.#known && sameValue(record, this.#record)) return;
    this.#putEntry(method, record, href);
    this.#discrete = false;
  }

  /** @returns {'pushState' | 'replaceState'} */
  get #historyMethod() {
    return this.#discrete && !this.#ofRun ? 'pushState' : 'replaceState';
  }

  /** @param {'pushState' | 'replaceState'} method @param {EntryRecord} record @param {string} href */
  #putEntry(method, record, href) {
    const at = /** @type {[string, EntryRecord | null]} */ ([this.#known, this.#record]);
    this.#last = [{ at, next: [method, record, href], written: true }];
    this.#record = record;
    this.#known = href;
    try {
      history[method]({ logitscope: record }, '', href);
    } catch {
      // In a sandboxed frame or a page from disk, the state stays in memory.
    }
  }

  /** Stores the parts of the state that are too long for the address. Returns the data for the history entry. */
  #storeParts() {
    const scope = this.#scope;
    const { record, full } = this.#visit?.keep(scope) ?? { record: {}, full: false };
    if (full && !this.#full) scope.notice = scope.speak(() => t('state.full'));
    this.#full = full;
    return record;
  }

  /**
   * Stores pending changes in sessionStorage before the page closes, because a browser ignores changes of its history
   * during a reload.
   */
  #storePending() {
    const closed = !this.#first || this.#scope.missing || this.#reading > 0;
    if (closed) return keepInstrument({ href: location.href });
    takeTyped(this.#debounce);
    const coming = this.#comingAddress;
    const href = coming ?? this.#formatAddress();
    // The bench reports a change after the engine's answer, so there may be a change that is not pending yet.
    if (href !== this.#reached) this.#pending = this.#discrete = true;
    const writes = [...this.#last];
    if (this.#pending) {
      const record = coming ? {} : this.#storeParts();
      writes.push({ at: [this.#known, this.#record], next: [this.#historyMethod, record, href] });
    }
    keepInstrument({ href, writes });
  }

  /** @param {boolean} discrete true if the change adds an entry */
  #scheduleWrite(discrete) {
    this.#discrete ||= discrete;
    this.#pending = true;
    if (this.#scope.moving.running && !this.#ofRun && !this.#mustWait) return this.#write();
    this.#debounce.schedule(WRITE_DELAY_MS, () => this.#write());
  }

  /**
   * Applies the address and the data of the current history entry.
   * @param {Event | null} [event] null to read the address again, without the file that the entry names
   */
  async #applyEntry(event = null) {
    if (!this.#first) return this.#postpone(event);
    const record = currentRecord();
    if (event && location.href === this.#known && sameValue(record, this.#record)) return;
    const isNewest = this.#turns.begin('entry');
    takeTyped(this.#debounce); // changes that still wait belong to the earlier entry
    this.#record = record;
    this.#known = location.href;
    this.#debounce.cancel();
    this.#pending = this.#ofRun = false;
    this.#last = [];
    this.#reading++;
    this.#scope.missing = null;
    try {
      await this.#restore(event !== null, isNewest);
    } finally {
      this.#reading--;
      if (isNewest()) {
        this.#reached = this.#formatAddress();
        this.#discrete = this.#pending = false;
        this.#debounce.cancel();
      }
    }
  }

  /**
   * Keeps an entry until the first model is ready, because the load perhaps has read the address already.
   * @param {Event | null} event
   */
  #postpone(event) {
    this.#early = event;
    if (!this.#scope.missing) return;
    this.#record = currentRecord();
    this.#passToInstrument();
    this.#scope.begin(); // the load waited for the file of the former entry
  }

  /**
   * Opens the model of the address and restores the state.
   * @param {boolean} withFile true to open the file that the entry names
   * @param {() => boolean} isNewest false after a newer address, which ends this
   */
  async #restore(withFile, isNewest) {
    const scope = this.#scope;
    const { hash, search } = location;
    const { asked, dropped } = parseQuery(search);
    const view = viewOf(asked, hash);
    if (!(await this.#openModel(withFile, asked, isNewest)) || !isNewest()) return;
    const parsed =
      hash.length < 2
        ? { state: this.#first, dropped: [] }
        : parseHash(hash, scope.table, scope.info?.vocab_size);
    const accepted = scope.acceptParsed({ ...parsed, dropped: [...dropped, ...parsed.dropped] });
    const state = this.#addStored(accepted);
    // The user's own sampler is never in an address, so it ends here.
    if (state) scope.instrument.own = null;
    if (state) await scope.restore({ ...scope.unnamed, ...state, view });
    else scope.view = view;
  }

  /**
   * Opens the model of the address, unless it is open. Then the load of another model ends, because that model would
   * replace the state. Returns false if the file is missing or the address outdated.
   * @param {boolean} withFile @param {Record<string, any>} asked the query's values @param {() => boolean} isNewest
   */
  async #openModel(withFile, asked, isNewest) {
    const scope = this.#scope;
    if (this.#record) await this.#fetchVisit();
    const file = withFile && this.#record?.file;
    const files = file ? await findFiles(file) : [];
    if (!isNewest()) return false;
    if (file && !files) scope.missing = file;
    if (!files) return false;
    const { context = null } = asked;
    // An address without a model means the page's first model. But if the user typed it, the open model stays.
    const named = asked.model ?? (asked.source && `source:${asked.source}`);
    const model = named ?? (this.#record && !file && withFile ? MODELS[0].name : null);
    const others = files.some((each, i) => each !== scope.files[i]);
    if (file && others) await scope.open(modelOf(files), file.context, true);
    // The name of a server's model ends with its host.
    else if (model && (model !== scope.source?.split('#')[0] || context !== scope.context))
      await scope.open(model, context, true);
    else scope.instrument.model.abandon();
    return true;
  }

  #onReady() {
    const scope = this.#scope;
    this.#fetchVisit().catch(() => {}); // ignored: without visit.js, only the address keeps the state
    if (this.#first) return this.#scheduleWrite(true);
    this.#first = { ...scope.state, branch: [] };
    if (this.#early) return this.#applyEntry(this.#early);
    this.#known = location.href;
    this.#reached = this.#formatAddress();
    if (this.#record?.text) this.#visit?.markKept(scope);
    // If another model has replaced the file of this entry, add an entry.
    if (this.#record?.file && scope.source !== null) return this.#scheduleWrite(true);
    if (!this.#record) this.#putEntry('replaceState', {}, this.#known);
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
      await this.#applyEntry(files.length > 0 ? event : null);
      return this.#scheduleWrite(true);
    }
    if (files.length === 0) scope.missing = null;
    scope.begin();
  }
}
