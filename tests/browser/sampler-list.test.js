/** Tests the list of samplers: search, movement and closing by keys. Its pictures must equal the engine's results. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawPictures, groupSamplers } from '../../web/state/samplers.js';
import { closed } from '../cleanup.js';
import { LONG, long } from '../long.js';
import { axe, loadReference, openBench, START, unfoldStages, until } from './bench.js';

const bench = closed(await openBench());
const scope = closed(await loadReference());

const focused = (page) =>
  page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element?.dataset?.add ?? element?.localName;
  });

test('keys alone find a sampler by another system’s name, and the list keeps its height', async () => {
  const { page, complaints, close } = await bench.open({ path: `?lang=en${START}` });
  const shelf = page.locator('logit-shelf');
  const button = page.locator('[data-command=stages]');
  const offered = () =>
    shelf.locator('[data-add]').evaluateAll((all) => all.map(({ dataset }) => dataset.add));
  await button.focus();
  await page.keyboard.press('Enter');
  await until(() => focused(page), 'input');
  const groups = groupSamplers(scope.table);
  const names = groups.flatMap((group) => group.names);
  const left = names.filter((name) => name !== 'repetition_penalty'); // this sampler already has a card
  assert.deepEqual(await offered(), left);
  const status = shelf.locator('[role=status]');
  assert.equal(await status.innerText(), `${left.length} stages`);

  const titles = await shelf.locator('h3').evaluateAll((all) => all.map((it) => it.dataset.group));
  assert.deepEqual(
    titles,
    groups.map(({ group }) => group),
  );
  await until(() => shelf.locator('.after').count(), 2 * (left.length - 1));
  const pictures = await drawPictures(scope, names);
  for (const name of ['min_p', 'contrastive_beta']) {
    const drawn = shelf.locator(`[data-add=${name}] .picture`);
    for (const [i, { kept }] of Object.values(pictures[name]).entries())
      assert.deepEqual(
        await drawn
          .nth(i)
          .locator('circle')
          .evaluateAll((all) => all.map((dot) => dot.classList.contains('kept'))),
        kept,
        name,
      );
  }
  assert.match(await shelf.locator('[data-add=min_p]').innerText(), /keeps 5\s[^]*no change/);
  const links = await shelf.locator('.from a').evaluateAll((all) => all.map((a) => a.rel));
  assert.deepEqual(new Set(links), new Set(['noopener noreferrer']));
  if (LONG) assert.deepEqual(await axe(page), []);

  const tall = () => shelf.evaluate((it) => it.offsetHeight);
  const height = await tall();
  await page.keyboard.type('typ_p');
  await until(offered, (names) => names.length === 1);
  assert.equal(await status.innerText(), '1 stage; Enter adds Typical-p');
  assert.equal(await tall(), height);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('nonsense');
  await until(offered, (names) => names.length === 0);
  assert.match(await shelf.locator('.none').innerText(), /“nonsense”/);
  assert.equal(await tall(), height);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('repeat');
  await until(offered, (names) => names.includes('dry_multiplier') && names.length < 5);
  await page.keyboard.press('ArrowDown');
  assert.equal(await focused(page), (await offered())[0]);
  await page.keyboard.press('t'); // elsewhere t is a shortcut; here it extends the search text
  await until(() => focused(page), 'input');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('TFS');
  await until(offered, (names) => names.join() === 'tfs_z');
  await page.keyboard.press('Escape');
  await shelf.waitFor({ state: 'detached' });
  assert.equal(await focused(page), 'button');
  await page.keyboard.press('Enter');
  await until(() => focused(page), 'input');
  await page.keyboard.type('TFS');
  await until(offered, (names) => names.join() === 'tfs_z');
  await page.keyboard.press('Enter');
  await page.locator('.card[data-stage=tfs_z]').waitFor();
  assert.equal(await shelf.count(), 0);
  assert.deepEqual(complaints, []);
  if (!LONG) return close();
  // A stage of the chain is found too, and Enter goes to its value. Its line shows its second setting.
  await page.locator('[data-chip=xtc_probability]').click();
  const second = page.locator('logit-chain [data-more=xtc_probability]');
  assert.equal(await second.innerText(), 'XTC threshold 0.1');
  await second.click();
  await page.locator('.card [data-name=xtc_threshold] #box').waitFor();
  await button.press('Enter');
  await until(() => focused(page), 'input');
  await page.keyboard.type('xtc');
  await until(offered, (names) => names.join() === 'xtc_probability');
  assert.equal(await status.innerText(), '1 stage; Enter goes to XTC probability');
  await page.keyboard.press('Enter');
  await shelf.waitFor({ state: 'detached' });
  const box = () =>
    page
      .locator('logit-knob[data-name=xtc_probability] #box')
      .evaluate((it) => it.matches(':focus'));
  await until(box, Boolean);
  assert.deepEqual(complaints, []);
  await close();
});

long('in Spanish the search reads the Spanish sentences, with or without accents', async () => {
  const { page, close } = await bench.open({
    path: `?lang=es${START}`,
    viewport: { width: 375, height: 800 },
  });
  await unfoldStages(page);
  const shelf = page.locator('logit-shelf');
  await shelf.locator('input').fill('entropia');
  await shelf.locator('[data-add=dynatemp_range]').waitFor();
  assert.match(await shelf.locator('[role=status]').innerText(), /^\d+ etapas; Intro añade /);
  const [inner, outer] = await shelf.evaluate((it) => [it.scrollWidth, it.clientWidth]);
  assert.ok(inner <= outer, `${inner} in ${outer} pixels`);
  await close();
});
