/**
 * Plays random input on the page (?fuzz=SEED, web/page/fuzz.js). The page must report no errors and request nothing
 * from other hosts. A second page that opens its address must show the same content.
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

/** Counts that grow without end if the page leaks memory. */
const HELD = /** @type {const} */ (['nodes', 'listeners', 'documents']);
/**
 * A count has grown if each of LOOKS measurements is GROWTH times the one before. A view that opens late makes it
 * grow once, a text only until its reset; a leak of a tenth makes it grow every time.
 */
const GROWTH = 1.05;
const LOOKS = 12;

/**
 * Returns the plan of a seed, from 1. Even seeds play a view, odd ones a lesson or a page about lessons.
 * @param {number} seed
 */
export function planOf(seed) {
  const places = seed % 2 ? LESSONS : VIEWS;
  const round = Math.floor(seed / 2);
  return {
    seed,
    place: places[round % places.length],
    viewport: WINDOWS[round % 2], // the lists of places have odd lengths, so each place gets both windows
    lang: LANGUAGES[Math.floor(round / 2) % 2],
  };
}

/** Runs in the page: returns the state and the numbers of each element; for a lesson, its results. */
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
      // The address leaves out a neutral value even if its stage is visible.
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

/** Runs in the page: returns true if an instrument or a lesson is visible, which a second page can show too. */
export const isShown = () =>
  Boolean(
    document.querySelector('logit-scope')?.ready || document.querySelector('logit-lesson')?.read,
  );

/**
 * Runs in the page: returns true if the address describes everything that is visible. It does not describe invalid
 * text in a field or the results of a lesson.
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
 * Plays the input of one seed for `milliseconds`. If counts are growing, plays longer, up to LOOKS / 2 times.
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

/** Runs in the page: ends the input and returns the played actions when the page is idle. */
const stopped = () =>
  Promise.race([
    globalThis.fuzz.stop(),
    new Promise((_, fail) => setTimeout(fail, 60_000, new Error('not at rest after 60 s'))),
  ]);

/** Returns a list to which the page's errors and requests to other hosts are added. */
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
 * Plays in parts of `milliseconds` and returns the counts after each part. While counts grow, plays more than two
 * parts.
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
 * Returns the names of the counts that grew in every part.
 * @param {Awaited<ReturnType<typeof heldBy>>[]} held
 */
function growingOf(held) {
  return HELD.filter((name) =>
    held.every((each, i) => i === 0 || each[name] > GROWTH * held[i - 1][name]),
  );
}

/**
 * Returns a sentence for each count that grew in every part.
 * @param {Awaited<ReturnType<typeof heldBy>>[]} held
 */
export function growthOf(held) {
  if (held.length < LOOKS) return [];
  return growingOf(held).map(
    (name) => `${name} grow: ${held.map((each) => each[name]).join(', ')}`,
  );
}

/** Returns the page's counts after garbage collection. */
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

/** Returns the content of the page and of a second page at its address; null if the address does not describe it. */
async function mirror(page, url, faults) {
  if (!(await page.evaluate(isLinkable))) return null;
  const shown = await page.evaluate(findShown);
  await page.waitForTimeout(400); // the page updates its address after a pause
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

/** Returns the content as one text, without default settings. */
export function digestOf({ state, ...others }) {
  const named = Object.entries(state).filter(
    ([name, value]) => value !== null && !sameValue(value, fieldOf(name)?.initial),
  );
  return JSON.stringify({ state: Object.fromEntries(named.sort()), ...others });
}
