/**
 * How a panel finds its state in a lesson: that of the <logit-scope> whose id its `for` names, or,
 * with `model` and settings as attributes of its own, that of a hidden one inside it.
 */
import { LogitElement } from './element.js';

/** @typedef {import('./scope.js').LogitScope} LogitScope */

const PANELS = ['logit-text', 'logit-draw', 'logit-distribution', 'logit-chain'];
/** Attributes that say nothing of the state. */
const OWN = ['class', 'id', 'style', 'part', 'slot'];

LogitElement.joined = async (panel) => {
  const id = panel.getAttribute('for');
  if (!PANELS.includes(panel.localName) || (!id && !panel.hasAttribute('model'))) return;
  await customElements.whenDefined('logit-scope');
  await panel.updateComplete;
  if (!panel.isConnected) return;
  if (id) {
    const root = /** @type {Document | ShadowRoot} */ (panel.getRootNode());
    const scope = /** @type {LogitScope | null} */ (root.getElementById(id));
    scope?.attach?.(panel);
    return;
  }
  if (panel.renderRoot.querySelector('logit-scope')) return;
  const scope = /** @type {LogitScope} */ (document.createElement('logit-scope'));
  for (const { name, value } of panel.attributes)
    if (!OWN.includes(name)) scope.setAttribute(name, value);
  scope.hidden = true;
  scope.attach(panel);
  panel.renderRoot.append(scope);
};
