/**
 * Sets the addresses of the engine's files in the npm package, in a form that bundlers recognise. The package
 * includes one model, for elements without the attribute `model`.
 */
import { assets } from '../state/assets.js';
import { MODELS } from '../state/models.js';

assets.simd = new URL('./logitscope-simd.wasm', import.meta.url);
assets.relaxed = new URL('./logitscope-relaxed.wasm', import.meta.url);
assets.renderer = new URL('./template.js', import.meta.url).href;

const verbs = MODELS.filter(({ name }) => name === 'verbs');
for (const offer of verbs) {
  offer.model = new URL('./verbs.gguf', import.meta.url).href;
  offer.grammar = new URL('./verbs.grammar.json', import.meta.url).href;
}
MODELS.splice(0, MODELS.length, ...verbs);
