/**
 * Elements that authors place in their own pages. The state of a <logit-scope> follows its attributes and properties.
 * A panel with `for` shows the state of the <logit-scope> with this id. A panel with `model` gets a hidden
 * <logit-scope> of its own, with the panel's attributes. A view without `model` uses the first model.
 */
import { LogitElement } from '../base/element.js';
import { sayDropped } from '../base/faults.js';
import { t } from '../locale/locale.js';
import { FIELDS, fieldOf } from '../state/fields.js';
import { MODELS } from '../state/models.js';
import { checkState, parseParts } from '../state/page-state.js';
import { keepKeys } from './used-keys.js';

/** @import { LogitScope } from './scope.js' */
/** @import { PageState } from '../state/page-state.js' */

const VIEWS = ['logit-compare', 'logit-cost', 'logit-landscape', 'logit-sweep'];
const PANELS = ['logit-text', 'logit-draw', 'logit-distribution', 'logit-stages', 'logit-chain'];
/** Matches attributes of a panel that are not part of the state. */
const NOT_STATE =
  /^(class|dir|for|hidden|id|no-glide|part|role|slot|style|tabindex|title|waiting|aria-.*|data-.*)$/;
/** Attributes that <logit-scope> handles itself. */
const SCOPE_ATTRIBUTES = [
  'prompt',
  ...FIELDS.filter(({ address }) => address === 'query').map(({ name }) => name),
];

/** @type {WeakSet<LogitElement>} */
const followed = new WeakSet();
/** For each panel with `for`: a function that ends its connection. @type {WeakMap<LogitElement, () => void>} */
const attached = new WeakMap();

LogitElement.joined = (element) => {
  const first = !followed.has(element);
  followed.add(element);
  if (first) keepKeys(element);
  if (first) element.addController({ hostUpdate: () => setDirection(element) });
  if (element.localName === 'logit-scope') {
    if (first) followScope(/** @type {LogitScope} */ (element));
    followedBy(element).forEach((panel) => followPanel(panel, ['for']));
  } else if (PANELS.includes(element.localName)) {
    if (first) observe(element, (names) => followPanel(element, names));
    followPanel(element, element.getAttributeNames());
  } else if (VIEWS.includes(element.localName)) {
    if (first && isAlone(element)) /** @type {any} */ (element).model ||= MODELS[0].name;
    if (first) observe(element, (names) => checkChoices(element, names));
    checkChoices(element, element.getAttributeNames());
  }
};

/**
 * Sets the text direction of an element by its own language, which may differ from that of the page.
 * @param {Element} element
 */
function setDirection(element) {
  const direction = t('page.direction');
  if (isAlone(element) && element.getAttribute('dir') !== direction)
    element.setAttribute('dir', direction);
}

/** Returns true if an element is not inside another one of our elements. @param {Element} element */
function isAlone(element) {
  const root = element.getRootNode();
  return !(root instanceof ShadowRoot && root.host.localName.startsWith('logit-'));
}

/**
 * Returns the panels that are connected to a scope by `for` and were in the page before it.
 * @param {Element} scope
 */
function followedBy({ id, parentNode }) {
  const root = /** @type {Document | ShadowRoot} */ (parentNode?.getRootNode());
  const panels = /** @type {LogitElement[]} */ ([...root.querySelectorAll(PANELS.join())]);
  return panels.filter((panel) => id && panel.getAttribute('for') === id && followed.has(panel));
}

/**
 * If an attribute of a view has an invalid value, resets it to the default and emits logit-error. Runs before the
 * view renders.
 * @param {any} element
 * @param {string[]} names
 */
function checkChoices(element, names) {
  const view = element.localName.slice('logit-'.length);
  for (const name of names) {
    const field = fieldOf(`${view}_${name}`);
    const text = element.getAttribute(name);
    if (!field || text === null || (field.kind !== 'choice' && view !== 'cost')) continue;
    const { dropped } = parseParts([[field.name, text]], []);
    if (!dropped.length) continue;
    element[name] = field.initial;
    element.emit('logit-error', { code: 'invalid_setting', message: sayDropped(dropped) });
  }
}

/** @param {Element} element @param {(names: string[]) => void} follow */
function observe(element, follow) {
  const observer = new MutationObserver((records) =>
    follow([...new Set(records.map(({ attributeName }) => String(attributeName)))]),
  );
  observer.observe(element, { attributes: true });
}

/** @param {LogitElement} panel @param {string[]} names the attributes that may have changed */
async function followPanel(panel, names) {
  await customElements.whenDefined('logit-scope');
  await panel.updateComplete;
  if (!panel.isConnected) return;
  const id = panel.getAttribute('for');
  if (names.includes('for')) {
    attached.get(panel)?.();
    attached.delete(panel);
    const root = /** @type {Document | ShadowRoot} */ (panel.getRootNode());
    const scope = id && /** @type {LogitScope | null} */ (root.getElementById(id));
    const end = scope && scope.attach?.(panel);
    if (end) attached.set(panel, end);
  }
  const own = /** @type {LogitScope | null} */ (panel.renderRoot.querySelector('logit-scope'));
  if (own) for (const name of names) mirrorAttribute(panel, own, name);
  else if (!id && panel.hasAttribute('model')) addHiddenScope(panel);
}

/** @param {Element} panel @param {Element} scope @param {string} name */
function mirrorAttribute(panel, scope, name) {
  const value = panel.getAttribute(name);
  if (NOT_STATE.test(name) || value === scope.getAttribute(name)) return;
  if (value === null) scope.removeAttribute(name);
  else scope.setAttribute(name, value);
}

/** Adds a hidden <logit-scope> to a panel, with the panel's attributes. @param {LogitElement} panel */
function addHiddenScope(panel) {
  const scope = /** @type {LogitScope} */ (document.createElement('logit-scope'));
  for (const name of panel.getAttributeNames()) mirrorAttribute(panel, scope, name);
  scope.hidden = true;
  scope.className = 'waiting';
  // While the hidden <logit-scope> asks about its model, it is visible and the panel is hidden.
  const showing = new MutationObserver(() => panel.toggleAttribute('waiting', !scope.hidden));
  showing.observe(scope, { attributeFilter: ['hidden'] });
  scope.attach(panel);
  scope.addEventListener('logit-ready', () => addProperties(panel, scope));
  panel.renderRoot.append(scope);
}

/** @param {LogitScope} scope */
function followScope(scope) {
  /** Names of the attributes that changed before the first model was loaded. @type {Set<string>} */
  const early = new Set();
  const follow = (/** @type {string} */ name) => {
    if (SCOPE_ATTRIBUTES.includes(name)) return;
    const text = scope.getAttribute(name);
    if (text === null) return changeSetting(scope, name, undefined);
    const { state, dropped } = parseParts([[name, text]], scope.table, scope.info?.vocab_size);
    if (dropped.some(({ why }) => why === 'unknown')) return; // not part of the state, such as `class`
    scope.acceptParsed({ state, dropped });
    if (state) changeSetting(scope, name, valueIn(state, name));
  };
  observe(scope, (names) => {
    if (scope.ready) names.forEach(follow);
    else for (const name of names) early.add(name);
  });
  scope.addEventListener('logit-ready', () => {
    addProperties(scope, scope);
    early.forEach(follow);
    early.clear();
  });
}

/** @param {PageState} state @param {string} name */
function valueIn(state, name) {
  return name in state.settings
    ? /** @type {any} */ (state.settings)[name]
    : /** @type {any} */ (state)[name];
}

/**
 * Sets one part of the state to a value that was checked; undefined means the default.
 * @param {LogitScope} scope
 * @param {string} name
 * @param {any} value
 */
function changeSetting(scope, name, value) {
  const row = scope.table.find((candidate) => candidate.name === name);
  const field = fieldOf(name);
  if (row && row.kind !== 'map') return scope.set({ [name]: value ?? row.neutral });
  if (field?.view && field.view !== 'bench')
    return scope.choose({ [name]: value ?? field.initial });
  if (!row && field?.address !== 'fragment') return;
  const { settings, ...others } = scope.state;
  const restored = /** @type {any} */ ({ ...others, settings: { ...settings } });
  if (field && !field.setting) restored[name] = value ?? field.initial;
  else if (value === undefined) delete restored.settings[name];
  else restored.settings[name] = value;
  scope.restore(restored);
}

/**
 * Defines a property for each setting on an element. If the author has set the property before, the value stays.
 * @param {any} element
 * @param {LogitScope} scope
 */
function addProperties(element, scope) {
  const rows = scope.table.map(({ name, neutral }) => ({ name, initial: neutral, setting: true }));
  const fields = FIELDS.filter(({ address, view }) => address === 'fragment' && !view);
  for (const { name, initial, setting } of [...rows, ...fields]) {
    const early = Object.getOwnPropertyDescriptor(element, name);
    if (early?.get || (!early && name in element)) continue;
    Object.defineProperty(element, name, {
      configurable: true,
      get: () => valueIn(scope.state, name) ?? initial,
      set(value) {
        const { table, info } = scope;
        const { state, dropped } =
          typeof value === 'string'
            ? parseParts([[name, value]], table, info?.vocab_size)
            : checkState(
                setting ? { settings: { [name]: value } } : { [name]: value },
                table,
                info?.vocab_size,
              );
        scope.acceptParsed({ state, dropped });
        if (state) changeSetting(scope, name, valueIn(state, name));
      },
    });
    if (early) element[name] = early.value;
  }
}
