/** Measures of whole texts after a prompt: exact, without sampling. */
import { constraintTo } from '../engine/right-texts.js';

/** @import { Law } from '../engine/law-types.js' */
/** @import { Asked, LessonMeasure } from './measures.js' */

/**
 * The law of a state's settings, and the law under a mask that allows only some texts; null without a mask.
 * @typedef {{ own: Law, masked: Law | null }} Laws
 */

/** Limits of a search, so that the answer follows a slider. */
const LIMITS = { mass: 0.99, limit: 4000 };

/**
 * @param {any} engine
 * @param {string} prompt
 * @param {Record<string, any>} settings
 * @param {{ allowed?: string[], beam_width?: number }} choices
 * @param {import('../engine/grammar.js').Grammar | null} grammar of right texts
 * @returns {Promise<Laws>}
 */
export async function readLaws(engine, prompt, settings, { allowed, beam_width }, grammar) {
  const constraint = allowed && constraintTo(allowed);
  const own = await engine.law(prompt, settings, {
    ...LIMITS,
    grammar,
    beams: beam_width ? [beam_width] : [],
    alongside: constraint ? [{ condition: constraint }] : [],
  });
  const masked = constraint && (await engine.law(prompt, { ...settings, constraint }, LIMITS));
  return { own, masked: masked ?? null };
}

/** @param {Law} law @param {Asked} asked */
function sentenceOf({ sentences }, { rank = 1, text }) {
  if (text === undefined) return sentences[rank - 1];
  return sentences.find((each) => each.text.trim() === text.trim());
}

/** @param {LessonMeasure['unit']} unit @param {LessonMeasure['of']} of @param {(laws: Laws, asked: Asked) => number | string | null | undefined} read @returns {LessonMeasure} */
const lawMeasure = (unit, of, read) => ({
  unit,
  of,
  from: 'law',
  read: (laws, asked) => read(laws, asked) ?? undefined,
});

/** @type {Record<string, LessonMeasure>} */
export const OF_LAW = {
  sentence: lawMeasure('token', ['rank'], ({ own }, asked) => sentenceOf(own, asked)?.text),
  sentence_p: lawMeasure('share', ['rank', 'text'], ({ own }, asked) => sentenceOf(own, asked)?.p),
  sentence_rank: lawMeasure('number', ['text'], ({ own }, asked) => sentenceOf(own, asked)?.rank),
  greedy_rank: lawMeasure('number', [], ({ own }) => own.greedy.rank),
  beam_rank: lawMeasure('number', [], ({ own }) => own.beams[0]?.rank),
  masked_p: lawMeasure(
    'share',
    ['text'],
    ({ masked }, asked) => masked && sentenceOf(masked, asked)?.p,
  ),
  given_p: lawMeasure(
    'share',
    ['text'],
    ({ own }, asked) => sentenceOf(own, asked)?.beside[0]?.[1],
  ),
  right: lawMeasure('share', [], ({ own }) => own.right?.p),
};
