/** Tests control tokens that absorb the white space after them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { atEnd } from '../cleanup.js';
import { writeGguf } from '../fixtures/gguf_writer.js';
import { llamaVocabulary } from '../fixtures/vocabularies.js';

const CONTROL = 3;

/** @param {Record<string, any>} metadata */
async function open(metadata) {
  const scope = await Logitscope.load({ model: writeGguf({ metadata }) });
  atEnd(() => scope.close());
  return scope;
}

test('the control tokens of Phi-3 absorb the white space after them', async () => {
  const added = ['endoftext', 'assistant', ...[1, 2, 3, 4].map((n) => `placeholder${n}`)];
  added.push('system', 'end', 'placeholder5', 'placeholder6', 'user');
  const metadata = llamaVocabulary();
  const append = (/** @type {string} */ key, /** @type {(name: string) => any} */ value) => {
    const list = metadata[`tokenizer.ggml.${key}`];
    metadata[`tokenizer.ggml.${key}`] = { ...list, value: [...list.value, ...added.map(value)] };
  };
  append('tokens', (name) => `<|${name}|>`);
  append('scores', () => -1000);
  append('token_type', () => CONTROL);
  metadata['tokenizer.chat_template'] =
    "{{ bos_token }}{% for m in messages %}{{'<|user|>\n' + m.content + '<|end|>\n<|assistant|>\n'}}{% endfor %}";
  const scope = await open({ ...metadata, 'general.name': 'Phi-3-mini-4k-instruct' });
  // Expected ids: those of llama.cpp, equal to those of the model's tokenizer.json.
  const expected = [1, 32010, 317, 21554, 13, 17628, 32007, 32001];
  const text = '<|user|>\nSYS\nHI<|end|>\n<|assistant|>\n';
  assert.deepEqual([...scope.encode(text, { special: true })], expected);
  const { ids } = await scope.chat([{ role: 'user', content: 'SYS\nHI' }]);
  assert.deepEqual([...ids], expected);
  const other = await open({ ...metadata, 'general.name': 'another' });
  assert.equal(other.encode(text, { special: true }).length, 14);
  assert.equal((await other.chat([{ role: 'user', content: 'SYS\nHI' }])).ids.length, 14);
});
