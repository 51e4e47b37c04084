/** Copies the fields of the address's query to attributes of the instrument, before its element is defined. */
import { FIELDS } from '../state/fields.js';
import { MODELS } from '../state/models.js';
import { parseControls, parseQuery, viewOf } from '../state/page-state.js';
import { writeUnwritten } from './site-links.js';

writeUnwritten();

/** @type {Element | null} */
let scope = document.querySelector('logit-scope');
// A frame with srcdoc has no address: its host writes the query into the element <html>.
const { asked } = parseQuery(location.search || (document.documentElement.dataset.query ?? ''));
let lesson = document.querySelector('logit-lesson');
if (scope && (asked.lesson !== undefined || location.hash.startsWith('#lesson='))) {
  lesson = document.createElement('logit-lesson');
  lesson.append(...scope.querySelectorAll('[slot]'));
  for (const name of ['lesson', 'report']) lesson.setAttribute(name, asked[name] ?? '');
  scope.replaceWith(lesson);
  scope = null;
}
if (lesson) import('./lesson/entry.js');
if (asked.strings || asked.fuzz) import('./test-modes.js');
const sourced = asked.source && !asked.model;
if (!sourced) scope?.setAttribute('model', MODELS[0].name);
scope?.setAttribute('view', viewOf(asked, location.hash));
for (const { name, attribute } of FIELDS)
  if (attribute && asked[name]) scope?.setAttribute(name, asked[name] === true ? '' : asked[name]);
if (scope && asked.present) {
  scope.setAttribute('present', '');
  document.documentElement.dataset.present = '';
}
// Hide the preferences, but keep the element, because it sets the language and the theme.
if (asked.controls && !parseControls(asked.controls)?.parts.has('masthead')) {
  document.querySelector('h1')?.remove();
  document.querySelector('logit-preferences')?.setAttribute('hidden', '');
}
if (sourced) scope?.setAttribute('source', asked.source);
// In a frame the host page explains the instrument, so there is no tour.
if (asked.controls || sourced || window.parent !== window) scope?.removeAttribute('guide');
