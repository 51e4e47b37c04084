/** Adds shortcuts, the document's title and offline use to the page's own instrument after the first frame. */
import { Debounce } from '../base/debounce.js';
import { capitalise, settingName, usualFirst } from '../base/setting-words.js';
import { hasMessage, onLanguage, plain, t } from '../locale/locale.js';
import { initialChoices } from '../state/fields.js';
import { Deeds } from './deeds.js';
import { followKeys } from './keys.js';
import { keepSite } from './offline/keep-site.js';
import { Sessions } from './sessions.js';

/** The pause between a change and the update of the title, in ms. */
const TITLE_DELAY_MS = 250;
/** The most settings in a title. */
const MOST = 3;

/** @param {import('./scope.js').LogitScope} scope */
export function completePage(scope) {
  followKeys(scope);
  followTitle(scope);
  const deeds = new Deeds(scope);
  scope.kept = { deeds, sessions: new Sessions(scope, deeds) };
  keepSite();
  // A state of the address or of an entry of the history is someone's own.
  const plain =
    scope.guide && !scope.present && scope.address.fragment.length < 2 && !scope.address.coming;
  if (plain && scope.view === 'landscape')
    import('./idle-sweep.js').then(({ sweepWhenIdle }) => sweepWhenIdle(scope));
}

/**
 * Returns the title of a view: for the landscape the knob and its value, else the view's name and its
 * main choice.
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
 * Names the first settings that change the distribution, with their values; '' for none.
 * @param {Record<string, unknown>} settings
 * @param {import('../engine/types.js').TableRow[]} table
 */
function changedIn(settings, table) {
  const changed = usualFirst(table).filter(
    ({ name, neutral, warper }) =>
      warper && typeof settings[name] === 'number' && settings[name] !== neutral,
  );
  const words = changed.map(({ name }) => `${settingName(name)} ${plain(Number(settings[name]))}`);
  return words.length > MOST ? `${words.slice(0, MOST).join(', ')} …` : words.join(', ');
}

/**
 * Names the comparison or the chart of a view; '' for other views, and before the view's strings are loaded.
 * @param {string} view
 * @param {import('../state/page-state.js').PageState} state
 */
function choiceIn(view, state) {
  const name = { compare: 'suite', sweep: 'figure' }[view];
  if (!name || state.compare_strategies) return '';
  const key = `${view}.${name}.${state[`${view}_${name}`] ?? initialChoices(view)[name]}`;
  return hasMessage(key) ? t(key) : '';
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
  // The strings of a view come with its element.
  scope.addEventListener('logit-show', () =>
    customElements.whenDefined(`logit-${scope.view}`).then(later),
  );
  onLanguage(write);
  write();
}
