/**
 * The only Trusted Types policy (W3C) of a page with `require-trusted-types-for 'script'`. Only this
 * policy can make script addresses and document texts, so no text of a model, file or user can
 * become one. Without Trusted Types in the browser, the functions return their argument.
 */

/** @type {{ createScriptURL(address: string): any, createHTML(text: string): any } | undefined} */
let policy;

const policyOf = () =>
  (policy ??= /** @type {any} */ (globalThis).trustedTypes?.createPolicy('logitscope', {
    createScriptURL: (/** @type {string} */ address) => address,
    createHTML: (/** @type {string} */ text) => text,
  }));

/**
 * A trusted address of a worker's script, which must be a file of the page or a blob made from it.
 * @param {string} address
 * @returns {string}
 */
export const trustedAddress = (address) => policyOf()?.createScriptURL(address) ?? address;

/**
 * A trusted text of a sandboxed frame's document. The text must be part of the page.
 * @param {string} text
 * @returns {string}
 */
export const trustedDocument = (text) => policyOf()?.createHTML(text) ?? text;
