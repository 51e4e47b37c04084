import type { Grammar } from './grammar.js';
import type { Info, Settings } from './types.js';

/** An element that loads a model. */
interface OverModel extends HTMLElement {
  /** The model's address, hub name (`hub:owner/name/file.gguf`), bytes or files, or the included `verbs`. */
  model: string | URL | ArrayBuffer | Uint8Array | File | File[] | null;
  /** Number of tokens that the model sees; null for the default. */
  context: number | null;
  prompt: string;
}

/** A view. Each setting is also an attribute of the element. */
interface View extends OverModel {
  /** The prompt's ids, which replace `prompt`; null if not given. */
  prompt_ids: number[] | null;
  settings: Settings;
}

/**
 * The whole instrument. Each setting is an attribute and, after `logit-ready`, a property. Events:
 * `logit-ready`, `logit-change`, `logit-step`, `logit-result` and `logit-error`.
 */
export interface LogitScope extends OverModel, Settings {
  grammar: string;
  /** The name of the visible view, such as "bench" or "landscape". */
  view: string;
  /** True if the element offers a tour on the first visit. */
  guide: boolean;
  /** The names of the visible knobs and panels, separated by commas; empty for all. */
  controls: string;
  /** True if prompt, settings and tokens are fixed. */
  readonly: boolean;
  /** True if only the view shows, in large type, for an audience. */
  present: boolean;
  readonly ready: boolean;
  /** The model's facts; null until the model is loaded. */
  readonly info: Info | null;
  /** Draws the next token. */
  step(): Promise<unknown>;
  /** Resolves when the element shows the results of all requests so far. */
  settled(): Promise<unknown>;
}

/**
 * A panel of the instrument. The attribute `for` names the `<logit-scope>` that the panel shows. Without
 * `for`, the panel has the attributes of a `<logit-scope>` and loads a model itself; then each setting
 * is a property after `logit-ready`.
 */
export interface LogitPanel extends HTMLElement, Settings {
  fixed: boolean;
}

export interface LogitLandscape extends View {
  /** The setting on the landscape's axis; null for temperature. */
  knob: string | null;
  /** True if top-k, top-p or min-p shows a sure and an unsure prompt side by side. */
  twin: boolean;
  /** A number in [0, 1) that replaces the seed's first number; null: the seed's. */
  u: number | null;
  seed: number | undefined;
  /** True if the landscape has no buttons for other stages, other knobs and files. */
  bare: boolean;
  /** True if the prompt is fixed. */
  fixed: boolean;
}

export interface LogitCompare extends View {
  /** The name of a predefined comparison. */
  suite: string;
  samples: number | null;
  seed: number | null;
  max_new_tokens: number;
  blind: boolean;
  /** The position of the token whose distribution the strips show, from 1. */
  step: number;
  fixed: boolean;
}

export interface LogitSweep extends View {
  /** The grammar that judges the texts; undefined for the model's own grammar. */
  grammar: Grammar | string | null | undefined;
  figure: string;
  /** The picture of the figure "sentences". */
  kind: 'ways' | 'knob' | 'right' | 'mask';
  /** The setting along the x axis of the picture "knob". */
  knob: string;
  measure: string | null;
  samples: number | null;
  max_new_tokens: number | null;
  texts: boolean;
  /** True if only the chart is shown. */
  bare: boolean;
}

export interface LogitCost extends View {
  /** Number of tokens drawn after the prompt. */
  drawn: number;
  prompt_tokens: number | null;
  new_tokens: number | null;
  width: number | null;
}

export interface LogitSpeculative extends View {
  /** Number of tokens drafted in one pass. */
  draft_tokens: number;
  temperature: number | null;
  seed: number | null;
  max_new_tokens: number;
}

/** Pasted logits or probabilities, or a table of bigrams. */
export interface LogitLogits extends HTMLElement {
  source: 'pasted' | 'bigram' | 'recorded';
  /** A recorded answer; null if none. */
  record: string | null;
  /** The prompt that a server with the top tokens only is asked for; null if none. */
  prompt: string | null;
  law: 'raw' | 'warped' | null;
  position: number;
  vocabulary: number | null;
  kind: 'logits' | 'probabilities';
  pasted: string | null;
  text: string | null;
  by: 'characters' | 'words';
  chart: string;
  bare: boolean;
}

export interface LogitLesson extends HTMLElement {
  /** The address of the lesson's file, which must be of the page's origin. */
  lesson: string;
  /** The course systems to which results are reported. */
  report: string;
  /** The address of an xAPI store; results are sent there. */
  xapi: string;
  /** The learner, as the JSON of an xAPI actor. */
  actor: string;
  /** Links to other lessons: "pages" links to pages in this folder; "none" omits the links. */
  links: string;
}

/** The elements by tag name. */
export interface LogitElements {
  'logit-scope': LogitScope;
  'logit-text': LogitPanel;
  'logit-draw': LogitPanel;
  'logit-distribution': LogitPanel;
  'logit-stages': LogitPanel;
  'logit-chain': LogitPanel;
  'logit-landscape': LogitLandscape;
  'logit-compare': LogitCompare;
  'logit-sweep': LogitSweep;
  'logit-cost': LogitCost;
  'logit-speculative': LogitSpeculative;
  'logit-logits': LogitLogits;
  'logit-lesson': LogitLesson;
}

declare global {
  interface HTMLElementTagNameMap extends LogitElements {}
}

export declare const LogitScope: { new (): LogitScope; prototype: LogitScope };

/** The language of elements that no `lang` attribute covers: "en" or "es". */
export declare function language(): string;
export declare function setLanguage(code: string): Promise<void>;
export declare const languages: readonly { code: string; name: string }[];
