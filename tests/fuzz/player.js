/**
 * Plays random input on the page (?fuzz=SEED, web/page/fuzz.js). It checks that the page has no errors and no requests
 * to other hosts, and that a second page at its address has equal content.
 */
import { VIEW_NAMES, fieldOf, sameValue } from '../../web/state/fields.js';
import { SHIPPED } from '../../web/lessons/shipped.js';

const VIEWS = VIEW_NAMES.map((view) => `?view=${view}`);
const LESSONS = [
  ...SHIPPED.map((name) => `?lesson=${name}`),
  '?lesson',
  '?lesson=new',
  '?lesson&guide',
];
const LANGUAGES = ['en', 'es'];
const WINDOWS = [
  { width: 1440, height: 900 },
  { width: 375, height: 740 },
];

/** Counts that keep growing if the page leaks. */
const HELD = /** @type {const} */ (['nodes', 'listeners', 'documents']);
/**
 * A count grows if each of LOOKS measurements exceeds the one before by GROWTH. A view that opens late grows only once,
 * and a text only until its reset. A leak of a tenth of the first count grows in every measurement.
 */
const GROWTH = 1.05;
const LOOKS = 12;

/**
 * Returns the plan of a seed (1 or more): an even seed plays a view, an odd one a lesson or a page around lessons.
 * @param {number} seed
 */
export function planOf(seed) {
  const places = seed % 2 ? LESSONS : VIEWS;
  const round = Math.floor(seed / 2);
  return {
    seed,
    place: places[round % places.length],
    viewport: WINDOWS[round % 2], // LESSONS and VIEWS have odd lengths, so each place gets both windows
    lang: LANGUAGES[Math.floor(round / 2) % 2],
  };
}

/** Runs in the page: returns the state and each element's numbers; for a lesson, its results. */
export function findShown() {
  const scope = document.querySelector('logit-scope');
  const lesson = document.querySelector('logit-lesson');
  if (lesson) return { state: {}, marks: lesson.result.state };
  if (!scope) return null;
  const found = [];
  const walk = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if (!element.checkVisibility()) continue;
      if (element.shadowRoot) walk(element.shadowRoot);
      const { localName } = element;
      // If a stage has its neutral value, the address omits it, even if the page shows it.
      if (localName === 'logit-knob' && element.value !== element.row?.neutral)
        found.push(`${element.row?.name} ${element.value}`);
      else if (localName === 'logit-tape') found.push(element.steps.map(({ id }) => id).join());
      else if (element.matches('.row[data-id]'))
        found.push(`${element.dataset.id} ${element.dataset.p} ${element.dataset.removedBy}`);
    }
  };
  walk(scope.shadowRoot.querySelector('#view') ?? scope.shadowRoot);
  const { beat: _, ...state } = scope.state;
  return { state, found, source: scope.source };
}

/** Runs in the page: returns true if the page shows an instrument or a lesson, so a second page can show it too. */
export const isShown = () =>
  Boolean(
    document.querySelector('logit-scope')?.ready || document.querySelector('logit-lesson')?.read,
  );

/**
 * Runs in the page: returns true if its address describes all content. It omits invalid input in a box; results of a
 * lesson are only in the browser's storage.
 */
export const isLinkable = () => {
  const lesson = document.querySelector('logit-lesson');
  if (lesson) return lesson.read !== null;
  const refuses = (root) =>
    [...root.querySelectorAll('*')].some(
      (each) =>
        each.matches('[aria-invalid=true]') || (each.shadowRoot && refuses(each.shadowRoot)),
    );
  if (refuses(document)) return false;
  const scope = document.querySelector('logit-scope');
  return scope?.ready && scope.source !== null && scope.result.ids.length <= 64 && !scope.notice;
};

/**
 * Plays one seed for `milliseconds`. While the page grows, it plays on, up to LOOKS / 2 times as long.
 * @param {import('playwright-core').Browser} browser
 * @param {string} url of the site
 * @param {ReturnType<typeof planOf>} plan
 * @param {number} milliseconds
 */
export async function play(browser, url, { seed, place, lang, viewport }, milliseconds) {
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
  try {
    const page = await context.newPage();
    const faults = listen(page, url);
    const address = `${url}${place}&lang=${lang}&model=verbs`;
    await page.goto(`${address}&fuzz=${seed}`);
    await page.waitForFunction(() => globalThis.fuzz?.log.length > 0, null, { timeout: 60_000 });
    const held = await watch(page, milliseconds / 2);
    const log = await page.evaluate(stopped);
    const mirrored = await mirror(page, url, faults);
    return { log, faults, held, mirrored };
  } finally {
    await context.close();
  }
}

/** Runs in the page: ends the input and returns the played actions as soon as the page is idle. */
const stopped = () =>
  Promise.race([
    globalThis.fuzz.stop(),
    new Promise((_, fail) => setTimeout(fail, 60_000, new Error('not at rest after 60 s'))),
  ]);

/** Returns a list that collects the errors of a page and its requests to other hosts. */
export function listen(page, url) {
  /** @type {string[]} */
  const faults = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.stack ?? error}`));
  page.on('crash', () => faults.push('the page crashed'));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const asked = request.url();
    if (!asked.startsWith(url) && !/^(blob|data|about):/.test(asked)) faults.push(`asks ${asked}`);
  });
  return faults;
}

/**
 * Plays in parts of `milliseconds` and returns the page's counts after each: two parts, or more while the page grows.
 */
export async function watch(page, milliseconds) {
  const held = [];
  while (held.length < 2 || (held.length < LOOKS && growingOf(held).length > 0)) {
    await page.waitForTimeout(milliseconds);
    held.push(await heldBy(page));
  }
  return held;
}

/**
 * Returns the names of the counts that grew in every measurement.
 * @param {Awaited<ReturnType<typeof heldBy>>[]} held
 */
function growingOf(held) {
  return HELD.filter((name) =>
    held.every((each, i) => i === 0 || each[name] > GROWTH * held[i - 1][name]),
  );
}

/**
 * Returns a sentence for each count that grew in every measurement.
 * @param {Awaited<ReturnType<typeof heldBy>>[]} held
 */
export function growthOf(held) {
  if (held.length < LOOKS) return [];
  return growingOf(held).map(
    (name) => `${name} grow: ${held.map((each) => each[name]).join(', ')}`,
  );
}

/** Returns the counts of a page after garbage collection. */
export async function heldBy(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  await session.detach();
  const valueOf = (name) => metrics.find((each) => each.name === name)?.value ?? 0;
  return {
    nodes: valueOf('Nodes'),
    listeners: valueOf('JSEventListeners'),
    documents: valueOf('Documents'),
    heap: valueOf('JSHeapUsedSize'),
  };
}

/** Returns the content of the page and of a second page at its address; null if the address cannot describe it. */
async function mirror(page, url, faults) {
  if (!(await page.evaluate(isLinkable))) return null;
  const shown = await page.evaluate(findShown);
  await page.waitForTimeout(400); // the page updates its address after a pause in input
  const address = new URL(page.url());
  address.searchParams.delete('fuzz');
  const second = await page.context().newPage();
  faults.push(...listen(second, url));
  await second.goto(address.href);
  await second.waitForFunction(isShown, null, { timeout: 60_000 });
  await second.evaluate(() => document.querySelector('logit-scope')?.settled());
  const mirrored = await second.evaluate(findShown);
  return { address: address.href, shown: digestOf(shown), second: digestOf(mirrored) };
}

/** Returns the content as one text, without settings at their defaults. */
export function digestOf({ state, ...others }) {
  const named = Object.entries(state).filter(
    ([name, value]) => value !== null && !sameValue(value, fieldOf(name)?.initial),
  );
  return JSON.stringify({ state: Object.fromEntries(named.sort()), ...others });
}
