/**
 * The named measures that a lesson may ask for: the whole list. Each is read from the engine's own
 * reading of a state, so that an answer is right for any prompt, model and settings.
 */

/**
 * @typedef {import('../engine/types.js').Trace} Trace
 * @typedef {import('../engine/types.js').TraceToken} TraceToken
 * @typedef {import('../engine/types.js').Drawn} Drawn
 * @typedef {{ trace: Trace, drawn: Drawn, settings: Record<string, any> }} Read
 *
 * What is asked for: a name, what it is of, and the settings and u that differ from those shown.
 * @typedef {{ measure: string, rank?: number, token?: string, setting?: string, u?: number,
 *   settings?: Record<string, any> }} Asked
 *
 * @typedef {object} LessonMeasure
 * @property {'share' | 'tokens' | 'bits' | 'number' | 'token'} unit
 * @property {readonly ('rank' | 'token' | 'setting' | 'u')[]} of what may be named beside it; one of
 *   the first two is enough
 * @property {(read: Read, asked: Asked) => number | string | undefined} read undefined where there is none
 */

/** How many tokens are listed, so that one can be asked for by its text. */
export const LISTED = 400;

/** @param {Read} read @param {Asked} asked @returns {TraceToken | undefined} */
function tokenOf({ trace }, { rank = 1, token }) {
  if (token === undefined) return trace.tokens[rank - 1];
  const named = trace.tokens.find(({ text }) => text === token);
  return named ?? trace.tokens.find(({ text }) => text.trim() === token.trim());
}

/** @param {Read} read */
const drawnText = ({ trace, drawn }) => trace.tokens.find(({ id }) => id === drawn.id)?.text;

/** @type {Readonly<Record<string, LessonMeasure>>} */
export const LESSON_MEASURES = Object.freeze({
  p: { unit: 'share', of: ['rank', 'token'], read: (read, asked) => tokenOf(read, asked)?.p },
  p_raw: {
    unit: 'share',
    of: ['rank', 'token'],
    read: (read, asked) => tokenOf(read, asked)?.p_raw,
  },
  rank: { unit: 'number', of: ['token'], read: (read, asked) => tokenOf(read, asked)?.rank },
  kept: { unit: 'tokens', of: [], read: ({ trace }) => trace.kept },
  removed: { unit: 'tokens', of: [], read: ({ trace }) => trace.vocab_size - trace.kept },
  vocabulary: { unit: 'tokens', of: [], read: ({ trace }) => trace.vocab_size },
  mass: { unit: 'share', of: [], read: ({ trace }) => trace.kept_mass_raw },
  mass_removed: { unit: 'share', of: [], read: ({ trace }) => 1 - trace.kept_mass_raw },
  entropy: { unit: 'bits', of: [], read: ({ trace }) => trace.entropy },
  perplexity: { unit: 'number', of: [], read: ({ trace }) => trace.perplexity },
  token: { unit: 'token', of: ['rank'], read: (read, asked) => tokenOf(read, asked)?.text },
  token_at_u: { unit: 'token', of: ['u'], read: drawnText },
  setting: {
    unit: 'number',
    of: ['setting'],
    read: ({ settings }, { setting = '' }) => settings[setting],
  },
});

/** @typedef {{ logits?: number[], tokens?: string[], model?: string, prompt?: string,
 *   settings?: Record<string, any>, seed?: number, u?: number }} LessonState */

/**
 * Reads a state by an engine, in page, worker or Node: of given logits, or the text after a prompt.
 * @param {any} engine one with a model, unless the state holds logits; a timeline of its own
 * @param {any} session of that engine, which may be the engine itself
 * @param {LessonState} state
 * @param {Asked} asked
 * @returns {Promise<Read>}
 */
export async function readState(engine, session, state, asked) {
  const merged = { ...neutral(engine.table), ...state.settings, ...asked.settings };
  const { seed = state.seed ?? 0, ...settings } = merged;
  const u = asked.u ?? state.u;
  const choice = u === undefined ? { step: 0 } : { u };
  const listed = { ...settings, seed, top: LISTED };
  const all = { ...settings, seed };
  if (!state.logits) {
    await session.feed(await engine.encode(state.prompt ?? ''));
    return { ...(await session.read(listed, choice)), settings: all };
  }
  const read = await engine.readFrom(Float32Array.from(state.logits), listed, choice);
  const tokens = read.trace.tokens.map((/** @type {TraceToken} */ token) => ({
    ...token,
    text: state.tokens?.[token.id] ?? String(token.id),
  }));
  return { drawn: read.drawn, trace: { ...read.trace, tokens }, settings: all };
}

/** Numbers where nothing is set, so that a setting can be asked for. @param {any[]} table */
function neutral(table) {
  const warpers = table.filter(({ warper, kind }) => warper && kind !== 'map');
  return Object.fromEntries(warpers.map((row) => [row.name, row.neutral]));
}

/** @param {Read} read @param {Asked} asked */
export function measure(read, asked) {
  return LESSON_MEASURES[asked.measure].read(read, asked);
}

/**
 * What is told to a course of what stands on the screen; nulls where nothing does.
 * @param {import('../engine/types.js').Trace | null} trace
 */
export function brief(trace) {
  const tokens = trace?.tokens.map(({ id, text, rank, p, p_raw }) => ({
    id,
    text,
    rank,
    p,
    p_raw,
  }));
  return {
    distribution: tokens ?? null,
    kept: trace?.kept ?? null,
    entropy: trace?.entropy ?? null,
  };
}
