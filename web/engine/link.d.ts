import type { GenerateOptions, Settings } from './types.js';

/** A page's link, read. */
export type Linked = {
  /** The model's short name, or its file's. */
  name: string;
  /** As `load` takes it: an address, or a name of the hub. */
  model: string;
  /** As `generate` and `write` take them: settings, prompt, seed and max_new_tokens. */
  options: GenerateOptions & Settings;
  /** The message to the model's chat template, in place of the prompt; null without one. */
  chat: { content: string; system?: string; date?: string } | null;
  /** The ids that the page had drawn after the prompt. */
  branch: number[];
};

/**
 * Reads the link that "Share" in the page writes. A part that is not understood is refused; the choices
 * of a view are left out.
 */
export declare function fromLink(link: string | { readonly href: string }): Promise<Linked>;
