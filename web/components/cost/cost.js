/** <logit-cost> */
import { html } from 'lit';
import { t } from '../../locale/locale.js';
import { define } from '../define.js';
import { ModelElement } from '../model-element.js';

export class LogitCost extends ModelElement {
  render() {
    return html`<h2>${t('view.cost')}</h2><p class="about">${t('view.cost.about')}</p>`;
  }
}

define('logit-cost', LogitCost);
