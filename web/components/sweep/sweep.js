/** <logit-sweep> */
import { html } from 'lit';
import { t } from '../../locale/locale.js';
import { define } from '../define.js';
import { ModelElement } from '../model-element.js';

export class LogitSweep extends ModelElement {
  render() {
    return html`<h2>${t('view.sweep')}</h2><p class="about">${t('view.sweep.about')}</p>`;
  }
}

define('logit-sweep', LogitSweep);
