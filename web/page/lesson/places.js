/** Links at the head of a lesson page: to the views of the instrument and to the list of lessons. */
import { html } from 'lit';
import { t } from '../../locale/locale.js';
import { SHEET_VIEWS, VIEW_NAMES } from '../../state/fields.js';
import { viewAddress } from '../site-links.js';

/**
 * @param {object} options
 * @param {string} [options.folder] the instrument's folder, relative to this page
 * @param {string} options.lessons the address of the list of lessons
 * @param {boolean} [options.here] true if this page is the list
 */
export function renderPlaces({ folder = '', lessons, here = false }) {
  const views = VIEW_NAMES.filter((name) => !SHEET_VIEWS.includes(name));
  return html`<nav aria-label=${t('view.label')}>
    ${views.map((name) => html`<a href=${viewAddress(name, folder)}>${t(`view.${name}`)}</a>`)}
    <a href=${lessons} aria-current=${here ? 'page' : 'true'}>${t('page.lessons')}</a></nav>`;
}

/**
 * A view of the instrument: with choices of it, and the model to begin with if the tab has no state.
 * @typedef {{ name: string, view: string, model?: string, choices?: Record<string, string> }} Place
 */

/**
 * Returns the address of a view with choices and the instrument's last state in this tab.
 * @param {Place} place @param {string} folder the instrument's folder, relative to this page
 */
export function placeAddress({ view, model, choices = {} }, folder) {
  const [address, hash = ''] = viewAddress(view, folder).split('#');
  const kept = hash.split('&').filter((part) => part && !(part.split('=')[0] in choices));
  const state = [...kept, ...Object.entries(choices).map((pair) => pair.join('='))].join('&');
  return `${address}${model && !hash ? `&model=${model}` : ''}${state && `#${state}`}`;
}
