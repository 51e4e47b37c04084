/** What the address asks of the page for tests: other strings, or random input. */

/** @param {{ strings?: string, fuzz?: number }} asked */
export async function beginTrial({ strings, fuzz }) {
  if (strings) (await import('../locale/pseudo.js')).beginPseudo(strings);
  if (fuzz !== undefined) (await import('./fuzz.js')).beginFuzz(fuzz);
}
