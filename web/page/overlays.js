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
import { farAddress } from '../state/hosts.js';

/** @import { LogitScope } from './scope.js' */

/** Returns the instrument of an event. @param {Event} event */
const scopeAround = (event) =>
  /** @type {LogitScope | undefined} */ (
    event.composedPath().find((part) => part instanceof Element && part.localName === 'logit-scope')
  );

document.addEventListener('logit-programs', async (event) => {
  // A panel elsewhere on the page shows the state of the page's instrument.
  const scope = scopeAround(event) ?? document.querySelector('logit-scope');
  await import('./programs.js');
  const request = { .../** @type {CustomEvent} */ (event).detail };
  if (scope && !scope.readonly)
    scope.programs = () =>
      html`<logit-programs .scope=${scope} .request=${request} @logit-adopt=${scope.adopt}></logit-programs>`;
});

/** For each instrument, the model that last offered its own settings. @type {WeakMap<LogitScope, unknown>} */
const offered = new WeakMap();

document.addEventListener('logit-ready', async (event) => {
  const scope = scopeAround(event);
  const { source } = scope?.instrument.model ?? {};
  if (!scope || offered.get(scope) === source) return;
  offered.set(scope, source);
  scope.offer = null;
  if (typeof source === 'string' && !farAddress(source)) return;
  await (await import('./offer.js')).offerSettings(scope, source);
});
