/** <logit-own> */
import { html } from 'lit';
import { t } from '../../locale/locale.js';
import { define } from '../define.js';
import { ModelElement } from '../model-element.js';

export class LogitOwn extends ModelElement {
  render() {
    return html`<h2>${t('view.own')}</h2><p class="about">${t('view.own.about')}</p>`;
  }
}

define('logit-own', LogitOwn);
