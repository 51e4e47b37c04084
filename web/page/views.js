/**
 * The views of the instrument. The code of a view is fetched when it is first shown. A view gets model, prompt,
 * settings and its choices. It emits logit-choose for a new choice, and logit-adopt to use its settings in the bench.
 * The bench has no `render` here, because <logit-scope> keeps it rendered behind the other views.
 */
import { html } from 'lit';
import { listen, props } from '../base/props.js';
import { VIEW_NAMES, choicesOf } from '../state/fields.js';

/** @import { Instrument } from '../state/instrument.js' */

/**
 * @typedef {Record<string, any>} Choices the keys are names of FIELDS
 * @typedef {Record<string, (event: any) => void>} Requests the listeners of the bench; the keys are
 *   event types
 * @typedef {object} Frame
 * @property {import('../state/first-frame.js').FirstFrame | null} first null if it was not fetched
 * @property {string[] | null} knobs the visible knobs, null for all
 * @property {boolean} fixed true if the user cannot change the prompt
 * @property {string[]} examples of prompts
 * @property {unknown} guide the line of the tour
 *
 * @typedef {{ load: () => Promise<unknown>, render?: (instrument: Instrument, choices: Choices,
 *   requests: Requests, frame: Frame) => unknown }} View
 */

/** Returns the properties that every view gets. @param {Instrument} instrument */
function readBy({ model, prompt, asked }) {
  const { source, context } = model;
  return { model: source, context, ...prompt.beginning, settings: asked };
}

/**
 * Returns the landscape's properties while its model loads.
 * @param {import('../state/first-frame.js').FirstFrame | null} first
 */
function comingTo(first) {
  const { prompt = '', settings = {} } = first ?? {};
  return { model: '', context: null, prompt, prompt_ids: null, settings };
}

/** @type {Record<string, View>} */
const VIEW = {
  bench: { load: () => import('../views/bench/bench.js') },
  landscape: {
    load: () => import('../views/landscape/landscape.js'),
    render: (
      instrument,
      choices,
      requests,
      { first, knobs, fixed, examples, guide },
    ) => html`<logit-landscape class="panel" ${listen(requests)} .first=${first} ?bare=${knobs !== null} .knobs=${knobs}
      .fixed=${fixed} .examples=${examples} .replacements=${instrument.replacements}
      ${props(instrument.model.status === 'ready' ? readBy(instrument) : comingTo(first))}
      ${props(choicesOf('landscape', { landscape_knob: knobs?.[0], ...choices }))}>${guide}</logit-landscape>`,
  },
  compare: {
    load: () => import('../views/compare/compare.js'),
    render(instrument, choices) {
      const { prompt, ...own } = choicesOf('compare', choices);
      const mine = instrument.prompt.chat === null && prompt !== null ? { prompt } : {};
      return html`<logit-compare class="panel" ${props({ ...readBy(instrument), ...mine, ...own })}></logit-compare>`;
    },
  },
  sweep: {
    load: () => import('../views/sweep/sweep.js'),
    render: (instrument, choices, requests, { fixed, examples }) =>
      html`<logit-sweep class="panel" ${props(readBy(instrument))} .grammar=${instrument.grammar} .examples=${fixed ? [] : examples}
        ${props(choicesOf('sweep', choices))} @logit-prompt=${requests['logit-prompt']}></logit-sweep>`,
  },
  cost: {
    load: () => import('../views/foot.js'),
    render: (instrument, choices) =>
      html`<logit-cost class="panel" ${props(readBy(instrument))} .drawn=${instrument.texts.steps.length} ${props(choicesOf('cost', choices))}></logit-cost>`,
  },
  speculative: {
    load: () => import('../views/foot.js'),
    render: (instrument, choices) =>
      html`<logit-speculative class="panel" ${props(readBy(instrument))} ${props(choicesOf('speculative', choices))}></logit-speculative>`,
  },
  logits: {
    load: () => import('../views/logits/logits.js'),
    render: (_, choices) =>
      html`<logit-logits class="panel" ${props(choicesOf('logits', choices))}></logit-logits>`,
  },
};

/** @type {({ name: string } & View)[]} */
export const VIEWS = VIEW_NAMES.map((name) => ({ name, ...VIEW[name] }));

/** Fetches the code of a view. @param {string} name one of VIEW_NAMES */
export const loadView = (name) => VIEW[name].load();
