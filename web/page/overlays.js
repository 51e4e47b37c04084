/**
 * Elements that appear over the page or at its foot. They are fetched while the first model loads. The settings of
 * other programs are fetched when an element asks for them.
 */
import { html } from 'lit';
import './model-sheet.js';
import '../panels/distribution/glance.js';
import '../panels/text/alternatives.js';
import '../panels/text/branches.js';
import '../panels/text/token-menu.js';
import '../panels/text/verdict.js';

/** @typedef {import('./scope.js').LogitScope} LogitScope */

document.addEventListener('logit-programs', async (event) => {
  const { detail } = /** @type {CustomEvent} */ (event);
  const around = /** @type {Element[]} */ (event.composedPath());
  const inside = around.find(({ localName }) => localName === 'logit-scope');
  // A panel elsewhere on the page shows the state of the page's instrument.
  const scope = /** @type {LogitScope} */ (inside ?? document.querySelector('logit-scope'));
  await import('./programs.js');
  const request = { ...detail };
  if (!scope.readonly)
    scope.programs = () =>
      html`<logit-programs .scope=${scope} .request=${request} @logit-adopt=${scope.adopt}></logit-programs>`;
});
