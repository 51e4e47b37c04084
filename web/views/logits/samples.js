/** Example logits and an example text. */

/** Logits by token after "The capital of France is": one token is nearly certain. */
const CONFIDENT = {
  ' Paris': 12.1,
  ' the': 8.2,
  ' a': 7.4,
  ' located': 6.9,
  ' not': 6.2,
  ' in': 6.1,
  ' one': 5.8,
  ' called': 5.4,
  ' Lyon': 5.2,
  ' still': 4.9,
  ' home': 4.7,
  ' now': 4.6,
  ' known': 4.5,
  ' Marseille': 4.3,
  ' an': 4.1,
  ' famous': 3.9,
};

/** Logits by token after "My favourite thing is": very many tokens are possible. */
const LONG_TAILED = {
  ' the': 3.4,
  ' to': 3.1,
  ' my': 2.9,
  ' a': 2.8,
  ' when': 2.6,
  ' music': 2.5,
  ' reading': 2.4,
  ' that': 2.4,
  ' chocolate': 2.3,
  ' walking': 2.2,
  ' summer': 2.2,
  ' cooking': 2.1,
  ' sleep': 2.0,
  ' coffee': 2.0,
  ' football': 1.9,
  ' rain': 1.9,
  ' dancing': 1.8,
  ' going': 1.8,
  ' dogs': 1.7,
  ' painting': 1.7,
  ' tea': 1.6,
  ' snow': 1.6,
  ' seeing': 1.5,
  ' how': 1.5,
  ' bread': 1.4,
  ' swimming': 1.4,
  ' singing': 1.3,
  ' cats': 1.3,
  ' books': 1.2,
  ' silence': 1.2,
  ' being': 1.1,
  ' chess': 1.1,
  ' spring': 1.0,
  ' stars': 1.0,
  ' soup': 0.9,
  ' trains': 0.9,
  ' maps': 0.8,
  ' moss': 0.7,
  ' knots': 0.6,
  ' owls': 0.5,
};

/** @param {Record<string, number>} logits */
const linesOf = (logits) =>
  Object.entries(logits)
    .map(([token, logit]) => `${token}: ${logit}`)
    .join('\n');

export const SAMPLES = { confident: linesOf(CONFIDENT), tailed: linesOf(LONG_TAILED) };

export const TEXT = `the cat sat on the mat. the dog sat on the log. the cat saw the dog and the dog saw the cat. the mat was red and the log was wet. the cat ran to the red mat and the dog ran to the wet log.`;
