/** Adds the parts of the page that the first frame does not need: shortcuts, the document's title, offline use. */
import { Debounce } from '../base/debounce.js';
import { capitalise, settingName, usualFirst } from '../base/setting-words.js';
import { hasMessage, onLanguage, plain, t } from '../locale/locale.js';
import { initialChoices } from '../state/fields.js';
import { Deeds } from './deeds.js';
import { followKeys } from './keys.js';
import { keepSite } from './offline/keep-site.js';
import { Sessions } from './sessions.js';

/** Time between a change and the update of the title, in ms. */
const TITLE_DELAY_MS = 250;
/** Most settings that a title names. */
const MOST = 3;

/** Elements that take pasted text themselves. */
const FIELD = 'input, textarea, [contenteditable], dialog';

/** @param {import('./scope.js').LogitScope} scope */
export function completePage(scope) {
  followKeys(scope);
  followTitle(scope);
  followPaste(scope);
  const deeds = new Deeds(scope);
  scope.kept = { deeds, sessions: new Sessions(scope, deeds) };
  keepSite();
  // If the address or the history has a state, the user did not come for the first time.
  const plain =
    scope.guide && !scope.present && scope.address.fragment.length < 2 && !scope.address.coming;
  if (plain && scope.view === 'landscape')
    import('./idle-sweep.js').then(({ sweepWhenIdle }) => sweepWhenIdle(scope));
}

/** Reads a text that is pasted outside of every field and dialog. @param {import('./scope.js').LogitScope} scope */
function followPaste(scope) {
  document.addEventListener('paste', (event) => {
    const text = event.clipboardData?.getData('text/plain');
    const around = event.composedPath().filter((part) => part instanceof Element);
    if (!text || around.some((part) => part.matches(FIELD))) return;
    import('./incoming.js').then(({ showText }) => showText(scope, text));
  });
}

/**
 * Returns the title of the document: the knob's value in the landscape, else the name of the view and its main
 * choice.
 * @param {import('./scope.js').LogitScope} scope
 */
function titleOf({ view, state, table }) {
  const settings = /** @type {Record<string, unknown>} */ (state.settings);
  if (view === 'landscape') {
    const name = state.landscape_knob ?? initialChoices('landscape').knob ?? 'temperature';
    const value = settings[name] ?? table.find((row) => row.name === name)?.neutral;
    return `${capitalise(settingName(name))} ${plain(Number(value))}`;
  }
  const choice = view === 'bench' ? changedIn(settings, table) : choiceIn(view, state);
  return choice ? `${t(`view.${view}`)}: ${choice}` : t(`view.${view}`);
}

/**
 * Names the first settings that change the distribution, with their values; '' if none does.
 * @param {Record<string, unknown>} settings
 * @param {import('../engine/types.js').TableRow[]} table
 */
function changedIn(settings, table) {
  const changed = usualFirst(table).filter(
    ({ name, neutral, sampler }) =>
      sampler && typeof settings[name] === 'number' && settings[name] !== neutral,
  );
  const words = changed.map(({ name }) => `${settingName(name)} ${plain(Number(settings[name]))}`);
  return words.length > MOST ? `${words.slice(0, MOST).join(', ')} …` : words.join(', ');
}

/**
 * Returns the name of the comparison or sweep that a view shows. Returns '' for other views, and until the strings
 * are there.
 * @param {string} view
 * @param {import('../state/page-state.js').PageState} state
 */
function choiceIn(view, state) {
  const name = { compare: 'suite', sweep: 'figure' }[view];
  if (!name || state.compare_strategies) return '';
  const key = `${view}.${name}.${state[`${view}_${name}`] ?? initialChoices(view)[name]}`;
  return hasMessage(key) ? t(key) : '';
}

/** Updates the document's title when the view or its state changes. @param {import('./scope.js').LogitScope} scope */
function followTitle(scope) {
  const debounce = new Debounce();
  const write = () => {
    document.title = `${titleOf(scope)} · Logitscope`;
  };
  const later = () => debounce.schedule(TITLE_DELAY_MS, write);
  for (const type of ['logit-ready', 'logit-change', 'logit-show'])
    scope.addEventListener(type, later);
  // A view's strings arrive together with the code of its element.
  scope.addEventListener('logit-show', () =>
    customElements.whenDefined(`logit-${scope.view}`).then(later),
  );
  onLanguage(write);
  write();
}
