import type { Grammar } from './grammar.js';
import type { Info, Settings } from './types.js';

/** An element over a model. */
interface OverModel extends HTMLElement {
  /** A model's address or `hub:owner/name/file.gguf`, or its bytes or files; `verbs` comes with the package. */
  model: string | URL | ArrayBuffer | Uint8Array | File | File[] | null;
  /** How many tokens the model sees; null for as many as it can. */
  context: number | null;
  prompt: string;
}

/** A view: it takes each setting as an attribute too. */
interface View extends OverModel {
  /** The prompt's tokens in place of its text. */
  prompt_ids: number[] | null;
  settings: Settings;
}

/**
 * The whole instrument. Each setting is an attribute, and from `logit-ready` on a property. It announces
 * `logit-ready`, `logit-change`, `logit-step`, `logit-result` and `logit-error`.
 */
export interface LogitScope extends OverModel, Settings {
  grammar: string;
  /** The name of the view on show, such as "bench" or "landscape". */
  view: string;
  /** True if a first visit begins with a look around. */
  guide: boolean;
  /** The names of the knobs and panels that show, separated by commas; empty for all. */
  controls: string;
  /** True if prompt, settings and tokens are fixed. */
  readonly: boolean;
  readonly ready: boolean;
  /** The model's facts; null until it is loaded. */
  readonly info: Info | null;
  /** Draws the next token. */
  step(): Promise<unknown>;
  /** Resolves once all that was asked for is on show. */
  settled(): Promise<unknown>;
}

/**
 * A panel of the instrument. It shows the `<logit-scope>` that its attribute `for` names; or, with the
 * attributes of one, a model of its own. Then each setting is a property from `logit-ready` on.
 */
export interface LogitPanel extends HTMLElement, Settings {
  fixed: boolean;
}

export interface LogitLandscape extends View {
  /** The setting along the picture; null for temperature. */
  knob: string | null;
  /** In place of the seed's first number. */
  u: number | null;
  seed: number | undefined;
  /** True if the landscape shows this knob alone. */
  bare: boolean;
}

export interface LogitCompare extends View {
  /** The name of a ready comparison. */
  suite: string;
  samples: number | null;
  seed: number | null;
  max_new_tokens: number;
  blind: boolean;
  /** The token that the strips show, from 1. */
  step: number;
  fixed: boolean;
}

export interface LogitSweep extends View {
  /** The model's own if it is left out. */
  grammar: Grammar | string | null | undefined;
  figure: string;
  measure: string | null;
  samples: number | null;
  max_new_tokens: number | null;
  texts: boolean;
  /** True if the chart stands alone. */
  bare: boolean;
}

export interface LogitCost extends View {
  /** The number of tokens drawn after the prompt. */
  drawn: number;
  prompt_tokens: number | null;
  new_tokens: number | null;
  width: number | null;
}

export interface LogitSpeculative extends View {
  /** The number of tokens drafted in one pass. */
  draft_tokens: number;
  temperature: number | null;
  seed: number | null;
  max_new_tokens: number;
}

/** Pasted logits or probabilities, or a table of bigrams. */
export interface LogitLogits extends HTMLElement {
  source: 'pasted' | 'bigram';
  kind: 'logits' | 'probabilities';
  pasted: string | null;
  text: string | null;
  by: 'characters' | 'words';
  chart: string;
  bare: boolean;
}

export interface LogitLesson extends HTMLElement {
  /** The address of a lesson's file, of the page's origin. */
  lesson: string;
  /** The course systems that hear of the marks. */
  report: string;
  /** The address of an xAPI store. */
  xapi: string;
  /** The learner, as JSON that an xAPI store takes. */
  actor: string;
  /** The target of links to other lessons: "pages" beside this one, or "none". */
  links: string;
}

/** The elements by their names. */
export interface LogitElements {
  'logit-scope': LogitScope;
  'logit-text': LogitPanel;
  'logit-draw': LogitPanel;
  'logit-distribution': LogitPanel;
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

/** The language of the elements outside of any `lang` attribute: "en" or "es". */
export declare function language(): string;
export declare function setLanguage(code: string): Promise<void>;
export declare const languages: readonly { code: string; name: string }[];
