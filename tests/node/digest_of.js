/** Prints what runs and the digest of each model: digest_of.js VARIANT MODEL... */
import { Logitscope } from '../../web/engine/index.js';
import { digest } from './digest.js';

const [variant, ...models] = process.argv.slice(2);
for (const model of models) {
  const scope = await Logitscope.load({ model, variant });
  console.log(scope.variant, await digest(scope));
}
