/** The reason why a template is refused: it is wrong, or has something that is not supported. */
export class Fault extends Error {}

/** @param {string} reason @returns {never} */
export const refuse = (reason) => {
  throw new Fault(reason);
};
