/**
 * Measures drafting with models/stories-draft.gguf for its model card: tokens per pass, accepted drafts, and time per
 * token. Each text is written with drafts and without, in turns. Usage: node tests/bench/speculate.js [TEXTS]
 */
import { Logitscope } from '../../web/engine/index.js';
import { median } from './timing.js';

const texts = Number(process.argv[2] ?? 20);
const PROMPTS = ['Once upon a time', 'Lily wanted to', 'The little dog', 'One sunny day'];
const load = (/** @type {string} */ name) =>
  Logitscope.load({ model: new URL(`../../models/${name}.gguf`, import.meta.url) });
const [scope, draft] = await Promise.all([load('stories'), load('stories-draft')]);

/** @param {{ ms: number }[]} steps */
const total = (steps) => steps.reduce((sum, { ms }) => sum + ms, 0);

/** @param {number} temperature @param {number} draft_tokens */
async function row(temperature, draft_tokens) {
  const sums = { tokens: 0, passes: 0, accepted: 0, decided: 0 };
  const paces = { drafted: /** @type {number[]} */ ([]), plain: /** @type {number[]} */ ([]) };
  for (let seed = -2; seed < texts; seed++) {
    const prompt = PROMPTS[Math.abs(seed) % PROMPTS.length];
    const options = { prompt, temperature, seed: Math.abs(seed), max_new_tokens: 100 };
    const both = await scope.write({ ...options, draft, draft_tokens });
    const plain = await scope.write(options);
    if (seed < 0) continue; // the first run only warms up the module
    const { tokens, passes, accepted, rejected } = /** @type {any} */ (both.speculation);
    sums.tokens += tokens;
    sums.passes += passes;
    sums.accepted += accepted;
    sums.decided += accepted + rejected;
    paces.drafted.push(total(both.steps) / both.steps.length);
    paces.plain.push(total(plain.steps) / plain.steps.length);
  }
  const [drafted, plain] = [median(paces.drafted), median(paces.plain)];
  return [
    temperature,
    draft_tokens,
    (sums.tokens / sums.passes).toFixed(2),
    `${((100 * sums.accepted) / sums.decided).toFixed(1)} %`,
    drafted.toFixed(2),
    plain.toFixed(2),
    (plain / drafted).toFixed(2),
  ];
}

console.log('| T | k | tokens a pass | drafts accepted | ms a token | plain | times as fast |');
console.log('|---|---|---|---|---|---|---|');
for (const temperature of [0, 0.7, 1])
  for (const draft_tokens of [1, 3, 4, 7])
    console.log(`| ${(await row(temperature, draft_tokens)).join(' | ')} |`);
scope.close();
draft.close();
