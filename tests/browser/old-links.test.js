/**
 * Tests that the links of version 1.0 keep working: each opens in a new document and shows the settings,
 * the texts and the numbers of the page that wrote it, bit for bit. tests/fixtures/make_links.js made the
 * links. link-page.js lists the public interface by which the test reads the page: settled(), state and
 * result of <logit-scope>, reading() of a lesson, and a few properties of the views. A redesign keeps this
 * interface or changes link-page.js; the fixture stays.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { temporaryFolder } from '../cleanup.js';
import { LONG, sample } from '../long.js';
import { openBench } from './bench.js';
import { openLink, readLinks, readPage, routeOfModel } from './link-page.js';

const LINKS = readLinks(new URL('../vectors/links-1.0.jsonl', import.meta.url));
/** The kinds that need no second model, no other view and no long text: make test tries some of them. */
const QUICK = ['alone', 'preset', 'link', 'older', 'logits', 'context'];

/** @type {Awaited<ReturnType<typeof openBench>>} */
let bench;
before(async () => (bench = await openBench(routeOfModel(temporaryFolder()))));
after(() => bench?.close());

const quick = LINKS.filter(({ kind, link }) => QUICK.includes(kind) && link?.includes('=verbs'));
const tried = LONG ? LINKS : sample(quick, 6);

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
