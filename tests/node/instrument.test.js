/**
 * Tests the page's state in Node, with engines in threads. Work that is cancelled, fails or is superseded must show no
 * result and change nothing.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { afterEach, test } from 'node:test';
import { assets } from '../../web/state/assets.js';
import { Bench } from '../../web/state/bench.js';
import { enginesBusy, lease } from '../../web/state/engines.js';
import { Instrument } from '../../web/state/instrument.js';
import { parseHash } from '../../web/state/page-state.js';
import { PACES, Runner } from '../../web/state/runner.js';
import { Logitscope } from '../../web/engine/index.js';
import { atEnd } from '../cleanup.js';
import { smallModel } from './small_model.js';

const VERBS = 'models/verbs.gguf';
const STORIES = 'models/stories.gguf';
const read = (path) => new Uint8Array(readFileSync(new URL(`../../${path}`, import.meta.url)));

/** The ports to a test's workers; each records the methods called on it. */
let ports = [];
async function open() {
  const thread = new Worker(new URL('./worker_thread.js', import.meta.url));
  atEnd(() => thread.terminate());
  const port = {
    asked: [],
    onmessage: null,
    onerror: null,
    postMessage(message, transfer) {
      port.asked.push(message.method);
      thread.postMessage(message, transfer);
    },
    terminate: () => thread.terminate(),
  };
  thread.on('message', (data) => port.onmessage({ data }));
  ports.push(port);
  return port;
}

const before = { ...assets };
atEnd(() => Object.assign(assets, before));
Object.assign(assets, {
  wasm: read('web/engine/logitscope.wasm'),
  simd: read('web/engine/logitscope-simd.wasm'),
  relaxed: read('web/engine/logitscope-relaxed.wasm'),
  worker: open,
  inside: new Map([VERBS, STORIES].map((model) => [model, read(model)])),
});

/** Objects that a test opened; they are closed after the test. */
const opened = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.close();
  ports = [];
});

function closed(each) {
  opened.push(each);
  return each;
}

/** Returns a function that gives the first state after a model has loaded. @param {string} prompt */
const beginWith = (prompt) => () => ({ prompt, settings: {} });

/** Opens an Instrument with the model stories and a list of its errors. */
async function instrument(options) {
  const it = closed(new Instrument());
  const faults = [];
  it.addEventListener('fault', ({ detail }) => faults.push(detail.key));
  await it.load({ model: STORIES, begin: beginWith('Once upon a time'), ...options });
  return { it, faults };
}

const textOf = (it) => [...it.prompt.pieces, ...it.texts.steps].map(({ text }) => text).join('');
const count = (name) => ports.flatMap(({ asked }) => asked).filter((it) => it === name).length;

test('the thinking of a text has its own settings: they draw it, are state, and break its loop', async () => {
  const thinking = { temperature: 0, top_k: 3 };
  const settings = { temperature: 1.5 };
  const image = smallModel({ context: 64 });
  const model = 'models/shakespeare.gguf'; // the page opens this name, but reads the image
  assets.inside.set(model, image);
  const state = { prompt: 'a<think>', settings, seed: 42, thinking, max_new_tokens: 30 };
  const { it, faults } = await instrument({ model, begin: () => state });
  for (let n = 0; n < 30; n++) await it.generation.step();
  const scope = closed(await Logitscope.load({ model: image }));
  const asked = { ...settings, prompt: state.prompt, seed: 42, max_new_tokens: 30 };
  const { ids } = await scope.write({ ...asked, thinking: { settings: thinking } });
  assert.deepEqual(it.state.branch, ids);
  assert.deepEqual([it.state.thinking, it.part], [thinking, thinking]);
  assert.ok(it.texts.loop);
  await it.findings.breakLoop();
  const { found } = it.findings.loopBreaks;
  const text = { ...settings, prompt: state.prompt, seed: 42, drawn_ids: ids };
  assert.deepEqual(found, await scope.breakLoop({ ...text, thinking: { settings: thinking } }));
  assert.ok(found.thinking && found.breaks.length > 0);
  await it.thinking.change({ temperature: null, top_k: null });
  await it.set({}, false);
  assert.deepEqual([it.state.thinking, it.part, it.findings.loopBreaks], [undefined, null, null]);
  assert.equal(it.trace.kept, it.trace.vocab_size);
  const { state: read } = parseHash('#thinking={"top_p":0.9}', it.table);
  assert.deepEqual(read.thinking, { top_p: 0.9 });
  for (const bad of ['{"seed":1}', '{"top_p":2}', '[]', 'x'])
    assert.equal(parseHash(`#thinking=${bad}`, it.table).dropped.length, 1, bad);
  assert.deepEqual(faults, []);
});

test('another model or a move of the element ends the pass in flight', async () => {
  const { it, faults } = await instrument();
  it.view = 'ranks';
  it.set({ temperature: 0.5 });
  const drawing = it.drawMany(1000);
  const seen = it.setBias(5, 1);
  await it.load({ model: VERBS, begin: beginWith('Tomorrow she') });
  assert.equal(it.trace.vocab_size, 64);
  assert.equal(it.settings.temperature, 1);
  it.set({ temperature: 0.3 });
  it.close();
  assert.equal(it.pass, null);
  await it.load({ model: STORIES, begin: beginWith('Lily') });
  await Promise.all([drawing, seen]);
  assert.equal(it.trace.vocab_size, it.info.vocab_size);
  assert.deepEqual(
    [it.model.status, it.model.progress, it.pass, it.fault],
    ['ready', null, null, null],
  );
  assert.deepEqual(faults, []);
});

test('a run ends when its element closes or its worker fails', async () => {
  const { it, faults } = await instrument();
  it.generation.pace = PACES.length - 1;
  it.findings.sought = true;
  const run = it.generation.run();
  await new Promise((resolve) => it.addEventListener('step', resolve, { once: true }));
  it.close();
  await run;
  assert.deepEqual(faults, []);
  await it.load({ model: STORIES, begin: beginWith('Once upon a time') });
  const again = it.generation.run();
  ports.at(-1).onerror({ message: 'memory access out of bounds' });
  await again;
  assert.equal(it.generation.running, false);
  assert.equal(it.fault.key, 'worker_failed');
});

for (const [hash, key] of [
  ['order=top_k&temperature=0.5&branch=5,6', 'order_leaves_out'],
  ['guidance_scale=2&contrastive_beta=0.5&branch=5', 'second_once'],
  ['constraint=json&branch=5,6', 'constraint_unmet'],
])
  test(`a refused state opens with its fault on show: ${hash}`, async () => {
    const it = closed(new Instrument());
    let ready = 0;
    it.addEventListener('ready', () => ready++);
    const begin = () => parseHash(`#prompt=Lily&${hash}`, it.table, it.info.vocab_size).state;
    await it.load({ model: STORIES, begin });
    assert.deepEqual(
      [it.model.status, ready, it.model.progress, it.fault?.key],
      ['ready', 1, null, key],
    );
    assert.equal(it.prompt.text, 'Lily');
    await it.usePreset({});
    await it.setGates({ constraint: null });
    assert.equal(it.fault, null);
  });

test('a preset with biases puts them on the bench; one without leaves them there', async () => {
  const { it } = await instrument();
  await it.usePreset({ temperature: 0.5, logit_bias: { 5: -2, '6 7': false } });
  const biases = () => it.biases.map(({ id, bias }) => [id, bias]);
  assert.deepEqual(biases(), [
    [5, -2],
    ['6 7', false],
  ]);
  assert.deepEqual(it.asked.logit_bias, { 5: -2, '6 7': false });
  await it.usePreset({ top_k: 5 });
  assert.deepEqual([it.settings.temperature, biases().length], [1, 2]);
});

test('after a refused reading no token is drawn or forced', async () => {
  const grammar = 'root ::= " will" " go"';
  const { it } = await instrument({ model: VERBS, begin: beginWith('Tomorrow she') });
  await it.setGates({ constraint: { grammar }, banned_words: ['go'] });
  await it.generation.step();
  assert.equal(it.fault.code, 'nothing_left');
  const ids = it.texts.steps.map(({ id }) => id);
  assert.equal(ids.length, 1);
  await it.generation.step();
  await it.generation.force(it.trace.tokens[0].id);
  await it.generation.run();
  assert.deepEqual(
    it.texts.steps.map(({ id }) => id),
    ids,
  );
  await it.setGates({ constraint: null, banned_words: null });
  await it.generation.step();
  assert.equal(it.texts.steps.length, 2);
});

test('sessions are opened once and closed with their owner', async () => {
  const shared = lease(STORIES);
  closed({ close: shared.release });
  await shared.ready;
  const { it } = await instrument();
  for (let i = 0; i < 4; i++) await it.generation.step();
  const asked = [1, 2, 3, 1].map((index) => it.alternatives.find(index));
  await Promise.all(asked);
  assert.equal(count('session'), 2);
  assert.equal(it.alternatives.shown.index, 1);
  const [likeliest] = it.alternatives.shown.trace.tokens;
  await it.alternatives.find(2);
  await it.alternatives.find(1);
  assert.deepEqual(it.alternatives.shown.trace.tokens[0], likeliest);
  await Promise.all([0.1, 0.2, 0.3].map((min_p) => it.set({ min_p })));
  await it.set({ guidance_scale: 1.5 });
  it.close();
  const overtaken = closed(new Instrument());
  const loads = [STORIES, STORIES].map((model) =>
    overtaken.load({ model, begin: beginWith('Lily') }),
  );
  await Promise.all(loads);
  overtaken.close();
  const engine = await shared.ready;
  await engine.random(0, 0); // the worker answers in order, so all earlier answers have arrived now
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(count('close'), count('session'));
});

test('of two restored states the newer one shows as a whole', async () => {
  const { it, faults } = await instrument();
  const one = {
    prompt: 'Once',
    settings: { constraint: 'json', temperature: 0.1, top_k: 3 },
    seed: 1,
  };
  const other = { prompt: 'Lily', settings: { temperature: 2, logit_bias: { 7: 1 } }, seed: 2 };
  const branch = [20, 30, 40];
  const older = it.restore({ ...one, branch: [9, 8] });
  await Promise.all([older, it.restore({ ...other, branch })]);
  assert.deepEqual(
    [
      it.prompt.text,
      it.seed,
      it.settings.temperature,
      it.settings.top_k,
      it.gates,
      it.biases.length,
    ],
    ['Lily', 2, 2, 0, {}, 1],
  );
  assert.match(textOf(it), /Lily/);
  assert.deepEqual(
    it.texts.steps.map(({ id }) => id),
    branch,
  );
  assert.deepEqual(faults, []);
});

test('a typed prompt and a turned knob survive a restore in flight', async () => {
  const { it } = await instrument();
  const settings = { temperature: 2, logit_bias: { 7: 1 } };
  const restored = it.restore({ prompt: 'Once', settings, branch: [9, 8, 7] });
  const turned = it.set({ top_k: 5 });
  await Promise.all([restored, turned, it.setPrompt('Lily')]);
  assert.equal(it.prompt.text, 'Lily');
  assert.match(textOf(it), /Lily$/);
  assert.deepEqual([it.settings.temperature, it.settings.top_k], [2, 5]);
  assert.equal(it.biases.length, 1);
  // The user steps while the state is restored, so the restore must draw no more tokens.
  const branch = [9, 8, 7];
  const again = it.restore({ prompt: 'Once', settings: {}, branch });
  await new Promise((resolve) => {
    it.addEventListener('update', () => it.texts.steps.length === 1 && resolve());
  });
  await Promise.all([again, it.generation.step()]);
  const ids = it.texts.steps.map(({ id }) => id);
  assert.equal(
    ids.findIndex((id, i) => id !== branch[i]),
    ids.length - 1,
  );
});

test('alternatives that a constraint refuses disappear', async () => {
  const { it, faults } = await instrument();
  await it.generation.step();
  await it.generation.step();
  await it.alternatives.find(1);
  await it.setGates({ constraint: 'json' });
  while (it.alternatives.shown) await new Promise((resolve) => setTimeout(resolve));
  assert.ok(it.fault);
  assert.ok(faults.length > 0);
});

test('a prompt that the model cannot spell shows bars of its beginning and allows no step', async () => {
  const { it, faults } = await instrument({ model: VERBS });
  assert.deepEqual(faults, ['vocabulary_lacks']);
  assert.equal(it.prompt.fault.key, 'vocabulary_lacks');
  assert.deepEqual([it.prompt.pieces, it.drawn, it.fault], [[], null, null]);
  assert.equal(it.trace.vocab_size, 64);
  await it.generation.step();
  await it.generation.run();
  await it.generation.force(it.trace.tokens[0].id);
  assert.deepEqual([it.texts.steps, it.generation.running], [[], false]);
  await it.setPrompt('Today she');
  await it.generation.step();
  assert.equal(it.texts.steps.length, 1);
});

test('a run’s default pace is reading speed', () => {
  const perSecond = 1000 / PACES[new Runner().pace];
  assert.ok(perSecond >= 6 && perSecond <= 10, `${perSecond} tokens a second`);
});

test('a step that throws ends its run and leaves no listener', async () => {
  const runner = new Runner();
  runner.pace = PACES.length - 1;
  let listeners = 0;
  let steps = 0;
  const step = async (signal) => {
    const { addEventListener, removeEventListener } = EventTarget.prototype;
    signal.addEventListener = (...args) => (listeners++, addEventListener.apply(signal, args));
    signal.removeEventListener = (...args) => (
      listeners--, removeEventListener.apply(signal, args)
    );
    if (++steps === 5) throw new Error('no');
    return true;
  };
  await assert.rejects(runner.run(step), /no/);
  assert.equal(runner.running, false);
  assert.equal(listeners, 0);
});

test('a request made as a pass ends is read', async () => {
  const bench = new Bench();
  const reader = { read: async ({ both }) => ({ trace: both }) };
  Object.defineProperty(bench, 'reader', { value: reader });
  let asked = null;
  const ask = () => {
    queueMicrotask(() => (asked = bench.choose({ pair: ['transformers', 'llama.cpp'] })));
  };
  bench.addEventListener('update', ask, { once: true });
  await bench.refresh();
  await asked;
  assert.equal(bench.trace.length, 2);
  assert.equal(bench.pass, null);
});

test('a model that is cancelled or whose worker failed is loaded again', async () => {
  const first = lease(VERBS);
  const refused = assert.rejects(first.ready, { code: 'cancelled' });
  first.cancel();
  const second = lease(VERBS);
  await Promise.all([refused, second.ready]);
  first.release();
  assert.equal(enginesBusy(), false);
  second.cancel(); // the model is already loaded, so `cancel` must not close it
  const third = lease(VERBS);
  assert.equal(await third.ready, await second.ready);
  ports.at(-1).onerror({ message: 'it broke' });
  const leases = [lease(VERBS), lease(VERBS)];
  const [fourth, fifth] = await Promise.all(leases.map(({ ready }) => ready));
  assert.equal(fourth, fifth);
  assert.notEqual(fourth, await third.ready);
  assert.equal((await fourth.encode('Tomorrow she')).length > 0, true);
  for (const { release } of [second, third, ...leases]) release();
});
