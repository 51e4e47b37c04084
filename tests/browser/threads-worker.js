/** A worker of an isolated page: the digests of a model with each number of threads, of which even small parts make use. */
import { Logitscope } from '../../web/engine/index.js';
import { digest } from '../node/digest.js';
import { openThreads } from '../node/threaded.js';

/** @param {{ model: string, numbers: number[] }} job */
async function digests({ model, numbers }) {
  const found = [];
  for (const n of numbers) {
    const scope =
      n === 1 ? await Logitscope.load({ model, threads: 1 }) : (await openThreads(model, n)).scope;
    found.push(await digest(scope));
    scope.close();
  }
  return found;
}

onmessage = ({ data }) => digests(data).then(postMessage, (error) => postMessage(String(error)));
