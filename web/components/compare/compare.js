/** <logit-compare> */
import { html } from 'lit';
import { t } from '../../locale/locale.js';
import { define } from '../define.js';
import { ModelElement } from '../model-element.js';

export class LogitCompare extends ModelElement {
  render() {
    return html`<h2>${t('view.compare')}</h2><p class="about">${t('view.compare.about')}</p>`;
  }
}

define('logit-compare', LogitCompare);
