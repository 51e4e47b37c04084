/** `logitscope lesson answers`: prints the answers of a lesson, computed by the engine. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Logitscope } from '../engine/index.js';
import { answersOf } from '../lessons/answers.js';
import { rightInWords, wrongInWords } from '../lessons/answer-words.js';
import { measure, needsRules, sourceOf } from '../lessons/measures.js';
import { setLanguage, t } from '../locale/locale.js';
import { UsageError } from './flags.js';
import { inLine } from './terminal.js';

/** @import { Lesson } from '../lessons/lesson-file.js' */

const models = fileURLToPath(new URL('../../models/', import.meta.url));

/**
 * Returns the path of a state's model: a model of this package, or a file in the lesson's folder.
 * @param {string} model
 * @param {string} file the lesson's path
 */
function modelFile(model, file) {
  const shipped = resolve(models, `${model}.gguf`);
  const found = existsSync(shipped) ? shipped : resolve(dirname(file), model);
  if (!existsSync(found)) throw new UsageError(`the model ${JSON.stringify(model)} is not here`);
  return found;
}

/**
 * Returns the grammar that judges a model's texts, if a measure needs it.
 * @param {string | undefined} model
 * @param {import('../lessons/measures.js').Asked} asked
 */
function grammarOf(model, asked) {
  const file = model?.replace(/\.gguf$/, '.grammar.json');
  if (!file || !needsRules(asked) || !existsSync(file)) return null;
  return JSON.parse(readFileSync(file, 'utf8'));
}

/**
 * @param {Lesson} lesson
 * @param {string} file the lesson's path
 * @param {import('../engine/crowd.js').CrowdOptions} [crowd] the workers that write many texts
 */
export async function computeAnswers(lesson, file, crowd = {}) {
  /** @type {Map<string | undefined, Promise<Logitscope>>} */
  const engines = new Map();
  try {
    return await answersOf(lesson, async (state, asked) => {
      if (sourceOf(asked) === 'steps') return measure(asked, state, null);
      const model = state.logits ? undefined : modelFile(state.model ?? 'stories', file);
      const loading = engines.get(model) ?? Logitscope.load({ model });
      engines.set(model, loading);
      const engine = await loading;
      return measure(asked, state, engine, engine, grammarOf(model, asked), crowd);
    });
  } finally {
    for (const loading of engines.values()) (await loading).close();
  }
}

/** Removes the markup of a lesson's text, because a terminal cannot show it. @param {string} text */
const plain = (text) =>
  inLine(text.replace(/\*\*([^*]+)\*\*|\*([^*]+)\*/g, '$1$2').replace(/\[([^\]]+)\]\(/g, '$1 ('));

/**
 * @param {Lesson} lesson
 * @param {import('../lessons/answers.js').Answer[]} answers
 * @param {string} language of the surrounding text
 */
export async function answerSheet(
  { title, aim, minutes, guide = [], extension },
  answers,
  language,
) {
  await setLanguage(language);
  try {
    const lines = [title, ...(minutes ? [t('lesson.minutes', { n: minutes })] : [])];
    lines.push(`${t('lesson.aim')}: ${aim}`, '');
    for (const text of [guide].flat()) lines.push(`${t('teacher.say')}: ${text}`);
    for (const answer of answers) {
      const { question, place, wrong } = answer;
      const { ask, right, solution } = question;
      lines.push('', `${place}. ${ask}`);
      lines.push(`   ${t('teacher.right')}: ${rightInWords(answer) || (solution ?? right)}`);
      lines.push(`   ${right}`);
      if (wrong.length > 0) lines.push(`   ${t('teacher.wrongs')}:`);
      for (const each of wrong) lines.push(`   - ${wrongInWords(answer, each)} → ${each.say}`);
    }
    if (extension) lines.push('', `${t('lesson.extension')}: ${extension}`);
    return `${lines.map(plain).join('\n')}\n`;
  } finally {
    await setLanguage('en');
  }
}
