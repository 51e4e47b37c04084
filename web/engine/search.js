/**
 * Beam search and contrastive search, the two strategies that look ahead. They use no random
 * numbers, so a prompt always gives the same text. Each function accepts an engine in this thread
 * or in a worker and opens its own sessions.
 */
import {
  checkBoolean,
  checkEngine,
  checkInteger,
  checkOptions,
  checkSignal,
  checkText,
} from './checks.js';
import { LogitscopeError, mustBe } from './errors.js';
import { TextStream } from './text-stream.js';

/** @typedef {import('./logitscope.js').Logitscope | import('./remote.js').RemoteLogitscope} Scope */
/** @typedef {import('./session.js').Session | import('./remote.js').RemoteSession} Timeline */

/**
 * @typedef {object} Found
 * @property {number[]} prompt_ids
 * @property {number[]} ids without the prompt, with the end-of-sequence token if it was chosen
 * @property {string} text
 * @property {'eos' | 'length' | 'aborted'} finish_reason
 */

/**
 * One candidate text of a beam search.
 * @typedef {object} Beam
 * @property {number[]} ids
 * @property {number} logprob the sum over its tokens, in nats
 * @property {number} score logprob / length^length_penalty
 * @property {boolean} finished true if it ends with the end-of-sequence token
 */

/** @typedef {Beam & { text: string }} ReadBeam */

/**
 * An unfinished beam, with the session whose timeline it continues.
 * @typedef {Beam & { session: Timeline }} LiveBeam
 */

/**
 * @typedef {object} Contrast
 * @property {number} id
 * @property {number} rank among the candidates, by probability, from 1
 * @property {number} p the model's probability
 * @property {number} similarity the largest cosine with an earlier token's hidden state
 * @property {number} score (1 - alpha) p - alpha similarity
 */

const WIDTH_MAX = 64;
const STEPS_MAX = 1 << 16;
/** Maximum number of bytes of memory for all sessions of one search except the first. */
const SESSIONS_BYTES = 2 ** 28;

/**
 * Refuses a value that is no number between low and high.
 * @param {string} name
 * @param {unknown} value
 * @param {number} low
 * @param {number} high
 */
export function checkNumber(name, value, low, high) {
  if (typeof value !== 'number') {
    throw mustBe(name, 'a_number', value);
  }
  if (!(value >= low && value <= high)) {
    throw new LogitscopeError('out_of_range', 'must_be_between', {
      setting: name,
      minimum: low,
      maximum: high,
      value,
    });
  }
}

/**
 * @param {Scope} scope
 * @param {{ prompt: string | ArrayLike<number>, max_new_tokens?: number }} options
 */
async function promptOf(scope, { prompt = '', max_new_tokens = 100 }) {
  checkText('prompt', prompt);
  checkInteger('max_new_tokens', max_new_tokens, 0, STEPS_MAX);
  const ids = Array.from(typeof prompt === 'string' ? await scope.encode(prompt) : prompt);
  if (!ids.length) {
    throw new LogitscopeError('empty', 'no_prompt');
  }
  return { ids, maximum: max_new_tokens };
}

/**
 * Runs a search in a new session. The search may add sessions to the set; all are closed at the end.
 * @param {Scope} scope
 * @param {(session: Timeline, open: Set<Timeline>) => Promise<void>} search
 */
async function inSession(scope, search) {
  const session = /** @type {Timeline} */ (await scope.session());
  const open = new Set([session]);
  try {
    await search(session, open);
  } finally {
    await Promise.all([...open].map((it) => it.close()));
  }
}

/**
 * Returns a function that is true for a token that ends a text.
 * @param {Scope} scope
 * @returns {(id: number | undefined) => boolean}
 */
function endsOf(scope) {
  const ends = scope.info?.end_token_ids ?? [];
  return (id) => id !== undefined && ends.includes(id);
}

/**
 * Decodes the ids after the prompt as `generate` does, with a leading space if there is one.
 * @param {Scope} scope
 * @param {number[]} ids
 */
async function textOf(scope, ids) {
  const text = new TextStream([]);
  for (const id of scope.info?.tokenizer ? ids : []) {
    const { bytes, special } = await scope.piece(id);
    if (!special) text.push(bytes);
  }
  text.finish();
  return text.text;
}

/** @param {boolean} ended true if the text ends with an end token @param {{ aborted: boolean }} [signal] @returns {Found['finish_reason']} */
function finishOf(ended, signal) {
  if (ended) return 'eos';
  return signal?.aborted ? 'aborted' : 'length';
}

/** Sorts by descending log-probability. @type {(a: Beam, b: Beam) => number} */
const byLogprob = (a, b) => b.logprob - a.logprob;
/** @type {(a: Beam, b: Beam) => number} */
const byScore = (a, b) => b.score - a.score;

/**
 * Assigns each session to the first beam that continues its text; other beams of that text get a
 * copy. Closes sessions without a beam. At the limit of sessions, several beams share a session
 * and evaluate again the tokens in which they differ.
 * @param {Set<Timeline>} open
 * @param {LiveBeam[]} live
 * @param {number} most
 */
async function shareSessions(open, live, most) {
  const used = new Set(live.map(({ session }) => session));
  const idle = [...open].filter((session) => !used.has(session));
  for (const session of idle) open.delete(session);
  const others = live.filter((beam, i) => live.findIndex((it) => it.session === beam.session) < i);
  const outcomes = await Promise.allSettled([
    ...idle.map((session) => session.close()),
    ...others.slice(0, Math.max(0, most - used.size)).map(async (beam) => {
      beam.session = await beam.session.fork();
      open.add(beam.session);
    }),
  ]);
  for (const it of outcomes)
    if (it.status === 'rejected' && it.reason.code !== 'out_of_memory') throw it.reason;
}

/**
 * Continues a beam by each of its `top` most probable tokens, most probable first, ties by id.
 * @param {LiveBeam} beam
 * @param {number[]} prompt
 * @param {number} top
 * @param {number} power
 */
async function childrenOf({ ids, logprob, session }, prompt, top, power) {
  const [, { tokens }] = await Promise.all([
    session.feed([...prompt, ...ids]),
    session.distribution({ top }),
  ]);
  const next = tokens.filter(({ warped }) => warped !== -Infinity).map(({ id }) => id);
  const surprisals = await session.surprisal(next);
  return next.map((id, i) => {
    const sum = logprob - surprisals[i];
    const score = sum / (ids.length + 1) ** power;
    return { ids: [...ids, id], logprob: sum, score, finished: false, session };
  });
}

/**
 * Continues every beam by its 2 * width most probable tokens; returns the best 2 * width beams. So
 * `width` beams remain even if the best token of each ends the text. Ties keep the order of beams
 * and tokens.
 * @param {number[]} prompt
 * @param {LiveBeam[]} live
 * @param {number} width
 * @param {number} power
 */
async function bestContinuations(prompt, live, width, power) {
  /** @type {LiveBeam[][]} */
  const found = [];
  const sessions = new Set(live.map(({ session }) => session));
  const each = async (/** @type {Timeline} */ session) => {
    for (const [i, beam] of live.entries())
      if (beam.session === session) found[i] = await childrenOf(beam, prompt, 2 * width, power);
  };
  await Promise.all([...sessions].map(each));
  return found
    .flat()
    .sort(byLogprob)
    .slice(0, 2 * width);
}

/**
 * True if no unfinished beam can replace a finished one any more.
 * @param {Beam[]} finished best first
 * @param {Beam} best the best unfinished beam
 * @param {{ width: number, power: number, early: boolean | 'never', maximum: number }} rules
 */
function isOver(finished, best, { width, power, early, maximum }) {
  if (finished.length < width) return false;
  if (early === true) return true;
  const length = early === 'never' && power > 0 ? maximum : best.ids.length;
  return finished[width - 1].score >= best.logprob / length ** power;
}

/**
 * Beam search. Each step keeps the `beam_width` most probable continuations of all beams. A beam is
 * finished when it ends with the end-of-sequence token. Its score is logprob /
 * length^length_penalty; the length includes the end token but not the prompt (Wu et al. 2016,
 * section 7, in the form of Hugging Face transformers). A length_penalty of 0 has no effect; above
 * 0, longer texts are preferred. A candidate finishes only if it is among the best `beam_width` of
 * its step. The result is the best finished beam; at the end, unfinished beams count as finished.
 * `beams` lists the best `beam_width` beams, best first.
 *
 * The search ends when `beam_width` beams are finished, and: with early_stopping true, at once;
 * with false, if the best unfinished beam's present score is no better than the worst finished
 * score; with 'never', if no length up to max_new_tokens could give it a better score.
 * @param {Scope} scope
 * @param {{ prompt: string | ArrayLike<number>, max_new_tokens?: number, beam_width?: number,
 *   length_penalty?: number, early_stopping?: boolean | 'never', signal?: import('./types.js').Platform<'AbortSignal'> }} options
 *   defaults: max_new_tokens 100, beam_width 4, length_penalty 1, early_stopping false
 * @returns {Promise<Found & { logprob: number, score: number, beams: ReadBeam[] }>}
 */
export async function beamSearch(scope, options = /** @type {any} */ ({})) {
  checkEngine(scope);
  checkOptions('options of beamSearch', options, [
    'prompt',
    'max_new_tokens',
    'beam_width',
    'length_penalty',
    'early_stopping',
    'signal',
  ]);
  const {
    beam_width: width = 4,
    length_penalty: power = 1,
    early_stopping: early = false,
    signal,
  } = options;
  checkInteger('beam_width', width, 1, WIDTH_MAX);
  checkNumber('length_penalty', power, -10, 10);
  if (early !== 'never') checkBoolean('early_stopping', early);
  checkSignal(signal);
  const { ids: prompt, maximum } = await promptOf(scope, options);
  const isEnd = endsOf(scope);
  const most = Math.max(1, Math.floor(SESSIONS_BYTES / (scope.info?.session_bytes ?? Infinity)));
  /** @type {LiveBeam[]} */
  let live = [];
  /** @type {LiveBeam[]} */
  let finished = [];
  await inSession(scope, async (session, open) => {
    live = [{ ids: [], logprob: 0, score: 0, finished: false, session }];
    for (let step = 0; step < maximum && !signal?.aborted; step++) {
      await shareSessions(open, live, most);
      const candidates = await bestContinuations(prompt, live, width, power);
      const ended = candidates.slice(0, width).filter(({ ids }) => isEnd(ids.at(-1)));
      finished = [...finished, ...ended.map((beam) => ({ ...beam, finished: true }))]
        .sort(byScore)
        .slice(0, width);
      live = candidates.filter(({ ids }) => !isEnd(ids.at(-1))).slice(0, width);
      if (!live.length || isOver(finished, live[0], { width, power, early, maximum })) {
        live = [];
        break;
      }
    }
  });
  const best = [...finished, ...live].sort(byScore).slice(0, width);
  const beams = [];
  for (const { session: _, ...beam } of best)
    beams.push({ ...beam, text: await textOf(scope, beam.ids) });
  const [{ ids, text, logprob, score, finished: ends }] = beams;
  const finish_reason = finishOf(ends, signal);
  return { prompt_ids: prompt, ids, text, finish_reason, logprob, score, beams };
}

/**
 * The cosine of two vectors. The order of additions is fixed, so that all hosts agree on every bit.
 * @param {Float32Array} a
 * @param {Float32Array} b
 */
function cosine(a, b) {
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return aa && bb ? ab / (Math.sqrt(aa) * Math.sqrt(bb)) : 0;
}

/**
 * Returns the hidden state after each text; all requests are sent before the first answer.
 * @param {Timeline} session
 * @param {number[][]} texts
 */
async function statesOf(session, texts) {
  const states = await Promise.all(
    texts.map((ids) => Promise.all([session.feed(ids), session.hidden()])),
  );
  return states.map(([, state]) => state);
}

/**
 * Scores the candidates of a step. Each candidate is fed to get its hidden state.
 * @param {Timeline} session
 * @param {number[]} ids
 * @param {Float32Array[]} states hidden states of `ids`
 * @param {number} k
 * @param {number} alpha
 */
async function scoreCandidates(session, ids, states, k, alpha) {
  const [, { tokens }] = await Promise.all([session.feed(ids), session.distribution({ top: k })]);
  const tried = tokens.slice(0, k).filter(({ warped }) => warped !== -Infinity);
  const own = await statesOf(
    session,
    tried.map(({ id }) => [...ids, id]),
  );
  return tried.map(({ id, rank, p }, i) => {
    const state = own[i];
    const similarity = states.reduce((most, it) => Math.max(most, cosine(state, it)), -Infinity);
    const score = (1 - alpha) * p - alpha * similarity;
    return { id, rank, p, similarity, score, state };
  });
}

/**
 * Contrastive search (Su et al. 2022, A Contrastive Framework for Neural Text Generation, equation
 * 5). Of the `k` most probable tokens, each step takes the token v with the highest
 *
 * (1 - alpha) p(v | text) - alpha max over earlier tokens j of cos(h_v, h_j);
 *
 * h is the hidden state that the output layer reads: h_v after v is fed, h_j at token j of prompt
 * and text. The more probable token wins a tie. alpha 0 is greedy. The search ends at the model's
 * context length: beyond it the window slides and the states of earlier tokens change.
 * @param {Scope} scope
 * @param {{ prompt: string | ArrayLike<number>, max_new_tokens?: number, alpha?: number, k?: number,
 *   signal?: import('./types.js').Platform<'AbortSignal'> }} options defaults:
 *   max_new_tokens 100, alpha 0.6, k 4
 * @returns {Promise<Found & { steps: Contrast[] }>}
 */
export async function contrastiveSearch(scope, options = /** @type {any} */ ({})) {
  checkEngine(scope);
  checkOptions('options of contrastiveSearch', options, [
    'prompt',
    'max_new_tokens',
    'alpha',
    'k',
    'signal',
  ]);
  const { alpha = 0.6, k = 4, signal } = options;
  checkNumber('alpha', alpha, 0, 1);
  checkInteger('k', k, 1, WIDTH_MAX);
  checkSignal(signal);
  const { ids: prompt, maximum } = await promptOf(scope, options);
  const { context_length = 0 } = scope.info ?? {};
  const isEnd = endsOf(scope);
  const most = Math.min(maximum, context_length - prompt.length);
  if (most < 0) {
    throw new LogitscopeError('too_long', 'context_prompt', {
      n: prompt.length,
      limit: context_length,
    });
  }
  const ids = [...prompt];
  /** @type {Contrast[]} */
  const steps = [];
  await inSession(scope, async (session) => {
    const states = await statesOf(
      session,
      prompt.map((_, i) => prompt.slice(0, i + 1)),
    );
    while (steps.length < most && !isEnd(steps.at(-1)?.id) && !signal?.aborted) {
      const candidates = await scoreCandidates(session, ids, states, k, alpha);
      const best = candidates.reduce((a, b) => (b.score > a.score ? b : a));
      const { state, ...step } = best;
      ids.push(step.id);
      states.push(state);
      steps.push(step);
    }
  });
  const own = ids.slice(prompt.length);
  const finish_reason = finishOf(isEnd(steps.at(-1)?.id), signal);
  return { prompt_ids: prompt, ids: own, text: await textOf(scope, own), finish_reason, steps };
}

/**
 * Search strategies for comparisons with sampling.
 */
export const searches = Object.freeze(
  /** @type {const} */ ([
    { name: 'beam search, 4 beams', kind: 'beam', settings: { beam_width: 4 } },
    { name: 'beam search, 8 beams', kind: 'beam', settings: { beam_width: 8 } },
    { name: 'contrastive, k 4, alpha 0.6', kind: 'contrastive', settings: { k: 4, alpha: 0.6 } },
    { name: 'contrastive, k 5, alpha 0.4', kind: 'contrastive', settings: { k: 5, alpha: 0.4 } },
  ]),
);
