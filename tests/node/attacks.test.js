/**
 * Opens files that broke other programs: those of tests/fixtures/attacks.js, and endless metadata. Each must open
 * correctly or be refused with one sentence.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Logitscope, LogitscopeError } from '../../web/engine/index.js';
import { attacks } from '../fixtures/attacks.js';

/** Returns the error message of `open`, one sentence on one line, or null if it opens. */
async function refusal(/** @type {() => Promise<any>} */ open) {
  try {
    (await open()).close();
    return null;
  } catch (error) {
    assert.ok(error instanceof LogitscopeError, String(/** @type {any} */ (error).stack));
    assert.ok(error.message.length < 300 && !/[\n\0]|undefined/.test(error.message), error.message);
    return error;
  }
}

test('every hostile file is refused with its key or opened', async () => {
  for (const [name, about, key, model] of attacks) {
    const error = await refusal(() => Logitscope.load({ model }));
    assert.equal(error?.key ?? null, key, `${name} (${about}): ${error?.message}`);
    if (error) assert.match(error.code, /^(bad_file|unsupported)$/, name);
  }
});

test('reading of endless metadata stops after some hundred megabytes', async () => {
  const piece = new Uint8Array(1 << 22);
  const head = piece.slice();
  const view = new DataView(head.buffer);
  head.set(new TextEncoder().encode('GGUF'));
  view.setUint32(4, 3, true);
  view.setBigUint64(16, 1n, true);
  view.setBigUint64(24, 1n << 39n, true); // a key of 2^39 bytes, longer than the file
  let sent = 0;
  const model = new ReadableStream({
    pull: (controller) => controller.enqueue(sent++ ? piece : head),
  });
  const error = await refusal(() => Logitscope.load({ model: new Response(model) }));
  assert.deepEqual([error?.code, error?.key], ['incomplete', 'table_incomplete']);
  assert.ok(sent < 200, `${sent} pieces were asked for`);
});
