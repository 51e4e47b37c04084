/**
 * The user's last texts with their settings, stored on this device: at most MOST, the newest first. A text is stored
 * after it has not changed for a while. Only pages of the site store texts; in a frame or on another website they
 * last until the page closes. If the browser has no room, the page says so once.
 */
import { Debounce } from '../base/debounce.js';
import { t } from '../locale/locale.js';
import { modelOf } from '../state/files.js';
import { MODELS } from '../state/models.js';
import { formatHash, parseHash } from '../state/page-state.js';
import { isSitePage } from './offline/keep-site.js';
import { askFiles, findFiles, keepFile, newKey } from './local-files.js';
import { complete, recordTexts } from './visit.js';

/**
 * `text` begins with the prompt, for a list; `drawn` is the number of drawn tokens.
 * @typedef {{ id: string, prompt: string, text: string, drawn: number, model: string | null,
 *   name: string, context: number | null, view: string, hash: string, saved: unknown,
 *   file: import('./local-files.js').FileRecord | null }} SessionRecord
 */

const KEY = 'logitscope-sessions';
const MOST = 10;
const RESTS_MS = 600;
/** Most characters of a text in the list. */
const SHOWN = 200;
/** The views in which the user writes a text. */
const VIEWS = ['landscape', 'bench'];

export class Sessions extends EventTarget {
  #scope;
  /** @type {SessionRecord[]} */
  #all = readRecords();
  /** Id of the present text; '' before the first change. */
  #id = '';
  #debounce = new Debounce();
  /** True if the page has said that the browser stores nothing. */
  #told = false;

  /** @param {import('./scope.js').LogitScope} scope @param {import('./deeds.js').Deeds} deeds */
  constructor(scope, deeds) {
    super();
    this.#scope = scope;
    deeds.addEventListener('deed', () =>
      this.#debounce.schedule(RESTS_MS, () => this.#storePresent()),
    );
  }

  /** The stored texts, the newest first. @returns {readonly SessionRecord[]} */
  get all() {
    return this.#all;
  }

  #storePresent() {
    const scope = this.#scope;
    const { state, texts, context, source, result } = scope;
    if (!VIEWS.includes(scope.view) || scope.readonly) return;
    const { prompt = '' } = state;
    const current = this.#all.find(({ id }) => id === this.#id);
    if (!current || !continuesRecord(current, prompt)) this.#id = newKey();
    const { branch: _, ...short } = state;
    const record = {
      id: this.#id,
      prompt,
      text: (prompt + result.text).slice(0, SHOWN),
      drawn: texts.steps.length,
      model: source,
      name: (scope.info?.remote && scope.info.name) || (source ?? scope.files[0]?.name ?? ''),
      context,
      view: scope.view,
      hash: formatHash(/** @type {any} */ (short), scope.table),
      saved: recordTexts(scope),
      file: keepFile(scope.files, context),
    };
    this.#write([record, ...this.#all.filter(({ id }) => id !== this.#id)].slice(0, MOST));
  }

  /** @param {SessionRecord[]} all */
  #write(all) {
    this.#all = all;
    this.dispatchEvent(new Event('change'));
    if (!isSitePage()) return;
    try {
      localStorage.setItem(KEY, JSON.stringify(all));
    } catch {
      const scope = this.#scope;
      if (!this.#told) scope.notice = scope.speak(() => t('state.unkept'));
      this.#told = true;
    }
  }

  /** @param {string} id */
  remove(id) {
    this.#write(this.#all.filter((each) => each.id !== id));
  }

  removeAll() {
    this.#write([]);
  }

  /** Shows a stored text with its model, settings and view. @param {string} id */
  async restore(id) {
    const scope = this.#scope;
    const record = this.#all.find((each) => each.id === id);
    if (!record || !(await this.#openModel(record))) return;
    const { info, table } = scope;
    const { state } = parseHash(record.hash, table, info?.vocab_size);
    const whole = complete(state, { saved: /** @type {any} */ (record.saved), long: [] }, scope);
    this.#id = id;
    await scope.restore({ ...scope.unnamed, ...whole, view: record.view });
  }

  /** Opens the model of a stored text. Returns false if it could not be opened. @param {SessionRecord} record */
  async #openModel({ model, file, context }) {
    const scope = this.#scope;
    if (file) {
      const files = (await findFiles(file)) ?? (await askFiles(file));
      if (!files) {
        scope.notice = scope.speak(() => t('state.file', { name: file.name }));
        return false;
      }
      if (files.some((each, i) => each !== scope.files[i]))
        await scope.open(modelOf(files), context, true);
      else scope.instrument.model.abandon();
      return scope.source === null;
    }
    const name = model ?? MODELS[0].name;
    if (name !== scope.source || context !== scope.context) await scope.open(name, context, true);
    else scope.instrument.model.abandon();
    return scope.source === name;
  }
}

/**
 * Returns true if a prompt continues a stored text: it is the same prompt, or more was typed before a token was
 * drawn.
 * @param {SessionRecord} record @param {string} prompt
 */
function continuesRecord(record, prompt) {
  if (record.prompt === prompt) return true;
  const typed = prompt.startsWith(record.prompt) || record.prompt.startsWith(prompt);
  return record.drawn === 0 && typed;
}

/** @returns {SessionRecord[]} */
function readRecords() {
  if (!isSitePage()) return [];
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return found.filter(isSound).slice(0, MOST);
  } catch {
    return []; // no sessions: no storage, or an unreadable value
  }
}

/** @param {any} record */
function isSound(record) {
  const texts = ['id', 'prompt', 'text', 'name', 'view', 'hash'];
  return (
    texts.every((name) => typeof record?.[name] === 'string') &&
    Number.isInteger(record.drawn) &&
    VIEWS.includes(record.view) &&
    (record.model === null || typeof record.model === 'string')
  );
}
