/**
 * Ranks prompts for the first screen and the examples of an offered model by four numbers from 0 to 1, measured with the
 * seed of the first screen:
 * named: tokens that get a wide river at some temperature up to 1.5, of 6;
 * lit: probability of the listed tokens at temperature 1, so that little of the picture is grey;
 * whole: share of complete words among the first tokens, weighted by probability;
 * drama: the text at 0.2 is plain words; the texts of the ladder begin differently; at 1.5 most words exist, not all.
 * The score is their product. Usage: node tests/bench/prompts.js [MODEL] [PROMPT ...]
 */
import { Logitscope } from '../../web/engine/index.js';
import { FIRST_SCREEN } from '../../web/state/first-frame.js';
import { MODELS } from '../../web/state/models.js';
import { SLICE_TOP } from '../../web/state/landscape.js';

const CANDIDATES = /** @type {Record<string, string[]>} */ ({
  stories:
    `Tom opened the box and|Lily wanted to|The little dog|Once upon a time|Mom said, "|They all|The dragon was|
The dragon said, "|The dragon opened the|Once upon a time, there was a|One day, a big|The cat jumped on the|
The robot was very|The robot said, "|The king had a|The king wanted to|The queen lost her|A little girl found a|
A boy named Tim had a|The old man had a|The old tree was|The bear ate the|The bear was so|The bird flew to the|
The fish was very|The frog jumped into the|The mouse found a|The rabbit ran to the|The lion said, "|
The monster under the bed was|The witch made a|The wizard had a|The pirate found a|The magic box had a|
Inside the box there was a|Behind the door there was a|In the garden, she saw a|In the dark forest, there was a|
At the party, there was a|At night, the moon|In the morning, the|Sam and Ben went to the|Sara loved to eat|
Ben was afraid of the|Max the dog wanted a|Lucy gave her mom a|Tim put the frog in the|Mom baked a|Dad came home with a|
Grandma gave him a|The teacher said, "|The clown had a|The train was full of|The boat was made of|The cake was|
The soup was too|The moon was|The sun was|The snowman wanted to|The ghost was|The princess kissed the|
The giant sat on the|The car was|The house was|The baby started to|Her favorite toy was a|He was not a|She ate the|
He looked under the bed and saw a|She opened the door and saw a|Tom opened the door and saw a|
Tom looked in the box and saw a|The cat looked at the|The dog barked at the|The boy kicked the|
Suddenly, a big|The cow said, "|The little bug was|Tim found a|Mia wore her|"Help!" said the|The duck could not|
The owl was very|The spider made a|The monkey took the|The elephant was too|The tiger wanted a|
The girl hugged the|He wished for a|Tom and his dog saw a|The fairy gave her a|The small car was|His mom was very`
      .replaceAll('\n', '')
      .split('|'),
  verbs: [],
  shakespeare:
    `ROMEO:|To be, or|KING RICHARD|What is|Come|The king is|My lord, I|Now is the|O, what a|I will not|
Good night, |The queen hath|Thou art a|Give me thy|He was a|She is not|JULIET:|Is this the|My heart is|
Let me|Where is the|Speak, |Away with|I am the|Farewell, |If you|Your mother`
      .replaceAll('\n', '')
      .split('|'),
});

const { seed, settings } = FIRST_SCREEN;
const [name = 'stories', ...given] = process.argv.slice(2);
const offer = MODELS.find((each) => each.name === name) ?? MODELS[0];
const scope = await Logitscope.load({
  model: new URL(`../../${offer.model}`, import.meta.url),
});
const candidates = [
  ...new Set([...offer.examples, ...(given.length > 0 ? given : (CANDIDATES[name] ?? []))]),
];

/** @param {string} text */
const wordsOf = (text) => text.toLowerCase().match(/[\p{L}’']+/gu) ?? [];
/** @param {string} prompt @param {number} temperature @param {number} [at] */
const write = (prompt, temperature, at = seed) =>
  scope.write({ prompt, temperature, seed: at, max_new_tokens: 24 });

/** Words that the model writes at least twice at a low temperature; in the absence of a dictionary, these exist. */
async function findWords() {
  const counts = new Map();
  for (const prompt of candidates)
    for (let at = 0; at < 12; at++) {
      const { text } = await scope.write({
        prompt,
        temperature: 0.6,
        seed: at,
        max_new_tokens: 60,
      });
      for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  return new Set([...counts].filter(([, n]) => n > 1).map(([word]) => word));
}
const known = await findWords();

/** The share of existing words in a text, without the last word, which may be incomplete. @param {string} text */
function plainShare(text) {
  const words = wordsOf(text).slice(0, -1);
  return words.filter((word) => known.has(word)).length / Math.max(1, words.length);
}

/** True if a token is a whole word: the model's favourite after it begins another word. @param {number[]} ids @param {number} id */
function isWhole(ids, id) {
  scope.feed([...ids, id]);
  const [next] = scope.distribution({ top: 1 }).tokens;
  return !/^[\p{L}’']/u.test(scope.piece(next.id).text);
}

/** @param {string} prompt */
async function rate(prompt) {
  const ids = [...scope.encode(prompt)];
  scope.feed(ids);
  /** @type {Map<number, number>} */
  const widest = new Map();
  for (const temperature of [0.3, 0.5, 0.7, 1, 1.5])
    for (const { id, p } of scope.distribution({ temperature, top: SLICE_TOP }).tokens)
      widest.set(id, Math.max(widest.get(id) ?? 0, p));
  const named = Math.min(1, [...widest.values()].filter((p) => p > 0.04).length / 6);
  const { tokens } = scope.distribution({ temperature: 1, top: SLICE_TOP });
  const lit = tokens.reduce((sum, { p }) => sum + p, 0);
  const first = tokens.slice(0, 10);
  const mass = first.reduce((sum, { p }) => sum + p, 0);
  const wholeMass = first.reduce((sum, { id, p }) => sum + (isWhole(ids, id) ? p : 0), 0);
  const texts = [];
  for (const temperature of [0, 0.2, 0.5, settings.temperature, 1, 1.5, 2])
    texts.push((await write(prompt, temperature)).text);
  const begins = new Set(texts.map((text) => wordsOf(text).slice(0, 2).join(' ')));
  // Four words of five exist at 1.5: the text is still read, and it is strange.
  const strange = 1 - Math.min(1, Math.abs(plainShare(texts[5]) - 0.8) / 0.5);
  const drama =
    plainShare(texts[1]) ** 2 * plainShare(texts[3]) * strange * (begins.size / texts.length);
  const parts = { named, lit, whole: wholeMass / mass, drama };
  return { prompt, parts, texts, score: named * lit * parts.whole * drama };
}

const rated = [];
for (const prompt of candidates) rated.push(await rate(prompt));
rated.sort((a, b) => b.score - a.score);
for (const { prompt, parts, score, texts } of rated.slice(0, 16)) {
  const each = Object.entries(parts).map(([key, value]) => `${key} ${value.toFixed(2)}`);
  console.log(`${score.toFixed(3)}  ${prompt}  (${each.join(', ')})`);
  texts.forEach(
    (text, i) =>
      i !== 3 &&
      console.log(`    ${[0, 0.2, 0.5, 0.7, 1, 1.5, 2][i]}\t${text.replaceAll('\n', '↵')}`),
  );
}
console.log(
  `${rated.length} prompts: ${rated.map(({ prompt, score }) => `${prompt} ${score.toFixed(2)}`).join('; ')}`,
);
