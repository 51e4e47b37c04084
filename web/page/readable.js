/** The example prompts of a model that does not come with the page. The page fetches this module for such a model. */
import { MODELS } from '../state/models.js';

/** Number of tokens in a vocabulary that are tried as examples, and most examples from it. */
const OWN_TOKENS = 256;
const OWN_EXAMPLES = 3;

/**
 * Removes examples that the model cannot encode. If none remains, uses examples of other models, or else tokens of its
 * own vocabulary, letters first. A model of characters begins with a line break.
 * @param {import('../state/models.js').Offer} offer
 * @param {import('../engine/remote.js').RemoteLogitscope} engine
 */
export async function chooseExamples(offer, engine) {
  const reads = (/** @type {string} */ text) =>
    engine.encode(text).then(
      ({ length }) => length > 0,
      () => false,
    );
  const own = async () => {
    const ids = Array.from(
      { length: Math.min(engine.info?.vocab_size ?? 0, OWN_TOKENS) },
      (_, i) => i,
    );
    const texts = (await Promise.all(ids.map((id) => engine.piece(id)))).map(({ text }) => text);
    const visible = texts.filter((text) => /\S/.test(text));
    return [...visible.filter((text) => /\p{L}/u.test(text)), ...visible].slice(0, OWN_EXAMPLES);
  };
  const lists = [() => offer.examples, () => MODELS.flatMap(({ examples }) => examples), own];
  for (const list of lists) {
    const texts = await list();
    const read = await Promise.all(texts.map(reads));
    offer.examples = texts.filter((_, i) => read[i]);
    if (offer.examples.length > 0) break;
  }
  // A model of characters has learned texts of many lines. Its first example is the beginning of a line.
  if (engine.info?.tokenizer === 'char' && (await reads('\n'))) offer.examples.unshift('\n');
}
