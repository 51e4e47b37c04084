/**
 * Tests the page for screen readers: the accessibility tree in the order of docs/accessibility.md, a table for each
 * chart, and the announcements during a run.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { closed } from '../cleanup.js';
import { LONG, long } from '../long.js';
import { openBench, root, settle, showView, until } from './bench.js';

const bench = closed(await openBench());

/** Headings and landmarks that docs/accessibility.md must list. */
const STRUCTURE = [
  'banner',
  'main',
  'navigation',
  'region',
  'contentinfo',
  'complementary',
  'heading',
  'tablist',
  'tabpanel',
];

/** Returns the accessibility tree as "role name" strings, in reading order. */
async function readTree(page) {
  const client = await page.context().newCDPSession(page);
  const { nodes } = await client.send('Accessibility.getFullAXTree');
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  /** @returns {string[]} */
  const read = ({ ignored, role, name, childIds = [] }) => {
    const own = ignored ? [] : [`${role.value} ${name?.value ?? ''}`.trim()];
    return [...own, ...childIds.flatMap((id) => (byId.has(id) ? read(byId.get(id)) : []))];
  };
  return read(nodes[0]);
}

test('the first screen and the bench are read in the order of docs/accessibility.md', async () => {
  const document = await readFile(join(root, 'docs/accessibility.md'), 'utf8');
  // In the document, each list ends at a blank line. The paragraph after it names elements that are not always there.
  const [lists, asides] = [0, 1].map((part) =>
    document
      .split('\n1. ')
      .slice(1)
      .map((chapter) => chapter.split('\n\n')[part] ?? ''),
  );
  const quoted = (words) =>
    [...words.matchAll(/`([^`]+)`/g)].map(([, each]) => each.replaceAll(/\s+/g, ' '));
  const isStructure = (words) => STRUCTURE.includes(words.split(' ')[0]);
  const paths = ['?lang=en&view=landscape', '?lang=en&view=bench#'];
  assert.equal(lists.length, paths.length);
  for (const [i, path] of paths.entries()) {
    const written = quoted(lists[i]);
    const { page, close } = await bench.open({ path, ready: i > 0 });
    if (i === 0) await page.locator('logit-landscape h2').waitFor();
    await settle(page);
    const tree = await readTree(page);
    assert.deepEqual(tree.filter(isStructure), written.filter(isStructure));
    let at = -1;
    for (const words of written) {
      const next = tree.indexOf(words, at + 1);
      assert.ok(
        next >= 0,
        `${words} does not come after ${tree[at]}: ${tree.slice(at + 1, at + 30).join(' | ')}`,
      );
      at = next;
    }
    if (i === 0 && LONG) {
      const [button, slider] = quoted(asides[0]);
      assert.ok(!tree.includes(button), 'temperature removes nothing');
      await page.getByRole('radio', { name: 'Top-k' }).click();
      await page.getByRole('button', { name: button.replace('button ', '') }).click();
      await settle(page);
      const both = await readTree(page);
      const sliders = both.filter((words) => words.startsWith(`${slider} `));
      assert.ok(both.includes(button));
      assert.equal(sliders.length, 1, sliders.join());
    }
    await close();
  }
});

test('each drawn token is announced once, politely; a run once, at its end', async () => {
  const { page, close } = await bench.open();
  await page.locator('logit-text p[aria-live]').evaluate((live) => {
    window.said = [];
    new MutationObserver(() => window.said.push(live.textContent)).observe(live, {
      characterData: true,
      childList: true,
      subtree: true,
    });
  });
  const said = () => page.evaluate(() => window.said);
  assert.equal(await page.locator('logit-text p[aria-live]').getAttribute('aria-live'), 'polite');
  for (let n = 1; n <= 2; n++) {
    await page.locator('[data-command=step]').click();
    assert.equal((await until(said, (all) => all.length >= n)).length, n);
  }
  for (const words of await said()) assert.match(words, /^Drew .+, [\d.]+%\.$/);
  await page.locator('[data-command=run]').click();
  await page.locator('.step.end').waitFor();
  await until(said, (all) => all.length >= 3);
  await settle(page);
  const after = (await said()).slice(2);
  assert.equal(after.length, 1, after.join(' / '));
  assert.match(after[0], /The text is complete: Today she/);
  if (!LONG) return close();
  await page.locator('[data-command=reset]').click();
  await page.evaluate(() => (window.said.length = 0));
  await page.locator('[data-command=run]').click();
  // Stops from inside the page: a command from this process could arrive after the short run.
  await page.locator('logit-text').evaluate(async (text) => {
    while (text.steps.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    text.emit('logit-command', { command: 'stop' });
  });
  const [stopped] = await until(said, (all) => all.length > 0);
  assert.match(stopped, /^Drew [2-9] tokens: /);
  await close();
});

/** The charts, the actions that show each, and the element that contains chart and table. */
const CHARTS = [
  { chart: 'bars', holds: 'logit-distribution', view: 'bench' },
  { chart: 'cumulative', holds: 'logit-distribution', view: 'bench', press: '#tab-cumulative' },
  { chart: 'all ranks', holds: 'logit-distribution', view: 'bench', press: '#tab-ranks' },
  { chart: 'sweep', holds: 'logit-sweep', view: 'sweep', press: '#change' },
  { chart: 'map', holds: 'logit-sweep', view: 'sweep', press: 'label.chip:nth-of-type(2)' },
  { chart: 'cost of a step', holds: 'logit-cost', view: 'cost', press: '[data-run=steps]' },
];

long(
  'headings skip no level on any view, and each chart is also a table with a name and with headers',
  async () => {
    const { page, close } = await bench.open();
    for (const view of ['compare', 'sweep', 'cost', 'speculative', 'logits']) {
      await showView(page, view);
      await page.locator(`#view logit-${view} h2`).first().waitFor();
      const levels = await page
        .locator('h1:visible, h2:visible, h3:visible, h4:visible')
        .evaluateAll((all) => all.map(({ localName }) => Number(localName[1])));
      assert.equal(levels[0], 1);
      levels.forEach((level, i) =>
        assert.ok(i === 0 || (level > 1 && level <= levels[i - 1] + 1), `${view}: ${levels}`),
      );
    }
    for (const { chart, holds, view, press } of CHARTS) {
      await showView(page, view);
      const host = page.locator(`#view ${holds}`).first();
      if (press) await host.locator(press).first().click();
      if (chart === 'map') await host.locator('[data-command=run]').click();
      const folded = host.locator('details:not([open]) > summary:visible');
      while (await folded.count()) await folded.first().click();
      const table = host.locator('details table').first();
      const rows = await until(
        () => table.locator('tbody tr').count(),
        (n) => n >= 3,
      );
      assert.ok(rows >= 3, `${chart}: ${rows} rows`);
      assert.ok(
        await table.evaluate((it) => it.caption?.textContent.trim() || it.closest('[aria-label]')),
        `${chart}: a name`,
      );
      assert.ok((await table.locator('thead th').count()) >= 2, `${chart}: heads`);
    }
    await close();
  },
);
