/** What the address asks of the page for tests: other strings. */

/** @param {{ strings?: string }} asked */
export async function beginTrial({ strings }) {
  if (strings) (await import('../locale/pseudo.js')).beginPseudo(strings);
}
