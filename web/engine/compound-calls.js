/** Calls that combine other calls: several texts for one prompt, the log-probability of a text. */
import { checkIds, checkInteger, checkText } from './checks.js';
import { LogitscopeError, mustBe } from './errors.js';
import { openPace } from './generate.js';

/** @import { Core } from './core.js' */
/** @import { Generated, Score, Step } from './types.js' */

/** Maximum number of texts that one call of writeMany writes. */
const TEXTS_MAX = 1000;

/**
 * @param {{ write: (options: any) => Promise<Generated & { steps: Step[] }> }} session in this thread or in a worker
 * @param {any} options
 */
export async function writeMany(session, options) {
  const { n = 1, seed = 0, ...others } = options ?? {};
  checkInteger('n', n, 1, TEXTS_MAX);
  if (typeof seed !== 'number') throw mustBe('seed', 'a_number', seed);
  const texts = [];
  for (let i = 0; i < n; i++) texts.push(await session.write({ ...others, seed: seed + i }));
  return texts;
}

/**
 * The ids of a prompt and of its completion. Both are encoded as one text. If that changes the
 * prompt's ids, the completion is encoded separately.
 * @param {Core} core
 * @param {string | ArrayLike<number>} prompt
 * @param {string | ArrayLike<number>} completion
 */
function idsOf(core, prompt, completion) {
  for (const [name, given] of Object.entries({ prompt, completion })) {
    checkText(name, given);
    if (typeof given !== 'string') checkIds(name, given, core.needModel().vocab_size);
  }
  const before = Array.from(typeof prompt === 'string' ? core.encode(prompt) : prompt);
  if (!before.length) throw new LogitscopeError('empty', 'no_prompt');
  if (typeof completion !== 'string') return { before, after: Array.from(completion) };
  if (typeof prompt === 'string') {
    const whole = Array.from(core.encode(prompt + completion));
    if (before.every((id, i) => whole[i] === id))
      return { before, after: whole.slice(before.length) };
  }
  return { before, after: Array.from(core.encode(completion, { bos: false })) };
}

/**
 * @param {Core} core
 * @param {import('./session.js').Session} session
 * @param {string | ArrayLike<number>} prompt
 * @param {string | ArrayLike<number>} completion
 * @returns {Promise<Score>}
 */
export async function score(core, session, prompt, completion) {
  const pace = openPace();
  const { before, after } = await core.later(() => idsOf(core, prompt, completion));
  const { tokenizer } = core.needModel();
  const ids = [...before];
  const tokens = [];
  let logprob = 0;
  for (const id of after) {
    await pace();
    await session.feed(ids);
    const own = -session.surprisal(id);
    tokens.push({ id, text: tokenizer ? core.piece(id).text : '', logprob: own });
    logprob += own;
    ids.push(id);
  }
  return { prompt_ids: before, ids: after, logprob, tokens };
}
