/**
 * Undo and redo in Explore, Experiment and Compare. A deed is a change of the state that can be undone: any change
 * except another model or view. Each model has its own deeds, which come back with it, because their tokens belong to
 * its vocabulary. A reload keeps the deeds of the open model; another address forgets them.
 */
import { html, nothing, svg } from 'lit';
import { Debounce } from '../base/debounce.js';
import { capitalise, settingName, valueInWords } from '../base/setting-words.js';
import { locales } from '#locales/undo';
import { addMessages, plain, t } from '../locale/locale.js';
import { fieldOf, sameValue } from '../state/fields.js';
import { keepDeeds, modelOf, recallDeeds } from './visit.js';

addMessages(locales);

/** @import { PageState } from '../state/page-state.js' */

/**
 * `program` is the program that the settings of the state come from.
 * @typedef {{ state: PageState, saved: import('../state/saved-texts.js').Saved, program?: string }} Deed
 */

/** A change becomes a deed when nothing else changes for this time, in ms. */
const RESTS_MS = 400;
const MOST = 200;
/** The views in which changes are deeds. */
const VIEWS = ['landscape', 'bench', 'compare'];
/** The icons are paths in a square of 20 units. */
const BUTTONS = /** @type {const} */ ([
  { name: 'undo', able: 'undoable', path: 'M4 8h8a4.5 4.5 0 0 1 0 9H8M7.5 4.5 4 8l3.5 3.5' },
  { name: 'redo', able: 'redoable', path: 'M16 8H8a4.5 4.5 0 0 0 0 9h4M12.5 4.5 16 8l-3.5 3.5' },
]);
/** Parts of the state that change without a deed. */
const BESIDE = ['view', 'beat', 'settings', 'compare_step'];

export class Deeds extends EventTarget {
  #scope;
  /** @type {Deed[]} */
  #before = [];
  /** @type {Deed[]} */
  #after = [];
  /** @type {Deed} */
  #now;
  /** Number of states that undo and redo are restoring now. Meanwhile, no change becomes a deed. */
  #restoring = 0;
  #debounce = new Debounce();
  /** The program that the next change comes from; '' for another change. */
  #program = '';
  #model;
  /**
   * The deeds of models that were open before, by modelOf.
   * @type {Map<string, { name: string, now: Deed, before: Deed[], after: Deed[] }>}
   */
  #others = new Map();

  /** @param {import('./scope.js').LogitScope} scope */
  constructor(scope) {
    super();
    this.#scope = scope;
    this.#now = this.#presentDeed();
    this.#model = this.#openModel();
    this.#recall();
    const later = () => this.#debounce.schedule(RESTS_MS, () => this.#recordChange());
    for (const type of ['logit-change', 'logit-step', 'logit-result'])
      scope.addEventListener(type, later);
    scope.addEventListener('logit-show', () => this.#recordChange(true));
    scope.addEventListener('logit-ready', () => this.#onReady());
    document.addEventListener('keydown', (event) => this.#onKey(event));
    addEventListener('pagehide', () => {
      Debounce.flush();
      keepDeeds(scope, { now: this.#now, before: this.#before, after: this.#after });
    });
  }

  /** Puts the deeds of the last model aside, and takes up those of the model that is open now. */
  #onReady() {
    const { key, name } = this.#model;
    const present = this.#presentDeed();
    if (this.#before.length + this.#after.length > 0)
      this.#others.set(key, { name, now: this.#now, before: this.#before, after: this.#after });
    this.#model = this.#openModel();
    const kept = this.#others.get(this.#model.key);
    this.#others.delete(this.#model.key);
    this.#before = this.#after = [];
    this.#now = present;
    if (kept) this.#takeUp(kept, present);
    else this.#scope.requestUpdate();
  }

  /**
   * Continues with deeds from before. A change since then is a deed too.
   * @param {{ now: Deed, before: Deed[], after: Deed[] }} kept
   * @param {Deed} present
   */
  #takeUp({ now, before, after }, present) {
    const changed = changesOf(now.state, present.state).length > 0;
    this.#before = changed ? [...before, now] : before;
    this.#after = changed ? [] : after;
    this.#scope.requestUpdate();
  }

  get undoable() {
    return this.#before.length > 0;
  }

  get redoable() {
    return this.#after.length > 0;
  }

  #openModel() {
    const scope = this.#scope;
    return { key: modelOf(scope), name: scope.files[0]?.name ?? scope.source ?? '' };
  }

  /** @returns {Deed} */
  #presentDeed() {
    const { beat: _, ...state } = this.#scope.state;
    return { state, saved: this.#scope.saveTexts() };
  }

  /**
   * Notes the state if it differs from the last one.
   * @param {boolean} [shown] true if the view has changed: that alone is no deed
   */
  #recordChange(shown = false) {
    const { moving, view } = this.#scope;
    if (this.#restoring > 0 || moving.running || !(shown || VIEWS.includes(view))) return;
    const present = this.#presentDeed();
    const changed = changesOf(this.#now.state, present.state).length > 0;
    const program = changed ? this.#program : this.#now.program;
    this.#program = '';
    const next = program ? { ...present, program } : present;
    if (changed) {
      this.#before = [...this.#before, this.#now].slice(-MOST);
      this.#after = [];
    }
    if (changed || shown) this.#now = next;
    if (!changed) return;
    this.dispatchEvent(new Event('deed'));
    this.#scope.requestUpdate();
  }

  /**
   * Takes over the deeds before a reload. The engine had perhaps not yet read the last text: then the reload has
   * changed the state, and this change is a deed too.
   */
  #recall() {
    const kept = recallDeeds(this.#scope);
    if (!kept) return;
    const changed = changesOf(kept.now.state, this.#now.state).length > 0;
    if (changed && !isReload()) return;
    this.#takeUp(kept, this.#now);
  }

  /** The reason why nothing can be undone: the deeds of another model come back with it; '' if there is another. */
  get #reason() {
    const last = [...this.#others.values()].at(-1);
    return last && !this.undoable && !this.redoable
      ? t('undo.model', { name: `\u2068${last.name}\u2069` })
      : '';
  }

  /** Names the program that the next change comes from. @param {string} program */
  name(program) {
    Debounce.flush(); // earlier changes are deeds of their own
    this.#program = program;
  }

  /** Renders the two buttons; hidden while there is nothing to undo or redo. */
  render() {
    const { view, readonly } = this.#scope;
    if (readonly || !VIEWS.includes(view)) return nothing;
    const reason = this.#reason;
    const hidden = !this.undoable && !this.redoable && reason === '';
    return BUTTONS.map(
      ({ name, path, able }) => html`
      <button class="icon" data-command=${name} ?hidden=${hidden} aria-disabled=${!this[able]} aria-label=${t(`undo.${name}`)} title=${reason || t(`undo.${name}`)}
        @click=${() => this[name]()}><svg viewBox="0 0 20 20" aria-hidden="true">${svg`<path d=${path}></path>`}</svg></button>`,
    );
  }

  /** Restores the state before the last deed. */
  undo() {
    Debounce.flush(); // a change that still waits is a deed too
    return this.#restoreFrom(this.#before, this.#after, 'undo.undone');
  }

  /** Restores the state that the last undo has replaced. */
  redo() {
    Debounce.flush();
    return this.#restoreFrom(this.#after, this.#before, 'undo.redone');
  }

  /**
   * Restores the last state of the list `from`, and adds the present one to the list `to`.
   * @param {Deed[]} from
   * @param {Deed[]} to gets the current state
   * @param {string} words the key of the sentence
   */
  async #restoreFrom(from, to, words) {
    const scope = this.#scope;
    const deed = scope.readonly ? undefined : from.pop();
    if (!deed)
      return void (scope.deed = { words: scope.speak(() => this.#reason || t('undo.none')) });
    to.push(this.#now);
    // The deed led from the older state to the newer one, whichever of the two comes back.
    const states = [this.#now.state, deed.state];
    const [older, newer] = from === this.#before ? states.reverse() : states;
    const { program } = from === this.#before ? this.#now : deed;
    const what = () =>
      program ? t('undo.settings', { name: program }) : this.#describeAll(older, newer);
    scope.deed = { words: scope.speak(() => t(words, { what: what() })) };
    this.#now = deed;
    this.#restoring++;
    try {
      await scope.restore({ ...deed.state, saved: deed.saved });
    } finally {
      this.#restoring--;
    }
  }

  /**
   * Describes the first change, and counts further changes of settings.
   * @param {PageState} older
   * @param {PageState} newer
   */
  #describeAll(older, newer) {
    const names = changesOf(older, newer);
    const what = this.#describe(names[0], older, newer);
    const { table } = this.#scope;
    const n = names.slice(1).filter((name) => table.some((row) => row.name === name)).length;
    return n > 0 ? t('undo.more', { what, n }) : what;
  }

  /**
   * Describes a change of one part of the state, such as "Temperature 1 → 0.7".
   * @param {string} name
   * @param {PageState} older
   * @param {PageState} newer
   */
  #describe(name, older, newer) {
    const row = this.#scope.table.find((each) => each.name === name);
    /** @param {(value: any) => string} inWords @param {any[]} values */
    const change = (inWords, [was, is]) => t('undo.change', { was: inWords(was), is: inWords(is) });
    /** @param {PageState} state */
    const setting = ({ settings }) => /** @type {any} */ (settings)[name] ?? row?.neutral;
    const values = row
      ? [setting(older), setting(newer)]
      : [older, newer].map((state) => valueOf(state, name));
    const numeric = values.every((value) => typeof value === 'number');
    if (row) {
      const title = capitalise(settingName(name));
      return numeric ? `${title} ${change((value) => valueInWords(row, value), values)}` : title;
    }
    if (name === 'prompt' || name === 'compare_prompt')
      return t('undo.prompt', { prompt: valueOf(newer, name) ?? '' });
    if (name === 'branch') return this.#describeBranch(older, newer);
    if (name === 'seed') return t('undo.seed', { seed: change(plain, values) });
    if (name === 'landscape_u' && numeric)
      return `u = ${change((u) => plain(Math.round(u * 1e4) / 1e4), values)}`;
    return t(name === 'order' ? 'undo.order' : 'undo.other');
  }

  /** Describes a change of the drawn tokens. @param {PageState} older @param {PageState} newer */
  #describeBranch(older, newer) {
    const n = (newer.branch?.length ?? 0) - (older.branch?.length ?? 0);
    if (n === 0) return t('undo.other');
    return t(n > 0 ? 'undo.branch' : 'undo.removed', { n: Math.abs(n) });
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const { key, ctrlKey, metaKey, shiftKey, altKey } = event;
    const name = key.toLowerCase();
    if (!(ctrlKey || metaKey) || altKey || event.defaultPrevented) return;
    if (!VIEWS.includes(this.#scope.view) || !(name === 'z' || (name === 'y' && !shiftKey))) return;
    const act = () => void (name === 'y' || shiftKey ? this.redo() : this.undo());
    const path = event.composedPath().filter((part) => part instanceof Element);
    if (path.some((part) => part.matches('dialog'))) return;
    if (!path.some((part) => part.matches(TEXT))) {
      event.preventDefault();
      return act();
    }
    // In a text field, the browser's own undo comes first, as long as it has something to undo.
    let native = false;
    const heard = () => (native = true);
    document.addEventListener('input', heard, { capture: true, once: true });
    setTimeout(() => {
      document.removeEventListener('input', heard, { capture: true });
      if (!native) act();
    });
  }
}

const TEXT =
  'textarea, [contenteditable], input:not([type=range], [type=checkbox], [type=radio], [type=file])';

/** Returns true if a reload, not another address, has opened this page. */
const isReload = () =>
  performance
    .getEntriesByType('navigation')
    .some((entry) => /** @type {PerformanceNavigationTiming} */ (entry).type === 'reload');

/** Returns a part of a state; an address leaves the initial value out. @param {object} state @param {string} name */
function valueOf(state, name) {
  return /** @type {any} */ (state)[name] ?? fieldOf(name)?.initial ?? null;
}

/**
 * Returns the names of the parts in which two states differ, settings first.
 * @param {PageState} a
 * @param {PageState} b
 */
export function changesOf(a, b) {
  const [before, after] = [a, b].map((state) => ({ ...state, ...state.settings }));
  const names = Object.keys({ ...a.settings, ...b.settings, ...a, ...b });
  const choices =
    a.view === b.view
      ? () => true
      : (/** @type {string} */ name) => !/^(landscape|bench|compare)_/.test(name);
  return names.filter(
    (name) =>
      !BESIDE.includes(name) &&
      choices(name) &&
      !sameValue(valueOf(before, name), valueOf(after, name)),
  );
}
