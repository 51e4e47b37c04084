/**
 * <logit-audit>: the answer to "are these tokens draws from these settings?": proofs against it with position and stage,
 * p-values, and the power of the test with this record. Emits "logit-position" for the position of a proof.
 */
import { locales } from '#locales/recorded';
import { html, nothing } from 'lit';
import { Debounce } from '../../base/debounce.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { sentence } from '../../base/faults.js';
import { settingName } from '../../base/setting-words.js';
import { visible } from '../../base/visible.js';
import { toFault } from '../../engine/errors.js';
import { addMessages, fixed, number, plain, t, tick } from '../../locale/locale.js';
import { auditRecord } from '../../sources/audit.js';
import auditStyles from './audit.css';

addMessages(locales);

/** @import { Audit } from '../../sources/audit.js' */

/** The settings must rest for this time before they are audited again, in ms. */
const RESTS_MS = 300;
/** A check that finds the largest error of temperature less often says that it cannot tell. */
const ENOUGH = 0.5;
const LEVEL = 0.01;
/** Most proofs that are listed. */
const PROOFS = 12;

export class LogitAudit extends elementWith(LogitElement, () => ({
  /** @type {import('../../import/logprobs.js').LogprobRecord | null} */
  record: null,
  /** @type {'raw' | 'warped'} */
  law: 'raw',
  /** The claim. @type {import('../../engine/types.js').Settings} */
  settings: {},
  /** @type {import('../../engine/remote.js').RemoteLogitscope | null} */
  engine: null,
  open: false,
  /** The result; null while an audit runs, and before. @type {Audit | null} */
  audit: null,
  /** The share of the record that the running audit has read. */
  done: 0,
  /** @type {import('../../engine/errors.js').Fault | null} */
  fault: null,
})) {
  static styles = [...LogitElement.styles, auditStyles];

  #debounce = new Debounce();
  /** Ends the running audit. */
  #running = new AbortController();

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#debounce.cancel();
    this.#running.abort();
  }

  /** True while an audit runs or waits. */
  get busy() {
    return this.open && !this.audit && !this.fault;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    const asked = JSON.stringify(this.settings) !== JSON.stringify(changed.get('settings') ?? {});
    const other = ['record', 'law', 'engine', 'open'].some((name) => changed.has(name));
    if (!other && !(changed.has('settings') && asked)) return;
    this.audit = null;
    this.fault = null;
    this.#running.abort();
    if (this.open) this.#debounce.schedule(changed.has('open') ? 0 : RESTS_MS, () => this.#run());
  }

  async #run() {
    const { record, engine, settings, law } = this;
    if (!record || !engine) return;
    this.#running = new AbortController();
    const { signal } = this.#running;
    const onprogress = (/** @type {number} */ share) => (this.done = share);
    try {
      const audit = await auditRecord({ ...record, raw: law }, settings, engine, {
        signal,
        onprogress,
      });
      if (!signal.aborted) this.audit = audit;
    } catch (error) {
      if (!signal.aborted) this.fault = toFault(error);
    }
  }

  render() {
    const onToggle = (/** @type {any} */ { target }) => (this.open = target.open);
    return html`
      <details ?open=${this.open} @toggle=${onToggle}><summary>${t('recorded.audit')}</summary>
        ${this.open ? html`<div class="audit" role="status">${this.#renderResult()}</div>` : nothing}
      </details>`;
  }

  #renderResult() {
    const { audit, fault } = this;
    if (fault) return html`<p class="error">${sentence(fault, this)}</p>`;
    if (!audit)
      return html`<label>${t('recorded.audit.works')} <progress max="1" .value=${this.done}></progress></label>`;
    const { used } = audit;
    return html`
      <p class="verdict ${audit.p_value <= LEVEL ? 'against' : ''}">${this.#verdict(audit)}</p>
      ${this.law === 'warped' ? html`<p class="about">${t('recorded.audit.warped')}</p>` : nothing}
      ${audit.proofs.length > 0 ? this.#renderProofs(audit) : nothing}
      ${audit.pit.n > 0 ? html`${this.#renderTests(audit)}<p>${this.#power(audit)}</p>` : nothing}
      <p class="about">${t('recorded.audit.used', { n: audit.tokens, whole: number(used.whole), listed: number(used.listed) })}
        ${used.unused + used.hidden > 0 ? t('recorded.audit.lost', { unused: number(used.unused), hidden: number(used.hidden) }) : ''}
        ${t('recorded.audit.prompt')}</p>`;
  }

  /** @param {Audit} audit */
  #verdict({ proofs, p_value, pit, temperature, tighter, power }) {
    if (proofs.length > 0) return t('recorded.audit.proof', { n: proofs.length });
    if (pit.n === 0) return t('recorded.audit.none');
    const found = power.temperature.at(-1)?.power ?? 0;
    const fits = found < ENOUGH ? 'recorded.audit.few' : 'recorded.audit.fits';
    if (p_value > LEVEL) return t(fits, { n: number(pit.n), p: sayP(p_value) });
    const hint =
      tighter.p_value < temperature.p_value && tighter.as_if
        ? t('recorded.audit.as', {
            stage: settingName(tighter.as_if.name),
            value: plain(tighter.as_if.value),
          })
        : temperature.p_value <= LEVEL && temperature.estimate !== null
          ? t('recorded.audit.temperature', { value: fixed(temperature.estimate, 2) })
          : '';
    return `${t('recorded.audit.unlikely', { p: sayP(p_value) })} ${hint}`;
  }

  /** @param {Audit} audit */
  #renderProofs({ proofs }) {
    const { positions } = /** @type {import('../../import/logprobs.js').LogprobRecord} */ (
      this.record
    );
    const go = (/** @type {number} */ position) => () => this.emit('logit-position', { position });
    return html`
      <ul class="proofs">${proofs.slice(0, PROOFS).map(
        ({ position, stage }) => html`
        <li><button class="plain" data-proof=${position} @click=${go(position)}>${t(
          'recorded.audit.token',
          {
            n: number(position + 1),
            token: visible({ id: NaN, text: positions[position].token.text, special: false }),
            stage: settingName(stage),
          },
        )}</button></li>`,
      )}
      ${proofs.length > PROOFS ? html`<li>${t('recorded.audit.more', { n: proofs.length - PROOFS })}</li>` : nothing}</ul>`;
  }

  /** @param {Audit} audit */
  #renderTests({ pit, temperature, tighter }) {
    const row = (/** @type {string} */ name, /** @type {number} */ p) =>
      html`<tr><th scope="row">${t(`recorded.audit.test.${name}`)}</th><td data-test=${name}>${sayP(p)}</td></tr>`;
    return html`
      <table>
        <thead><tr><th scope="col">${t('recorded.audit.test')}</th><th scope="col">p</th></tr></thead>
        <tbody>${row('places', pit.p_value)}${row('temperature', temperature.p_value)}${row('tighter', tighter.p_value)}</tbody>
      </table>`;
  }

  /** @param {Audit} audit */
  #power({ pit, power: { temperature, cut } }) {
    const shares = temperature.map(({ power }) => tick(Math.round(100 * power) / 100));
    const [a, b, c] = shares;
    const found = t('recorded.audit.power', { n: pit.n, a, b, c });
    return cut ? `${found} ${t('recorded.audit.cut', { value: plain(cut.value) })}` : found;
  }
}

/** @param {number} p */
const sayP = (p) => (p > 0 && p < 0.0001 ? `< ${plain(0.0001)}` : fixed(p, p < 0.1 ? 4 : 2));

define('logit-audit', LogitAudit);
