/** Tests the workers that write the texts of a job: no result depends on their number or on their end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import { copy as copyEngine, take } from '../../web/engine/crowd-calls.js';
import { writeAll } from '../../web/engine/crowd.js';
import { Logitscope } from '../../web/engine/index.js';
import { closed } from '../cleanup.js';
import { inOrder } from '../../web/cli/workers.js';
import { cli } from './command_line.js';

const model = fileURLToPath(new URL('../../models/verbs.gguf', import.meta.url));
const scope = closed(await Logitscope.load({ model }));
const script = new URL('../../web/engine/worker.js', import.meta.url);
const strategies = [
  { settings: { temperature: 0.8, top_p: 0.9 } },
  { settings: { constraint: { grammar: 'root ::= [a-z .]+' } } },
  { kind: 'beam', settings: { beam_width: 3 } },
];
const tasks = Array.from({ length: 24 }, (_, i) => ({
  strategy: strategies[i === 9 ? 2 : i % 2],
  options: { prompt: 'Today she', seed: 7 + i, max_new_tokens: 8 },
}));

/**
 * Worker threads that count their requests for texts; `fate` is called before each request. A thread with
 * `silent` gets no further message.
 */
class Threads {
  started = [];
  requests = 0;
  #asked = deferred();

  constructor(fate = () => {}) {
    this.open = () => {
      const thread = new Worker(script);
      const post = thread.postMessage.bind(thread);
      thread.postMessage = (message, transfer) => {
        if (message.method === 'texts') {
          this.requests++;
          this.#asked.resolve();
          fate(thread, this.requests);
        }
        if (!thread.silent) post(message, transfer);
      };
      this.started.push(thread);
      return thread;
    };
  }

  /** The engine as a session. Its second and later samples wait until a worker has got texts. */
  get patient() {
    let n = 0;
    const { promise } = this.#asked;
    return {
      feed: (...args) => scope.feed(...args),
      surprisal: (id) => scope.surprisal(id),
      async *generate(options) {
        if (n++) await promise;
        return yield* scope.generate(options);
      },
    };
  }
}

function deferred() {
  const parts = {};
  parts.promise = new Promise((resolve) => (parts.resolve = resolve));
  return parts;
}

/** Removes the measured times of a text's steps. */
const timeless = (text) => ({ ...text, steps: text.steps.map(({ ms: _, ...step }) => step) });

async function collect(session, options, signal) {
  const texts = [];
  for await (const text of writeAll(
    scope,
    session,
    'strategy',
    tasks,
    tasks.length,
    options,
    signal,
  ))
    texts.push(timeless(text));
  return texts;
}

const alone = await collect(scope, {});

test('texts, figures and their order are equal with 1, 2 and 3 threads', async () => {
  assert.equal(alone.length, tasks.length);
  for (const [i, { strategy, options }] of tasks.slice(0, 2).entries())
    assert.deepEqual(alone[i].ids, (await scope.write({ ...strategy.settings, ...options })).ids);
  for (const [started, copies] of [
    [1, 3.9],
    [2, 4],
  ]) {
    const threads = new Threads();
    const memory = copies * scope.memoryBytes;
    const options = { workers: 3, worth: 0, memory, worker: threads.open };
    assert.deepEqual(await collect(threads.patient, options), alone);
    assert.equal(threads.started.length, started);
    assert.ok(threads.requests >= 1);
  }
});

test('the texts of a thread that dies are written again', async () => {
  const threads = new Threads((thread, n) => n === 1 && thread.terminate());
  const options = { workers: 2, worth: 0, worker: threads.open };
  assert.deepEqual(await collect(threads.patient, options), alone);
  const none = { workers: 2, worth: 0, worker: () => assert.fail('no thread') };
  assert.deepEqual(await collect(scope, none), alone);
});

test('the texts of a thread that falls silent are written again', { timeout: 60_000 }, async () => {
  const threads = new Threads((thread, n) => (thread.silent ||= n === 1));
  const options = { workers: 2, worth: 0, silence: 60, worker: threads.open };
  assert.deepEqual(await collect(threads.patient, options), alone);
  assert.ok(threads.started.some(({ silent }) => silent));
});

test('an abort ends the job and its threads; the texts before it are in order', async () => {
  const threads = new Threads();
  const stop = new AbortController();
  const options = { workers: 2, worth: 0, worker: threads.open };
  const job = writeAll(
    scope,
    threads.patient,
    'strategy',
    tasks,
    tasks.length,
    options,
    stop.signal,
  );
  const texts = [];
  for await (const text of job) {
    texts.push(timeless(text));
    if (texts.length === 5) stop.abort();
  }
  assert.deepEqual(texts, alone.slice(0, 5));
  for (const thread of threads.started)
    if (thread.threadId > 0) await new Promise((resolve) => thread.once('exit', resolve));
});

test('small jobs, and copies beyond the limit of memory, start no thread', async () => {
  const threads = new Threads();
  const worker = threads.open;
  assert.deepEqual(await collect(scope, { workers: 3, worth: 1e9, worker }), alone);
  const memory = 1.9 * scope.memoryBytes;
  assert.deepEqual(await collect(scope, { workers: 3, worth: 0, memory, worker }), alone);
  assert.equal(threads.started.length, 0);
});

test('an error of a text ends the job in its turn', async () => {
  const wrong = tasks.map((task, i) =>
    i === 15 ? { ...task, strategy: { settings: { top_p: 2 } } } : task,
  );
  const threads = new Threads();
  const options = { workers: 2, worth: 0, worker: threads.open };
  const texts = [];
  await assert.rejects(
    async () => {
      for await (const text of writeAll(
        scope,
        threads.patient,
        'strategy',
        wrong,
        wrong.length,
        options,
      ))
        texts.push(timeless(text));
    },
    { message: 'top_p must be between 0 and 1, got 2' },
  );
  assert.deepEqual(texts, alone.slice(0, 15));
});

test('a copy has the facts and the bits of its engine and frees its open sessions', async () => {
  const session = scope.session();
  session.feed(scope.encode('Today she'));
  const made = copyEngine(scope);
  const copy = closed(await Logitscope.load(made.options));
  await take(copy, made);
  assert.deepEqual(copy.info, scope.info);
  copy.feed(copy.encode('Today she'));
  assert.deepEqual(copy.logits(), session.logits());
  const bytes = copy.memoryBytes;
  copy.session();
  assert.equal(copy.memoryBytes, bytes);
  session.close();
});

test('results keep the order of their items; n items are in work; an error begins no further item', async () => {
  const begun = [];
  const waiting = [];
  const work = (item) => {
    begun.push(item);
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  };
  const results = inOrder([...'abcdef'], 2, work);
  const first = results.next();
  assert.deepEqual(begun, ['a', 'b']);
  waiting[1].resolve('B');
  await new Promise(setImmediate);
  assert.deepEqual(begun, ['a', 'b', 'c']);
  waiting[0].resolve('A');
  assert.deepEqual([(await first).value, (await results.next()).value], ['A', 'B']);
  waiting[2].reject(new Error('c'));
  await assert.rejects(results.next(), { message: 'c' });
  for (const { resolve } of waiting.slice(3)) resolve('late');
  await new Promise(setImmediate);
  assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
});

test('commands print the same bytes with 1 and 2 workers and refuse other numbers', async () => {
  const words = ['compare', '--prompt', 'Today she', '--samples', '3', '--json', '--workers'];
  const [one, two] = [await cli([...words, '1']), await cli([...words, '2'])];
  assert.deepEqual(one, two);
  const x = ['--prompt', 'x'];
  const grade = ['grade', 'web/grade', '--as', 'top_k'];
  for (const command of [['compare', ...x], ['sweep', 'top_k=1,2', ...x], grade]) {
    const { status, stderr } = await cli([...command, '--workers', '0']);
    assert.deepEqual(
      [status, stderr],
      [2, 'logitscope: workers must be an integer between 1 and 64, got 0\n'],
    );
  }
});
