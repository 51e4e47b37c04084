/**
 * <logit-logits>: the bench without a model. The user pastes logits, or gives a text, and its bigram table has them.
 * Emits "logit-model" for a model file that the user drops here, and "logit-choose" with each choice.
 */
import { locales } from '#locales/logits';
import { html, nothing } from 'lit';
import { addMessages, number, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import '../../panels/chain/chain.js';
import '../../panels/distribution/distribution.js';
import '../../panels/draw/draw.js';
import { boundedText, fullTextOf } from '../../base/bounded-text.js';
import { LogitElement, define, valueOf } from '../../base/element.js';
import { lease } from '../../state/engines.js';
import { initialChoices, sameValue } from '../../state/fields.js';
import { ENDINGS, modelOf, onPick } from '../../state/files.js';
import { sentence } from '../../base/faults.js';
import { toFault } from '../../engine/errors.js';
import '../../panels/own-sampler/own-sampler.js';
import { listen, props } from '../../base/props.js';
import { visible, visibleHtml } from '../../base/visible.js';
import { panelsOfBench } from '../bench/panels.js';
import { requestsOfBench } from '../bench/requests.js';
import { LogitsBench } from './logits-bench.js';
import { countBigrams, rowLogits } from './bigram.js';
import logitsStyles from './logits.css';
import { parseLogits } from './parse.js';
import { SAMPLES, TEXT } from './samples.js';

addMessages(locales);

/** Properties that decide the logits. */
const CONTENTS = ['source', 'kind', 'pasted', 'text', 'by', 'context'];
/** Number of tokens in the table, and number of tokens that one press draws. */
const SHOWN = 12;
const MANY = 40;

export class LogitLogits extends LogitElement {
  static properties = {
    wrong: { state: true },
    fault: { state: true },
    source: {},
    kind: {},
    pasted: {},
    text: {},
    by: {},
    context: { attribute: false },
    settings: { attribute: false },
    chart: {},
    conventions: { attribute: false },
    bare: { type: Boolean },
    shown: { state: true },
  };

  static styles = [...LogitElement.styles, logitsStyles];

  /** @type {import('../../state/engines.js').Lease | null} */
  #lease = null;
  #bench = new LogitsBench();
  /**
   * The user's own numbers while an example is shown; else null.
   * @type {Pick<LogitLogits, 'pasted' | 'kind'> | null}
   */
  #mine = null;
  /**
   * The settings of the last emitted event. If `settings` differs from them, the page has changed it.
   * @type {object | null}
   */
  #told = null;
  /** Listeners for events of the panels, by the name of the event. @type {Record<string, (event: any) => void>} */
  #asks = {
    ...requestsOfBench(this.#bench),
    'logit-force': ({ detail }) =>
      this.source === 'bigram' && this.keepChoice({ context: [...this.context, detail.id] }),
  };

  constructor() {
    super();
    /**
     * The error in the pasted text; null if none.
     * @type {{ key: string, params: Record<string, string | number> } | null}
     */
    this.wrong = null;
    /**
     * The reason why no engine could be opened; null if none.
     * @type {import('../../engine/errors.js').Fault | null}
     */
    this.fault = null;
    const initial = initialChoices('logits');
    /** Origin of the logits: pasted, or a bigram table. @type {'pasted' | 'bigram'} */
    this.source = initial.source;
    /** Meaning of the pasted numbers: logits or probabilities. @type {'logits' | 'probabilities'} */
    this.kind = initial.kind;
    /** The pasted text; null for an example. @type {string | null} */
    this.pasted = initial.pasted;
    /** The text to count; null for the example. @type {string | null} */
    this.text = initial.text;
    /** @type {'characters' | 'words'} */
    this.by = initial.by;
    /** Ids of the text that is drawn from the table; the first one is its start. @type {number[]} */
    this.context = initial.context;
    /** The settings that are not neutral. @type {import('../../engine/types.js').Settings | null} */
    this.settings = initial.settings;
    /** @type {import('../../state/bench.js').View} */
    this.chart = initial.chart;
    /** Names of two programs whose rules are compared; null for none. @type {[string, string] | null} */
    this.conventions = initial.conventions;
    /** True to show only the table and its text, for a lesson. */
    this.bare = false;
    this.bigram = countBigrams(TEXT, this.by);
    /** The origin of the logits that the bench shows. @type {'pasted' | 'bigram'} */
    this.shown = 'pasted';
    this.#bench.addEventListener('update', () => this.requestUpdate());
    this.#bench.addEventListener('change', () => this.#keep());
  }

  /** True while the bench is reading. */
  get busy() {
    return this.#bench.pass !== null;
  }

  connectedCallback() {
    super.connectedCallback();
    this.#open();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#lease?.release();
    this.#lease = null;
    this.#bench.use(null);
  }

  async #open() {
    const held = lease(null);
    this.#lease = held;
    try {
      const engine = await held.ready;
      if (this.#lease !== held) return;
      this.#bench.use(engine);
      this.#show();
      if (this.settings) this.#bench.restore(this.settings);
    } catch (error) {
      this.fault = toFault(error);
    }
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('text') || changed.has('by'))
      this.bigram = countBigrams(this.text ?? TEXT, this.by);
    const { length } = this.bigram.tokens;
    // If the ids belong to another table, begin a new text.
    if (this.context.length === 0 || this.context.some((id) => id >= length)) this.context = [0];
    if (CONTENTS.some((name) => changed.has(name))) this.#show();
    const { pasted, kind } = this;
    if (pasted !== null && !Object.values(SAMPLES).includes(pasted)) this.#mine = { pasted, kind };
    if (changed.has('settings') && this.settings !== this.#told)
      this.#bench.restore(this.settings ?? {});
    if (changed.has('chart') || changed.has('conventions')) {
      Object.assign(this.#bench, { view: this.chart, pair: this.conventions });
      this.#bench.refresh();
    }
  }

  /** Reports changes in the bench to the page. */
  #keep() {
    const { said, view: chart, pair: conventions } = this.#bench;
    const settings = Object.keys(said).length > 0 ? said : null;
    const kept = Object.entries({ settings, chart, conventions }).filter(
      ([name, value]) => !sameValue(value, /** @type {any} */ (this)[name]),
    );
    if (kept.length === 0) return;
    this.#told = settings;
    this.keepChoice(Object.fromEntries(kept));
  }

  /** Shows the chosen logits in the bench. If they are invalid, the bench keeps its logits. */
  #show() {
    if (this.source === 'pasted') this.#showPasted();
    else this.#showBigram();
  }

  #showPasted() {
    const found = parseLogits(this.pasted ?? SAMPLES.confident, this.kind);
    this.wrong = 'key' in found ? found : null;
    if ('key' in found) return;
    this.shown = 'pasted';
    this.#bench.show(found);
  }

  /** Shows the table's row for the last token of the text. */
  #showBigram() {
    const { bigram, context } = this;
    if (bigram.tokens.length < 2) return;
    this.shown = 'bigram';
    const logits = rowLogits(bigram, context[context.length - 1]);
    const step = context.length - 1;
    this.#bench.show({ tokens: bigram.tokens, logits, history: context, step });
  }

  /** @param {number} n */
  async #write(n) {
    for (let i = 0; i < n; i++) {
      await this.updateComplete;
      const drawn = await this.#bench.next();
      if (!drawn || this.source !== 'bigram') return;
      this.keepChoice({ context: [...this.context, drawn.id] });
    }
  }

  render() {
    if (this.bare)
      return html`<div class="room"><div class="bench bigram">${this.#renderBigram()}</div></div>`;
    return html`
      <h2>${t('view.logits')}</h2>
      <p class="about">${t('logits.about')}</p>
      <div class="tools">
        <div class="segments kinds" role="group" aria-label=${t('logits.sources')}>
          ${
            /** @type {const} */ (['pasted', 'bigram']).map(
              (name) => html`<button data-source=${name} aria-pressed=${this.source === name}
              @click=${() => this.keepChoice({ source: name })}>${t(`logits.${name}`)}</button>`,
            )
          }
        </div>
        <button data-command="file" @click=${() => this.renderRoot.querySelector('input')?.click()}>${t('model.open')}</button>
        <input type="file" accept=${ENDINGS} multiple hidden aria-label=${t('model.open')} @change=${this.#onFile}
          @click=${(/** @type {Event} */ event) => onPick(event, (files) => this.emit('logit-model', { model: modelOf(files) }))}>
        <span class="about">${t('logits.file')}</span>
      </div>
      ${this.fault ? html`<p class="error" role="alert">${sentence(this.fault, this)}</p>` : nothing}
      <div class="room"><div class="bench ${this.source}" ${listen(this.#asks)}>
        ${this.source === 'pasted' ? this.#renderPasted() : this.#renderBigram()}
        ${this.#bench.trace ? this.#renderBench(this.#bench) : nothing}
      </div></div>
      ${this.#bench.trace ? this.#renderSampler(this.#bench) : nothing}
    `;
  }

  #renderPasted() {
    const { wrong } = this;
    const pasted = this.pasted ?? SAMPLES.confident;
    return html`
      <section>
        <p class="about">${t('logits.pasted.about')}</p>
        <div class="tools" role="group" aria-label=${t('logits.samples')}>
          ${this.#mine ? html`<button data-sample="own" aria-pressed=${pasted === this.#mine.pasted} @click=${() => this.keepChoice({ ...this.#mine })}>${t('logits.sample.own')}</button>` : nothing}
          ${Object.entries(SAMPLES).map(
            ([name, text]) => html`<button data-sample=${name}
              aria-pressed=${this.shown === 'pasted' && pasted === text}
              @click=${() => this.keepChoice({ pasted: text, kind: 'logits' })}>${t(`logits.sample.${name}`)}</button>`,
          )}
        </div>
        <label class="label" for="logits">${t('logits.pasted.label')}</label>
        <textarea id="logits" spellcheck="false" ${boundedText(pasted)} aria-describedby="error"
          aria-invalid=${wrong ? 'true' : 'false'}
          @input=${(/** @type {Event} */ event) => this.keepChoice({ pasted: fullTextOf(event) })}></textarea>
        <p id="error" class="error" role="alert">${wrong ? t(wrong.key, wrong.params) : ''}</p>
        <div class="tools">
          <label class="label">${t('logits.kind')}
            <select id="kind" @change=${(/** @type {Event} */ event) => this.keepChoice({ kind: valueOf(event) })}>
              ${['logits', 'probabilities'].map((name) => html`<option value=${name} .selected=${name === this.kind}>${t(`logits.kind.${name}`)}</option>`)}
            </select></label>
          <span class="about" ?hidden=${this.kind === 'logits'}>${t('logits.kind.about')}</span>
        </div>
      </section>`;
  }

  #renderBigram() {
    const { bigram, by, context } = this;
    const few = bigram.tokens.length < 2;
    return html`
      <section>
        <div>
          <p class="about">${t('logits.bigram.about')}</p>
          <label class="label" for="text">${t('logits.text')}</label>
          <textarea id="text" spellcheck="false" ${boundedText(this.text ?? TEXT)}
            @input=${(/** @type {Event} */ event) => this.keepChoice({ text: fullTextOf(event), context: [0] })}></textarea>
          <div class="tools">
            <label class="label">${t('logits.by')}
              <select id="by" @change=${(/** @type {Event} */ event) => this.keepChoice({ by: valueOf(event), context: [0] })}>
                ${['words', 'characters'].map((name) => html`<option value=${name} .selected=${name === by}>${t(`logits.by.${name}`)}</option>`)}
              </select></label>
            <span class="about">${t('logits.counted', { n: bigram.tokens.length })}</span>
          </div>
          <div class="tools">
            <button class="primary" data-command="write" aria-disabled=${few} @click=${() => !few && this.#write(1)}>${t('logits.write')}</button>
            <button data-command="write-many" aria-disabled=${few} @click=${() => !few && this.#write(MANY)}>${t('logits.write.many', { n: MANY })}</button>
            <button data-command="restart" @click=${() => !few && this.keepChoice({ context: context.slice(0, 1) })}>${t('logits.restart')}</button>
          </div>
          <p class="written" aria-live="polite">${few ? '' : context.map((id) => bigram.tokens[id]).join('')}</p>
        </div>
        ${few ? html`<p class="error" role="alert">${t('logits.error.short')}</p>` : this.#renderHeat()}
      </section>`;
  }

  #renderHeat() {
    const { bigram, context } = this;
    const ids = bigram.tokens.slice(0, SHOWN).map((_, id) => id);
    const last = this.shown === 'bigram' ? context[context.length - 1] : -1;
    /** @param {number} id */
    const name = (id) => visibleHtml({ id, text: bigram.tokens[id], special: false });
    return html`
      <div class="scroll" tabindex="0" role="region" aria-label=${t('logits.heat')}>
        <table>
          <caption class="about">${t('logits.heat.about', { n: ids.length })}</caption>
          <thead><tr><td></td>${ids.map((id) => html`<th scope="col" class="token" translate="no" translate="no">${name(id)}</th>`)}</tr></thead>
          <tbody translate="no">${ids.map(
            (from) => html`<tr>
            <th scope="row"><button class="token" translate="no" data-context=${from} aria-pressed=${from === last}
              aria-label=${t('logits.context', { token: visible({ id: from, text: bigram.tokens[from], special: false }) })}
              @click=${() => this.keepChoice({ context: [from] })}>${name(from)}</button></th>
            ${ids.map((to) => {
              const n = bigram.rows[from].get(to) ?? 0;
              const heat = n ? 20 + (80 * n) / bigram.totals[from] : 0;
              return html`<td ${cssom({ '--heat': `${heat}%` })}>${n ? number(n) : ''}</td>`;
            })}</tr>`,
          )}</tbody>
        </table>
      </div>`;
  }

  /** @param {LogitsBench} bench */
  #renderSampler({ engine, logits, tokens, asked, history }) {
    return html`<logit-own-sampler .engine=${engine} .logits=${logits} .tokens=${tokens}
      .settings=${asked} .history=${history}></logit-own-sampler>`;
  }

  /** @param {LogitsBench} bench */
  #renderBench(bench) {
    const last = this.bigram.tokens[this.context[this.context.length - 1]] ?? '';
    const { distribution, draw, chain } = panelsOfBench(bench);
    return html`
      <div class="charts">
        <p class="shown">${this.shown === 'pasted' ? t('logits.shown.pasted', { n: bench.tokens.length }) : t('logits.shown.bigram', { token: visible({ id: 0, text: last, special: false }) })}</p>
        ${bench.fault ? html`<p class="shown error" role="alert">${sentence(bench.fault, this)}</p>` : nothing}
        <logit-distribution ?no-glide=${bench.direct} ${props(distribution)}></logit-distribution>
        <logit-draw ?no-glide=${bench.direct} ${props(draw)}></logit-draw>
      </div>
      <logit-chain ${props(chain)}></logit-chain>`;
  }

  /** @param {Event} event */
  #onFile(event) {
    const input = /** @type {HTMLInputElement} */ (event.target);
    const model = modelOf(input.files);
    if (model) this.emit('logit-model', { model });
    input.value = ''; // otherwise choosing the same file again would fire no event
  }
}

define('logit-logits', LogitLogits);
