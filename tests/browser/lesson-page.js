/** What tests of lessons share: when one is at rest, its questions, and what axe finds. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const axeSource = await readFile(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

/** Waits until no element of the lesson works: for two frames, since what one shows may ask for more. */
export const rest = (page) =>
  page.evaluate(async () => {
    const working = (root) =>
      [...root.querySelectorAll('*')].some(
        (each) =>
          each.matches(':not(:defined)') ||
          each.isUpdatePending ||
          (each.localName.startsWith('logit-') && each.busy) ||
          (each.shadowRoot && working(each.shadowRoot)),
      );
    for (let still = 0; still < 2; still = working(document) ? 0 : still + 1)
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  });

/** A question by its place in the lesson. */
export const question = (page, place) => page.locator('logit-question').nth(place - 1);
export const said = (page, place) => question(page, place).locator('[role=status]').innerText();

export async function axe(page) {
  await page.evaluate(axeSource);
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(
        ({ target, failureSummary }) => `${id}: ${target.flat().join(' ')} ${failureSummary}`,
      ),
    );
  });
}
