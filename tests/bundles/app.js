/** Calls every function that a bundle needs. bundlers.test.js compares the results with the engine in Node. */
import { Logitscope } from 'logitscope';
import { RemoteLogitscope } from 'logitscope/remote';

/** @param {() => Promise<unknown>} act */
const attempt = (act) =>
  act().catch((/** @type {Error} */ { name, message }) => `${name}: ${message}`);

const OPTIONS = { prompt: 'Once', max_new_tokens: 8, seed: 1 };
const CONSTRAINED = { ...OPTIONS, constraint: { schema: { type: 'boolean' } } };
const MESSAGES = [{ role: 'user', content: 'Hi' }];

/** @param {Logitscope | RemoteLogitscope} scope */
async function use(scope) {
  return {
    variant: scope.variant,
    text: (await scope.write(OPTIONS)).text,
    constrained: (await scope.write(CONSTRAINED)).text,
    chat: await attempt(async () => (await scope.chat(MESSAGES)).text),
  };
}

/** @param {string | URL} model */
export const useHere = (model) => attempt(async () => use(await Logitscope.load({ model })));

/** @param {string | URL} model */
export const useRemote = (model) =>
  attempt(async () => use(await RemoteLogitscope.load({ model })));

export const askForSimd = () =>
  attempt(async () => (await Logitscope.load({ variant: 'simd' })).variant);
