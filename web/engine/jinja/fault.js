/** The error for a template that is wrong or uses an unsupported feature. */
export class Fault extends Error {}

/** @param {string} reason @returns {never} */
export const refuse = (reason) => {
  throw new Fault(reason);
};
