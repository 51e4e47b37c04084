/** The page of a bundle: leaves its answers for the test to read. */
import { askForSimd, useHere, useRemote } from './app.js';

const model = new URL('/model.gguf', location.href);
globalThis.result = Promise.all([useHere(model), useRemote(model), askForSimd()]);
