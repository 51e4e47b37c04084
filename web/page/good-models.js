/**
 * Models of the hub that are small enough for a page. Names and sizes come from the list of wllama's demo
 * (github.com/ngxson/wllama, examples/main/src/config.ts), licences from the models' public pages.
 */

/** @typedef {{ name: string, size: number, licence: string, open: boolean }} Good `size` in bytes; `open` is true if the licence is open */

/** @type {Good[]} */
export const GOOD = [
  {
    name: 'hub:LiquidAI/LFM2-350M-GGUF/LFM2-350M-Q4_K_M.gguf',
    size: 229309376,
    licence: 'LFM Open License v1.0',
    open: false,
  },
  {
    name: 'hub:ngxson/SmolLM2-360M-Instruct-Q8_0-GGUF/smollm2-360m-instruct-q8_0.gguf',
    size: 386404992,
    licence: 'Apache 2.0',
    open: true,
  },
  {
    name: 'hub:unsloth/Qwen3-0.6B-GGUF/Qwen3-0.6B-Q8_0.gguf',
    size: 639447744,
    licence: 'Apache 2.0',
    open: true,
  },
  {
    name: 'hub:Qwen/Qwen2.5-0.5B-Instruct-GGUF/qwen2.5-0.5b-instruct-q8_0.gguf',
    size: 675710816,
    licence: 'Apache 2.0',
    open: true,
  },
  {
    name: 'hub:hugging-quants/Llama-3.2-1B-Instruct-Q4_K_M-GGUF/llama-3.2-1b-instruct-q4_k_m.gguf',
    size: 807690656,
    licence: 'Llama 3.2 Community License',
    open: false,
  },
];
