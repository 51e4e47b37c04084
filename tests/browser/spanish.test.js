/** Tests the page in Spanish, view by view: no English word, and no number with a decimal point. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { LONG, sample } from '../long.js';
import { openBench, root, settle, showView, unfoldView } from './bench.js';
import { VIEW_NAMES } from '../../web/state/fields.js';
import { closed } from '../cleanup.js';

const bench = closed(await openBench());

const [en, es] = await Promise.all(
  ['en', 'es'].map(async (code) =>
    JSON.parse(await readFile(join(root, `web/locale/${code}.json`), 'utf8')),
  ),
);

/** Runs in the page: returns all visible, spoken and typed text, without the model's text and names in the address. */
function readAll() {
  const words = [];
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) words.push(node.data.trim());
    if (node.localName === 'style' || node.localName === 'script' || node.lang === 'en') return;
    if (node.nodeType === Node.ELEMENT_NODE) {
      for (const name of ['aria-label', 'title', 'aria-valuetext', 'placeholder'])
        words.push(node.getAttribute(name) ?? '');
      if (node.type === 'text') words.push(node.value);
    }
    for (const child of [...(node.shadowRoot?.childNodes ?? []), ...node.childNodes]) walk(child);
  };
  walk(document.body);
  return words.filter(Boolean);
}

/**
 * English messages with another text in Spanish. The word of the strip's last segment is left out: a narrow segment
 * shows only the first letters of “resto”.
 */
const ENGLISH = new Set(
  Object.keys(en)
    .filter(
      (key) =>
        !['language', 'draw.rest'].includes(key) &&
        typeof en[key] === 'string' &&
        en[key] !== es[key],
    )
    .map((key) => en[key])
    .filter((text) => text.length > 2 && !text.includes('{')),
);

/** Returns numbers with a decimal point that are not part of a name. */
function pointed(text) {
  const names = /E\d+\.\d+|llama\S*|\{.*\}/g;
  return (text.replace(names, '').match(/\d+(\.\d+)+/g) ?? []).filter(
    (number) => !/^\d{1,3}(\.\d{3})+$/.test(number),
  );
}

test('no view is left in English, and no number has a decimal point', async () => {
  const { page, close } = await bench.open({ path: '?lang=es' });
  for (let i = 0; i < 2; i++) await page.locator('[data-command=step]').click();
  for (const view of sample(VIEW_NAMES, 1, 1)) {
    await unfoldView(page, view);
    const words = await page.evaluate(readAll);
    assert.ok(
      words.some((text) => /\d,\d/.test(text)),
      `${view} shows numbers`,
    );
    assert.deepEqual(
      words.filter((text) => ENGLISH.has(text)),
      [],
      view,
    );
    assert.deepEqual(
      words.filter((text) => pointed(text).length > 0),
      [],
      view,
    );
  }
  await showView(page, 'landscape');
  await settle(page);
  const saved = await page.locator('logit-landscape').evaluate(async (view) => {
    const { svg } = await view.picture();
    return Array.from(svg.matchAll(/>([^<>]+)</g), ([, text]) => text);
  });
  assert.ok(saved.some((text) => /^u = 0,\d{4}$/.test(text)));
  assert.deepEqual(
    saved.filter((text) => pointed(text).length > 0),
    [],
    'the saved picture',
  );
  for (const view of LONG ? ['cumulative', 'ranks'] : []) {
    await page.locator('#tab-bench').click();
    await showView(page, view);
    await page.locator('logit-curve .walk').waitFor();
    const words = await page.evaluate(readAll);
    assert.deepEqual(
      words.filter((text) => ENGLISH.has(text) || pointed(text).length > 0),
      [],
      view,
    );
  }
  await close();
});
