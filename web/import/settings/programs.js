/** The programs whose settings are read and written: one table each. */
import { show } from '../../engine/errors.js';
import { refused } from './forms.js';
import { gguf } from './gguf.js';
import { llamaCpp } from './llama-cpp.js';
import { ollama } from './ollama.js';
import { openai } from './openai.js';
import { sglang } from './sglang.js';
import { transformers } from './transformers.js';
import { vllm } from './vllm.js';

/** @typedef {import('./read.js').Program} Program */

/** @type {readonly Program[]} */
export const programs = [llamaCpp, gguf, transformers, ollama, vllm, sglang, openai];

/** @param {string | undefined} id @returns {Program} */
export function programOf(id) {
  const program = programs.find((one) => one.id === id);
  if (program) return program;
  if (id === undefined) throw refused('settings_no_program', {});
  const names = programs.map((one) => one.id).join(', ');
  throw refused('settings_program', { program: show(id), names });
}
