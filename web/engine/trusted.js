/**
 * The only Trusted Types policy (W3C) of a page with `require-trusted-types-for 'script'`. It makes
 * script addresses and document texts. Nothing else can, so no text of a model, file or user
 * becomes either. In browsers without Trusted Types, values pass unchanged.
 */

/** @type {{ createScriptURL(address: string): any, createHTML(text: string): any } | undefined} */
let policy;

const policyOf = () =>
  (policy ??= /** @type {any} */ (globalThis).trustedTypes?.createPolicy('logitscope', {
    createScriptURL: (/** @type {string} */ address) => address,
    createHTML: (/** @type {string} */ text) => text,
  }));

/**
 * The address of a worker's script: a file of the page, or a blob made from its files.
 * @param {string} address
 * @returns {string}
 */
export const trustedAddress = (address) => policyOf()?.createScriptURL(address) ?? address;

/**
 * The text of a sandboxed frame's document, which is part of the page.
 * @param {string} text
 * @returns {string}
 */
export const trustedDocument = (text) => policyOf()?.createHTML(text) ?? text;
