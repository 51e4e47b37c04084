/** Tests the Python bench in a notebook: notebook.js with a frame that stands for the page. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { root } from './bench.js';
import { openSite } from './site.js';

/** Stands for the page in a frame: it asks each question after the other, and sends the answers to its parent. */
const STAND_IN = `<!doctype html><html lang="en"><script>
  const questions = [['info'], ['pieces'], ['encode', 'caf\\u00e9'], ['logits', Uint32Array.of(3, 70000)], ['logits', Uint32Array.of(9)], ['page'], ['info']];
  const told = [document.documentElement.dataset.query];
  let asked = 0;
  function ask() {
    if (asked === questions.length) return parent.postMessage({ type: 'told', told }, '*');
    const [what, body] = questions[asked++];
    parent.postMessage({ type: 'logitscope:ask', ask: asked, what, body }, '*');
    if (what === 'page') ask(); // gets no answer: the page is not one of the page's questions
  }
  addEventListener('message', ({ data }) => {
    const { ask: number, result, fault } = data;
    told.push([number, result?.constructor.name ?? 'fault', fault?.message ?? JSON.stringify(result)].join(' '));
    ask();
  });
  ask();
</script>`;

/** Answers as bench_page.py does, but refuses the second question for logits. */
function startKernel({ packed }) {
  const heard = [];
  globalThis.heard = heard;
  globalThis.answer = ({ ask, what }, [body]) => {
    const sent = [...new Uint8Array(body)];
    heard.push(`${what} ${sent}`);
    // A notebook gives the answer as a part of a larger buffer, which may begin at any byte.
    const view = (bytes) => new DataView(Uint8Array.from([7, ...bytes]).buffer, 1);
    if (what === 'page')
      return [{ ask }, view(Uint8Array.from(atob(packed), (c) => c.charCodeAt(0)))];
    if (what === 'info') return [{ ask, result: { vocab_size: 2 } }];
    if (what === 'pieces') return [{ ask }, view([1, 0, 0, 0, 97])];
    if (what === 'encode') return [{ ask }, view([255, 0, 0, 0, 1, 1, 0, 0])];
    if (sent[0] === 9) return [{ ask, fault: { code: 'asked', message: 'no 9' } }];
    return [{ ask }, view([0, 0, 128, 63, 0, 0, 0, 192])];
  };
  globalThis.ended = new Promise((resolve) => {
    addEventListener('message', ({ data }) => data?.type === 'told' && resolve(data.told));
  });
}

const EXPECTED = {
  told: [
    '1 Object {"vocab_size":2}',
    '2 Uint8Array {"0":1,"1":0,"2":0,"3":0,"4":97}',
    '3 Uint32Array {"0":255,"1":257}',
    '4 Float32Array {"0":1,"1":-2}',
    '5 fault no 9',
    '7 Object {"vocab_size":2}',
  ],
  heard: [
    'page ',
    'info ',
    'pieces ',
    'encode 99,97,102,195,169',
    'logits 3,0,0,0,112,17,1,0',
    'logits 9,0,0,0',
    'info ',
  ],
};

test('a frame whose kernel is elsewhere gets its page and its answers by messages', async () => {
  const script = await readFile(join(root, 'python/logitscope/notebook.js'), 'utf8');
  const packed = gzipSync(STAND_IN).toString('base64');
  const { browser } = await openSite();
  const page = await browser.newPage();
  for (const way of ['classic', 'anywidget']) {
    await page.setContent('<iframe id="one"></iframe><div id="widget"></div>');
    await page.evaluate(startKernel, { packed });
    await page.evaluate(
      ([code, kind]) => {
        const query = { controls: 'draw' };
        const listeners = [];
        const send = async (data, ...rest) => {
          const [answer, buffer] = await globalThis.answer(data, rest.at(-1));
          const buffers = buffer ? [buffer] : [];
          for (const listen of listeners)
            if (kind === 'classic') listen({ content: { data: answer }, buffers });
            else listen(answer, buffers);
        };
        const on_msg = (listen) => listeners.push(listen);
        globalThis.Jupyter = {
          notebook: { kernel: { comm_manager: { new_comm: () => ({ on_msg, send }) } } },
        };
        const model = {
          get: (name) => ({ url: 'http://127.0.0.1:9/', height: 300, query })[name],
          on: (_, listen) => listeners.push(listen),
          send,
        };
        globalThis.given = { model, el: document.querySelector('#widget') };
        const call =
          kind === 'classic'
            ? `showClassic(${JSON.stringify({ frame: 'one', token: 't', query })})`
            : 'render(given)';
        const element = document.createElement('script');
        element.textContent = `(() => {\n${code}\n${call};\n})();`;
        document.body.append(element);
      },
      [script, way],
    );
    const [query, ...told] = await page.evaluate(() => globalThis.ended);
    assert.equal(query, '?source=host&controls=draw', way);
    assert.deepEqual({ told, heard: await page.evaluate(() => globalThis.heard) }, EXPECTED, way);
    const frame = page.locator(way === 'classic' ? '#one' : '#widget iframe');
    assert.equal(await frame.getAttribute('sandbox'), 'allow-scripts allow-downloads');
  }
  await page.close();
});
