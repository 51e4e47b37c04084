/** Replaces node.js in a bundle for browsers. Such a bundle may still run in Node. */
import { LogitscopeError } from './errors.js';

const refuse = () => {
  throw new LogitscopeError('unsupported', 'no_node');
};

/** @returns {never} */
export function startThread() {
  throw new LogitscopeError('unsupported', 'no_worker');
}

export const store = null;
export const parentPort = null;
export {
  refuse as availableParallelism,
  refuse as createHash,
  refuse as fileURLToPath,
  refuse as openFile,
  refuse as startProgram,
  refuse as startTemplates,
};
