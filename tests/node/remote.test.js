/** Tests the engine behind a worker: it answers as the local engine does, and only the newest read counts. */
import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { before, describe, test } from 'node:test';
import { Logitscope, LogitscopeError } from '../../web/engine/index.js';
import { RemoteLogitscope } from '../../web/engine/remote.js';
import { Timeline } from '../../web/state/sources.js';
import { EOS, VOCAB, smallModel } from './small_model.js';
import { startThread } from './worker_thread.js';

const image = smallModel();
let port;
let remote;
let local;
before(async () => {
  port = startThread();
  remote = await RemoteLogitscope.load({ model: image, worker: port });
  local = await Logitscope.load({ model: image });
});

/** @param {() => unknown} act */
function assertThrown(act) {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new assert.AssertionError({ message: 'nothing was thrown' });
}

const withoutTime = ({ ms, ...step }) => step;

test('info, table and variant equal the local ones', () => {
  assert.deepEqual(remote.info, local.info);
  assert.deepEqual(remote.table, local.table);
  assert.equal(remote.variant, 'simd');
});

test('a setting that is nested too deep is refused before it is sent', async () => {
  for (const depth of [700, 1500, 20_000]) {
    let schema = {};
    for (let i = 0; i < depth; i++) schema = { type: 'array', items: schema };
    await assert.rejects(remote.warp(new Float32Array(VOCAB), { constraint: { schema } }), {
      code: 'out_of_range',
      message: `constraint: depth must be an integer between 0 and 100, got ${depth + 2}`,
    });
  }
});

test('every method answers as the local engine does', async () => {
  const settings = { temperature: 0.8, top_p: 0.9, seed: 3 };
  const calls = {
    encode: ['Hé', { bos: true }],
    decode: [[72, 105]],
    piece: [97],
    random: [42, 1],
    distinct: [[1, 1, 2], 1],
    warp: [[3, 2, 1], { top_k: 2 }, { history: [1] }],
    warpRows: [[[3, 2, 1], Int8Array.of(1, 2, 3)], { top_k: 2 }, { histories: [[1]] }],
    score: ['Hé', 'llo'],
    feed: [[1, 2, 3]],
    timeline: [],
    logits: [],
    distribution: [settings],
    draw: [settings, { step: 4 }],
    read: [settings, { step: 4 }],
    readFrom: [[3, 2, 1], { top_k: 2 }, { history: [1], u: 0.4 }],
    drawFrom: [[3, 2, 1], { top_k: 2 }, { history: [1], u: 0.4 }],
  };
  for (const [method, args] of Object.entries(calls)) {
    assert.deepEqual(await remote[method](...args), await local[method](...args), method);
  }
  const half = { rng: () => 0.5 };
  assert.deepEqual(await remote.draw({}, half), local.draw({}, { u: 0.5 }));
  assert.deepEqual(await remote.read({}, half), local.read({}, { u: 0.5 }));
  assert.deepEqual(await remote.readFrom([2, 1], {}, half), local.readFrom([2, 1], {}, { u: 0.5 }));
  assert.deepEqual(await remote.drawFrom([2, 1], {}, half), local.drawFrom([2, 1], {}, { u: 0.5 }));
});

test('a read sends one message to the worker', async () => {
  await remote.feed([1, 2, 3]);
  const { postMessage } = port;
  const sent = [];
  port.postMessage = (message, transfer) => {
    sent.push([message.session, message.method]);
    postMessage(message, transfer);
  };
  await remote.read({ temperature: 0.8 }, { step: 2 });
  await remote.readFrom([3, 2, 1], {}, { u: 0.5 });
  port.postMessage = postMessage;
  assert.deepEqual(sent, [
    [0, 'read'],
    [0, 'readFrom'],
  ]);
});

test('generate streams the same steps and returns the same result', async () => {
  const options = {
    prompt: 'ab',
    seed: 6,
    max_new_tokens: 8,
    stop: ['zzz'],
    logit_bias: { [EOS]: false },
  };
  const collect = async (generation) => {
    const steps = [];
    for (;;) {
      const { done, value } = await generation.next();
      if (done) return { steps, value };
      steps.push(withoutTime(value));
    }
  };
  assert.deepEqual(await collect(remote.generate(options)), await collect(local.generate(options)));
});

test('several texts equal the local ones', async () => {
  const options = { prompt: 'ab', seed: 6, max_new_tokens: 4, n: 2, top_logprobs: 2 };
  const plain = (texts) => texts.map(({ steps, ...text }) => [text, steps.map(withoutTime)]);
  assert.deepEqual(plain(await remote.writeMany(options)), plain(await local.writeMany(options)));
});

test('a draft is loaded once in the worker, from any source that a message can carry', async () => {
  const model = smallModel({ layers: 1, seed: 2 });
  const draft = await Logitscope.load({ model });
  const options = { prompt: 'ab', seed: 6, max_new_tokens: 12, draft_tokens: 3 };
  const here = await local.write({ ...options, draft });
  const there = await remote.write({ ...options, draft: model });
  assert.deepEqual(there.steps.map(withoutTime), here.steps.map(withoutTime));
  assert.equal(there.speculation.passes, here.speculation.passes);
  let last;
  for await (last of remote.generate({ ...options, draft: new Blob([model]) }));
  assert.deepEqual(withoutTime(last), withoutTime(here.steps.at(-1)));
  await assert.rejects(remote.write({ ...options, draft: smallModel({ tokens: ['a', 'b'] }) }), {
    key: 'draft_vocabulary_size',
  });
  await assert.rejects(remote.write({ ...options, draft: new Uint8Array(9) }), LogitscopeError);
  draft.close();
});

test('sessions and forks are independent', async () => {
  const session = await remote.session();
  await session.feed([9]);
  const fork = await session.fork();
  await fork.feed([9, 8]);
  await remote.feed([1]);
  assert.deepEqual([...(await session.timeline())], [9]);
  assert.deepEqual([...(await fork.timeline())], [9, 8]);
  const several = await fork.surprisal([1, 2]);
  assert.deepEqual(several, Float64Array.of(await fork.surprisal(1), await fork.surprisal(2)));
  assert.deepEqual([...(await remote.timeline())], [1]);
  await session.close();
  await assert.rejects(session.timeline(), { code: 'closed' });
  await fork.close();
});

test('a timeline that moves again during a move reads the second text of its last place', async () => {
  const settings = { guidance_scale: 2, negative_prompt: null };
  const placeOf = (text) => ({ ids: [...Buffer.from(text)], settings, step: 0 });
  const [before, last] = ['a long text', 'a text'].map(placeOf); // `last` is the shorter place
  const readOf = async (timeline) => (await timeline.read(settings, { step: 0 })).trace.tokens;
  const alone = new Timeline(remote);
  await alone.moveTo(last);
  const expected = await readOf(alone);
  alone.close();

  for (let moment = 1; ; moment++) {
    let calls = 0;
    /** @type {Promise<void> | undefined} */
    let moved;
    const engine = watched(remote, () => {
      if (++calls === moment) moved = timeline.moveTo(last);
    });
    const timeline = new Timeline(engine);
    await timeline.moveTo(before);
    if (!moved) {
      assert.ok(moment > 5, `${moment} moments`);
      break;
    }
    await moved;
    assert.deepEqual(await readOf(timeline), expected, `at call ${moment}`);
    timeline.close();
  }
});

/** Returns a proxy of an object. It calls `wasCalled` at each call of a method of the object or of its sessions. */
function watched(object, wasCalled) {
  return new Proxy(object, {
    get: (_, name) => {
      const found = object[name];
      if (typeof found !== 'function') return found;
      return async (...given) => {
        const answer = found.apply(object, given);
        queueMicrotask(wasCalled); // after the caller's synchronous code
        return name === 'session' ? watched(await answer, wasCalled) : answer;
      };
    },
  });
}

describe('errors keep their code', () => {
  test('from the engine', async () => {
    await assert.rejects(
      remote.distribution({ top_p: 2 }),
      (error) =>
        error instanceof LogitscopeError &&
        error.code === 'out_of_range' &&
        error.message === 'top_p must be between 0 and 1, got 2',
    );
    await assert.rejects(remote.generate({ prompt: '' }).next(), { code: 'empty' });
    await assert.rejects(remote.feed([VOCAB]), { code: 'unknown_token' });
  });

  test('from loading', async () => {
    const other = startThread();
    await assert.rejects(RemoteLogitscope.load({ model: new Uint8Array(9), worker: other }), {
      code: 'bad_file',
    });
    await assert.rejects(RemoteLogitscope.load({ model: '/none.gguf', worker: other }), {
      code: 'load_failed',
    });
    other.terminate();
    await assert.rejects(RemoteLogitscope.load({ model: image, worker: './none.js' }), {
      code: 'load_failed',
      message: /^the worker failed: .*none\.js/,
    });
    await assert.rejects(RemoteLogitscope.load({ model: image, worker: 'none.js' }), {
      code: 'load_failed',
      message: /^the worker failed: .*none\.js/,
    });
  });

  test('for arguments that no message can carry', async () => {
    await assert.rejects(remote.distribution({ temperature: () => 1 }), {
      code: 'invalid_argument',
    });
  });
});

test('a bundle for browsers refuses a missing Worker and the reading of files', async () => {
  const { openFile, startThread } = await import('../../web/engine/no-node.js');
  assert.throws(startThread, { code: 'unsupported', message: /no Worker here/ });
  assert.throws(openFile, {
    code: 'unsupported',
    message: /^a bundle for browsers reads no files/,
  });
});

test('in Node load takes no worker, a Worker or a worker’s address', async () => {
  const address = new URL('../../web/engine/worker.js', import.meta.url);
  for (const worker of [undefined, new Worker(address), address.href]) {
    const other = await RemoteLogitscope.load({ model: image, worker });
    assert.deepEqual(other.info, local.info);
    assert.deepEqual(await other.encode('ab'), local.encode('ab'));
    await other.close();
    await (worker instanceof Worker && worker.terminate());
  }
});

test('pending calls are refused when a worker of Node ends', async () => {
  const worker = new Worker(new URL('../../web/engine/worker.js', import.meta.url));
  const other = await RemoteLogitscope.load({ model: image, worker });
  const refused = assert.rejects(
    other.write({ prompt: 'x', max_new_tokens: 100_000, logit_bias: { [EOS]: false } }),
    { code: 'load_failed' },
  );
  await worker.terminate();
  await refused;
});

test('unclosed sessions are freed in the worker when they are collected', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc');
  const other = await RemoteLogitscope.load({ model: smallModel({ dim: 64 }) });
  let most = 0;
  for (let round = 0; round < 12; round++) {
    for (let i = 0; i < 10; i++) await (await other.session()).feed([1, 2]);
    await new Promise((resolve) => setTimeout(resolve));
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve));
    if (round === 3) most = await other.memoryBytes;
  }
  // Node may free the memory of a round only in the next round.
  const bytes = await other.memoryBytes;
  assert.ok(bytes < 1.5 * most, `${bytes} of ${most} bytes`);
  const session = await other.session();
  await session[Symbol.asyncDispose]();
  await assert.rejects(session.timeline(), { code: 'closed' });
  await other.close();
});

test('reads requested at once are all computed, each with its own settings', async () => {
  await remote.feed([1, 2, 3]);
  local.feed([1, 2, 3]);
  const settings = [0.5, 0.7, 0.9].map((temperature) => ({ temperature }));
  const traces = await Promise.all(settings.map((each) => remote.distribution(each)));
  assert.deepEqual(
    traces,
    settings.map((each) => local.distribution(each)),
  );
  const readings = await Promise.all(settings.map((each) => remote.read(each)));
  assert.deepEqual(
    readings,
    settings.map((each) => local.read(each)),
  );
  await assert.rejects(RemoteLogitscope.load({ supersede: 'yes' }), { code: 'invalid_argument' });
});

describe('with supersede', () => {
  let remote;
  before(async () => {
    remote = await RemoteLogitscope.load({ model: image, worker: startThread(), supersede: true });
  });

  test('of three requests at once the first and the last are computed', async () => {
    await remote.feed([1, 2, 3]);
    const asked = [0.5, 0.7, 0.9].map((temperature) => remote.distribution({ temperature }));
    const settled = await Promise.allSettled(asked);
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.equal(settled[1].reason.code, 'superseded');
    assert.equal(settled[2].value.stages.find(({ name }) => name === 'temperature').value, 0.9);
  });

  test('a read supersedes a waiting read or distribution, and is superseded by either', async () => {
    await remote.feed([1, 2, 3]);
    const asked = [
      remote.read({ temperature: 0.5 }),
      remote.distribution({ temperature: 0.6 }),
      remote.read({ temperature: 0.7 }),
      remote.distribution({ temperature: 0.8 }),
      remote.read({ temperature: 0.9 }, { u: 0.25 }),
    ];
    const settled = await Promise.allSettled(asked);
    assert.deepEqual(
      settled.map(({ status, reason }) => reason?.code ?? status),
      ['fulfilled', 'superseded', 'superseded', 'superseded', 'fulfilled'],
    );
    local.feed([1, 2, 3]);
    assert.deepEqual(settled[4].value, local.read({ temperature: 0.9 }, { u: 0.25 }));
  });

  test('sessions do not supersede each other', async () => {
    const other = await remote.session();
    await other.feed([7]);
    const asked = [
      remote.distribution(),
      other.distribution(),
      remote.distribution(),
      other.distribution(),
    ];
    assert.equal((await Promise.all(asked)).length, 4);
    await other.close();
  });

  test('a call keeps its place behind a waiting distribution', async () => {
    await remote.feed([1, 2, 3]);
    const first = remote.distribution();
    const second = remote.distribution({ temperature: 0.5 });
    const fed = remote.feed([4, 5, 6]);
    local.feed([1, 2, 3]);
    assert.deepEqual(await first, local.distribution());
    assert.deepEqual(await second, local.distribution({ temperature: 0.5 }));
    await fed;
  });
});

describe('a generation', () => {
  const endless = { prompt: 'x', max_new_tokens: 100000, logit_bias: { [EOS]: false } };

  test('is aborted by a signal', async () => {
    const controller = new AbortController();
    const generation = remote.generate({ ...endless, signal: controller.signal });
    await generation.next();
    controller.abort();
    let answer = await generation.next();
    while (!answer.done) answer = await generation.next();
    assert.equal(answer.value.finish_reason, 'aborted');
  });

  test('of a whole text is aborted by a signal', { timeout: 20_000 }, async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const written = await remote.write({ ...endless, signal: controller.signal });
    assert.equal(written.finish_reason, 'aborted');
    assert.equal(written.steps.length, written.ids.length);
    const aborted = await remote.write({ ...endless, signal: AbortSignal.abort() });
    assert.deepEqual([aborted.finish_reason, aborted.ids], ['aborted', []]);
    await assert.rejects(remote.write({ ...endless, signal: 1 }), { code: 'invalid_argument' });
  });

  test('is the only one of its session, and breaking out frees the session', async () => {
    for await (const step of remote.generate(endless)) {
      await assert.rejects(remote.generate(endless).next(), { code: 'busy' });
      if (step.position > 3) break;
    }
    await remote.feed([1]);
  });
});

test('an rng is used and refused as in the local engine', async () => {
  const asked = { temperature: 0.8 };
  remote.feed([72, 105]);
  local.feed([72, 105]);
  assert.deepEqual(
    await remote.read(asked, { rng: () => 0.3 }),
    local.read(asked, { rng: () => 0.3 }),
  );
  for (const choice of [{ rng: () => undefined }, { rng: () => 2 }, { u: 0.1, rng: () => 0.9 }]) {
    const atHome = assertThrown(() => local.read(asked, choice));
    await assert.rejects(remote.read(asked, choice), {
      code: atHome.code,
      message: atHome.message,
    });
  }
});

test('memoryBytes and a fork of the default session are available', async () => {
  assert.ok((await remote.memoryBytes) > 2 ** 16);
  await remote.feed([1, 2, 3]);
  const fork = await remote.fork();
  assert.deepEqual(await fork.timeline(), Uint32Array.of(1, 2, 3));
  await fork.close();
  await fork.close();
  await assert.rejects(fork.timeline(), { code: 'closed' });
});

test('calls are refused when the engine closes or its worker fails', {
  timeout: 20_000,
}, async () => {
  const model = smallModel();
  const closed = await RemoteLogitscope.load({ model, worker: startThread() });
  const waiting = closed.write({
    prompt: 'x',
    max_new_tokens: 100_000,
    logit_bias: { [EOS]: false },
  });
  const refused = assert.rejects(waiting, { code: 'closed' });
  await closed.close();
  await closed.close();
  await refused;
  await assert.rejects(closed.encode('x'), { code: 'closed' });

  const failed = startThread();
  const broken = await RemoteLogitscope.load({ model, worker: failed });
  failed.onerror({ message: 'it fell over' });
  for (let n = 0; n < 2; n++) await assert.rejects(broken.encode('x'), { code: 'load_failed' });
});

test('a load is cancelled before or during it by its signal', { timeout: 20_000 }, async () => {
  const model = smallModel();
  const aborted = RemoteLogitscope.load({
    model,
    worker: startThread(),
    signal: AbortSignal.abort(),
  });
  await assert.rejects(aborted, { code: 'cancelled' });

  const controller = new AbortController();
  const slow = new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));
  const load = RemoteLogitscope.load({
    model: slow,
    worker: startThread(),
    signal: controller.signal,
  });
  controller.abort();
  await assert.rejects(load, { code: 'cancelled' });
});

test('progress of the model is reported', async () => {
  const other = startThread();
  const progress = [];
  await RemoteLogitscope.load({
    model: new Blob([image]),
    worker: other,
    onprogress: (p) => progress.push(p),
  });
  assert.deepEqual(progress.at(-1), { loaded: image.length, total: image.length });
  other.terminate();
});
