/**
 * Opens a link of tests/vectors/links-1.0.jsonl, and reads state, texts and numbers of the page. It uses only the
 * page's public interface:
 *
 * - <logit-scope>: settled(), ready, source, context, controls, readonly, fault, notice, `state` as in the
 *   answer to logitscope:get, `result` as in the answer to logitscope:step;
 * - compare and sweep: the file that the CSV button saves;
 * - <logit-landscape>: outcome; <logit-speculative>: steps and totals; the <logit-distribution> of
 *   <logit-logits>: trace;
 * - <logit-lesson>: opened, list, `result` and reading(), both in logitscope:result; the lesson editor:
 *   draft and faults; the teacher's guide: lesson and list.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { smallModel } from '../node/small_model.js';
import { rest } from './lesson-page.js';

/** @import { Page } from 'playwright-core' */

/**
 * Either `link`, an address relative to the site, or `element`, HTML in which {site} means the site's address. `shows`
 * is the result of readPage.
 * @typedef {{ kind: string, link?: string, element?: string, shows: Record<string, any> }} Link
 */

/** Longest text in the fixture, in characters, and largest number of bars. A digest replaces longer ones. */
const LONGEST = 160;
const BARS = 10;

/** A model with a chat template; some links name it. */
const CHAT_MODEL = 'models/chat-link.gguf';
const TEMPLATE =
  '{% for m in messages %}<end>{{ m.role }}: {{ m.content }}{% endfor %}{% if add_generation_prompt %}<end>{% endif %}';

/** Writes the chat model to a folder; returns a route function for its address. @param {string} folder */
export function routeOfModel(folder) {
  const file = join(folder, 'chat-link.gguf');
  writeFileSync(file, smallModel({ context: 256, name: 'chat-link', template: TEMPLATE }));
  return (/** @type {string} */ path) => (path === `/${CHAT_MODEL}` ? file : undefined);
}

/** Reads the links of a fixture. @param {string | URL} path @returns {Link[]} */
export const readLinks = (path) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/**
 * Opens a link in a new document, with empty storage.
 * @param {Page} page
 * @param {string} site
 * @param {Link} link
 */
export async function openLink(page, site, { link, element }) {
  await openBlank(page, site);
  if (element) await page.setContent(element.replaceAll('{site}', site));
  else await page.goto(site + link);
}

/** Opens an empty document of the site and clears the browser's storage. @param {Page} page @param {string} site */
export async function openBlank(page, site) {
  await page.goto(`${site}source/tests/browser/blank.html`);
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
    localStorage.setItem('logitscope-guide', 'seen');
  });
}

/** Returns state, texts and numbers of a page as plain JSON. @param {Page} page */
export async function readPage(page) {
  const shows = (await isLesson(page)) ? await readLesson(page) : await readScope(page);
  return shorten(JSON.parse(JSON.stringify(shows)));
}

/** @param {Page} page */
const isLesson = (page) => page.evaluate(() => /[?&]lesson\b/.test(location.search));

/** @param {Page} page */
async function readScope(page) {
  await page.waitForFunction(() => {
    const scope = /** @type {any} */ (document.querySelector('logit-scope'));
    return scope?.ready;
  });
  const shows = await page.locator('logit-scope').evaluate(async (scope, bars) => {
    await scope.settled();
    const { source, context, controls, readonly, result, fault, notice } = scope;
    const { lang, dataset } = document.documentElement;
    // Omits choices that are null: null means the default, and a link does not contain it.
    const state = Object.entries({
      ...scope.state,
      // In 1.0 a link without a chart opened the bars. Today such a link lets the settings decide the chart.
      ...('bench_chart' in scope.state && { bench_chart: scope.state.bench_chart ?? 'bars' }),
    }).filter(([, value]) => value !== null);
    const shown = {
      page: { lang: scope.lang || lang, theme: dataset.theme, controls, readonly },
      model: source,
      context,
      state: Object.fromEntries(state),
      text: result.text,
      ...(notice && { notice }),
    };
    if (fault) return { ...shown, fault: fault.code }; // leaves out the numbers, which belong to an earlier state
    const { finish_reason, verdict, trace } = result;
    return {
      ...shown,
      finish_reason,
      verdict,
      kept: trace?.kept,
      entropy: trace?.entropy,
      bars: trace?.tokens.slice(0, bars).map(({ id, p }) => [id, p]),
    };
  }, BARS);
  if ('fault' in shows) return shows;
  return { ...shows, ...(await readView(page, shows.state.view)) };
}

/** Returns the numbers that a view adds to the state. @param {Page} page @param {string} view */
async function readView(page, view) {
  if (view === 'compare' || view === 'sweep') return { table: await readCsv(page) };
  if (view === 'landscape')
    return page.locator('logit-landscape').evaluate(({ outcome }) => {
      const { knob, share, u, id, best } = outcome ?? {};
      return { crossing: { knob, share, u, id, best: best?.p } };
    });
  if (view === 'speculative')
    return page.locator('logit-speculative').evaluate(({ steps, totals }) => ({
      steps: steps.map(({ id, p, speculation }) => [id, p, speculation?.outcome]),
      accepted: totals?.accepted,
      passes: totals?.passes,
    }));
  if (view !== 'logits') return {};
  return page.locator('logit-logits logit-distribution').evaluate(
    ({ trace }, bars) => ({
      given: trace?.tokens.slice(0, bars).map(({ id, p }) => [id, p]),
    }),
    BARS,
  );
}

/** Returns the CSV that a view saves; null if it has no such button. @param {Page} page */
async function readCsv(page) {
  await page.locator('logit-compare details.table').evaluateAll((all) => {
    for (const each of all) /** @type {HTMLDetailsElement} */ (each).open = true;
  });
  const save = page.getByRole('button', { name: /CSV/ });
  if (!(await save.count())) return null;
  const [file] = await Promise.all([page.waitForEvent('download'), save.click()]);
  return readFileSync(await file.path(), 'utf8');
}

/** @param {Page} page */
async function readLesson(page) {
  const element = page.locator('logit-lesson, logit-lesson-editor, logit-lesson-guide').first();
  await element.waitFor({ state: 'attached' });
  await rest(page);
  return element.evaluate(async (it, bars) => {
    const { localName, lesson, list, draft, read, faults } = /** @type {any} */ (it);
    if (localName === 'logit-lesson' && read) await /** @type {any} */ (it).opened;
    const { distribution, ...reading } = (await /** @type {any} */ (it).reading?.()) ?? {};
    return {
      page: { lang: document.documentElement.lang, title: document.title },
      lesson,
      ...(list?.length && { list: list.map((/** @type {any} */ { name }) => name) }),
      draft,
      faults: faults?.length ?? 0,
      result: /** @type {any} */ (it).result,
      ...reading,
      bars: distribution?.slice(0, bars).map((/** @type {any} */ { id, p }) => [id, p]),
    };
  }, BARS);
}

/** Replaces long texts and lists by their digests. @param {any} value @returns {any} */
function shorten(value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (typeof value === 'string' || Array.isArray(value)) {
    if (value.length > LONGEST || (Array.isArray(value) && text.length > 4 * LONGEST))
      return `${value.length} by sha256 ${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shorten(each)]));
}
