/** Helpers for tests of lessons. */
/**
 * Waits until no element of the lesson has worked for two frames, since the end of one element's work may start
 * another.
 */
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

/** Finds a question by its number in the lesson, from 1. */
export const question = (page, place) => page.locator('logit-question').nth(place - 1);
/** Returns the verdict on a question's answer, with plain instead of no-break spaces. */
export const said = async (page, place) =>
  (await question(page, place).locator('[role=status]').innerText()).replaceAll('\u00a0', ' ');
