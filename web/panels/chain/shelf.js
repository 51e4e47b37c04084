/**
 * <logit-shelf>: all samplers that are not in the chain, in groups. Each has a sentence, pictures of its effect and a
 * source. The search knows the names of other programs; it also finds stages that are in the chain, and the settings
 * of other programs. Emits "logit-add" for a chosen sampler, with `start` (its first value) unless it has a card of
 * its own; "logit-find" for a stage in the chain; "logit-programs"; "logit-close".
 */
import { html, nothing, svg } from 'lit';
import { locales } from '#locales/shelf';
import { addMessages, announceLanguage, measure, t } from '../../locale/locale.js';
import { LogitElement, define, elementWith, valueOf } from '../../base/element.js';
import { aboutSetting, capitalise, settingName } from '../../base/setting-words.js';
import { layoutSteps } from '../../plots/steps.js';
import { lease } from '../../state/engines.js';
import {
  SAMPLERS,
  drawPictures,
  findSamplers,
  groupSamplers,
  startOf,
} from '../../state/samplers.js';
import shelfStyles from './shelf.css';

addMessages(locales);
announceLanguage();

/** @import { Picture } from '../../state/samplers.js' */

const SIZE = { width: 64, height: 26 };

/**
 * The pictures of all samplers, which all shelves share; null before they are computed and after a failure.
 * @type {Promise<Record<string, Record<string, Picture>>> | null}
 */
let drawing = null;

async function readPictures() {
  const { ready, release } = lease(null);
  try {
    return await drawPictures(await ready, Object.keys(SAMPLERS));
  } catch (error) {
    drawing = null;
    throw error;
  } finally {
    release();
  }
}

export class LogitShelf extends elementWith(LogitElement, () => ({
  /** @type {import('../../plots/trace.js').SettingRow[]} */
  table: [],
  /** Names of the samplers that cannot be added. @type {string[]} */
  shown: [],
  /** Names of the samplers that are in the chain. @type {string[]} */
  inside: [],
  /** True if the search finds the settings of other programs. */
  imports: false,
  query: '',
  /**
   * Pictures by sampler and kind of distribution; empty until they are computed.
   * @type {Record<string, Record<string, Picture>>}
   */
  pictures: {},
})) {
  static styles = [...LogitElement.styles, shelfStyles];

  /** The groups, each with the samplers that can still be added. */
  get #groups() {
    return groupSamplers(this.table).map(({ group, names }) => ({
      group,
      names: names.filter((name) => !this.shown.includes(name)),
    }));
  }

  get #addable() {
    return this.#groups.flatMap(({ names }) => names);
  }

  get #found() {
    if (!this.query.trim()) return this.#addable;
    const names = [...this.inside, ...this.#addable, ...(this.imports ? ['import'] : [])];
    return findSamplers(this.query, names, (name) => [titleOf(name), aboutOf(name)]);
  }

  connectedCallback() {
    super.connectedCallback();
    drawing ??= readPictures();
    drawing.then(
      (pictures) => (this.pictures = pictures),
      () => {}, // ignored: the shelf works without pictures
    );
  }

  firstUpdated() {
    // On a touch screen, the focus would open the keyboard.
    if (matchMedia('(hover: hover)').matches) this.#searchInput?.focus();
  }

  render() {
    const found = this.#found;
    const count = t('shelf.count', { n: found.length });
    const best = this.query.trim() && found[0];
    return html`
      <div class="shelf" @keydown=${this.#onKey}>
        <div class="find">
          <input type="search" aria-label=${t('shelf.search')} placeholder=${t('shelf.search.example')}
            aria-describedby="keys" autocomplete="off" autocapitalize="off" spellcheck="false"
            .value=${this.query} @input=${this.#onInput}>
          <span class="count" aria-hidden="true">${count}</span>
        </div>
        <p id="keys" hidden>${t('shelf.keys')}</p>
        <p class="visually-hidden" role="status">${
          best
            ? t(this.#isHere(best) ? 'shelf.count.best' : 'shelf.count.there', {
                count,
                name: capitalise(titleOf(best)),
              })
            : count
        }</p>
        <p class="about">${t('shelf.legend')}</p>
        <div class="list">
          ${
            found.length === 0
              ? html`<p class="none">${t('shelf.none', { query: this.query.trim() })}</p>`
              : best
                ? this.#renderList(found, t('shelf.found'))
                : this.#renderGroups()
          }
        </div>
      </div>
    `;
  }

  #renderGroups() {
    return this.#groups
      .filter(({ names }) => names.length > 0)
      .map(({ group, names }) => {
        const title = t(`group.${group}`);
        return html`<h3 data-group=${group}>${title}</h3>${this.#renderList(names, title)}`;
      });
  }

  /** @param {string[]} names @param {string} label */
  #renderList(names, label) {
    return html`<ul aria-label=${label}>${names.map((name) => this.#renderSampler(name))}</ul>`;
  }

  /** @param {string} name */
  #renderSampler(name) {
    const here = this.#isHere(name);
    const { source, given } = here ? SAMPLERS[name] : { given: undefined };
    return html`
      <li>
        <button data-add=${name} @click=${() => this.#add(name)}>
          <b>${capitalise(titleOf(name))}</b>
          <span class="about">${aboutOf(name)}</span>
          ${here ? (given === null ? nothing : this.#renderPictures(name)) : name === 'import' ? nothing : html`<span class="pictures there">${t('shelf.inside')}</span>`}
        </button>
        <p class="from">
          ${source ? html`<a href=${source.url} target="_blank" rel="noopener noreferrer">${[source.by, source.year].filter(Boolean).join(' ')}</a>` : nothing}
          ${given === undefined ? nothing : html`<span>${t(`shelf.given.${given}`)}</span>`}
        </p>
      </li>`;
  }

  /** @param {string} name */
  #renderPictures(name) {
    return html`<span class="pictures">${['confident', 'flat'].map((kind) =>
      this.#renderPicture(kind, this.pictures[name]?.[kind]),
    )}</span>`;
  }

  /** @param {string} kind @param {Picture} [picture] */
  #renderPicture(kind, picture) {
    const { width, height } = SIZE;
    const paths = picture && layoutSteps({ ...picture, ...SIZE });
    return html`
      <span class="picture">
        <svg viewBox="0 0 ${width} ${height + 6}" aria-hidden="true">${
          picture && paths
            ? svg`<path class="before" d=${paths.before}></path><path class="after" d=${paths.after}></path>
              ${picture.kept.map((_, i) => renderDot(picture, i))}`
            : nothing
        }</svg>
        <span class="visually-hidden">${t(`shelf.${kind}`)}</span>
        <span class="effect">${picture ? describeEffect(picture) : ' '}</span>
      </span>`;
  }

  get #searchInput() {
    return this.renderRoot.querySelector('input');
  }

  /** @param {Event} event */
  async #onInput(event) {
    this.query = valueOf(event);
    await this.updateComplete;
    this.renderRoot.querySelector('.list')?.scrollTo(0, 0);
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const { key } = event;
    const target = /** @type {HTMLElement} */ (event.target);
    const search = this.#searchInput;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === 'Escape') {
      this.emit('logit-close');
    } else if (key === 'Enter' && target === search) {
      const [best] = this.query.trim() ? this.#found : [];
      if (best) this.#add(best);
    } else if (key === 'ArrowDown' || key === 'ArrowUp') {
      this.#moveFocus(target, key === 'ArrowDown' ? 1 : -1);
    } else {
      // A typed character goes to the search.
      if (key.length === 1 && key !== ' ' && target !== search) search?.focus();
      if (key.length === 1) event.stopPropagation();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** Moves the focus by `by` entries; the search is the first one. @param {HTMLElement} from @param {number} by */
  #moveFocus(from, by) {
    const stops = [this.#searchInput, ...this.renderRoot.querySelectorAll('li button')];
    const at = stops.findIndex((stop) => stop === from || stop?.parentElement?.contains(from));
    /** @type {HTMLElement | null | undefined} */ (stops[at + by])?.focus();
  }

  /** True for a stage that can be added. @param {string} name */
  #isHere(name) {
    return name !== 'import' && !this.inside.includes(name);
  }

  /** @param {string} name */
  #add(name) {
    if (name === 'import') this.emit('logit-programs');
    else if (this.inside.includes(name)) this.emit('logit-find', { name });
    else this.emit('logit-add', { name, start: startOf(this.table, name) });
  }
}

const titleOf = (/** @type {string} */ name) =>
  name === 'import' ? t('shelf.import') : settingName(name);
const aboutOf = (/** @type {string} */ name) =>
  name === 'import' ? t('shelf.import.about') : aboutSetting(name);

/** Renders the dot below a token in a picture: kept or removed. @param {Picture} picture @param {number} i */
function renderDot({ kept, marked }, i) {
  const kind = `${kept[i] ? 'kept' : ''} ${marked[i] ? 'marked' : ''}`;
  const at = ((i + 0.5) * SIZE.width) / kept.length;
  return svg`<circle class=${kind} cx=${at} cy=${SIZE.height + 3.5} r="1.25"></circle>`;
}

/** @param {Picture} picture */
function describeEffect({ changed, removed, kept, bits }) {
  if (removed > 0) return t('shelf.kept', { n: kept.length - removed });
  if (!changed) return t('shelf.same');
  return t('shelf.bits', { value: `${bits < 0 ? '−' : '+'}${measure(Math.abs(bits))}` });
}

define('logit-shelf', LogitShelf);
