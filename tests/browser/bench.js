/** A bench for page tests: the built site, served, open in Chromium. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { Logitscope } from '../../web/engine/index.js';
import { serve } from '../../web/serve.js';
import { atExit, closed } from '../cleanup.js';
import { LONG } from '../long.js';
import { openSite } from './site.js';

export const root = fileURLToPath(new URL('../..', import.meta.url));
/** The prompt that the page shows at first. */
export const FIRST = 'Today she';

export const model = join(root, 'models/verbs.gguf');

/** Under /source/ the repository's own modules; under /deep/er/ the site again. */
const SOURCE = /^\/source\/((web\/engine|tests\/node|tests\/browser|models)\/.+)$/;
/** A document of the site without a script. */
const BLANK = 'source/tests/browser/blank.html';

/** The settings that a page begins with, unless a test names others: the plain ones hide too much. */
export const START = '#temperature=0.7&top_p=0.9&repetition_penalty=1.1';

/** How long anything in a page may take on a machine that does much else, in ms. */
const PATIENCE = 60_000;

/** The look of a page at each visit, unless a test asks for another. */
const LOOK = {
  viewport: { width: 1440, height: 900 },
  colorScheme: /** @type {const} */ ('light'),
  reducedMotion: /** @type {const} */ ('reduce'),
  forcedColors: /** @type {const} */ ('none'),
  contrast: /** @type {const} */ ('no-preference'),
};

/**
 * @typedef {object} Visitor
 * @property {import('playwright-core').Page} page
 * @property {string[]} complaints
 * @property {string[]} foreign
 * @property {Route} [route] the one that its document was loaded by
 */

/** @typedef {(path: string) => string | undefined} Route what file stands at a path beside the site */
/** @type {Route} */
const NO_ROUTE = () => undefined;

/** The site that the files of a process share: they run one after another. @type {ReturnType<typeof makeSite> | undefined} */
let site;
/** Pages that a test has done with, by their context's options. @type {Map<string, Visitor[]>} */
const idle = new Map();
/** Of the file that runs. @type {Route} */
let routeOfFile;

/** Starts a browser, and serves the site to it. */
async function makeSite() {
  const { dist, browser } = await openSite();
  const answer = (/** @type {string} */ path) => {
    const source = SOURCE.exec(path)?.[1];
    if (source) return join(root, source);
    if (path.startsWith('/deep/er/'))
      return join(dist, path.slice('/deep/er/'.length) || 'index.html');
    return routeOfFile(path);
  };
  const server = await serve(dist, 0, answer);
  atExit(() => server.close());
  return { dist, browser, server };
}

/**
 * Opens a browser on the site; `close` closes the pages that serve no other test.
 * @param {Route} [route]
 */
export async function openBench(route = NO_ROUTE) {
  site ??= makeSite();
  const { dist, browser, server } = await site;
  routeOfFile = route;

  /**
   * A new page with everything it complains about or asks for; a reader who was here before, unless
   * it is the `first` visit.
   * @param {boolean} first
   * @param {boolean} worker
   * @param {import('playwright-core').BrowserContextOptions} context
   * @returns {Promise<Visitor>}
   */
  async function makeVisitor(first, worker, context) {
    const page = await (await browser.newContext(context)).newPage();
    if (!worker)
      await page.addInitScript(() => {
        // As in a browser that has none: what a worker keeps costs each page that a test opens.
        if (origin !== 'null')
          Object.defineProperty(navigator, 'serviceWorker', { value: undefined });
      });
    if (!first)
      await page.addInitScript(() => {
        // A sandboxed frame has no storage.
        if (self === top || origin !== 'null') localStorage.setItem('logitscope-guide', 'seen');
      });
    page.setDefaultTimeout(PATIENCE);
    /** @type {Visitor} */
    const visitor = { page, complaints: [], foreign: [] };
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        visitor.complaints.push(message.text());
    });
    page.on('pageerror', (error) => visitor.complaints.push(String(error)));
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url)) visitor.foreign.push(request.url());
    });
    return visitor;
  }

  /**
   * Prepares a used page for the document at an address: the look is set, nothing is kept.
   * @param {Visitor} visitor
   * @param {typeof LOOK} look
   * @param {string} address
   */
  async function renew(visitor, look, address) {
    const { page } = visitor;
    const [before] = page.url().split('#');
    // The same address is no other document; a frame could still write.
    if (before === address || !before.startsWith(server.url) || page.frames().length > 1)
      await page.goto(server.url + BLANK);
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
      Storage.prototype.setItem = () => {}; // a page keeps its visit when it goes
    });
    await show(visitor, look);
  }

  /**
   * Shows a page in a look, and forgets what it complained about.
   * @param {Visitor} visitor
   * @param {typeof LOOK} look
   */
  async function show(visitor, { viewport, ...media }) {
    const { page } = visitor;
    await page.mouse.move(0, 0);
    await page.setViewportSize(viewport);
    await page.emulateMedia(media);
    visitor.complaints = [];
    visitor.foreign = [];
  }

  /**
   * Shows another fragment in a page that stands at the same address before the #: a tenth of the
   * cost of another document. False where it stands elsewhere, or another file's route
   * gave it other files.
   * @param {Visitor} visitor
   * @param {typeof LOOK} look
   * @param {string} address
   * @param {string} fragment
   */
  async function restore(visitor, look, address, fragment) {
    const { page } = visitor;
    const [before, now = ''] = page.url().split(/(?=#)/);
    if (before !== address || !fragment || address.includes(BLANK)) return false;
    if (visitor.route !== routeOfFile) return false;
    await show(visitor, look);
    await page.evaluate(
      async (wanted) => {
        document.activeElement?.blur();
        scrollTo(0, 0);
        const fold = (/** @type {ParentNode} */ root) => {
          for (const element of root.querySelectorAll('*')) {
            if (element instanceof HTMLDetailsElement) element.open = false;
            if (element.shadowRoot) fold(element.shadowRoot);
          }
        };
        fold(document);
        const heard = new Promise((resolve) =>
          addEventListener('hashchange', resolve, { once: true }),
        );
        location.hash = wanted;
        await heard;
        localStorage.clear();
        sessionStorage.clear();
      },
      now === fragment ? `${fragment}&` : fragment,
    ); // the same once more says nothing to a page
    await settle(page);
    return true;
  }

  /**
   * A page with everything it complains about or asks for. One that a test has closed serves the
   * next, unless `own` says that the test does to it what cannot be undone, such as a script of its
   * own for every document; so is that of a `first` visit, where nothing is remembered yet.
   * It is only given another fragment where it stands at that address, unless the test wants a
   * `fresh` document: what no address holds would still be there.
   * The site's service `worker` runs only if a test asks for it.
   * A path that names no view opens the bench, unless the test asks for the `firstScreen`.
   * @param {{ path?: string, ready?: boolean, first?: boolean, own?: boolean, firstScreen?: boolean,
   *   fresh?: boolean, worker?: boolean } & import('playwright-core').BrowserContextOptions} [options]
   */
  async function open(options = {}) {
    const {
      path = '?lang=en',
      ready = true,
      first = false,
      firstScreen = false,
      fresh = false,
      worker = false,
      ...others
    } = options;
    const { own = first, ...asked } = others;
    const rest = Object.fromEntries(Object.entries(asked).filter(([name]) => !(name in LOOK)));
    const changed = Object.entries(asked).filter(([name]) => name in LOOK);
    const look = /** @type {typeof LOOK} */ ({ ...LOOK, ...Object.fromEntries(changed) });
    const kind = JSON.stringify(rest);
    const used = own ? undefined : idle.get(kind)?.pop();
    const usual = firstScreen || path.includes('view=landscape') ? '' : START;
    // The tests know the small model by heart.
    const query = path.includes('model=') ? '' : `${path.includes('?') ? '&' : '?'}model=verbs`;
    const [place, fragment = usual] = path.split(/(?=#)/);
    const address = server.url + place + query;
    const restored = used && !fresh && (await restore(used, look, address, fragment));
    if (used && !restored) await renew(used, look, address);
    const visitor = used ?? (await makeVisitor(first, worker, { ...look, ...rest }));
    const { page, complaints, foreign } = visitor;
    visitor.route = routeOfFile;
    if (!restored) await page.goto(address + fragment);
    if (ready) {
      await page.locator('logit-distribution .row').first().waitFor();
      if (await page.locator('logit-scope').count()) await settle(page);
    }
    const close = async () => {
      if (own) await page.context().close();
      else idle.set(kind, [...(idle.get(kind) ?? []), visitor]);
    };
    return { page, complaints, foreign, close };
  }

  return closed({ dist, url: server.url, open, close: () => closePages(browser) });
}

/** Closes the pages that a file left open. @param {import('playwright-core').Browser} browser */
async function closePages(browser) {
  const visitors = [...idle.values()].flat();
  const kept = visitors.map(({ page }) => page.context());
  const left = browser.contexts().filter((context) => !kept.includes(context));
  await Promise.all(left.map((context) => context.close()));
}

/** The engine in Node over the page's model, to compare with. */
export function loadReference() {
  return Logitscope.load({ model });
}

/**
 * The content of the bars, bit for bit: [{ id, p, p_raw, removed_by }], the rest's id being 'rest'.
 * @param {import('playwright-core').Page | import('playwright-core').FrameLocator} page
 */
export function readBars(page) {
  return page.locator('logit-distribution .row').evaluateAll((rows) =>
    rows.map((row) => ({
      id: row.dataset.id,
      p: row.dataset.p,
      p_raw: row.dataset.pRaw,
      removed_by: row.dataset.removedBy ?? null,
    })),
  );
}

/**
 * The same, from a trace of the engine, in the order of ids.
 * @param {import('../../web/engine/types.js').Trace} trace
 */
function expectedBars(trace) {
  const rows = trace.tokens.map(({ id, p, p_raw, removed_by }) => ({
    id: String(id),
    p: String(p),
    p_raw: String(p_raw),
    removed_by,
  }));
  const { rest } = trace;
  if (rest.count > 0)
    rows.push({ id: 'rest', p: String(rest.p), p_raw: String(rest.p_raw), removed_by: null });
  return rows.sort(byId);
}

/** @param {{ id: string }} a @param {{ id: string }} b */
export function byId(a, b) {
  return a.id < b.id ? -1 : 1;
}

/**
 * Waits until the bars show a trace of the engine.
 * @param {import('playwright-core').Page | import('playwright-core').FrameLocator} page
 * @param {import('../../web/engine/types.js').Trace} trace
 */
export async function expectTraceInBars(page, trace) {
  const expected = expectedBars(trace);
  const read = async () => (await readBars(page)).sort(byId);
  const same = (bars) => JSON.stringify(bars) === JSON.stringify(expected);
  assert.deepEqual(await until(read, same), expected);
}

/**
 * Waits until a trace of the engine shows, in the bars and in the panels beside them.
 * @param {import('playwright-core').Page | import('playwright-core').FrameLocator} page
 * @param {import('../../web/engine/types.js').Trace} trace
 */
export async function expectTrace(page, trace) {
  await expectTraceInBars(page, trace);
  await settle(page);
}

/**
 * Waits until all that was asked for is on show.
 * @param {import('playwright-core').Page | import('playwright-core').FrameLocator} page
 */
export async function settle(page) {
  const scope = page.locator('logit-scope');
  await scope.first().evaluate((it, limit) => {
    const late = (_, reject) =>
      setTimeout(() => reject(new Error(`not at rest after ${limit} ms`)), limit);
    return Promise.race([it.settled(), new Promise(late)]);
  }, PATIENCE);
}

/**
 * Waits for the next frame, as a hand that moves leaves the page one.
 * @param {import('playwright-core').Page} page
 */
export function frame(page) {
  return page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(null))));
}

/**
 * Waits until `probe` gives a value that `good` accepts, and returns it. One that never comes is a
 * failure with the last value, so that no test waits in vain and goes on.
 * @template T
 * @param {() => Promise<T>} probe
 * @param {(value: T) => boolean} good
 */
export async function until(probe, good) {
  const deadline = Date.now() + PATIENCE;
  let value = await probe();
  while (!good(value) && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 25));
    value = await probe();
  }
  if (!good(value))
    throw new Error(`after ${PATIENCE / 1000} s it is still ${inspect(value)}, not ${good}`);
  return value;
}

/**
 * Shows the stages beside the first three, and their shelf.
 * @param {import('playwright-core').Page | import('playwright-core').Locator} page
 */
export async function unfoldStages(page) {
  const folded = page.locator('[data-command=stages][aria-expanded=false]:visible');
  if (await folded.count()) await folded.click();
}

/** The buttons that run a view; a knob that plays shows nothing that it does not show at rest. */
const RUNS = '#view button.primary:visible:not([aria-disabled=true]):not([data-command=play])';

/**
 * Shows a view with what it runs, and all that folds open.
 * @param {import('playwright-core').Page} page
 * @param {string} view
 */
export async function unfoldView(page, view) {
  await page.locator(`[data-view=${view}]`).click();
  await settle(page);
  for (const run of await page.locator(RUNS).all()) await run.click();
  await settle(page);
  await unfoldStages(page);
  const folded = page.locator('details:not([open]) > summary:visible');
  while (await folded.count()) await folded.first().click();
  await settle(page);
}

const axeSource = await readFile(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

/**
 * The findings of axe in the whole document, a line each. In `make test` without the contrast of colours,
 * which costs most: axe.test.js looks at that in a sample of all looks.
 * @param {import('playwright-core').Page} page
 */
export async function axe(page) {
  await page.evaluate(axeSource);
  return page.evaluate(async (enabled) => {
    const { violations } = await window.axe.run(document, {
      resultTypes: ['violations'],
      rules: { 'color-contrast': { enabled } },
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(
        ({ target, failureSummary }) => `${id}: ${target.flat().join(' ')} ${failureSummary}`,
      ),
    );
  }, LONG);
}
