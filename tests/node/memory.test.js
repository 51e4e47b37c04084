/**
 * Tests the memory of a loaded model. Its weights take at most 1.15 times the size of the file (F32 and quantised
 * formats) or 2.1 times (F16, BF16). The limit also allows a session, the vocabulary and a few megabytes for the
 * engine.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { statSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { Logitscope } from '../../web/engine/index.js';
import { gather, openSource } from '../../web/engine/load.js';
import { atEnd, temporaryFolder } from '../cleanup.js';
import { layoutGguf, writeGguf } from '../fixtures/gguf_writer.js';
import { quantisedFormats } from '../fixtures/quantise.js';
import { cases, long, sample } from '../long.js';
import { smallModel } from './small_model.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

const OWN = 4.5e6; // bytes for stack, exchange memory, chain and vocabulary tables
const LIMITS = {
  F32: 1.15,
  F16: 2.1,
  BF16: 2.1,
  ...Object.fromEntries(Object.keys(quantisedFormats).map((type) => [type, 1.15])),
};

describe('memory at its peak, where it stays after the load', () => {
  for (const [type, limit] of sample(Object.entries(LIMITS), 3)) {
    test(`${type} takes at most ${limit} times the file`, async () => {
      const image = smallModel({ dim: 256, layers: cases(1, 3), heads: 8, type });
      const scope = await Logitscope.load({ model: new Blob([image]) });
      const { weight_bytes, session_bytes, bytes } = scope.info;
      assert.equal(bytes, image.length);
      assert.ok(weight_bytes <= limit * bytes, `${weight_bytes} for ${bytes}`);
      assert.ok(weight_bytes > 0.9 * bytes);
      const rest = scope.memoryBytes - weight_bytes - session_bytes;
      assert.ok(rest <= OWN, `${rest} bytes beside weights and session`);
      const before = scope.memoryBytes;
      scope.feed([1, 2, 3]);
      scope.distribution({ top_p: 0.9 });
      assert.equal(scope.memoryBytes, before);
      // If its free memory is a byte too small, the allocator takes a whole block more. The mean of ten sessions
      // makes this small.
      for (let n = 0; n < 10; n++) scope.session();
      const grown = (scope.memoryBytes - before) / 10;
      assert.ok(grown <= session_bytes + 65536 + 1e4, `${grown} for another session`);
      scope.close();
    });
  }
});

/** Returns a stream of bytes that counts how many bytes its reader has taken. */
function counted(image, pieces) {
  const taken = { bytes: 0 };
  const size = Math.ceil(image.length / pieces);
  const stream = new ReadableStream(
    {
      pull(controller) {
        const part = image.slice(taken.bytes, taken.bytes + size);
        taken.bytes += part.length;
        if (part.length) controller.enqueue(part);
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { taken, stream };
}

/** Returns the metadata and tensor heads of a llama file, without weights. */
function llama({ dim, layers, context }) {
  const [vocab, ff] = [32, 32];
  const u32 = (value) => ({ type: 'uint32', value });
  const tensor = (name, ...shape) => ({ name, shape, type: 'F32' });
  const block = (i) => [
    tensor(`blk.${i}.attn_norm.weight`, dim),
    ...['q', 'k', 'v', 'output'].map((name) => tensor(`blk.${i}.attn_${name}.weight`, dim, dim)),
    tensor(`blk.${i}.ffn_norm.weight`, dim),
    tensor(`blk.${i}.ffn_gate.weight`, dim, ff),
    tensor(`blk.${i}.ffn_up.weight`, dim, ff),
    tensor(`blk.${i}.ffn_down.weight`, ff, dim),
  ];
  return {
    metadata: {
      'general.architecture': 'llama',
      'llama.context_length': u32(context),
      'llama.embedding_length': u32(dim),
      'llama.block_count': u32(layers),
      'llama.feed_forward_length': u32(ff),
      'llama.attention.head_count': u32(8),
      'llama.attention.layer_norm_rms_epsilon': { type: 'float32', value: 1e-5 },
    },
    tensors: [
      tensor('token_embd.weight', dim, vocab),
      ...Array.from({ length: layers }, (_, i) => block(i)).flat(),
      tensor('output_norm.weight', dim),
    ],
  };
}

/** Returns a model whose cache of 2 * 2^20 * 512 * 4 bytes is too large for a 32-bit memory. */
function longLlama() {
  const { metadata, tensors } = llama({ dim: 512, layers: 1, context: 2 ** 20 });
  const zeros = ({ shape }) => new Float32Array(shape.reduce((a, b) => a * b));
  return writeGguf({
    metadata,
    tensors: tensors.map((tensor) => ({ ...tensor, data: zeros(tensor) })),
  });
}

describe('a file of known length', () => {
  const image = smallModel({ dim: 64, type: 'Q8_0' });
  const response = (stream, length = image.length) =>
    new Response(stream, { headers: { 'content-length': String(length) } });

  test('gives the same model in pieces of any size', async () => {
    const whole = await Logitscope.load({ model: image });
    whole.feed([1, 2, 3]);
    for (const pieces of [1, 2, 3, 7, 50, 1000]) {
      const progress = [];
      const scope = await Logitscope.load({
        model: response(counted(image, pieces).stream),
        onprogress: ({ loaded, total }) => progress.push([loaded, total]),
      });
      scope.feed([1, 2, 3]);
      assert.deepEqual(scope.logits(), whole.logits());
      assert.equal(scope.decode(scope.encode('Hello')), 'Hello');
      assert.deepEqual(progress[0], [0, image.length]);
      assert.deepEqual(progress.at(-1), [image.length, image.length]);
      assert.ok(progress.every(([loaded], i) => i === 0 || loaded > progress[i - 1][0]));
    }
  });

  test('with a malformed head is refused before the rest is read', async () => {
    const wrong = image.slice();
    wrong[4] = 9;
    const { taken, stream } = counted(wrong, 20);
    await assert.rejects(Logitscope.load({ model: response(stream) }), { code: 'unsupported' });
    assert.ok(taken.bytes < image.length / 4, `${taken.bytes} of ${image.length}`);
  });

  test('too large for memory is refused with both numbers before it is read', async () => {
    const large = longLlama();
    const { taken, stream } = counted(large, 20);
    let fits = 0;
    await assert.rejects(
      Logitscope.load({ model: response(stream, large.length), context: 2 ** 20 }),
      ({ code, message }) => {
        const [, needed, available, context] =
          /^the model needs (\d+) bytes of memory with one session, of which at most (\d+) can be had: with a context of (\d+) tokens it fits$/.exec(
            message,
          ) ?? [];
        assert.equal(code, 'out_of_memory');
        assert.ok(Number(needed) > 2 ** 32 && Number(available) < 2 ** 32, message);
        fits = Number(context);
        return true;
      },
    );
    assert.ok(taken.bytes < large.length / 4, `${taken.bytes} of ${large.length}`);
    const scope = await Logitscope.load({ model: large, context: fits });
    assert.equal(scope.feed([1, 2]).evaluated, 2);
    scope.close();
  });

  test('made for 1,048,576 tokens opens with 4,096, and with a cache of more than 2 GiB', async () => {
    const large = longLlama();
    for (const [context, seen] of [
      [undefined, 4096],
      [7, 7],
      [2 ** 19, 2 ** 19],
    ]) {
      const scope = await Logitscope.load({ model: large, ...(context && { context }) });
      assert.equal(scope.info.context_length, seen);
      assert.equal(scope.info.model_context_length, 2 ** 20);
      assert.ok(scope.info.session_bytes > 2 * seen * 512 * 4);
      const ids = Array.from({ length: 10 }, (_, i) => i % scope.info.vocab_size);
      assert.deepEqual(scope.feed(ids), { evaluated: Math.min(10, seen), reused: 0 });
      scope.close();
    }
    for (const context of [0, -1, 1.5, 2 ** 20 + 1]) {
      await assert.rejects(Logitscope.load({ model: large, context }), { code: 'out_of_range' });
    }
    await assert.rejects(Logitscope.load({ model: image, context: 2 ** 19 }), {
      code: 'out_of_range',
      message: /^context must be at most \d+, the length of the model's own, got 524288$/,
    });
  });

  long('at the borders of 2 and 4 GiB is read correctly or refused', async () => {
    const path = join(temporaryFolder(), 'padded.gguf');
    writeFileSync(path, smallModel({}));
    const logitsAt = async (/** @type {number} */ size) => {
      truncateSync(path, size); // a sparse file takes no disk space
      const scope = await Logitscope.load({ model: path });
      scope.feed([1, 2]);
      const logits = Array.from(scope.logits());
      scope.close();
      return logits;
    };
    const expected = await logitsAt(statSync(path).size);
    for (const size of [2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 32 - 2 ** 26])
      assert.deepEqual(await logitsAt(size), expected);
    for (const size of [2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 2 ** 33])
      await assert.rejects(logitsAt(size), { code: 'out_of_memory' });
  });

  test('gives facts and tokens without a session', async () => {
    const whole = await Logitscope.load({ model: longLlama() });
    const scope = await Logitscope.load({ model: longLlama(), session: false });
    const { memoryBytes } = scope;
    assert.deepEqual(scope.info, whole.info);
    assert.ok(whole.memoryBytes - memoryBytes > 0.9 * whole.info.session_bytes, `${memoryBytes}`);
    assert.deepEqual(scope.feed([1, 2]), { evaluated: 2, reused: 0 });
    assert.equal(scope.feed([1, 2, 3]).reused, 2);
  });

  test('shorter or longer than announced is refused', async () => {
    for (const off of [-5, 5]) {
      await assert.rejects(
        Logitscope.load({ model: response(counted(image, 3).stream, image.length + off) }),
        { code: 'load_failed' },
      );
    }
  });

  test('of 1.9 GB is accepted by its head, and one of 4.4 GB is refused', async () => {
    for (const [layers, code, words] of [
      [7, 'load_failed', /^model was announced as 18\d{8} bytes, got \d{4}$/],
      [16, 'out_of_memory', /^the model needs 4\d{9} bytes of memory with one session/],
    ]) {
      const { head, size } = layoutGguf(llama({ dim: 4096, layers, context: 16 }));
      const cutOff = response(new Blob([head]).stream(), size);
      await assert.rejects(Logitscope.load({ model: cutOff }), (error) => {
        assert.equal(error.code, code);
        assert.match(error.message, words);
        return true;
      });
    }
  });
});

describe('a file of unknown length', () => {
  const image = smallModel({ dim: 64, type: 'Q8_0' });
  const logits = (scope) => {
    scope.feed([1, 2, 3]);
    return scope.logits();
  };

  test('gets its length from its head, and bytes beyond it are ignored', async () => {
    const whole = await Logitscope.load({ model: image });
    const longer = new Uint8Array(image.length + 1e5).fill(255);
    longer.set(image);
    for (const [bytes, pieces] of [
      [image, 1],
      [image, 50],
      [longer, 1],
      [longer, 50],
    ]) {
      const totals = [];
      const scope = await Logitscope.load({
        model: new Response(counted(bytes, pieces).stream),
        onprogress: ({ total }) => totals.push(total),
      });
      assert.deepEqual(logits(scope), logits(whole));
      assert.equal(totals[0], null);
      const padding = image.length - totals.at(-1);
      assert.ok(padding >= 0 && padding < 32, `${totals.at(-1)} of ${image.length}`);
    }
  });

  test('cut off anywhere is refused', async () => {
    for (const part of [0, 3, 100, 5000, image.length / 2, image.length - 40]) {
      const cut = new Response(new Blob([image.slice(0, part)]).stream());
      await assert.rejects(Logitscope.load({ model: cut }), ({ code }) =>
        ['bad_file', 'load_failed'].includes(code),
      );
    }
  });

  test('takes memory as it arrives, not as its head promises', async () => {
    const { head, size } = layoutGguf(llama({ dim: 4096, layers: 7, context: 16 }));
    assert.ok(size > 1.8e9 && head.length < 1e4);
    const { instantiate } = WebAssembly;
    /** @type {WebAssembly.Memory[]} */
    const memories = [];
    WebAssembly.instantiate = async (...given) => {
      const made = await instantiate(...given);
      memories.push((made.instance ?? made).exports.memory);
      return made;
    };
    try {
      for (const headers of [{}, { 'content-length': String(size) }])
        await assert.rejects(
          Logitscope.load({ model: new Response(new Blob([head]).stream(), { headers }) }),
          { code: 'load_failed' },
        );
    } finally {
      WebAssembly.instantiate = instantiate;
    }
    const taken = memories.filter(Boolean).map(({ buffer }) => buffer.byteLength);
    assert.equal(taken.length, 2);
    for (const bytes of taken) assert.ok(bytes < 1e7, `${bytes} bytes for ${head.length}`);
  });

  test('too large for memory is refused before the rest is read', async () => {
    const { taken, stream } = counted(longLlama(), 20);
    await assert.rejects(Logitscope.load({ model: new Response(stream), context: 2 ** 20 }), {
      code: 'out_of_memory',
    });
    assert.ok(taken.bytes < 1e6, `${taken.bytes}`);
  });

  describe('from a server', () => {
    const server = createServer((request, response) => {
      if (request.url === '/chunked') return void response.write(image, () => response.end());
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync(image));
    });
    const url = (path) => `http://localhost:${server.address().port}/${path}`;
    before(() => once(server.listen(0), 'listening'));
    atEnd(() => {
      server.close();
      server.closeAllConnections();
    });

    for (const path of ['chunked', 'gzip']) {
      test(`as ${path} gives the same model`, async () => {
        const whole = await Logitscope.load({ model: image });
        assert.deepEqual(logits(await Logitscope.load({ model: url(path) })), logits(whole));
      });

      test(`as ${path} arrives whole, even if garbage is collected before it is read`, async () => {
        const stream = await openSource('model', url(path));
        for (let i = 0; i < 5; i++) {
          collectGarbage();
          await setTimeout(5);
        }
        assert.deepEqual(await gather(stream), image);
      });
    }
  });
});

/** Collects garbage until the callback for a new object without references has run. */
async function collection() {
  let done = false;
  const registry = new FinalizationRegistry(() => (done = true));
  registry.register({}, 0);
  for (let tries = 0; !done && tries < 1000; tries++) {
    collectGarbage();
    await setTimeout(0);
  }
  assert.ok(done, 'garbage is collected');
}

test('unclosed sessions are freed when they are collected', async () => {
  const scope = await Logitscope.load({ model: smallModel({ dim: 64, layers: 1 }) });
  let most = 0;
  for (let round = 0; round < 12; round++) {
    for (let i = 0; i < 20; i++) scope.session().feed([1, 2]);
    await collection();
    if (round === 2) most = scope.memoryBytes;
  }
  // The browser may free the sessions of a round only in the next round. If it never did, the memory would be several
  // times larger.
  assert.ok(scope.memoryBytes < 1.5 * most, `${scope.memoryBytes} of ${most} bytes`);
  const kept = scope.session();
  kept.feed([3]);
  await collection();
  assert.deepEqual(kept.timeline(), Uint32Array.of(3));
  kept[Symbol.dispose]();
  assert.throws(() => kept.timeline(), { code: 'closed' });
  scope[Symbol.dispose]();
  assert.throws(() => scope.session(), { code: 'closed' });
});
