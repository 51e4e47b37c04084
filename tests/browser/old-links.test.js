/**
 * Tests that links of version 1.0 still work. Each opens in a new document and must show, bit for bit, the settings,
 * texts and numbers of the page that made it. tests/fixtures/make_links.js made the links. link-page.js lists the
 * public interface that the test reads. A redesign must keep this interface or change link-page.js, but never the
 * fixture.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../cleanup.js';
import { LONG, sample } from '../long.js';
import { openBench } from './bench.js';
import { openLink, readLinks, readPage, routeOfModel } from './link-page.js';

const LINKS = readLinks(new URL('../vectors/links-1.0.jsonl', import.meta.url));
/** Kinds of links without a second model, another view or a long text. `make test` tries a sample of them. */
const QUICK = ['alone', 'preset', 'link', 'older', 'logits', 'context'];

const bench = await openBench(routeOfModel(temporaryFolder()));

const quick = LINKS.filter(({ kind, link }) => QUICK.includes(kind) && link?.includes('=verbs'));
const tried = LONG ? LINKS : sample(quick, 2);

test('the fixture holds 200 different links', () => {
  assert.equal(new Set(LINKS.map(({ link, element }) => link ?? element)).size, 200);
});

for (const kind of new Set(tried.map((link) => link.kind)))
  test(`an old link shows the state and the numbers of the page that wrote it: ${kind}`, async () => {
    const { page, close } = await bench.open({
      path: 'source/tests/browser/blank.html',
      ready: false,
    });
    /** @type {string[]} */
    const wrong = [];
    for (const link of tried.filter((each) => each.kind === kind)) {
      await openLink(page, bench.url, link);
      try {
        assert.deepEqual(await readPage(page), link.shows);
      } catch (error) {
        wrong.push(`${link.link ?? link.element}\n${error}`);
      }
    }
    assert.equal(wrong.length, 0, wrong.join('\n\n'));
    await close();
  });
