/** `compare --held-out`: compares texts that the model writes with the real continuation. */
import { strategies } from '../engine/index.js';
import { UsageError } from './flags.js';
import { writeAll } from '../engine/crowd.js';
import { columns, printJson, quoted } from './terminal.js';
import { readDocuments, wholeNumber } from './documents.js';
import { crowdOf } from './workers.js';

/** @type {import('./flags.js').Flag[]} */
export const HELD_OUT = [
  {
    name: 'held_out',
    kind: 'text',
    help: 'a text file: continue passages of it, beside their true continuation',
  },
  { name: 'passages', kind: 'number', needs: 'held_out', help: 'with --held-out: how many (3)' },
  {
    name: 'prompt_tokens',
    kind: 'number',
    needs: 'held_out',
    help: 'with --held-out: length of the prompts (24)',
  },
];

/**
 * Returns passages of `length` tokens: the beginning of each document; or, from a single document, passages at even
 * distances.
 * @param {any} scope
 * @param {string[]} documents
 * @param {number} count
 * @param {number} length
 * @returns {number[][]}
 */
function passagesOf(scope, documents, count, length) {
  const encoded = (/** @type {string} */ text) => Array.from(scope.encode(text));
  if (documents.length > 1) {
    return documents
      .map((document) => encoded(document).slice(0, length))
      .filter((ids) => ids.length === length)
      .slice(0, count);
  }
  const ids = encoded(documents[0]);
  const stride = Math.floor((ids.length - length) / count);
  if (stride < 0 || ids.length < length) return [];
  return Array.from({ length: count }, (_, i) => ids.slice(i * stride, i * stride + length));
}

/**
 * Measures the real continuation: the sum of -ln p, and the mean as a probability.
 * @param {any} scope
 * @param {number[]} prompt
 * @param {number[]} truth
 */
function scoreTruth(scope, prompt, truth) {
  let nats = 0;
  const ids = [...prompt];
  for (const id of truth) {
    scope.feed(ids);
    nats += scope.surprisal(id);
    ids.push(id);
  }
  const text = truth.map((id) => scope.piece(id).text).join('');
  return { text, ids: truth, logprob: -nats, mean_p: Math.exp(-nats / truth.length) };
}

/**
 * Returns a generated text with its probability under the model's own distributions.
 * @param {typeof strategies[number]} strategy
 * @param {any} generated
 */
function sampleOf({ name, settings }, { text, ids, steps }) {
  let logprob = 0;
  for (const { p_raw } of steps) logprob += Math.log(p_raw);
  return { name, settings, text, ids, logprob, mean_p: Math.exp(logprob / ids.length) };
}

/** Prints a passage: the real continuation and the samples. @param {NodeJS.WriteStream} stdout @param {any} passage */
function printPassage(stdout, { prompt, truth, samples }) {
  const row = (/** @type {string} */ name, /** @type {any} */ { mean_p, text }) => [
    name,
    mean_p.toFixed(3),
    quoted(text),
  ];
  const rows = [
    ['', 'mean p', 'continuation'],
    row('the text itself', truth),
    ...samples.map((/** @type {any} */ sample) => row(sample.name, sample)),
  ];
  stdout.write(`${quoted(prompt)}\n${columns(rows, [1])}\n\n`);
}

/**
 * @param {any} scope
 * @param {any} values
 * @param {NodeJS.WriteStream} stdout
 */
export async function compareHeldOut(scope, values, stdout) {
  const count = wholeNumber('--passages', values.passages, 3);
  const before = wholeNumber('--prompt-tokens', values.prompt_tokens, 24);
  const after = wholeNumber('--max-new-tokens', values.max_new_tokens, 24);
  const documents = readDocuments('--held-out', values.held_out);
  const passages = passagesOf(scope, documents, count, before + after);
  if (!passages.length) {
    throw new UsageError(`--held-out has no passage of ${before + after} tokens`);
  }
  const { seed = 0 } = values;
  const tasks = passages.flatMap((passage) =>
    strategies.map(({ settings }) => ({
      strategy: { settings },
      options: { prompt: passage.slice(0, before), seed, max_new_tokens: after },
    })),
  );
  /** @type {any[]} */
  const written = [];
  for await (const text of writeAll(scope, scope, 'strategy', tasks, tasks.length, crowdOf(values)))
    written.push(text);
  const texts = written.values();
  const results = [];
  for (const passage of passages) {
    const prompt = passage.slice(0, before);
    results.push({
      prompt: scope.decode(prompt),
      prompt_ids: prompt,
      truth: scoreTruth(scope, prompt, passage.slice(before)),
      samples: strategies.map((strategy) => sampleOf(strategy, texts.next().value)),
    });
  }
  if (values.json) {
    printJson(stdout, { model: values.model, held_out: values.held_out, passages: results });
    return;
  }
  for (const result of results) printPassage(stdout, result);
  stdout.write("mean p: the geometric mean of the model's own probabilities\n");
}
