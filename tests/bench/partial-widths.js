/**
 * Widths of the bounds when a distribution of the shipped story model is cut to its best tokens: the mean, over the
 * positions of a text, of the widest interval of p among the listed tokens, and the share of positions in which the tail
 * leaves nothing open. Prints the table of docs/cli.md.
 *
 *   node tests/bench/partial-widths.js [model]
 */
import { Logitscope } from '../../web/engine/index.js';
import { boundsOf } from '../../web/sources/bounds.js';

const [model = 'models/stories.gguf'] = process.argv.slice(2);
const TEXT =
  'Once upon a time, there was a little girl named Lily. She loved to play outside in the park. One day, she saw a big dog.';
const LISTED = [1, 5, 20, 100];
const CHAINS = {
  '`temperature` 0.7': { temperature: 0.7 },
  '`temperature` 1.3': { temperature: 1.3 },
  '`top_k` 40': { top_k: 40 },
  '`top_p` 0.9': { top_p: 0.9 },
  '`min_p` 0.05': { min_p: 0.05 },
  '`temperature` 1.3, `min_p` 0.1': { temperature: 1.3, min_p: 0.1 },
  '`typical_p` 0.9': { typical_p: 0.9 },
  '`eta_cutoff` 0.01': { eta_cutoff: 0.01 },
  '`top_n_sigma` 1': { top_n_sigma: 1 },
  '`dynatemp_range` 0.5': { dynatemp_range: 0.5 },
  '`mirostat` 2': { mirostat: 2 },
};

const scope = await Logitscope.load({ model });
const ids = scope.encode(TEXT);
const rows = [];
for (let n = 2; n <= ids.length; n++) {
  scope.feed(ids.slice(0, n));
  const logits = scope.logits().sort().reverse();
  const sum = logits.reduceRight((total, logit) => total + Math.exp(logit - logits[0]), 0);
  rows.push(logits.map((logit) => logit - logits[0] - Math.log(sum)));
}
console.log(`${rows.length} positions, ${scope.info.vocab_size} tokens`);
console.log(`| settings | ${LISTED.map((n) => `top ${n}`).join(' | ')} |`);
console.log(`|---|${'---|'.repeat(LISTED.length)}`);
for (const [name, settings] of Object.entries(CHAINS)) {
  const cells = [];
  for (const n of LISTED) {
    let [width, settled] = [0, 0];
    for (const row of rows) {
      const partial = { logprobs: Float64Array.from(row.subarray(0, n)), vocab_size: row.length };
      const bounds = await boundsOf(scope, partial, settings);
      width += Math.max(...bounds.tokens.map(({ p: [low, high] }) => high - low)) / rows.length;
      settled += Number(bounds.settled) / rows.length;
    }
    cells.push(`${(100 * width).toFixed(2)} % (${(100 * settled).toFixed(0)} %)`);
  }
  console.log(`| ${name} | ${cells.join(' | ')} |`);
}
