/** Adds shortcuts, the document's title and offline use to the page's own instrument after the first frame. */
import { Debounce } from '../base/debounce.js';
import { capitalise, settingName } from '../base/setting-words.js';
import { onLanguage, plain, t } from '../locale/locale.js';
import { initialChoices } from '../state/fields.js';
import { followKeys } from './keys.js';
import { keepSite } from './offline/keep-site.js';

/** The pause between a change and the update of the title, in ms. */
const TITLE_DELAY_MS = 250;

/** @param {import('./scope.js').LogitScope} scope */
export function completePage(scope) {
  followKeys(scope);
  followTitle(scope);
  keepSite();
}

/**
 * Returns the title of a view: for the landscape the knob and its value, else the view's name.
 * @param {import('./scope.js').LogitScope} scope
 */
function titleOf({ view, state, table }) {
  if (view !== 'landscape') return t(`view.${view}`);
  const name = state.landscape_knob ?? initialChoices('landscape').knob ?? 'temperature';
  const settings = /** @type {Record<string, unknown>} */ (state.settings);
  const value = settings[name] ?? table.find((row) => row.name === name)?.neutral;
  return `${capitalise(settingName(name))} ${plain(Number(value))}`;
}

/** Updates the document's title with the view. @param {import('./scope.js').LogitScope} scope */
function followTitle(scope) {
  const debounce = new Debounce();
  const write = () => {
    document.title = `${titleOf(scope)} · Logitscope`;
  };
  const later = () => debounce.schedule(TITLE_DELAY_MS, write);
  for (const type of ['logit-ready', 'logit-change', 'logit-show'])
    scope.addEventListener(type, later);
  onLanguage(write);
  write();
}
