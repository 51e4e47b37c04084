/** Prints the engine's variant (scalar or SIMD) and each model's digest: digest_of.js VARIANT[:STREAMS] MODEL... */
import { Logitscope } from '../../web/engine/index.js';
import { digest } from './digest.js';

const [asked, ...models] = process.argv.slice(2);
const [variant, streams] = asked.split(':');
for (const model of models) {
  const scope = await Logitscope.load({
    model,
    variant,
    streams: streams ? Number(streams) : 'auto',
  });
  console.log(scope.variant, await digest(scope));
}
