/**
 * What a page with `require-trusted-types-for 'script'` (W3C Trusted Types) lets through: addresses of
 * scripts and texts of documents that this policy made. Nothing else here makes any, so that a text
 * of a model, a file or a reader can become neither. Where there are no such types, they pass as is.
 */

/** @type {{ createScriptURL(address: string): any, createHTML(text: string): any } | undefined} */
let policy;

const policyOf = () =>
  (policy ??= /** @type {any} */ (globalThis).trustedTypes?.createPolicy('logitscope', {
    createScriptURL: (/** @type {string} */ address) => address,
    createHTML: (/** @type {string} */ text) => text,
  }));

/** The address of a worker's script: of the page's own files, or of a blob made of them. @param {string} address @returns {string} */
export const trustedAddress = (address) => policyOf()?.createScriptURL(address) ?? address;

/** The document of a sandboxed frame, which came with the page. @param {string} text @returns {string} */
export const trustedDocument = (text) => policyOf()?.createHTML(text) ?? text;
