/**
 * Tests the Python bench in a notebook: notebook.js with a frame that stands for the page, and in `make test-long`
 * Debian's Jupyter Notebook. There the kernel runs on this computer, then as if on another.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { LAUNCH } from '../chromium.js';
import { atExit } from '../cleanup.js';
import { long } from '../long.js';
import { root, until } from './bench.js';
import { askKernel, runCell, startJupyter } from './jupyter.js';
import { openSite } from './site.js';

/** HTML in place of the page in a frame: asks one question after the other, and sends all answers to its parent. */
const STAND_IN = `<!doctype html><html lang="en"><script>
  const questions = [['info'], ['pieces'], ['encode', 'caf\\u00e9'], ['logits', Uint32Array.of(3, 70000)], ['logits', Uint32Array.of(9)], ['page'], ['info']];
  const told = [document.documentElement.dataset.query];
  let asked = 0;
  function ask() {
    if (asked === questions.length) return parent.postMessage({ type: 'told', told }, '*');
    const [what, body] = questions[asked++];
    parent.postMessage({ type: 'logitscope:ask', ask: asked, what, body }, '*');
    if (what === 'page') ask(); // goes on, since the page may not ask for itself and gets no answer
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
    // Like a notebook's answer, the bytes are part of a larger buffer and begin at an odd offset.
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

/** A notebook's cell: a small GPT of the kind of nanoGPT, which notes each question. */
const CELL = `
import json, torch, logitscope
torch.manual_seed(1)
characters = "\\n abcdefghijklmnopqrstuvwxyz"
stoi = {c: i for i, c in enumerate(characters)}
itos = dict(enumerate(characters))
asked = []

class Small(torch.nn.Module):
    block_size = 16

    def __init__(self):
        super().__init__()
        self.wte = torch.nn.Embedding(28, 16)
        self.wpe = torch.nn.Embedding(16, 16)
        self.drop = torch.nn.Dropout(0.2)
        self.head = torch.nn.Linear(16, 28)

    def forward(self, ids, targets=None):
        if not self.training:
            asked.append(ids.shape[1])
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1]))
        return self.head(self.drop(x).cumsum(1)), None

model = Small()
bench = logitscope.bench(model, stoi, itos, prompt="a cat", temperature=0.8, top_p=0.9)
bench`;

/** Returns Python code that prints the probabilities of `warp` after a text, and True if the module is in training mode. */
const expectedAfter = (text, settings) => `
model.drop.eval()
with torch.no_grad():
    logits = model(torch.tensor([[stoi[c] for c in ${JSON.stringify(text)}]]))[0][0, -1]
model.drop.train()
trace = logitscope.warp(logits, **json.loads(${JSON.stringify(JSON.stringify(settings))}))
print(json.dumps([{t.id: t.p for t in trace.tokens}, model.training]))`;

/** The bars in the notebook's frame: probability by id, without the sum of the rest. */
const readBars = (frame) =>
  frame
    .locator('logit-distribution .row[data-id]:not([data-id=rest])')
    .evaluateAll((rows) =>
      Object.fromEntries(rows.map(({ dataset }) => [dataset.id, Number(dataset.p)])),
    );

/** Waits until the bars are those of `warp` in the kernel; returns the number of questions so far. */
async function expectBars(page, frame, text, settings) {
  const [expected, training] = await askKernel(page, expectedAfter(text, settings));
  assert.equal(training, true);
  const equal = (found) => JSON.stringify(found) === JSON.stringify(expected);
  assert.deepEqual(await until(() => readBars(frame), equal), expected);
  return askKernel(page, 'print(len(asked))');
}

long(
  'Jupyter Notebook shows the bench over a module of torch, with its kernel here or elsewhere',
  async () => {
    const { dist } = await openSite();
    const archive = join(await mkdtemp(join(tmpdir(), 'logitscope-notebook-')), 'site.zip');
    execFileSync('/usr/bin/python3', [
      join(root, 'python/build_package.py'),
      'site',
      archive,
      dist,
    ]);
    const address = await startJupyter(archive, CELL);
    const { chromium } = createRequire(import.meta.url)('playwright-core');
    // Under the name notebook.test the page does not count as one of this machine, so its kernel counts as remote.
    const elsewhere = ['--host-resolver-rules=MAP notebook.test 127.0.0.1'];
    const browser = await chromium.launch({ ...LAUNCH, args: [...LAUNCH.args, ...elsewhere] });
    atExit(() => browser.close());
    for (const host of ['localhost', 'notebook.test']) {
      const page = await browser.newPage({ viewport: { width: 1300, height: 1000 } });
      await page.goto(`http://${host}${address}`);
      await runCell(page);
      const frame = page.frameLocator('iframe[title=Logitscope]');
      await frame.getByText('Bars', { exact: true }).click();
      await frame.locator('logit-distribution .row').first().waitFor();
      const settings = { temperature: 0.8, top_p: 0.9 };
      const before = await expectBars(page, frame, 'a cat', settings);
      await frame.locator('logit-knob[data-name=temperature] .box').fill('1.7');
      await page.keyboard.press('Enter');
      const after = await expectBars(page, frame, 'a cat', { ...settings, temperature: 1.7 });
      assert.equal(after, before, 'a knob asks nothing');
      await frame.locator('#prompt').fill('the dogs that run far');
      await page.keyboard.press('Enter');
      const asked = await expectBars(page, frame, 'ogs that run far', {
        ...settings,
        temperature: 1.7,
      });
      assert.ok(asked > after, 'a new text asks');
      const sandboxed = await page.locator('iframe[title=Logitscope]').getAttribute('sandbox');
      assert.equal(sandboxed, host === 'localhost' ? null : 'allow-scripts allow-downloads');
      await page.close();
    }
  },
);
