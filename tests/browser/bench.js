/** Serves the built site for page tests and opens it in Chromium. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect, isDeepStrictEqual } from 'node:util';
import { Logitscope } from '../../web/engine/index.js';
import { serve } from '../../web/serve.js';
import { atExit, closed } from '../cleanup.js';
import { LONG } from '../long.js';
import { limitCalls } from './call-limit.js';
import { openSite } from './site.js';

export const root = fileURLToPath(new URL('../..', import.meta.url));
/** The first prompt of the page. */
export const FIRST = 'Today she';

export const model = join(root, 'models/verbs.gguf');

/** Addresses below /source/ name the repository's own modules. Addresses below /deep/er/ name the site again. */
const SOURCE = /^\/source\/((web\/engine|tests\/node|tests\/browser|models)\/.+)$/;
/** Path of an empty document on the site's server; it runs no script. */
const BLANK = 'source/tests/browser/blank.html';

/** Settings in the address of a test page. With settings that change nothing, a test would miss many errors. */
export const START = '#temperature=0.7&top_p=0.9&repetition_penalty=1.1&bench_chart=bars';

/** Time limit for any event in a page, in ms; long enough for a busy machine. */
const PATIENCE = 60_000;

/** Size and colours of the window, unless a test asks for others. */
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
 * @property {string[]} complaints messages of the console
 * @property {string[]} foreign addresses of requests to other hosts
 * @property {Route} [route] the Route that served the page's document
 */

/** @typedef {(path: string) => string | undefined} Route returns the file at a path beside the site */
/** @type {Route} */
const NO_ROUTE = () => undefined;

/**
 * Shared by the test files of a process, which run one after another.
 * @type {ReturnType<typeof makeSite> | undefined}
 */
let site;
/**
 * Pages that tests have closed and that later tests may reuse, by the options of their browser context.
 * @type {Map<string, Visitor[]>}
 */
const idle = new Map();
/** The route of the current test file. @type {Route} */
let routeOfFile;

/** Starts a browser and the server of the site. */
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
   * Makes a new page, and records its console messages and its requests to other hosts. Storage says that the user
   * has visited before, unless `first` is true.
   * @param {boolean} first
   * @param {boolean} worker
   * @param {import('playwright-core').BrowserContextOptions} context
   * @returns {Promise<Visitor>}
   */
  async function makeVisitor(first, worker, context) {
    const page = await (await browser.newContext(context)).newPage();
    const { mouse, keyboard, touchscreen } = page;
    const handle = await page.evaluateHandle('window');
    const places = [page.mainFrame(), page.locator('html'), handle];
    limitCalls([browser, page.context(), page, ...places, mouse, keyboard, touchscreen]);
    if (!worker)
      await page.addInitScript(() => {
        // Hides service workers from the page: each would first fill its cache, which takes time in every test.
        if (origin !== 'null')
          Object.defineProperty(navigator, 'serviceWorker', { value: undefined });
      });
    if (!first)
      await page.addInitScript(() => {
        // A sandboxed frame has the origin "null" and throws an error if its storage is read.
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
      // The address of a blob contains the origin of its page, after "blob:".
      if (
        !request
          .url()
          .replace(/^blob:/, '')
          .startsWith(server.url)
      )
        visitor.foreign.push(request.url());
    });
    return visitor;
  }

  /**
   * Prepares a used page for the document at an address: sets window size and colours, and clears the storage.
   * @param {Visitor} visitor
   * @param {typeof LOOK} look
   * @param {string} address
   */
  async function renew(visitor, look, address) {
    const { page } = visitor;
    const [before] = page.url().split('#');
    // `goto` loads no new document if only the fragment differs. A frame that is still open could write to the
    // cleared storage.
    if (before === address || !before.startsWith(server.url) || page.frames().length > 1)
      await page.goto(server.url + BLANK);
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
      Storage.prototype.setItem = () => {}; // a closing page saves its visit; the storage must stay empty
    });
    await show(visitor, look);
  }

  /**
   * Sets the size and colours of a page's window, and clears its recorded console messages.
   * @param {Visitor} visitor
   * @param {typeof LOOK} look
   */
  async function show(visitor, { viewport, ...media }) {
    const { page } = visitor;
    await page.mouse.move(0, 0);
    if (!isDeepStrictEqual(page.viewportSize(), viewport)) await page.setViewportSize(viewport);
    await page.emulateMedia(media);
    visitor.complaints = [];
    visitor.foreign = [];
  }

  /**
   * Changes only the fragment of a page's address, which takes a tenth of the time of a new document. Returns false
   * if this is not possible: the address differs otherwise, another route served the page, or the page has the user's
   * own sampler, which no address contains.
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
    const restored = await page.evaluate(
      async (wanted) => {
        if (/** @type {any} */ (document.querySelector('logit-scope'))?.instrument.own)
          return false;
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
        return true;
      },
      now === fragment ? `${fragment}&` : fragment,
    ); // the added & fires the event that an unchanged fragment would not fire
    if (restored) await settle(page);
    return restored;
  }

  /**
   * Opens a page and records its console messages and its requests to other hosts. It reuses a page that an earlier
   * test has closed. At the same address it changes only the fragment; `fresh` forces a new document, and so drops
   * state that no address contains. A page with `own` is never reused: its test changes it permanently, for example
   * by a script for every document. A `first` visit begins with empty storage and implies `own`. The site's service
   * worker runs only with `worker`. A path without a view opens the bench, unless the test asks for the
   * `firstScreen`.
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
    // Tests expect the numbers of the small model verbs, so the address names it.
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
      await page.locator('logit-distribution :is(.row, .plot)').first().waitFor();
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

/** Closes the pages that a test file has left open. @param {import('playwright-core').Browser} browser */
async function closePages(browser) {
  const visitors = [...idle.values()].flat();
  const kept = visitors.map(({ page }) => page.context());
  const left = browser.contexts().filter((context) => !kept.includes(context));
  await Promise.all(left.map((context) => context.close()));
}

/** Loads the page's model in Node, for comparison. */
export function loadReference() {
  return Logitscope.load({ model });
}

/**
 * Reads the bars bit for bit: [{ id, p, p_raw, removed_by }]; the id of the rest is 'rest'.
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
 * Returns the same array from a trace of the engine, ordered by id.
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
 * Waits until the bars and the panels beside them show a trace of the engine.
 * @param {import('playwright-core').Page | import('playwright-core').FrameLocator} page
 * @param {import('../../web/engine/types.js').Trace} trace
 */
export async function expectTrace(page, trace) {
  await expectTraceInBars(page, trace);
  await settle(page);
}

/**
 * Runs in a page: waits until the first <logit-scope> has no work left. Returns false if the page has none yet.
 * @param {ArrayLike<any>} scopes
 * @param {number} limit in ms
 */
async function atRest([scope], limit) {
  if (!scope?.settled) return false;
  const late = new Promise((_, reject) =>
    setTimeout(() => reject(new Error(`not at rest after ${limit} ms`)), limit),
  );
  await Promise.race([scope.settled(), late]);
  return true;
}

/**
 * The function atRest as an expression with its arguments. A page evaluates it after one message; a locator would
 * send twelve.
 */
const AT_REST = `(${atRest})(document.querySelectorAll('logit-scope'), ${PATIENCE})`;

/**
 * Waits until the page has finished all work that the user or the test started.
 * @param {import('playwright-core').Page | import('playwright-core').FrameLocator} page
 */
export async function settle(page) {
  if ('mainFrame' in page && (await page.evaluate(AT_REST))) return;
  // The first line fails for a frame, for a <logit-scope> inside another element, and for a page that has not loaded
  // it.
  const scopes = page.locator('logit-scope');
  await until(() => scopes.evaluateAll(atRest, PATIENCE), Boolean);
}

/**
 * Waits for the page's next frame, since a real pointer moves at most once a frame.
 * @param {import('playwright-core').Page} page
 */
export function frame(page) {
  return page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(null))));
}

/**
 * Calls `probe` until it gives the wanted value, and returns that value. After PATIENCE ms it throws an error with the
 * last value.
 * @template T
 * @param {() => T | Promise<T>} probe
 * @param {T | RegExp | ((value: T) => boolean)} wanted an equal value, a pattern of its text, or a test
 */
export async function until(probe, wanted) {
  const good = (/** @type {T} */ value) => {
    if (wanted instanceof RegExp) return wanted.test(String(value));
    if (wanted instanceof Function) return wanted(value);
    return JSON.stringify(value) === JSON.stringify(wanted);
  };
  const deadline = Date.now() + PATIENCE;
  let value = await probe();
  while (!good(value) && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 25));
    value = await probe();
  }
  if (!good(value))
    throw new Error(`after ${PATIENCE / 1000} s it is still ${inspect(value)}, not ${wanted}`);
  return value;
}

/**
 * Opens the folds of the draw panel: the seed, the methods, and many draws.
 * @param {import('playwright-core').Page | import('playwright-core').Locator} page
 */
export async function unfoldDraw(page) {
  const folded = page.locator('logit-draw .ways:not([open]) > summary:visible');
  if (await folded.count()) await folded.click();
}

/**
 * Opens the folds of the chain: the list of samplers, and the further settings.
 * @param {import('playwright-core').Page | import('playwright-core').Locator} page
 */
export async function unfoldStages(page) {
  const folded = page.locator('[data-command=stages][aria-expanded=false]:visible');
  if (await folded.count()) await folded.click();
}

/**
 * Presses the tab of a view, or the link to the view in the model's sheet.
 * @param {import('playwright-core').Page} page
 * @param {string} view
 */
export async function showView(page, view) {
  const tab = page.locator(`[role=tab][data-view=${view}]`);
  if (await tab.count()) return tab.click();
  await page.locator('logit-model #model').click();
  await page.locator(`logit-sheet [data-view=${view}]`).click();
}

/**
 * Opens the model's sheet and presses a button in it.
 * @param {import('playwright-core').Page} page
 * @param {'more' | 'file' | 'bigram'} command
 */
export async function openSheet(page, command) {
  await page.locator('logit-model #model').click();
  await page.locator(`logit-sheet [data-command=${command}]`).click();
}

/** @param {import('playwright-core').Page} page @param {string} name of a model in the page's list */
export async function chooseModel(page, name) {
  await page.locator('logit-model #model').click();
  await page.locator(`logit-sheet [data-model=${name}]`).click();
}

/**
 * Returns the text with the facts of the open model. The sheet contains it also while it is closed.
 * @param {import('playwright-core').Page} page
 */
export async function modelFacts(page) {
  return (await page.locator('logit-sheet .facts').textContent()) ?? '';
}

/** Selector of buttons that start a view's computation. It excludes Play, which shows nothing new after its end. */
const RUNS = '#view button.primary:visible:not([aria-disabled=true]):not([data-command=play])';

/**
 * Shows a view with its results and with all folds open.
 * @param {import('playwright-core').Page} page
 * @param {string} view
 */
export async function unfoldView(page, view) {
  await showView(page, view);
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
 * Returns axe's findings in the whole document, one line each. `make test` skips contrast, the
 * costliest rule: axe.test.js checks a sample of it.
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
