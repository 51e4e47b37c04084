/** The default settings of popular programs, each with version and source. docs/samplers.md has the same list. */
import { conventions, presets } from '../engine/presets.js';

/**
 * @typedef {object} Front
 * @property {string} name
 * @property {string} version
 * @property {string} source the address of the file with the defaults, at that version
 * @property {import('../engine/types.js').Settings} settings
 * @property {string} [note] the last part of a message name: fronts.note.NOTE is a remark about the program
 */

/** KoboldAI's order 6 0 1 3 4 2 5: penalties, top-k, top-a, tail-free, typical, top-p, temperature. */
const KOBOLD = (() => {
  const order = /** @type {string[]} */ (presets['llama.cpp'].order);
  const moved = ['top_k', 'top_a', 'tfs_z', 'typical_p', 'top_p', 'min_p', 'temperature'];
  const first = order.slice(0, order.indexOf('top_n_sigma'));
  const left = order.filter((name) => !first.includes(name) && !moved.includes(name));
  return [...first, ...moved, ...left];
})();

const addressAt = (/** @type {string} */ repository, /** @type {string} */ commit) =>
  `https://github.com/${repository}/blob/${commit}/`;

/** @type {ReadonlyArray<Front>} */
export const FRONTS = Object.freeze([
  {
    name: 'llama.cpp',
    version: '001d906',
    source: `${addressAt('ggml-org/llama.cpp', '001d906a6d86e2490e394361e7cc6f478b100088')}common/common.h`,
    settings: presets['llama.cpp'],
  },
  {
    name: 'Ollama',
    version: '0.33.0-rc2',
    source: `${addressAt('ollama/ollama', 'fb30760996871fa9460115c753afd2c60d4ab0f7')}api/types.go`,
    settings: { ...conventions['llama.cpp'], temperature: 0.8, top_k: 40, top_p: 0.9 },
    note: 'modelfile',
  },
  {
    name: 'transformers, generate()',
    version: '008f5c8',
    source: `${addressAt('huggingface/transformers', '008f5c8c29be84d4721dc6d1e0fcd72300580be4')}src/transformers/generation/configuration_utils.py`,
    settings: { temperature: 0 },
    note: 'config',
  },
  {
    name: 'transformers, do_sample=True',
    version: '008f5c8',
    source: `${addressAt('huggingface/transformers', '008f5c8c29be84d4721dc6d1e0fcd72300580be4')}src/transformers/generation/configuration_utils.py`,
    settings: { top_k: 50 },
    note: 'config',
  },
  {
    name: 'vLLM',
    version: '00388f6',
    source: `${addressAt('vllm-project/vllm', '00388f6573ccfcffad607b8c9ecdf341a4669ceb')}vllm/sampling_params.py`,
    settings: { penalty_generated_only: 1 },
    note: 'config',
  },
  {
    name: 'text-generation-webui, Top-P',
    version: '4.7.3',
    source: `${addressAt('oobabooga/text-generation-webui', '1dcde41d03d13fc768316f4d2256a8a6dd044268')}user_data/presets/Top-P.yaml`,
    settings: { top_p: 0.95, repetition_window: 1024 },
  },
  {
    name: 'KoboldAI Lite',
    version: '339',
    source: `${addressAt('LostRuins/lite.koboldai.net', '27eb1dcc59d686675ce5018ccf696f0ee8cf5794')}index.html`,
    settings: {
      ...conventions['llama.cpp'],
      order: KOBOLD,
      temperature: 0.75,
      top_k: 100,
      top_p: 0.92,
      repetition_penalty: 1.05,
      rep_pen_slope: 0.7,
      repetition_window: 360,
    },
  },
  {
    name: 'SillyTavern, Default',
    version: '17dddec',
    source: `${addressAt('SillyTavern/SillyTavern', '17dddecd4b89bc564b4c5d862e2efed95e43e350')}default/content/presets/textgen/Default.json`,
    settings: { top_p: 0.95, min_p: 0.01, repetition_penalty: 1.1 },
    note: 'backend',
  },
  {
    name: 'OpenAI API',
    version: 'f85dbe2',
    source: `${addressAt('openai/openai-openapi', 'f85dbe223d40e1a31cba812ab2d755c7e98a92a3')}openapi.yaml`,
    settings: { penalty_generated_only: 1 },
  },
]);

/**
 * Returns the stages that settings turn on, in their order.
 * @param {import('../plots/trace.js').SettingRow[]} table
 * @param {import('../engine/types.js').Settings} settings
 */
export function chainOf(table, settings) {
  const samplers = table.filter(({ sampler }) => sampler);
  const order = settings.order ?? samplers.map(({ name }) => name);
  const values = /** @type {Record<string, any>} */ (settings);
  return order
    .map((name) => ({ name, value: values[name] }))
    .filter(
      ({ name, value }) =>
        value !== undefined && value !== samplers.find((row) => row.name === name)?.neutral,
    );
}
