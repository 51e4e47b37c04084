/** `logitscope bench`: measures how fast a model reads a prompt and draws tokens on this computer. */
import { summarise } from '../engine/measures.js';
import { UsageError } from './flags.js';
import { columns, printJson } from './terminal.js';
import { wholeNumber } from './documents.js';

/** Default number of prompt tokens; fewer if the context is shorter. */
const PROMPT_TOKENS = 256;
const NEW_TOKENS = 64;
const ROUNDS = 5;

/** The results to print: key, name in the table, decimals. */
const ROWS = /** @type {const} */ ([
  ['prefill_tokens_per_second', 'prefill, tokens/s', 1],
  ['decode_tokens_per_second', 'decode, tokens/s', 1],
  ['distribution_ms', 'distribution, ms', 3],
]);

/** @param {() => void} act @returns {number} the duration, in ms */
function timeOf(act) {
  const began = performance.now();
  act();
  return performance.now() - began;
}

/**
 * Measures one round: reads a prompt that shares no beginning with the last one, then takes greedy steps.
 * @param {any} scope
 * @param {number} round
 * @param {number} promptTokens
 * @param {number} newTokens
 */
function measureRound(scope, round, promptTokens, newTokens) {
  const { vocab_size } = scope.info;
  const ids = Array.from({ length: promptTokens }, (_, i) => (31 * i + round) % vocab_size);
  const prefill = timeOf(() => scope.feed(ids));
  const distribution = timeOf(() =>
    scope.distribution({ temperature: 0.8, top_k: 40, top_p: 0.95 }),
  );
  const decode = timeOf(() => {
    for (let n = 0; n < newTokens; n++) {
      ids.push(scope.draw({ temperature: 0 }).id);
      scope.feed(ids);
    }
  });
  return {
    prefill_tokens_per_second: (1000 * promptTokens) / prefill,
    decode_tokens_per_second: (1000 * newTokens) / decode,
    distribution_ms: distribution,
  };
}

/** @param {number[]} values @returns {{ least: number, median: number, most: number }} */
function summaryOf(values) {
  const { median } = summarise(values);
  return { least: Math.min(...values), median, most: Math.max(...values) };
}

/** @type {import('./flags.js').Command} */
export const bench = {
  summary: 'measure how fast a model is read and its tokens are drawn here',
  settings: false,
  flags: [
    { name: 'prompt_tokens', kind: 'number', help: `read at once (${PROMPT_TOKENS})` },
    { name: 'new_tokens', kind: 'number', help: `drawn one by one, greedily (${NEW_TOKENS})` },
    { name: 'rounds', kind: 'number', help: `how often (${ROUNDS})` },
  ],

  check({ prompt_tokens, new_tokens, rounds }) {
    wholeNumber('--prompt-tokens', prompt_tokens, 1);
    wholeNumber('--new-tokens', new_tokens, 1);
    wholeNumber('--rounds', rounds, 1);
  },

  run(scope, { model, json, ...values }, { stdout }) {
    const { context_length: context, variant, streams, threads } = scope.info;
    const promptTokens = values.prompt_tokens ?? Math.min(PROMPT_TOKENS, context >> 1);
    const newTokens = values.new_tokens ?? Math.min(NEW_TOKENS, context - promptTokens);
    if (newTokens < 1 || promptTokens + newTokens > context) {
      throw new UsageError(
        `--prompt-tokens and --new-tokens must be at most ${context} together, got ${promptTokens} and ${newTokens}`,
      );
    }
    const rounds = values.rounds ?? ROUNDS;
    // The first round does not count, because the JavaScript engine is still compiling.
    const [, ...measured] = Array.from({ length: rounds + 1 }, (_, round) =>
      measureRound(scope, round, promptTokens, newTokens),
    );
    const found = Object.fromEntries(
      ROWS.map(([key]) => [key, summaryOf(measured.map((each) => each[key]))]),
    );
    const asked = { prompt_tokens: promptTokens, new_tokens: newTokens, rounds };
    if (json) {
      printJson(stdout, { model, variant, streams, threads, ...asked, ...found });
      return;
    }
    const rows = ROWS.map(([key, name, digits]) => {
      const { least, median, most } = found[key];
      return [name, ...[median, least, most].map((value) => value.toFixed(digits))];
    });
    stdout.write(
      `${variant} loops in ${streams === 1 ? '1 stream' : `${streams} streams`}${threads === 1 ? '' : ` and ${threads} threads`}, ${promptTokens} tokens read and ${newTokens} drawn, ${rounds} rounds\n` +
        `${columns([['', 'median', 'least', 'most'], ...rows], [1, 2, 3])}\n`,
    );
  },
};
