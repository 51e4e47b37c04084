/** Tests error messages: each is in the page's language and beside its control. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closed } from '../cleanup.js';
import { long } from '../long.js';
import { openBench, START, until } from './bench.js';

const bench = closed(await openBench());

/** Opens the page in Spanish. */
const open = () => bench.open({ path: `?lang=es${START}` });

const said = (locator, wanted) => until(() => locator.innerText(), wanted);

test('a temperature out of range is refused in Spanish, with value and limit', async () => {
  const { page, complaints, close } = await open();
  const knob = page.locator('logit-knob[data-name=temperature]');
  await knob.locator('.box').fill('-0,5');
  await knob.locator('.box').press('Enter');
  const wanted = /^Temperatura: tiene que ser 0 o más y es -0,5; se queda en \S+\.$/i;
  assert.match(await said(knob.locator('.error'), wanted), wanted);
  assert.deepEqual(complaints, []);
  await close();
});

test('a word that the model does not know is named in Spanish', async () => {
  const { page, close } = await open();
  await page.locator('logit-text textarea').fill('Today zebra');
  const wanted = /^Este modelo no conoce «zebra»/;
  assert.match(await said(page.locator('logit-text #fault'), wanted), wanted);
  await close();
});

long('a prompt longer than the context is refused in Spanish, with both numbers', async () => {
  const { page, complaints, close } = await open();
  const prompt = page.locator('logit-text textarea');
  await prompt.evaluate((box) => {
    box.value = `Today${' she'.repeat(262_200)}`;
    box.dispatchEvent(new Event('input', { bubbles: true }));
  });
  const wanted = /^Caben como mucho 262\.144 tokens y hay 262\.202\.$/;
  assert.match(await said(page.locator('logit-text #fault'), wanted), wanted);
  assert.equal(await page.locator('logit-tape .given [data-place]').count(), 400); // only the last 400 tokens are shown
  assert.deepEqual(complaints, []);
  await close();
});

long(
  'a file that is no model is refused in Spanish, and after a change of language in English',
  async () => {
    const { page, complaints, close } = await open();
    const hand = (text) =>
      page.locator('logit-sheet input[type=file]').setInputFiles({
        name: 'roto.gguf',
        mimeType: 'application/octet-stream',
        buffer: Buffer.from(text, 'latin1'),
      });
    const refusal = page.locator('logit-scope .refused[role=alert] p');
    await hand('no model at all');
    const wanted =
      /^\u2068roto\.gguf\u2069 no se ha abierto: no es un archivo GGUF: no empieza por GGUF\.$/;
    assert.match(await said(refusal, wanted), wanted);
    await hand('GGUF\x09\0\0\0 and so on and so on');
    const version =
      /^\u2068roto\.gguf\u2069 no se ha abierto: cabecera GGUF: la versión 9 no se admite/;
    assert.match(await said(refusal, version), version);
    await page.locator('logit-preferences [popovertarget]').click();
    await page.locator('logit-preferences label[lang=en]').click();
    const english =
      /^\u2068roto\.gguf\u2069 was not opened: GGUF header: version 9 is not supported/;
    assert.match(await said(refusal, english), english);
    assert.deepEqual(complaints, []);
    await close();
  },
);

long('a prompt too long for a search is refused in Spanish, with both numbers', async () => {
  const { page, complaints, close } = await bench.open({
    path: '?lang=es&view=compare',
    ready: false,
  });
  const prompt = `Today${' she'.repeat(59)}`;
  await page.locator('logit-compare').evaluate((view, text) => {
    Object.assign(view, { suite: 'searches', prompt: text });
  }, prompt);
  const wanted = /^Un texto inicial de 61 tokens es más largo que el contexto de \d+ del modelo\.$/;
  assert.match(await said(page.locator('logit-compare-controls #error'), wanted), wanted);
  assert.deepEqual(complaints, []);
  await close();
});

test('a worker that closes itself refuses waiting and later calls', async () => {
  const path = 'source/tests/browser/blank.html';
  const { page, close } = await bench.open({ ready: false, path });
  const refused = await page.evaluate(async () => {
    const { RemoteLogitscope } = await import('/source/web/engine/remote.js');
    const code = `import '${location.origin}/source/web/engine/worker.js';
      addEventListener('message', ({ data }) => data.method === 'random' && close());`;
    const worker = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
    const remote = await RemoteLogitscope.load({ worker });
    const late = (/** @type {Promise<unknown>} */ answer) =>
      Promise.race([
        answer.catch(({ code }) => code),
        new Promise((resolve) => setTimeout(resolve, 30_000, 'no answer')),
      ]);
    const logits = new Float32Array(4);
    remote.random({ seed: 1, n: 1 }).catch(() => {});
    return [await late(remote.warp(logits)), await late(remote.warp(logits))];
  });
  assert.deepEqual(refused, ['load_failed', 'load_failed']);
  await close();
});
