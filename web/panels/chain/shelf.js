/**
 * <logit-shelf>: the warpers that are not in the chain, each with the sentence that says what it
 * does; one pressed comes into the chain. Asks with "logit-add".
 */
import { css, html, nothing } from 'lit';
import { t } from '../../locale/locale.js';
import { define } from '../../base/define.js';
import { LogitElement } from '../../base/element.js';
import { SHELF, capitalise, settingName } from '../../state/settings.js';

export class LogitShelf extends LogitElement {
  static properties = {
    shown: { attribute: false },
  };

  static styles = [
    ...LogitElement.styles,
    css`
      details {
        margin-top: 0.25rem;
      }

      details > summary {
        display: flex;
        align-items: center;
        gap: 0.5rem;
        min-height: 2.25rem;
        padding: 0 0.75rem 0 0.5rem;
        border: 1px dashed var(--control-line);
        border-radius: 0.375rem;
        color: var(--ink);
        font-size: 0.875rem;
        list-style: none;
      }

      summary::-webkit-details-marker {
        display: none;
      }

      summary:hover {
        border-color: var(--ink);
      }

      summary svg {
        width: 1rem;
        height: 1rem;
        stroke: var(--trace);
        stroke-width: 2;
        stroke-linecap: round;
        transition: transform var(--quick);
      }

      [open] summary svg {
        transform: rotate(45deg);
      }

      h3 {
        margin: 0.75rem 0 0.25rem;
        color: var(--soft);
        font-size: 0.75rem;
        font-weight: 550;
      }

      ul {
        margin: 0;
        padding: 0;
        border: 1px solid var(--line);
        border-radius: 0.375rem;
        list-style: none;
      }

      li + li {
        border-top: 1px solid var(--line);
      }

      li button {
        box-sizing: border-box; /* not inherited through details */
        width: 100%;
        padding: 0.375rem 0.625rem 0.4375rem;
        border: 0;
        background: none;
        text-align: left;
      }

      li button:hover,
      li button:focus-visible {
        background: var(--trace-wash);
      }

      li button:focus-visible {
        outline-offset: -2px;
      }

      b {
        display: block;
        font-weight: 600;
      }

      li .about {
        display: block;
        margin: 0;
      }
    `,
  ];

  constructor() {
    super();
    /** @type {string[]} The warpers that have a card already. */
    this.shown = [];
  }

  render() {
    const left = SHELF.map(({ group, names }) => ({
      group,
      names: names.filter((name) => !this.shown.includes(name)),
    })).filter(({ names }) => names.length > 0);
    if (left.length === 0) return nothing;
    return html`
      <details>
        <summary><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 3v10M3 8h10"></path></svg>
          ${t('warpers.add')}</summary>
        ${left.map(
          ({ group, names }) => html`
          <h3 id=${group}>${t(`warpers.group.${group}`)}</h3>
          <ul aria-labelledby=${group}>${names.map(
            (name) => html`
            <li><button data-add=${name} @click=${() => this.#add(name)}>
              <b>${capitalise(settingName(name))}</b>
              <span class="about">${t(`about.${name}`)}</span></button></li>`,
          )}</ul>`,
        )}
      </details>
    `;
  }

  focus() {
    this.renderRoot.querySelector('summary')?.focus();
  }

  /** @param {string} name */
  #add(name) {
    const details = this.renderRoot.querySelector('details');
    if (details) details.open = false;
    this.emit('logit-add', { name });
  }
}

define('logit-shelf', LogitShelf);
