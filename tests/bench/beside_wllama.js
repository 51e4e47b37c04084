/**
 * Compares wllama (llama.cpp) with this engine on a GGUF file: the ids of each prompt, and the greedy continuation.
 * node tests/bench/beside_wllama.js MODEL [PROMPT ...]
 */
import { resolve } from 'node:path';
import { Logitscope } from '../../web/engine/index.js';
import { openChromium } from './chromium.js';

/**
 * If wllama's two best logits differ by less than this, the engines may choose different tokens: F32 results depend
 * on the order of additions, and other formats also round activations.
 */
const NEAR = { F32: 0.01, other: 0.25 };
const STEPS = 32;

/**
 * @typedef {object} Compared
 * @property {string} prompt
 * @property {{ ours: number[], theirs: number[] }} ids
 * @property {{ ours: number[], theirs: number[] }} continuation
 * @property {number | null} diverged  the first step with different ids; null if none
 * @property {number | null} margin  in that step, wllama's best logit minus its second; null without one
 * @property {boolean} same  true if the ids are equal, and the first different step, if any, has a margin below NEAR
 */

/** @param {ArrayLike<number>} logits */
export function logProbabilitiesOf(logits) {
  const all = Array.from(logits);
  const top = Math.max(...all);
  const sum = all.reduce((total, logit) => total + Math.exp(logit - top), 0);
  return all.map((logit) => logit - top - Math.log(sum));
}

/** @param {Logitscope} scope @param {string} prompt @param {number} steps */
function continueGreedily(scope, prompt, steps) {
  const prompt_ids = Array.from(scope.encode(prompt));
  const ids = [...prompt_ids];
  while (ids.length < prompt_ids.length + steps) {
    scope.feed(ids);
    ids.push(scope.draw({ temperature: 0 }).id);
  }
  return { prompt_ids, ids: ids.slice(prompt_ids.length) };
}

/**
 * @param {string} model a path
 * @param {string[]} prompts
 * @param {number} [steps]
 * @returns {Promise<Compared[]>}
 */
export async function compareWithWllama(model, prompts, steps = STEPS) {
  const chromium = await openChromium();
  if (!chromium) throw new Error('Chromium is not installed');
  const scope = await Logitscope.load({ model });
  try {
    const page = await chromium.openPage();
    const { context_length: context, file_type } = /** @type {any} */ (scope.info);
    const near = file_type === 'F32' ? NEAR.F32 : NEAR.other;
    const theirs = await page.continueGreedily({ model: resolve(model), context, prompts, steps });
    return prompts.map((prompt, i) => {
      const ours = continueGreedily(scope, prompt, steps);
      const diverged = ours.ids.findIndex((id, step) => id !== theirs[i].ids[step]);
      const margin = diverged < 0 ? null : theirs[i].margins[diverged];
      const sameIds = String(ours.prompt_ids) === String(theirs[i].prompt_ids);
      return {
        prompt,
        ids: { ours: ours.prompt_ids, theirs: theirs[i].prompt_ids },
        continuation: { ours: ours.ids, theirs: theirs[i].ids },
        diverged: diverged < 0 ? null : diverged,
        margin,
        same: sameIds && (margin === null || margin < near),
      };
    });
  } finally {
    scope.close();
    await chromium.close();
  }
}

if (process.argv[1]?.endsWith('beside_wllama.js')) {
  const [model, ...prompts] = process.argv.slice(2);
  const compared = await compareWithWllama(model, prompts.length ? prompts : ['Once upon a time']);
  process.stdout.write(`${JSON.stringify(compared, null, 1)}\n`);
  process.exitCode = compared.every(({ same }) => same) ? 0 : 1;
}
