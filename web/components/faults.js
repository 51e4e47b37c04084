/** What was refused, as it is kept and told. */

/** @typedef {{ code: string, message: string }} Fault */

/**
 * What was thrown, as it is kept and told.
 * @param {unknown} error
 * @returns {Fault}
 */
export function toFault(error) {
  const { code = 'other', message = String(error) } = /** @type {any} */ (error);
  return { code: String(code), message: String(message) };
}
