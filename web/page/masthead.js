/** Renders the head of the instrument: name, tabs of the views, model, share button. */
import { html, nothing } from 'lit';
import { t } from '../locale/locale.js';
import { centre } from '../base/centre.js';
import { listen } from '../base/props.js';
import { isSlow } from '../state/engines.js';
import { SHEET_VIEWS } from '../state/fields.js';
import { findModel } from '../state/models.js';
import './model-chooser.js';
import { inLanguage } from './site-links.js';
import { VIEWS } from './views.js';

/** @import { LogitElement } from '../base/element.js' */

/**
 * @param {import('./scope.js').LogitScope} scope
 * @param {object} shown
 * @param {(part: string) => boolean} shown.shows returns true if a part of PARTS is visible
 * @param {string} shown.name of the model
 * @param {import('../state/instrument.js').Instrument} shown.instrument
 * @param {(view: string) => void} shown.go
 * @param {Record<string, (event: any) => void>} shown.asked the listeners for the sheet's events; one
 *   object for all renders
 */
export function renderMasthead(scope, { shows, name, instrument, go, asked }) {
  if (!['masthead', 'tabs', 'model'].some(shows)) return nothing;
  const { progress: coming, coming: model } = instrument.model;
  const progress = scope.ready && !isSlow(coming) ? coming : null;
  const elsewhere = String(model).startsWith('source:'); // its name comes with its first answer
  const [, host] = /^source:server#(.*?)%/.exec(scope.source ?? '') ?? [];
  // The page may have a model of the same name. A phone has no room for both.
  const both = host && name && matchMedia('(min-width: 40rem)').matches;
  const own = both ? `${name} · ${host}` : name;
  const shown = progress && !elsewhere ? findModel(model).name : own;
  const sheet = {
    info: instrument.info,
    source: instrument.model.source,
    views: shows('tabs') ? SHEET_VIEWS : [],
    kept: scope.readonly ? null : scope.kept,
    fixed: scope.readonly,
  };
  return html`
    <div class="top">
    <slot name="name"></slot>
    <div class="places scroll sideways" role="toolbar" aria-label=${t('view.label')} ?hidden=${!shows('tabs')}>
      ${renderTabs(scope, go)}
      ${scope.shareable ? html`<a href=${inLanguage('?lesson')}>${t('page.lessons')}</a>` : nothing}
    </div>
    <logit-model ?hidden=${!shows('model')} .name=${shown} .progress=${progress}
      .sheet=${sheet} ${listen(asked)}></logit-model>
    ${
      scope.shareable
        ? html`<div class="moment" role=${scope.kept ? 'toolbar' : nothing} aria-label=${scope.kept ? t('undo.label') : nothing}>
            ${scope.kept?.deeds.render() ?? nothing}
            <button class="chosen" data-command="share" @click=${() => scope.emit('logit-share')}>
              <span>${t('foot.share')}</span>
              <svg viewBox="0 0 20 20" aria-hidden="true"><path d="M5 15 15 5M7 5h8v8"></path></svg></button></div>`
        : nothing
    }
    <slot name="preferences"></slot>
    </div>`;
}

/** @param {import('./scope.js').LogitScope} scope @param {(view: string) => void} go */
function renderTabs({ view }, go) {
  // These views have a tab only while they are displayed.
  const names = VIEWS.map(({ name }) => name).filter(
    (name) => !SHEET_VIEWS.includes(name) || name === view,
  );
  return html`
    <div role="tablist" aria-label=${t('view.label')}>
      ${names.map(
        (name) => html`
        <button role="tab" id="tab-${name}" aria-controls="view" data-view=${name}
          aria-selected=${name === view} @click=${() => go(name)}>${t(`view.${name}`)}</button>`,
      )}
    </div>`;
}

/**
 * Scrolls the row of tabs so that the current tab is in the middle.
 * @param {LogitElement['renderRoot']} root
 */
export function showTab(root) {
  const row = root.querySelector('.places');
  centre(row, row?.querySelector('[aria-selected=true]'));
}
