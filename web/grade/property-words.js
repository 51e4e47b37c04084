/** Returns the sentence of a property in the page's language. */

/**
 * @param {string} as the graded function
 * @param {{ name: string, needs?: string }} verdict
 * @param {(key: string, params?: Record<string, any>) => string} t
 * @param {(key: string) => boolean} has returns true if there is a message with the key
 */
export function propertyWords(as, { name, needs }, t, has) {
  const key = `sampler.says.${name}`;
  if (needs && !has(key)) return t('sampler.says.beside', { name: needs });
  const [, first, second] = /^(.+)_before_(.+)$/.exec(name) ?? [];
  if (first) return t('sampler.says.before', { first, second });
  return has(key) ? t(key, { as }) : t('sampler.says.only', { name });
}
