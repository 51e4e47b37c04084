/** The recipes of docs/bundlers.md, files that several test projects need, and the expected results. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Logitscope } from '../../web/engine/index.js';
import { serve } from '../../web/serve.js';
import { smallModel } from '../node/small_model.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const DOCUMENT = readFileSync(new URL('../../docs/bundlers.md', import.meta.url), 'utf8');

/** Returns the file that docs/bundlers.md shows under this name. @param {string} name */
export function recipe(name) {
  const begin = DOCUMENT.indexOf(` ${name}\n`);
  if (begin < 0) throw new Error(`docs/bundlers.md shows no ${name}`);
  const from = begin + name.length + 2;
  return DOCUMENT.slice(from, DOCUMENT.indexOf('```', from));
}

const VERBS = fileURLToPath(new URL('../../models/verbs.gguf', import.meta.url));
const TEMPLATE = '{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<assistant>';

/** Makes a model with quantised weights and a chat template. */
export const chatModel = () =>
  smallModel({ dim: 64, context: 256, type: 'Q8_0', template: TEMPLATE });

/**
 * Copies files of this folder (`own`) and recipes of docs/bundlers.md (`shown`) into a project.
 * @param {string} project
 * @param {string[]} own
 * @param {string[]} [shown]
 */
export function fill(project, own, shown = []) {
  for (const name of own) cpSync(join(HERE, name), join(project, name));
  for (const name of shown) writeFileSync(join(project, name), recipe(name));
}

/** @param {string} script */
export const pageOf = (script) =>
  `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><div id="app"></div>${script}`;

/**
 * Returns the results of the page at `url`: of useHere, useRemote and askForSimd in app.js.
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 */
export async function answersAt(browser, url) {
  const page = await browser.newPage();
  try {
    await page.goto(url);
    await page.waitForFunction(() => /** @type {any} */ (globalThis).result);
    return await page.evaluate(() => /** @type {any} */ (globalThis).result);
  } finally {
    await page.close();
  }
}

/**
 * Serves a folder and returns the results of its page.
 * @param {import('playwright-core').Browser} browser
 * @param {string} folder
 * @param {(path: string) => string | undefined} [route]
 */
export async function answersOf(browser, folder, route) {
  const server = await serve(folder, 0, route);
  try {
    return await answersAt(browser, server.url);
  } finally {
    await server.close();
  }
}

/** Returns the results that elements.js must show in the browser, computed in Node. @param {string} model */
export async function elementAnswers(model) {
  const scope = await Logitscope.load({ model });
  scope.feed(scope.encode('<user>Hi<assistant>'));
  const { vocab_size } = (await Logitscope.load({ model: VERBS })).info;
  const p = scope.distribution({ top: 5 }).tokens.map((token) => token.p);
  return { p, vocab_size, variant: 'relaxed' };
}
