/**
 * <logit-logits>: the bench without a model. The user pastes logits, gives a text whose bigram table has them, or opens
 * recorded probabilities. Emits "logit-model" for a model file that the user drops here, and "logit-choose" with each choice.
 */
import { locales } from '#locales/logits';
import { html, nothing } from 'lit';
import { addMessages, number, percent, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import '../../panels/chain/chain.js';
import '../../panels/distribution/distribution.js';
import '../../panels/draw/draw.js';
import { boundedText, fullTextOf } from '../../base/bounded-text.js';
import { LogitElement, define, elementWith, valueOf } from '../../base/element.js';
import { lease } from '../../state/engines.js';
import { initialChoices, sameValue } from '../../state/fields.js';
import { ENDINGS, modelOf, onPick } from '../../state/files.js';
import { sentence } from '../../base/faults.js';
import { toFault } from '../../engine/errors.js';
import '../../panels/own-sampler/own-sampler.js';
import { listen, props } from '../../base/props.js';
import { settingName, shareWords } from '../../base/setting-words.js';
import { term } from '../../base/term.js';
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
const CONTENTS = [
  'source',
  'kind',
  'pasted',
  'text',
  'by',
  'context',
  'record',
  'position',
  'vocabulary',
];
/** Origins of the logits. */
const SOURCES = /** @type {const} */ (['pasted', 'bigram', 'recorded']);
/** Number of tokens in the table, and number of tokens that one press draws. */
const SHOWN = 12;
const MANY = 40;

/** The choices with which the view begins. */
const FIRST = initialChoices('logits');

export class LogitLogits extends elementWith(LogitElement, () => ({
  /**
   * The error in the pasted text; null if none.
   * @type {{ key: string, params: Record<string, string | number> } | null}
   */
  wrong: null,
  /**
   * The reason why no engine could be opened; null if none.
   * @type {import('../../engine/errors.js').Fault | null}
   */
  fault: null,
  /** Origin of the logits. @type {typeof SOURCES[number]} */
  source: FIRST.source,
  /** Meaning of the pasted numbers: logits or probabilities. @type {'logits' | 'probabilities'} */
  kind: FIRST.kind,
  /** The pasted text; null for an example. @type {string | null} */
  pasted: FIRST.pasted,
  /** The text to count; null for the example. @type {string | null} */
  text: FIRST.text,
  /** @type {'characters' | 'words'} */
  by: FIRST.by,
  /** Ids of the text that is drawn from the table; the first one is its start. @type {number[]} */
  context: FIRST.context,
  /** A recorded answer, as state/recorded.js names it; null if none. @type {string | null} */
  record: FIRST.record,
  /** The text in the field of an asked record. @type {string | null} */
  prompt: FIRST.prompt,
  /** The user's answer to the question which law the record is of. @type {'raw' | 'warped' | null} */
  law: FIRST.law,
  /** The position of the record that the bench shows. */
  position: FIRST.position,
  /** Number of tokens of the record's vocabulary; null if unknown. @type {number | null} */
  vocabulary: FIRST.vocabulary,
  /** The settings that are not neutral. @type {import('../../engine/types.js').Settings | null} */
  settings: FIRST.settings,
  /** @type {import('../../state/bench.js').View} */
  chart: FIRST.chart,
  /** Names of two programs with rules to compare; null for none. @type {[string, string] | null} */
  conventions: FIRST.conventions,
  /** True to show only the table and its text, for a lesson. */
  bare: false,
  /** The origin of the logits that the bench shows. @type {typeof SOURCES[number]} */
  shown: 'pasted',
  /** The read record; null before its code is fetched. @type {import('./recorded.js').OpenRecord | null} */
  opened: null,
})) {
  static properties = {
    source: {},
    kind: {},
    pasted: {},
    text: {},
    by: {},
    record: {},
    prompt: {},
    law: {},
    position: { type: Number },
    vocabulary: { type: Number },
    chart: {},
    bare: { type: Boolean },
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
    ...Object.fromEntries(
      Object.entries(requestsOfBench(this.#bench)).map(([type, act]) => [
        type,
        (/** @type {any} */ event) => {
          act(event);
          this.#keep(); // a reload may come before the engine's answer
        },
      ]),
    ),
    'logit-force': ({ detail }) =>
      this.source === 'bigram' && this.keepChoice({ context: [...this.context, detail.id] }),
  };

  constructor() {
    super();
    this.bigram = countBigrams(TEXT, this.by);
    this.#bench.addEventListener('update', () => this.requestUpdate());
    this.#bench.addEventListener('change', () => this.#keep());
  }

  /** True while the bench is reading. */
  get busy() {
    const audit = /** @type {any} */ (this.renderRoot.querySelector('logit-audit'));
    return (
      this.#bench.pass !== null || (this.source === 'recorded' && (!this.opened || audit?.busy))
    );
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
    const { context } = this;
    if (context.length === 0 || context.some((id) => id >= length)) this.context = [0];
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
    else if (this.source === 'bigram') this.#showBigram();
    else this.#showRecorded();
  }

  /** Shows a position of the record. */
  async #showRecorded() {
    const { openRecord, givenAt } = await import('./recorded.js');
    if (this.source !== 'recorded') return;
    const { opened: before } = this;
    const opened = openRecord(this.record, this.vocabulary, before);
    this.opened = opened;
    const { record } = opened;
    this.shown = 'recorded';
    const { engine } = this.#bench;
    if (!record || !engine) return;
    const at = Math.min(this.position, record.positions.length - 1);
    this.#bench.show(givenAt(engine, record, at, this.opened.asked !== null));
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
          ${SOURCES.map(
            (name) => html`<button data-source=${name} aria-pressed=${this.source === name}
              @click=${() => this.keepChoice({ source: name })}>${t(`logits.${name}`)}</button>`,
          )}
        </div>
        ${this.source === 'recorded' ? nothing : this.#renderModel()}
      </div>
      ${this.fault ? html`<p class="error" role="alert">${sentence(this.fault, this)}</p>` : nothing}
      <div class="room"><div class="bench ${this.source}" ${listen(this.#asks)}>
        ${this.#renderSource()}
        ${this.#showsBench ? this.#renderBench(this.#bench) : nothing}
      </div></div>
      ${this.source === 'recorded' ? this.#renderFolds() : this.#showsBench ? this.#renderSampler(this.#bench) : nothing}
    `;
  }

  /** Renders the button that opens a model file. */
  #renderModel() {
    return html`<button data-command="file" @click=${() => this.renderRoot.querySelector('input')?.click()}>${t('model.open')}</button>
        <input type="file" accept=${ENDINGS} multiple hidden aria-label=${t('model.open')} @change=${this.#onFile}
          @click=${(/** @type {Event} */ event) => onPick(event, (files) => this.emit('logit-model', { model: modelOf(files) }))}>
        <span class="about">${t('logits.file')}</span>`;
  }

  #renderSource() {
    if (this.source === 'pasted') return this.#renderPasted();
    if (this.source === 'bigram') return this.#renderBigram();
    if (!this.opened) return html`<section class="record"></section>`;
    const { engine, asked } = this.#bench;
    return html`<logit-record .opened=${this.opened} .prompt=${this.prompt} .position=${this.position} .law=${this.law} .settings=${asked} .engine=${engine}
      @logit-choose=${this.#onRecord}></logit-record>`;
  }

  /** Renders the record's other uses: its audit, and the position in Explore. */
  #renderFolds() {
    const { engine, asked } = this.#bench;
    const record = this.opened?.record;
    if (!record || this.opened?.asked !== null) return nothing;
    const law = this.law ?? (record.raw === 'warped' ? record.raw : 'raw');
    return html`<logit-audit .record=${record} .law=${law} .settings=${asked} .engine=${engine}
      @logit-position=${(/** @type {CustomEvent} */ { detail }) => this.keepChoice(detail)}></logit-audit>
      ${this.#showsBench ? html`<logit-record-explore .record=${record} .position=${Math.min(this.position, record.positions.length - 1)} .settings=${asked} .engine=${engine} ${listen(this.#asks)}></logit-record-explore>` : nothing}`;
  }

  /** True if the bench has bars of the chosen source. */
  get #showsBench() {
    const { trace } = this.#bench;
    if (!trace) return false;
    return this.source === 'recorded'
      ? Boolean(trace.bounded && this.opened?.record && this.#bench.tokens.length > 0)
      : !trace.bounded;
  }

  /** @param {CustomEvent} event of <logit-record> */
  #onRecord(event) {
    event.stopPropagation(); // emitted again with the name of this element
    this.keepChoice(event.detail);
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
    const { distribution, draw, chain } = panelsOfBench(bench);
    const recorded = bench.trace?.bounded ?? false;
    const view = bench.chart === 'log' ? 'log' : 'bars';
    const bars = recorded ? { ...distribution, view, fixed: true } : distribution;
    return html`
      <div class="charts">
        <p class="shown">${this.#shownWords(bench)}</p>
        ${bench.fault ? html`<p class="shown error" role="alert">${sentence(bench.fault, this)}</p>` : nothing}
        <logit-distribution ?no-glide=${bench.direct} ${props(bars)}></logit-distribution>
        ${recorded ? html`<p class="about">${t('recorded.solid')} ${term('hatched', t('recorded.hatched'))}${t('recorded.hatched.about')}</p>` : html`<logit-draw ?no-glide=${bench.direct} ${props(draw)}></logit-draw>`}
      </div>
      <logit-chain ${props(chain)}></logit-chain>`;
  }

  /** Says in a sentence how the settings treat the recorded token. @param {any} drawn null if it is not listed */
  #recordedWords(drawn) {
    const { token } = this.opened?.record?.positions[this.position] ?? { token: { text: '' } };
    const named = visible({ id: NaN, text: token.text, special: false });
    const begin = t('logits.shown.recorded', { n: number(this.position + 1), token: named });
    if (!drawn) return begin;
    const { p_raw, p, p_high, removed_by, maybe } = drawn;
    const stage = settingName(removed_by ?? maybe ?? '');
    const end = removed_by
      ? t('recorded.gone', { raw: percent(p_raw), stage })
      : t('recorded.after', { raw: percent(p_raw), p: shareWords(p, p_high, percent) });
    return `${begin} ${end} ${maybe ? t('recorded.open.tail', { stage }) : ''}`;
  }

  /** Says in a sentence to which tokens the bars belong. @param {LogitsBench} bench */
  #shownWords({ tokens, drawn }) {
    if (this.shown === 'pasted') return t('logits.shown.pasted', { n: tokens.length });
    if (this.shown === 'recorded') return this.#recordedWords(drawn);
    const last = this.bigram.tokens[this.context[this.context.length - 1]] ?? '';
    return t('logits.shown.bigram', { token: visible({ id: 0, text: last, special: false }) });
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
