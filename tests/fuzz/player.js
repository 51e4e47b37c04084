/**
 * Plays random input on the page (?fuzz=SEED, web/page/fuzz.js) and checks the result: no errors, no
 * requests to other hosts, and the same content on a second page at the same address.
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

/** Counts that only grow in a page that leaks. */
const HELD = /** @type {const} */ (['nodes', 'listeners', 'documents']);
/**
 * A count grows if each of so many looks exceeds the one before by this factor. A view that opens late
 * grows once, a text until it is reset; a leak of a tenth of the first count grows at every look.
 */
const GROWTH = 1.05;
const LOOKS = 12;

/** The plan of a seed from 1 on: an even seed plays a view, an odd one a lesson or its surroundings. @param {number} seed */
export function planOf(seed) {
  const places = seed % 2 ? LESSONS : VIEWS;
  const round = Math.floor(seed / 2);
  return {
    seed,
    place: places[round % places.length],
    viewport: WINDOWS[round % 2], // their numbers are odd, so that each place meets each window
    lang: LANGUAGES[Math.floor(round / 2) % 2],
  };
}

/** In the page: the state and the numbers of every element that shows them; for a lesson its marks. */
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
      // The address omits the stage on display if it does nothing.
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

/** In the page: true if it shows an instrument or a lesson, which a second page can show. */
export const isShown = () =>
  Boolean(
    document.querySelector('logit-scope')?.ready || document.querySelector('logit-lesson')?.read,
  );

/**
 * In the page: true if a second page can show all of this one. The address omits input that a box
 * refused; the browser stores the marks of a lesson.
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
 * Plays one seed for a while; while the page grows, half as long again, up to LOOKS halves.
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

/** In the page: ends the play and returns the played actions when the page is at rest. */
const stopped = () =>
  Promise.race([
    globalThis.fuzz.stop(),
    new Promise((_, fail) => setTimeout(fail, 60_000, new Error('not at rest after 60 s'))),
  ]);

/** Errors of a page, and its requests to other hosts. */
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

/** Plays in parts; returns the page's counts after each. Two parts, and more while the page grows. */
export async function watch(page, milliseconds) {
  const held = [];
  while (held.length < 2 || (held.length < LOOKS && growingOf(held).length > 0)) {
    await page.waitForTimeout(milliseconds);
    held.push(await heldBy(page));
  }
  return held;
}

/** Names of the counts that grew at every look. @param {Awaited<ReturnType<typeof heldBy>>[]} held */
function growingOf(held) {
  return HELD.filter((name) =>
    held.every((each, i) => i === 0 || each[name] > GROWTH * held[i - 1][name]),
  );
}

/** A sentence for each count that grew at every look. @param {Awaited<ReturnType<typeof heldBy>>[]} held */
export function growthOf(held) {
  if (held.length < LOOKS) return [];
  return growingOf(held).map(
    (name) => `${name} grow: ${held.map((each) => each[name]).join(', ')}`,
  );
}

/** The counts of a page after garbage collection. */
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

/** The content of the page and of a second one at its address; null if the address cannot express it. */
async function mirror(page, url, faults) {
  if (!(await page.evaluate(isLinkable))) return null;
  const shown = await page.evaluate(findShown);
  await page.waitForTimeout(400); // the address is written when the hand rests
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

/** The content as one text; a choice at its default is omitted. */
export function digestOf({ state, ...others }) {
  const named = Object.entries(state).filter(
    ([name, value]) => value !== null && !sameValue(value, fieldOf(name)?.initial),
  );
  return JSON.stringify({ state: Object.fromEntries(named.sort()), ...others });
}
