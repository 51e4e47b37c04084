/**
 * The `generate` tests of the Module 11 lesson (g2c, tests/test_sampling.py, MIT), under their names, on a random model
 * of the lesson's size. tests/vectors/README.md says where the lesson's other tests are.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { writeGguf } from '../fixtures/gguf_writer.js';
import { Pcg32 } from '../vectors/generators.js';

const VOCAB = 12;
const DIM = 8;
const CONTEXT = 16;
const PROMPT = [1, 2, 3];

/**
 * A gpt2 of one layer and two heads with random weights from a seed. The last number of the final norm's output is 1
 * for any token, so that column of the head is a bias on the logits. `lift` is the bias of token 0.
 * @param {number} lift
 * @returns {Uint8Array}
 */
function randomModel(lift) {
  const pcg = new Pcg32(11, 54);
  const noise = (count) => Array.from({ length: count }, () => pcg.next() / 2 ** 31 - 1);
  const filled = (count, value) => new Array(count).fill(value);
  const head = noise(VOCAB * DIM).map((weight, i) => (i % DIM === DIM - 1 ? 0 : weight));
  head[DIM - 1] = lift;
  const oneAtTheEnd = [...filled(DIM - 1, 0), 1];
  const shapes = {
    'token_embd.weight': [noise(VOCAB * DIM), DIM, VOCAB],
    'position_embd.weight': [noise(CONTEXT * DIM), DIM, CONTEXT],
    'blk.0.attn_norm.weight': [filled(DIM, 1), DIM],
    'blk.0.attn_norm.bias': [noise(DIM), DIM],
    'blk.0.attn_qkv.weight': [noise(3 * DIM * DIM), DIM, 3 * DIM],
    'blk.0.attn_qkv.bias': [noise(3 * DIM), 3 * DIM],
    'blk.0.attn_output.weight': [noise(DIM * DIM), DIM, DIM],
    'blk.0.attn_output.bias': [noise(DIM), DIM],
    'blk.0.ffn_norm.weight': [filled(DIM, 1), DIM],
    'blk.0.ffn_norm.bias': [noise(DIM), DIM],
    'blk.0.ffn_up.weight': [noise(4 * DIM * DIM), DIM, 4 * DIM],
    'blk.0.ffn_up.bias': [noise(4 * DIM), 4 * DIM],
    'blk.0.ffn_down.weight': [noise(4 * DIM * DIM), 4 * DIM, DIM],
    'blk.0.ffn_down.bias': [noise(DIM), DIM],
    'output_norm.weight': [[...filled(DIM - 1, 1), 0], DIM],
    'output_norm.bias': [oneAtTheEnd, DIM],
    'output.weight': [head, DIM, VOCAB],
  };
  const u32 = (value) => ({ type: 'uint32', value });
  const tokens = ['<end>', ...'abcdefghijk'];
  return writeGguf({
    metadata: {
      'general.architecture': 'gpt2',
      'gpt2.context_length': u32(CONTEXT),
      'gpt2.embedding_length': u32(DIM),
      'gpt2.block_count': u32(1),
      'gpt2.feed_forward_length': u32(4 * DIM),
      'gpt2.attention.head_count': u32(2),
      'gpt2.attention.layer_norm_epsilon': { type: 'float32', value: 1e-5 },
      'tokenizer.ggml.model': 'logitscope-char',
      'tokenizer.ggml.tokens': { type: 'array', of: 'string', value: tokens },
      'tokenizer.ggml.token_type': { type: 'array', of: 'int32', value: [3, ...filled(11, 1)] },
      'tokenizer.ggml.eos_token_id': u32(0),
    },
    tensors: Object.entries(shapes).map(([name, [data, ...shape]]) => ({
      name,
      shape,
      type: 'F32',
      data,
    })),
  });
}

/** The model `plain` never ends a text, `ending` always does: the bias of the end token is -100 or 100. */
const plain = await Logitscope.load({ model: randomModel(-100) });
const ending = await Logitscope.load({ model: randomModel(100) });

/** Returns the ids of prompt and continuation. */
async function generate(options, scope = plain) {
  const generation = scope.generate({ prompt: PROMPT, max_new_tokens: 5, ...options });
  for (;;) {
    const { done, value } = await generation.next();
    if (done) return [...value.prompt_ids, ...value.ids];
  }
}

const refused = (options, code) =>
  assert.rejects(generate(options), { name: 'LogitscopeError', code });

describe('g2c generate', () => {
  test('returns_correct_length', async () => {
    assert.equal((await generate({})).length, 8);
  });

  test('starts_with_prompt', async () => {
    assert.deepEqual((await generate({})).slice(0, 3), PROMPT);
  });

  test('outputs_valid_token_ids', async () => {
    const ids = await generate({ max_new_tokens: 60, temperature: 3 });
    assert.ok(
      ids.every((id) => Number.isInteger(id) && id >= 0 && id < VOCAB),
      String(ids),
    );
  });

  test('rejects_prompt_ids_outside_model_vocab', async () => {
    await refused({ prompt: [1, VOCAB] }, 'unknown_token');
    await refused({ prompt: [-1] }, 'unknown_token');
  });

  test('greedy_is_deterministic', async () => {
    const greedy = { temperature: 0, max_new_tokens: 10 };
    assert.deepEqual(
      await generate({ ...greedy, seed: 1 }),
      await generate({ ...greedy, seed: 2 }),
    );
  });

  test('seeded_sampling_is_reproducible', async () => {
    const sampled = { seed: 7, max_new_tokens: 10 };
    assert.deepEqual(await generate(sampled), await generate(sampled));
  });

  test('different_seeds_produce_different_output', async () => {
    assert.notDeepEqual(
      await generate({ seed: 1, max_new_tokens: 10 }),
      await generate({ seed: 2, max_new_tokens: 10 }),
    );
  });

  test('top_k_one_matches_greedy', async () => {
    assert.deepEqual(
      await generate({ top_k: 1, temperature: 1, max_new_tokens: 10 }),
      await generate({ temperature: 0, max_new_tokens: 10 }),
    );
  });

  test('eos_stops_early', async () => {
    assert.deepEqual(await generate({ temperature: 0 }, ending), [...PROMPT, 0]);
  });

  test('respects_max_seq_len_via_cropping', async () => {
    const prompt = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    assert.equal((await generate({ prompt, max_new_tokens: 20 })).length, 30);
  });

  test('cached_greedy_matches_uncached', async () => {
    const long = { temperature: 0, max_new_tokens: 30 };
    assert.deepEqual(
      await generate({ ...long, cache: true }),
      await generate({ ...long, cache: false }),
    );
  });

  test('cached_seeded_sampling_is_reproducible', async () => {
    const long = { seed: 3, max_new_tokens: 30 };
    assert.deepEqual(
      await generate({ ...long, cache: true }),
      await generate({ ...long, cache: true }),
    );
    assert.deepEqual(
      await generate({ ...long, cache: true }),
      await generate({ ...long, cache: false }),
    );
  });

  test('invalid_temperature_raises', () => refused({ temperature: -1 }, 'out_of_range'));

  test('empty_prompt_raises', async () => {
    await refused({ prompt: [] }, 'empty');
    await refused({ prompt: '' }, 'empty');
  });

  test('repetition_penalty_discourages_repeats', async () => {
    // The lesson uses id 0. In this model id 0 is the end token.
    const favourite = 4;
    const biased = { logit_bias: { [favourite]: 5 }, temperature: 0.1, max_new_tokens: 10 };
    const free = await generate(biased);
    const penalised = await generate({ ...biased, repetition_penalty: 10 });
    const count = (ids) => ids.filter((id) => id === favourite).length;
    assert.ok(count(free) > 3, String(free));
    assert.ok(count(penalised) <= count(free), String(penalised));
    assert.notDeepEqual(penalised, free);
  });
});

test('the Day 27 exercise holds: five texts at T = 0.01 are equal', async () => {
  const texts = await Promise.all(
    [1, 2, 3, 4, 5].map(async (seed) => {
      const scope = await Logitscope.load({ model: randomModel(-100) });
      return generate({ seed, temperature: 0.01, max_new_tokens: 20 }, scope);
    }),
  );
  for (const ids of texts) assert.deepEqual(ids, texts[0]);
});
