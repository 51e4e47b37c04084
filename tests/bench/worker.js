/**
 * A worker of the bench's page with one contender. It answers messages { method, args } with { result } or { error }.
 */
import { openContender } from './contender.js';

/** @type {import('./contender.js').Contender} */
let contender;

/** @param {string} method @param {any[]} args */
async function answer(method, args) {
  if (method === 'open') contender = await openContender(args[0], args[1]);
  else if (method === 'sample') return contender.sample(args[0], args[1]);
  else await contender.close();
  return null;
}

onmessage = ({ data: { method, args } }) => {
  answer(method, args).then(
    (result) => postMessage({ result }),
    (error) => postMessage({ error: String(error.message) }),
  );
};
