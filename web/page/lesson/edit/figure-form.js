/** Renders the fields of a figure. Below them is the live figure: the teacher can change it and adopt the changes. */
import { html, nothing } from 'lit';
import { locales as compareLocales } from '#locales/compare';
import { locales as sentencesLocales } from '#locales/sentences';
import { locales as sweepLocales } from '#locales/sweep';
import { settingName } from '../../../base/setting-words.js';
import { MEASURES } from '../../../engine/measures.js';
import { suites } from '../../../engine/suites.js';
import { SHOWN, SOURCELESS, WRITING, asShown, placeName } from '../../../lessons/draft.js';
import { patched } from '../../../lessons/figure-change.js';
import { addMessages, parse, t } from '../../../locale/locale.js';
import { MODELS } from '../../../state/models.js';
import { measureName } from '../../../views/sweep/labels.js';
import { renderSettings, settingChoices } from './measure-form.js';

addMessages(compareLocales);
addMessages(sentencesLocales);
addMessages(sweepLocales);

/** @import { Form, Place } from './form.js' */
/** @import { Engine } from './measure-form.js' */
/** @import { LessonState } from '../../../lessons/measures.js' */

/**
 * `moved` has the changes in the live figure until the teacher adopts them; null for none.
 * @typedef {{ moved: Partial<LessonState> | null, move: (change: Partial<LessonState> | null) => void }} Moves
 */

/** The state of a new figure. @type {LessonState} */
export const FIRST_STATE = { model: MODELS[0].name, prompt: MODELS[0].examples[0], settings: {} };

/** @type {Partial<LessonState>} */
const UNMOVED = {};
/** @type {string[]} */
const NO_TOKENS = [];

/** Kinds of charts of a sweep. */
const SWEPT = ['any', 'entropy', 'nucleus', 'penalty', 'trade', 'judged'];
/** The controls that a teacher can add to a figure. */
const CONTROLS = [
  ...['temperature', 'top_k', 'top_p', 'repetition_penalty', 'seed', 'prompt'],
  ...['length', 'constraint', 'logit_bias', 'forced_first'],
];

/**
 * For each kind of figure, a function that renders its own fields.
 * @type {Record<string, (form: Form, place: Place, engine: Engine) => unknown>}
 */
const CHOSEN = {
  sweep: (form, place, { table }) => {
    const first = [...place, 'first'];
    const settings = settingChoices(table);
    return html`<div class="row">
        ${form.select(
          [...place, 'figure'],
          namesWithWords(SWEPT, (name) => t(`sweep.figure.${name}`)),
        )}
        ${form.get(place)?.figure === 'any' ? form.select([...place, 'measure'], namesWithWords(Object.keys(MEASURES), measureName)) : nothing}
        ${form.number([...place, 'samples'])} ${form.number([...place, 'max_new_tokens'])}</div>
      <div class="row">${form.select([...first, 'name'], settings, { label: t('editor.field.setting') })}
        ${form.number([...first, 'from'])} ${form.number([...first, 'to'])} ${form.number([...first, 'step'])}</div>`;
  },
  bigram: (form, place) => html`${form.lines([...place, 'text'], { label: t('editor.counted') })}
    <div class="row">${form.select(
      [...place, 'by'],
      namesWithWords(['words', 'characters'], (name) => t(`editor.by.${name}`)),
    )}</div>`,
  cost: (form, place) =>
    html`<div class="row">${['prompt_tokens', 'new_tokens', 'width'].map((name) => form.number([...place, name]))}</div>`,
  text: (form, place) => html`<div class="row">${form.number([...place, 'length'])}</div>`,
  sentences: (form, place) => html`<div class="row">${form.select(
    [...place, 'kind'],
    namesWithWords(['ways', 'right', 'mask'], (name) =>
      t(`sentences.${name}${name === 'ways' ? '' : '.name'}`),
    ),
    { label: t('sentences.pictures'), value: form.get(place)?.kind ?? 'ways' },
  )}
    ${form.number([...place, 'beam_width'])}</div>
    ${form.line([...place, 'allowed'], (text) => text)}`,
  compare: (form, place) => html`<div class="row">${form.select(
    [...place, 'suite'],
    namesWithWords(
      suites.map(({ name }) => name),
      (name) => t(`compare.suite.${name}`),
    ),
  )}
    ${form.number([...place, 'max_new_tokens'])} ${form.flag([...place, 'blind'])}</div>`,
};

/**
 * Returns pairs of a name and its words.
 * @param {string[]} names @param {(name: string) => string} words @returns {[string, string][]}
 */
const namesWithWords = (names, words) => names.map((name) => [name, words(name)]);

/** @param {string} name @param {Engine} engine */
const controlName = (name, { table }) =>
  ({
    seed: t('lesson.seed'),
    prompt: t('text.prompt'),
    length: t('lesson.length'),
    forced_first: t('lesson.first'),
  })[name] ?? (table.some((row) => row.name === name) ? settingName(name) : t(`setting.${name}`));

/**
 * Renders the choice of the controls that learners get.
 * @param {Form} form @param {Place} place @param {Engine} engine
 */
function renderControls(form, place, engine) {
  const at = [...place, 'controls'];
  /** @type {string[]} */
  const chosen = form.get(at) ?? [];
  const turn = (/** @type {string} */ name) => {
    const to = chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name];
    form.set(at, to.length > 0 ? to : undefined);
  };
  const ofTokens = chosen.some((name) => name === 'logit_bias' || name === 'forced_first');
  return html`<fieldset id=${placeName(at)} tabindex="-1"><legend>${t('editor.controls')}</legend>
    <div class="row">${[...new Set([...CONTROLS, ...chosen])].map(
      (
        name,
      ) => html`<label class="choice"><input type="checkbox" name=${placeName([...at, name])} .checked=${chosen.includes(name)}
        @change=${() => turn(name)}>${controlName(name, engine)}</label>`,
    )}</div>
    ${ofTokens ? form.line([...place, 'tokens'], (text) => text) : nothing} ${form.faults(at, true)}</fieldset>`;
}

/**
 * Renders the fields for the origin of the logits: a model with a prompt, or given logits.
 * @param {Form} form @param {Place} place @param {boolean} writing true if the figure needs a model
 */
function renderSource(form, place, writing) {
  const state = form.get(place) ?? {};
  const { logits, tokens: _, model, prompt, ...others } = state;
  const own = logits !== undefined;
  const turn = () =>
    form.set(
      place,
      own
        ? { ...others, model: MODELS[0].name, prompt: MODELS[0].examples[0] }
        : { ...others, logits: [2, 1, 0.5], tokens: ['A', 'B', 'C'] },
    );
  const known = MODELS.map(
    ({ name }) => /** @type {[string, string]} */ ([name, t(`model.${name}`)]),
  );
  const named = model ?? MODELS[0].name;
  const all = known.some(([name]) => name === named) ? known : [...known, [named, named]];
  return html`${
    writing
      ? nothing
      : html`<div class="row">
    <div class="segments" role="group" aria-label=${t('editor.source')}>
      <button type="button" aria-pressed=${!own} @click=${own ? turn : nothing}>${t('editor.source.prompt')}</button>
      <button type="button" aria-pressed=${own} @click=${own ? nothing : turn}>${t('editor.source.logits')}</button></div></div>`
  }
    ${
      own
        ? html`${form.line([...place, 'logits'], (text) => {
            const value = parse(text);
            return Number.isNaN(value) ? text : value;
          })}${form.line([...place, 'tokens'], (text) => text)}`
        : html`<div class="row">${form.select([...place, 'model'], /** @type {[string, string][]} */ (all), { value: named })}</div>
          ${form.text([...place, 'prompt'])}`
    }`;
}

/**
 * Renders the fields of a state: logits, settings, seed, u, and the choices of its kind of figure.
 * @param {Form} form
 * @param {Place} place
 * @param {Engine} engine
 * @param {string} [show]
 */
export function renderState(form, place, engine, show = 'landscape') {
  const settings = renderSettings(form, [...place, 'settings'], engine.table);
  const sourceless = SOURCELESS.includes(show);
  return html`<div class="state" id=${placeName(place)} tabindex="-1">
    ${
      sourceless
        ? html`${show === 'bigram' ? html`<div class="row">${settings}</div>` : nothing}`
        : html`${renderSource(form, place, WRITING.includes(show))}
    <div class="row">${settings} ${form.number([...place, 'seed'])} ${form.number([...place, 'u'])}</div>`
    }
    ${CHOSEN[show]?.(form, [...place, 'choices'], engine) ?? nothing}
    ${form.faults(place)}</div>`;
}

/** Renders the fields of the guess that learners draw before the figure. @param {Form} form @param {Place} place @param {Engine} engine */
function renderGuess(form, place, { table }) {
  const guess = form.get(place);
  const turn = () => {
    form.untouch(place);
    form.set(place, guess === undefined ? { ask: '' } : undefined);
  };
  return html`<label class="choice"><input type="checkbox" name=${placeName(place)} .checked=${guess !== undefined}
      @change=${turn}>${t('editor.guess')}</label>
    ${
      guess === undefined
        ? nothing
        : html`<fieldset id=${placeName(place)} tabindex="-1"><legend>${t('editor.guess.title')}</legend>
      <p class="about">${t('editor.guess.about')}</p>
      ${form.text([...place, 'ask'])}
      ${renderSettings(form, [...place, 'settings'], table)}
      ${form.line([...place, 'tokens'], (text) => text, { label: t('editor.guess.tokens') })}
      <div class="row">${form.select(
        [...place, 'start'],
        namesWithWords(['shown', 'even'], (name) => t(`editor.guess.${name}`)),
        { label: t('editor.guess.start'), value: guess.start ?? 'shown' },
      )}</div>${form.faults(place)}</fieldset>`
    }`;
}

/**
 * @param {Form} form
 * @param {Place} place
 * @param {Engine} engine
 * @param {Moves} moves
 */
export function renderFigure(form, place, engine, { moved, move }) {
  const figure = form.get(place);
  const name = t('editor.figure');
  if (!figure)
    return html`<p><button type="button" @click=${() => form.set(place, { show: 'landscape', state: FIRST_STATE })}>${t('editor.figure.add')}</button></p>`;
  const { show, controls, tokens } = figure;
  const sound = form.faultsAt([...place, 'state'], true).length === 0;
  const take = () => {
    // JSON leaves out undefined values, so a figure without choices has no `choices`.
    const { choices, ...state } = patched(figure.state, moved ?? {});
    const all = CHOSEN[show] ? { ...state, choices } : state;
    form.set([...place, 'state'], JSON.parse(JSON.stringify(all)));
    move(null);
  };
  return html`<fieldset class="figure" id=${placeName(place)} tabindex="-1">
    <legend>${name}</legend>
    <div class="row">${form.select(
      [...place, 'show'],
      namesWithWords(SHOWN, (name) => t(`editor.show.${name}`)),
      {
        set: (to) => {
          move(null);
          form.set(place, asShown(figure, to, FIRST_STATE));
        },
      },
    )}</div>
    ${renderState(form, [...place, 'state'], engine, show)}
    ${
      show === 'landscape'
        ? html`<div class="row">${form.select([...place, 'knob'], settingChoices(engine.table), { value: figure.knob ?? 'temperature' })}</div>`
        : nothing
    }
    ${['landscape', 'text', 'sentences'].includes(show) ? renderControls(form, place, engine) : nothing}
    ${
      // A sweep or a comparison writes many texts, so only the preview shows it.
      sound && show !== 'sweep' && show !== 'compare'
        ? html`<logit-figure .show=${show} .controls=${controls} .tokens=${tokens ?? NO_TOKENS} .begin=${figure.state} .patch=${moved ?? UNMOVED} .table=${engine.table} .reader=${engine.reader} .knob=${figure.knob} .name=${name}
            @logit-figure=${(/** @type {CustomEvent} */ { detail }) => move(detail.change)}></logit-figure>
          <p class="row"><button type="button" class=${moved ? 'primary' : ''} aria-disabled=${!moved} @click=${moved ? take : nothing}
            data-command="take">${t('editor.take')}</button>
            <span class="about" role="status">${t(moved ? 'editor.take.moved' : 'editor.take.still')}</span></p>`
        : nothing
    }
    ${form.text([...place, 'caption'])}
    ${SOURCELESS.includes(show) ? nothing : renderGuess(form, [...place, 'guess'], engine)}
    ${
      SOURCELESS.includes(show)
        ? nothing
        : html`<label class="choice"><input type="checkbox" .checked=${figure.beside !== undefined}
      @change=${() => form.set([...place, 'beside'], figure.beside === undefined ? figure.state : undefined)}>${t('editor.beside')}</label>`
    }
    ${figure.beside === undefined ? nothing : renderState(form, [...place, 'beside'], engine, show)}
    <p><button type="button" class="small" @click=${() => form.set(place, undefined)}>${t('editor.figure.remove')}</button></p>
    ${form.faults(place)}
  </fieldset>`;
}
