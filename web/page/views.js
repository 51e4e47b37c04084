/**
 * The views of the instrument beside its bench: each is an element whose code is fetched when it is
 * first shown. Each is given model, prompt and settings, and asks the bench to take over its own by
 * logit-adopt.
 */
import { html } from 'lit';

/** @typedef {import('../state/instrument.js').Instrument} Instrument */

/**
 * @type {{ name: string, load?: () => Promise<unknown>, render?: (it: Instrument) => unknown }[]}
 */
export const VIEWS = [
  { name: 'bench' },
  {
    name: 'compare',
    load: () => import('../views/compare/compare.js'),
    render: (it) => html`<logit-compare class="panel" .model=${it.source} .prompt=${it.prompt}
      .settings=${it.asked}></logit-compare>`,
  },
  {
    name: 'sweep',
    load: () => import('../views/sweep/sweep.js'),
    render: (it) => html`<logit-sweep class="panel" .model=${it.source} .prompt=${it.prompt}
      .settings=${it.asked} .grammar=${it.grammar}></logit-sweep>`,
  },
  {
    name: 'cost',
    load: () => import('../views/cost/cost.js'),
    render: (it) => html`<logit-cost class="panel" .model=${it.source} .prompt=${it.prompt}
      .settings=${it.asked} .drawn=${it.steps.length}></logit-cost>`,
  },
  {
    name: 'own',
    load: () => import('../views/logits/own.js'),
    render: () => html`<logit-own class="panel"></logit-own>`,
  },
];
