/**
 * A chat template in the built site: rendered in a worker that the engine's own worker starts, under
 * the page's policy, of code that is not fetched before.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { smallModel } from '../node/small_model.js';
import { openBench } from './bench.js';

const SAID = [{ role: 'user', content: '<end>' }];

/** @type {Awaited<ReturnType<typeof openBench>>} */
let bench;
before(async () => {
  bench = await openBench();
});
after(() => bench?.close());

test('chat answers as in Node, and a template that loops is ended', async () => {
  const loop = (/** @type {string} */ inner) => `{% for a in range(99999) %}${inner}{% endfor %}`;
  const given = [
    smallModel({ template: '<end>{% for m in messages %}{{ m.content }}{% endfor %}!' }),
    smallModel({ template: loop(loop(loop('{{ a }}'))) }),
  ];
  const { page, complaints, close } = await bench.open({ path: '?lang=en' });
  const fetched = () =>
    page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  assert.ok(!(await fetched()).some((url) => /template\.js|chat-/.test(url)));
  const got = await page.evaluate(
    async ([models, messages]) => {
      const worker = new Worker('./worker.js', { type: 'module' });
      const call = (/** @type {string} */ method, /** @type {any[]} */ args) =>
        new Promise((resolve) => {
          worker.onmessage = ({ data }) => data.progress || resolve(data);
          worker.postMessage({ id: 1, session: 0, method, args });
        });
      const answers = [];
      for (const bytes of models) {
        await call('load', [{ model: Uint8Array.from(bytes) }]);
        const { result, error } = await call('chat', [messages]);
        answers.push(error?.key ?? { ...result, ids: Array.from(result.ids) });
      }
      return answers;
    },
    /** @type {[number[][], any[]]} */ ([given.map((bytes) => Array.from(bytes)), SAID]),
  );
  const scope = await Logitscope.load({ model: given[0] });
  const { ids, ...rest } = await scope.chat(/** @type {any} */ (SAID));
  assert.deepEqual(got, [{ ...rest, ids: Array.from(ids) }, 'chat_template_slow']);
  assert.deepEqual(complaints, []);
  scope.close();
  await close();
});
