/** Tests right-to-left tokens: each keeps its direction, and the surrounding text keeps its own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closed } from '../cleanup.js';
import { long } from '../long.js';
import { openBench, settle } from './bench.js';

const bench = closed(await openBench());

const HEBREW = ' שלום';
const ARABIC = ' سلام';
/** A text with U+202E, which reverses the text after it. */
const OVERRIDE = 'ab\u202Ecd';
const LOGITS = `${HEBREW}: 3\n${ARABIC}: 2\n${OVERRIDE}: 1.5\n word: 1`;

/** Returns the letters of an element, each with its left edge in pixels. */
const placesIn = (element) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    for (let i = 0; i < node.data.length; i++) {
      const range = document.createRange();
      range.setStart(node, i);
      range.setEnd(node, i + 1);
      const { left, width } = range.getBoundingClientRect();
      if (width > 0) found.push({ letter: node.data[i], left });
    }
  return found;
};

/** Returns the direction from each letter to the next: "1" for left to right, "-1" for right to left. */
function directionOf(places) {
  const steps = places.slice(1).map(({ left }, i) => Math.sign(left - places[i].left));
  return [...new Set(steps)].join();
}

test('tokens of given logits keep their own direction, in bars, strip and table', async () => {
  const fragment = `logits_pasted=${encodeURIComponent(LOGITS)}`;
  const { page, complaints, close } = await bench.open({
    path: `?lang=en&view=logits#${fragment}`,
    ready: false,
  });
  await page.locator('logit-logits .row').first().waitFor();
  await settle(page);
  await page.locator('logit-logits logit-distribution summary').first().click();
  await settle(page);
  const names = page.locator('logit-logits logit-distribution tbody th.token');
  const tokens = {};
  for (const name of await names.all()) {
    const places = await name.evaluate(placesIn);
    tokens[places.map(({ letter }) => letter).join('')] = directionOf(places);
  }
  assert.deepEqual(tokens, {
    '␣שלום': '-1',
    '␣سلام': '-1',
    'ab⟨202E⟩cd': '1',
    '␣word': '1',
  });
  const rows = await page
    .locator('logit-logits .row')
    .evaluateAll((all) =>
      all.map((row) => [...row.querySelectorAll('text')].map((each) => each.textContent.trim())),
    );
  assert.ok(!JSON.stringify(rows).includes('\u202E'), 'the override is shown, not obeyed');
  // The token beside a bar has its own direction; the bar's number is always left to right.
  const bars = await page
    .locator('logit-logits .row text')
    .evaluateAll((all) => all.map((text) => [text.textContent, text.getBoundingClientRect().left]));
  const left = bars.filter(([text]) => text.includes('ש') || text.includes('word'));
  assert.equal(left.length, 2);
  assert.ok(Math.abs(left[0][1] - left[1][1]) < 3, 'the names begin at the same edge');
  assert.deepEqual(complaints, []);
  await close();
});

test('a sentence around a token keeps its order', async () => {
  const { page, close } = await bench.open({
    path: `?lang=en&view=logits#logits_pasted=${encodeURIComponent(`${HEBREW}: 9`)}`,
    ready: false,
  });
  await page.locator('logit-logits logit-draw').waitFor();
  await settle(page);
  const said = page.locator('logit-logits logit-draw .lands');
  const places = await said.evaluate(placesIn);
  const at = (text) =>
    places[
      places
        .map(({ letter }) => letter)
        .join('')
        .indexOf(text)
    ].left;
  assert.ok(at('lands') < at('ש') && at('ש') < at('which'), 'which holds 0 to 1 stays behind it');
  await close();
});

long('a right-to-left text begins at the right, and an override character is visible', async () => {
  const { page, close } = await bench.open({
    path: `?lang=en&view=compare#prompt=${encodeURIComponent('Today')}`,
    ready: false,
  });
  await settle(page);
  const found = await page.evaluate(async () => {
    const box = document.createElement('logit-passage');
    Object.assign(box, { given: 'שלום', plain: true, label: 'x', steps: [] });
    box.steps = [
      { id: 1, text: ' עולם', bits: 0, bits_raw: 0 },
      { id: 2, text: '\u202Eab', bits: 0, bits_raw: 0 },
      { id: 3, text: '\u0001\n', bits: 0, bits_raw: 0 },
    ];
    document.body.append(box);
    await box.updateComplete;
    const inside = box.shadowRoot.querySelector('.box');
    const { direction } = getComputedStyle(inside);
    const { textContent } = inside;
    box.remove();
    return { direction, textContent };
  });
  assert.deepEqual(found, { direction: 'rtl', textContent: 'שלום עולם⟨202E⟩ab⟨01⟩\n' });
  await close();
});
