/** The page of a bundle. It stores its results in `globalThis.result` for the test. */
import { askForSimd, useHere, useRemote } from './app.js';

const model = new URL('/model.gguf', location.href);
globalThis.result = Promise.all([useHere(model), useRemote(model), askForSimd()]);
