/** Tests the settings of other programs: reading, use with undo, export, hostile texts, keys, both directions. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { readSettings, writeSettings } from '../../web/import/settings/index.js';
import { closed } from '../cleanup.js';
import { LONG, long, sample } from '../long.js';
import {
  axe,
  expectTrace,
  FIRST,
  loadReference,
  model,
  openBench,
  START,
  settle,
  until,
} from './bench.js';

const bench = closed(await openBench());
const scope = closed(await loadReference());

/** DRY does nothing here, since its window is off. */
const FLAGS = `llama-server -m qwen3.gguf --temp 1.3 --min-p 0.1 --top-k 20 --repeat-penalty 1.05 \\
  --dry-multiplier 0.8 --dry-penalty-last-n 0 --smoothing-factor 0.3`;

/** DRY runs here, but the text has no repeat yet; `skew` is a key of another program. */
const BODY = JSON.stringify({
  max_context_length: 4096,
  max_length: 120,
  prompt: 'Niko walked down the alley',
  rep_pen: 1.1,
  rep_pen_range: 256,
  rep_pen_slope: 0.7,
  temperature: 0.5,
  tfs: 1,
  top_a: 0.2,
  top_k: 100,
  top_p: 0.9,
  typical: 1,
  dry_multiplier: 0.8,
  dry_base: 1.75,
  dry_penalty_last_n: 0,
  skew: 0.3,
  sampler_order: [6, 0, 1, 3, 4, 2, 5],
});

/** @param {import('playwright-core').Page} page */
const parts = (page) => {
  const dialog = page.locator('logit-programs');
  return {
    dialog,
    text: dialog.locator('#text'),
    program: dialog.locator('#program'),
    fault: dialog.locator('#fault'),
    stages: () =>
      dialog
        .locator('.out ol [data-stage]')
        .evaluateAll((all) => all.map((it) => it.dataset.stage)),
    reason: (key) => dialog.locator(`[data-key="${key}"] p`).innerText(),
  };
};

test('pasted flags show their chain and the reason why DRY does nothing, and are used as one deed', async () => {
  const { page, complaints, foreign, close } = await bench.open({ path: `?lang=en${START}` });
  const { dialog, text, program, stages, reason } = parts(page);
  scope.feed(scope.encode(FIRST));
  const button = page.locator('logit-chain [data-command=programs]');
  await button.focus();
  await page.keyboard.press('Enter');
  await text.waitFor();
  assert.deepEqual(await stages(), ['repetition_penalty', 'temperature', 'top_p'], 'the bench');
  await text.fill(FLAGS);
  const { settings } = readSettings(FLAGS);
  const ours = scope.distribution({ seed: 42, ...settings });
  const on = ours.stages.filter(({ active }) => active).map(({ name }) => name);
  await until(stages, on);
  assert.equal(await program.inputValue(), 'llama-cpp');
  assert.match(await reason('--dry-multiplier'), /DRY multiplier .* dry_penalty_last_n/);
  assert.match(await reason('--smoothing-factor'), /not known/);
  assert.match(await dialog.locator('.rest').last().innerText(), /: -m$/);
  await until(
    () => dialog.locator('section .about').first().innerText(),
    (words) => words.startsWith(`keeps ${ours.kept} tokens`),
  );
  assert.equal(await dialog.locator('logit-stages canvas').count(), 2);
  if (!LONG) {
    await dialog.locator('[data-command=use]').click();
    await expectTrace(page, scope.distribution({ seed: 42, ...settings }));
    assert.match(await page.locator('.deed').innerText(), /llama\.cpp/);
    assert.deepEqual([complaints, foreign], [[], []]);
    return close();
  }
  assert.deepEqual(await axe(page), []);
  // A body for KoboldCpp becomes a Modelfile, with a line for each thing that differs there.
  await text.fill(BODY);
  const read = readSettings(BODY);
  await until(() => program.inputValue(), 'koboldcpp');
  const dry = dialog.locator('.out ol [data-stage=dry_multiplier] .did');
  await until(() => dry.innerText(), /repeat/);
  assert.match(await reason('skew'), /not known/);
  // A default of a stage that is on belongs to it; a prompt is no setting; a note begins a new sentence.
  const from = (/** @type {string} */ name) => dialog.locator(`.out ol [data-stage=${name}] .from`);
  assert.match(await from('dry_multiplier').innerText(), /dry_base 1\.75.*dry_penalty_last_n 0/);
  assert.match(await dry.innerText(), /[^.]\. .*dry_penalty_last_n 0 means the whole text there/);
  assert.doesNotMatch((await dialog.locator('.rest').allInnerTexts()).join('; '), /dry_/);
  assert.match(await dialog.locator('.rest').nth(-2).innerText(), /not taken over: prompt$/);
  const written = writeSettings(read.settings, 'ollama');
  await dialog.locator('#target').selectOption('ollama');
  assert.equal(await dialog.locator('#written').inputValue(), written.text);
  assert.match(written.text, /^PARAMETER temperature 0\.5$/m);
  const lines = await dialog.locator('.cannot li').allInnerTexts();
  assert.equal(lines.length, written.notes.length);
  assert.ok(lines.length > 0);
  for (const line of lines) assert.match(line, /^Ollama [^{}]+\.$/);
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', {
      value: { writeText: async (words) => void (document.title = words) },
    });
  });
  await dialog.locator('[data-command=copy]').click();
  await until(
    () => page.title(),
    (words) => words.startsWith('PARAMETER'),
  );
  await text.fill(FLAGS);

  await page.keyboard.press('Escape');
  const next = () => page.evaluate(() => document.createElement('logit-programs').text);
  assert.equal(await until(next, FLAGS), FLAGS, 'after a reload the text is there');
  await until(() => button.evaluate((it) => it.matches(':focus')), Boolean);
  await page.keyboard.press('Enter');
  await until(() => text.evaluate((it) => it.matches(':focus') && it.value), FLAGS);
  const all = await text.evaluate((it) => [it.selectionStart, it.selectionEnd]);
  assert.deepEqual(all, [0, FLAGS.length], 'a paste replaces the last text');
  await dialog.locator('[data-command=use]').click();
  await expectTrace(page, scope.distribution({ seed: 42, ...settings }));
  assert.match(await page.locator('.deed').innerText(), /llama\.cpp/);
  await page.locator('logit-scope').evaluate((it) => it.focus());
  await page.keyboard.press('ControlOrMeta+z');
  await until(() => page.locator('.deed').innerText(), 'Undone: the settings of llama.cpp');
  const before = { temperature: 0.7, top_p: 0.9, repetition_penalty: 1.1 };
  await expectTrace(page, scope.distribution({ seed: 42, ...before }));
  assert.deepEqual(complaints, []);
  assert.deepEqual(foreign, []);
  await close();
});

test('a file dropped on the page and a text pasted beside every field open the same dialog', async () => {
  const { page, complaints, close } = await bench.open({ path: `?lang=en${START}` });
  const { dialog, text, program, stages } = parts(page);
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.setData('text/plain', 'llama-cli --temp 0.4 --top-k 7');
    document.body.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, composed: true }),
    );
  });
  await until(() => text.inputValue(), 'llama-cli --temp 0.4 --top-k 7');
  await until(stages, (names) => names.includes('top_k'));
  const preset = '{ "temperature": 0.9, "repeat_last_n": 32, "n_predict": 9, "min_p": 0.2 }';
  await page.evaluate((content) => {
    const data = new DataTransfer();
    data.items.add(new File([content], 'body.json'));
    dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  }, preset);
  await until(() => text.inputValue(), preset);
  assert.equal(await program.inputValue(), 'llama-cpp');

  // A text that cannot be read has one sentence and changes nothing.
  const scopeState = () => page.locator('logit-scope').evaluate((it) => JSON.stringify(it.state));
  const state = await scopeState();
  const hostile = {
    'longer than': 'x --temp 1 '.repeat(1e5),
    nested: `{"temperature":${'['.repeat(1e5)}`,
    '<script>': '<script>alert(1)</script><img src=x onerror=alert(1)>',
    number: 'llama-server --temp hot',
  };
  for (const [name, typed] of sample(Object.entries(hostile), 1)) {
    await text.evaluate((it, value) => {
      it.value = value;
      it.dispatchEvent(new Event('input', { bubbles: true }));
    }, typed);
    const fault = dialog.locator('#fault');
    const said = await until(
      () => fault.innerText(),
      (words) => words !== '',
    );
    assert.match(said, /^[^\n]{10,250}\.$/, name);
    assert.equal(await dialog.locator('[data-command=use]').getAttribute('aria-disabled'), 'true');
    assert.equal(await text.evaluate((it) => it.value.length), typed.length);
  }
  assert.equal(await scopeState(), state);
  await dialog.locator('dialog').evaluate((it) => it.close()); // another test uses this page
  await settle(page);
  assert.deepEqual(complaints, []);
  await close();
});

/**
 * Returns a GGUF file with further keys in front. The block has a multiple of 32 bytes, so all offsets stay.
 * @param {Buffer} file
 */
function withSampling(file) {
  const u64 = (n) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(n));
    return bytes;
  };
  const text = (words) => Buffer.concat([u64(words.length), Buffer.from(words)]);
  const type = (n) => Buffer.from([n, 0, 0, 0]);
  const float = Buffer.alloc(4);
  float.writeFloatLE(0.6);
  const keys = [
    Buffer.concat([text('general.sampling.temp'), type(6), float]),
    Buffer.concat([text('general.sampling.top_k'), type(5), Buffer.from([20, 0, 0, 0])]),
  ];
  const size = keys.reduce((sum, { length }) => sum + length, 0);
  const rest = 128 - size - 8 - 9 - 4 - 8;
  keys.push(Buffer.concat([text('general.x'), type(8), text('x'.repeat(rest))]));
  const n = Number(file.readBigUInt64LE(16));
  return Buffer.concat([file.subarray(0, 16), u64(n + 3), ...keys, file.subarray(24)]);
}

long(
  'the sampler settings of a GGUF file are offered in one line and applied by no one but the user, in Spanish and from right to left',
  async () => {
    const { page, complaints, close } = await bench.open({ path: `?lang=es${START}`, own: true });
    await page.locator('logit-model #model').click();
    await page.locator('logit-sheet input[type=file]').setInputFiles({
      name: 'tuned.gguf',
      mimeType: '',
      buffer: withSampling(await readFile(model)),
    });
    const line = page.locator('.offer');
    assert.match(
      await line.locator('p').innerText(),
      /tuned\.gguf.* trae sus propios ajustes de muestreo: temp 0,6 y top_k 20\.$/,
    );
    const temperature = () =>
      page.locator('logit-scope').evaluate((it) => it.state.settings.temperature);
    assert.equal(await temperature(), 0.7, 'nothing is applied by itself');
    await line.locator('[data-command=offer]').click();
    const { dialog, program, stages } = parts(page);
    await until(stages, (names) => names.join() === 'top_k,top_p,min_p,temperature');
    assert.equal(await program.inputValue(), 'gguf');
    assert.match(await dialog.locator('.out h3').first().innerText(), /^La cadena de GGUF/);
    await page.evaluate(() => (document.documentElement.dir = 'rtl'));
    for (const [width, scrolls] of /** @type {const} */ ([
      [375, '.body'],
      [1280, '.side, .out'],
    ])) {
      await page.setViewportSize({ width, height: 800 });
      const wide = dialog.locator(scrolls);
      const over = () =>
        wide.evaluateAll((all) => all.map((it) => it.scrollWidth - it.clientWidth));
      await until(over, (excess) => excess.every((pixels) => pixels <= 0));
    }
    await dialog.locator('[data-command=use]').click();
    await until(temperature, 0.6);
    assert.equal(await line.count(), 0);
    assert.deepEqual(complaints, []);
    await close();
  },
);
