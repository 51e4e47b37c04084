import type { GenerateOptions, Settings } from './types.js';

/** The contents of a page's link. */
export type Linked = {
  /** The model's short name, or the name of its file. */
  name: string;
  /** The option `model` for `load`: an address, or a name of the hub. */
  model: string;
  /** The options for `generate` and `write`: settings, prompt, seed and max_new_tokens. */
  options: GenerateOptions & Settings;
  /** The message for the model's chat template, which replaces the prompt; null if there is none. */
  chat: { content: string; system?: string; date?: string } | null;
  /** The ids that the page had drawn after the prompt when the link was made. */
  branch: number[];
};

/**
 * Reads a link made by "Share" in the page. An invalid part is an error. The choices that belong to a
 * view are left out.
 */
export declare function fromLink(link: string | { readonly href: string }): Promise<Linked>;
