/** The decode loop: feed, chain, draw, append, until a stop condition holds. */
import { resolveChoice } from './chain.js';
import { checkBoolean, checkIds, checkInteger, checkSignal, checkText } from './checks.js';
import { LogitscopeError, mustBe } from './errors.js';
import { carried, readsSecond } from './presets.js';
import { TextStream } from './text-stream.js';

/** @import { Choice, Sample } from './chain.js' */
/** @import { Core } from './core.js' */
/** @import { Resolved } from './settings.js' */
/** @import { Generated, Step } from './types.js' */

/**
 * The methods of a session that the loop needs.
 * @typedef {object} Timeline
 * @property {() => ArrayLike<number>} timeline the ids fed so far
 * @property {(ids: ArrayLike<number>, cache?: boolean, signal?: AbortSignal) => unknown} feed
 * @property {() => number} handle returns the session's handle in C
 * @property {(ids: ArrayLike<number>, cache: boolean) => Promise<Float32Array>} logitsAfter returns
 *   the logits after these ids, from a second timeline over the model
 * @property {(logits: ArrayLike<number>) => void} second sets the second distribution's logits
 * @property {(resolved: Resolved, choice: Choice) => Sample | Promise<Sample>} draw
 */

const OPTIONS =
  'prompt drawn_ids max_new_tokens cache stop signal u thinking amateur draft draft_tokens draft_top top_logprobs'.split(
    ' ',
  );
const TIMELINE_MAX = 1 << 18; // SESSION_TIMELINE_MAX of src/session.h
/** The loop lets other events run after this many ms. */
const SLICE_MS = 10;
/** Number of a prompt's ids that are evaluated together: BATCH of src/session.c. */
const BLOCK = 32;

/** Resolves after pending events have run, for example an abort. */
function runPendingEvents() {
  if (typeof setImmediate === 'function')
    return new Promise((resolve) => {
      setImmediate(resolve);
    });
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve(undefined);
    };
    port2.postMessage(0);
  });
}

/** Returns a function for a loop to call: it lets pending events run if SLICE_MS have passed. */
export function openPace() {
  let breath = performance.now();
  return async () => {
    if (performance.now() - breath > SLICE_MS) {
      await runPendingEvents();
      breath = performance.now();
    }
  };
}

/**
 * Evaluates a prompt block by block, so that other events, for example an abort, run between blocks.
 * Does nothing if the prompt is longer than the context: the window would move with each block, so
 * no block could be reused.
 * @param {any} session a timeline, in this thread or in a worker
 * @param {number[]} ids
 * @param {number | undefined} context number of ids that the session sees, if known
 * @param {() => Promise<boolean>} rest lets events run; resolves with true to stop
 */
async function prefill(session, ids, context, rest) {
  if (!context || ids.length > context) return;
  const had = (await session.timeline?.()) ?? [];
  let n = 0;
  while (n < had.length && had[n] === ids[n]) n++;
  for (n += BLOCK; n < ids.length && !(await rest()); n += BLOCK)
    await session.feed(ids.slice(0, n));
}

/** @param {import('./types.js').TraceToken} token @returns {import('./types.js').ListedToken} */
const toListed = ({ id, text, logprob, p, p_raw, rank }) => ({ id, text, logprob, p, p_raw, rank });

/** @param {unknown} stop @returns {string[]} */
function checkStops(stop) {
  const stops = Array.isArray(stop) ? stop : [stop];
  for (const text of stops) {
    if (typeof text !== 'string' || text === '') {
      throw mustBe('stop', 'a_string_or_strings', stop);
    }
  }
  return stops;
}

/**
 * The ids of a text or of a list of ids.
 * @param {Core} core
 * @param {string} name
 * @param {unknown} given
 * @returns {ArrayLike<number>}
 */
function idsOf(core, name, given) {
  checkText(name, given);
  const ids = typeof given === 'string' ? core.encode(given) : /** @type {number[]} */ (given);
  checkIds(name, ids, core.needModel().vocab_size);
  return ids;
}

/**
 * Returns the options of a generation, completed and checked.
 * @param {Core} core
 * @param {any} options
 */
async function resolveOptions(core, options) {
  const asked = resolveText(core, options);
  const { resolved, ids, length } = asked;
  const thinking =
    options.thinking === undefined
      ? null
      : (await import('./thinking-settings.js')).openThinking(core, asked, options, OPTIONS);
  const start = { constraint_start: length, ...resolved.gates };
  const groups = [resolved, ...(thinking ? [thinking.resolved] : [])];
  /** The settings of the answer, then those of the thinking. */
  const parts = groups.map((group) => ({ ...group, gates: start }));
  return { ...asked, begun: ids.length, thinking, parts };
}

/** @param {Core} core @param {any} options */
function resolveText(core, options) {
  const { vocab_size } = core.needModel();
  const { top = 0, top_logprobs = top } = options ?? {};
  const resolved = { ...core.resolve(options, OPTIONS), top: top_logprobs };
  const {
    prompt,
    drawn_ids = [],
    max_new_tokens: maximum = 100,
    cache = core.cache,
    stop = [],
    signal,
    u,
  } = options ?? {};
  core.chain.check(resolved, vocab_size); // throws before any id is fed
  checkInteger('max_new_tokens', maximum, 0, TIMELINE_MAX);
  checkInteger('top_logprobs', top_logprobs, 0, 2 ** 32 - 1);
  checkBoolean('cache', cache);
  const stops = checkStops(stop);
  const choice = resolveChoice('generate', u === undefined ? {} : { u }, resolved.draw, ['u']);
  checkSignal(signal);
  const begin = Array.from(idsOf(core, 'prompt', prompt));
  if (!begin.length) throw new LogitscopeError('empty', 'no_prompt');
  checkIds('drawn_ids', drawn_ids, vocab_size);
  const ids = [...begin, ...drawn_ids];
  choice.step = drawn_ids.length;
  if (ids.length + maximum > TIMELINE_MAX) {
    throw new LogitscopeError('too_long', 'timeline_run', {
      n: ids.length,
      more: maximum,
      limit: TIMELINE_MAX,
    });
  }
  return { resolved, ids, length: begin.length, maximum, cache, stops, signal, choice };
}

/**
 * Returns a function that lets events run if SLICE_MS have passed, and resolves with true if the
 * generation was aborted.
 * @param {AbortSignal | undefined} signal
 */
function openRest(signal) {
  const pace = openPace();
  return async () => {
    await pace();
    return signal?.aborted === true;
  };
}

/**
 * Returns the functions that prepare the timelines and draw each token: by speculation if there is a
 * draft, else from the timeline, with a second distribution if the settings need it.
 * @param {Core} core
 * @param {Timeline} timeline
 * @param {Awaited<ReturnType<typeof resolveOptions>>} asked
 * @param {any} options
 */
async function openDraws(core, timeline, asked, options) {
  const { resolved, parts, ids, length, cache } = asked;
  const second = parts.some(({ values }) => readsSecond(values))
    ? (await import('./second-distribution.js')).resolveSecond(
        Array.from(idsOf(core, 'negative_prompt', resolved.negative_prompt ?? [ids[length - 1]])),
        options,
        length,
      )
    : null;
  const drafting =
    options.draft !== undefined
      ? await (await import('./speculate.js')).openSpeculation(core, timeline, asked, options)
      : null;
  return {
    drafting,

    /** Evaluates the prompt in every timeline. @param {() => Promise<boolean>} rest as for `prefill` */
    async begin(rest) {
      if (cache && !core.asked) await prefill(timeline, ids, core.needModel().context_length, rest);
      if (drafting) await prefill(drafting.draft, ids, drafting.context, rest);
      if (second && options.amateur)
        await prefill(options.amateur, ids, options.amateur.info?.context_length, rest);
    },

    /** @param {Resolved} now @param {Choice} choice @param {number} left @returns {Promise<Sample>} */
    async next(now, choice, left) {
      if (drafting) return drafting.next(ids, now, choice, left);
      await timeline.feed(ids, cache, asked.signal);
      if (second && readsSecond(now.values)) timeline.second(await second(timeline, ids, cache));
      return timeline.draw(now, choice);
    },
  };
}

/**
 * Returns why a text ends after its newest id; null if it goes on.
 * @param {Core} core
 * @param {{ text: TextStream, ids: number[], ends: number[], gates: any, last: boolean }} facts `last`: true
 *   if no further token is allowed
 * @returns {Generated['finish_reason'] | null}
 */
function endOf(core, { text, ids, ends, gates, last }) {
  if (text.stopped) return 'stop';
  if (ends.includes(ids[ids.length - 1])) return 'eos';
  if (!ends.length && core.gates.isSpent(gates, ids)) return 'stop';
  return last ? 'length' : null;
}

/**
 * Adds the newest token to the text. Returns its text, and why the generation ends after it; null if it goes on.
 * @param {Core} core
 * @param {Parameters<typeof endOf>[1]} facts
 */
function addToken(core, facts) {
  const { text, ids } = facts;
  const piece = core.needModel().tokenizer ? core.piece(ids[ids.length - 1]) : null;
  const added = piece && !piece.special ? text.push(piece.bytes) : '';
  const finish = endOf(core, facts);
  if (!finish) return { added, finish };
  const rest = text.finish();
  return { added: added + rest, finish: text.stopped ? /** @type {const} */ ('stop') : finish };
}

/**
 * @param {Core} core
 * @param {Timeline} timeline
 * @param {any} options
 * @returns {AsyncGenerator<Step, Generated, void>}
 */
export async function* generate(core, timeline, options) {
  const asked = await resolveOptions(core, options);
  const { resolved, parts, thinking, ids, length, begun, maximum, cache, stops, signal } = asked; // the length of the prompt
  let { choice } = asked;
  const text = new TextStream(stops);
  const ends = core.ends(resolved, core.needModel().vocab_size);
  /** @type {Generated['finish_reason'] | null} */
  let finish = maximum ? null : 'length';
  const rest = openRest(signal);
  const { drafting, begin, next } = await openDraws(core, timeline, asked, options);
  try {
    await begin(rest);
    if (finish) await timeline.feed(ids, cache, signal);
    for (let n = 0; !finish; n++) {
      if (await rest()) {
        finish = 'aborted';
        break;
      }
      const began = performance.now();
      const part = Number(thinking?.on ?? false);
      const now = parts[part];
      const sample = await next(now, choice, maximum - n).catch((error) => {
        if (!core.asked || !signal?.aborted) throw error;
      });
      choice = { step: choice.step + 1, raw: true };
      if (!sample) {
        finish = 'aborted';
        break;
      }
      const { drawn, kept, entropy, tokens, ...how } = sample;
      core.needModel(); // throws if the instance was closed during the generation
      const state = carried(now.values);
      if (state) parts[part] = { ...now, values: { ...now.values, [state]: drawn.mu } };
      ids.push(drawn.id);
      thinking?.push(drawn.id);

      const facts = { text, ids, ends, gates: now.gates, last: n + 1 === maximum };
      const { added, finish: reason } = addToken(core, facts);
      finish = reason;
      const ms = performance.now() - began;
      const listed = tokens && { top_logprobs: tokens.map(toListed) };
      const position = ids.length - 1;
      const thought = thinking && { thinking: part === 1 };
      yield { ...drawn, text: added, entropy, kept, ms, position, ...thought, ...listed, ...how };
    }
  } finally {
    drafting?.close();
  }
  text.finish();
  return {
    prompt_ids: ids.slice(0, length),
    ids: ids.slice(begun),
    text: text.text,
    finish_reason: finish ?? 'aborted',
    seed: resolved.seed,
    settings: core.report(resolved),
    ...(thinking && { thinking: thinking.report() }),
    ...(drafting && { speculation: drafting.totals() }),
  };
}
