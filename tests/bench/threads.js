/**
 * Measures one text with 1 and more threads, in turns, and prints a table: node tests/bench/threads.js MODEL
 * [THREADS...]. A prompt of 256 tokens is read at once, then 64 tokens follow one by one.
 */
import { availableParallelism } from 'node:os';
import { Logitscope } from '../../web/engine/index.js';

const PROMPT = 256;
const NEW = 64;
const ROUNDS = 5;

/** @param {number[]} list */
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

/** Tokens per second of prompt and decode in one round. @param {Logitscope} scope @param {number} round */
function measure(scope, round) {
  const n = Math.min(PROMPT, (scope.info?.context_length ?? 0) >> 1);
  const ids = Array.from({ length: n }, (_, i) => (i * 37 + round) % 300);
  const began = performance.now();
  scope.feed(ids);
  const read = performance.now();
  for (let i = 0; i < Math.min(NEW, n); i++) {
    ids.push((i * 13) % 300);
    scope.feed(ids);
  }
  const per = (/** @type {number} */ count, /** @type {number} */ ms) => (1000 * count) / ms;
  return [per(n, read - began), per(Math.min(NEW, n), performance.now() - read)];
}

const [model, ...asked] = process.argv.slice(2);
const numbers = asked.length ? asked.map(Number) : [1, availableParallelism()];
const scopes = await Promise.all(
  numbers.map((threads) => Logitscope.load({ model, threads, context: 512 })),
);
const found = numbers.map(() => /** @type {number[][]} */ ([]));
for (let round = 0; round <= ROUNDS; round++)
  for (const [i, scope] of scopes.entries()) found[i].push(measure(scope, round));
console.log('threads  variant  prompt/s  decode/s');
for (const [i, scope] of scopes.entries()) {
  const [prompt, decode] = [0, 1].map((k) => median(found[i].slice(1).map((row) => row[k])));
  const cells = [numbers[i], scope.variant, prompt.toFixed(1), decode.toFixed(1)];
  console.log(cells.map((cell) => String(cell).padEnd(8)).join(' '));
  scope.close();
}
