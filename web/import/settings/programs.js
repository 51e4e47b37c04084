/** The known programs, one table each. */
import { show } from '../../engine/errors.js';
import { exllamav2 } from './exllamav2.js';
import { refused } from './forms.js';
import { gguf } from './gguf.js';
import { koboldcpp } from './koboldcpp.js';
import { llamaCppPython } from './llama-cpp-python.js';
import { llamaCpp } from './llama-cpp.js';
import { lmStudio } from './lm-studio.js';
import { logitscope } from './logitscope.js';
import { mlxLm } from './mlx-lm.js';
import { ollama } from './ollama.js';
import { openai } from './openai.js';
import { sglang } from './sglang.js';
import { sillytavern, sillytavernLlama, sillytavernWebui } from './sillytavern.js';
import { tabbyapi } from './tabbyapi.js';
import { textGenerationWebui } from './text-generation-webui.js';
import { tgi } from './tgi.js';
import { transformers } from './transformers.js';
import { vllm } from './vllm.js';

/** @import { Program } from './read.js' */

/** @type {readonly Program[]} */
export const programs = [
  ...[llamaCpp, gguf, transformers, ollama, vllm, sglang, openai],
  ...[sillytavern, sillytavernLlama, sillytavernWebui, textGenerationWebui, koboldcpp, lmStudio],
  ...[tabbyapi, exllamav2, llamaCppPython, mlxLm, tgi, logitscope],
];

/** @param {string | undefined} id @returns {Program} */
export function programOf(id) {
  const program = programs.find((one) => one.id === id);
  if (program) return program;
  if (id === undefined) throw refused('settings_no_program', {});
  const names = programs.map((one) => one.id).join(', ');
  throw refused('settings_program', { program: show(id), names });
}
