/** Reads checkpoints of every format: real files of PyTorch and NumPy, files of the writer, and hostile ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import '../../web/engine/sentences.js';
import { ofBytes } from '../../web/import/byte-file.js';
import { readCheckpoint } from '../../web/import/checkpoint.js';
import { readPickle } from '../../web/import/pickle.js';
import {
  call,
  floats,
  global,
  pickle,
  tensor,
  torchOld,
  torchZip,
} from '../fixtures/checkpoint_writer.js';

/** @param {Uint8Array} bytes @param {string} [name] */
const read = (bytes, name = 'file') => readCheckpoint([ofBytes(bytes, name)]);

/** Returns names, types, shapes and values. @param {import('../../web/import/checkpoint.js').Checkpoint} checkpoint */
async function listed({ tensors }) {
  const rows = [];
  for (const { name, type, shape, read } of tensors.values())
    rows.push([name, type, shape, [...(await read())]]);
  return rows;
}

test('a state dict beside an optimizer and plain values opens, new and old', async () => {
  const state = {
    w: tensor(0, [2, 3]),
    turned: tensor(0, [3, 2], { strides: [1, 3], length: 6 }),
    end: tensor(0, [2], { offset: 4, length: 6 }),
  };
  const saved = {
    model: state,
    optimizer: { state: { 0: { step: 3, exp_avg: tensor(1, [1]) } }, param_groups: [{ lr: 0.5 }] },
    model_args: { n_layer: 2, bias: false, block_size: 8 },
    best: call(global('torch', 'device'), 'cuda', 0),
  };
  const storages = { 0: floats([1, 2, 3, 4, 5, 6]), 1: floats([9]) };
  for (const bytes of [torchZip(saved, storages), torchOld(saved, storages)]) {
    const checkpoint = await read(bytes);
    assert.deepEqual(await listed(checkpoint), [
      ['w', 'F32', [2, 3], [1, 2, 3, 4, 5, 6]],
      ['turned', 'F32', [3, 2], [1, 4, 2, 5, 3, 6]],
      ['end', 'F32', [2], [5, 6]],
    ]);
    assert.deepEqual(checkpoint.config.model_args, { n_layer: 2, bias: false, block_size: 8 });
    assert.equal(checkpoint.config.best, 'cuda:0');
  }
});

test('a pickle of plain values becomes maps, lists and numbers', () => {
  const value = { stoi: { a: 0, b: 1 }, list: [1.5, null, true, -7, 2n ** 60n] };
  const found = readPickle(pickle(value));
  assert.deepEqual(
    [...found.get('stoi')],
    [
      ['a', 0],
      ['b', 1],
    ],
  );
  assert.deepEqual(found.get('list'), [1.5, null, true, -7, 2n ** 60n]);
});

test('a name of a program is refused by name', async () => {
  await assert.rejects(read(torchZip(call(global('os', 'system'), 'true')), 'ckpt.pt'), {
    code: 'unsupported',
    key: 'pickle_global',
    message:
      'ckpt.pt names os.system, which is code and is never run here: save plain values, of a model its state_dict()',
  });
});
