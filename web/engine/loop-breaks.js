/**
 * Finds the values of settings that would have broken a loop of a text. The chain runs again over the text's own
 * logits with the same random numbers. A value breaks the loop if it draws another token in the first cycles, at most three.
 */
import { checkIds, checkNumbers, checkText } from './checks.js';
import { LogitscopeError } from './errors.js';
import { openPace } from './generate.js';
import { readsSecond } from './presets.js';
import { TIMES, findEarlyLoop } from './text-loops.js';
import { openThinking } from './thinking-settings.js';

/** @import { Core } from './core.js' */
/** @import { Logitscope } from './logitscope.js' */
/** @import { LoopBreaks, Settings, TableRow } from './types.js' */

/** Values of a real setting are tried in steps of 1 / FINENESS, so that a found value has three decimals. */
const FINENESS = 1000;
/** Settings that are raised, to the end of their slider. */
const RAISED = [
  'repetition_penalty',
  'frequency_penalty',
  'presence_penalty',
  'dry_multiplier',
  'temperature',
];
const NGRAM = 'no_repeat_ngram_size';
const OPTIONS = ['prompt', 'drawn_ids', 'u', 'thinking'];

/**
 * Ids of the prompt and of the drawn tokens, and the random numbers that replace those of the seed.
 * @typedef {{ prompt: number[], drawn: number[], u: ArrayLike<number | null> }} Text
 *
 * A setting with the values to try. `valueAt(0)` is the present value, `valueAt(last)` the furthest one. `best` is the
 * least index that is known to break the loop; above `last` if none is.
 * @typedef {{ name: string, last: number, valueAt: (i: number) => number, best: number }} Candidate
 *
 * A token of the text: its index among the drawn ones, its id, and the settings of its part.
 * @typedef {{ index: number, id: number, settings: Settings, isOwn: boolean }} Place `isOwn`: true if its part is
 *   that of the loop
 */

/**
 * @param {string} name
 * @param {number} from the present value
 * @param {number} to the furthest value
 * @param {boolean} whole
 * @returns {Candidate[]} none if there is no value to try
 */
function rangeOf(name, from, to, whole) {
  const sign = Math.sign(to - from);
  if (sign === 0) return [];
  const fineness = whole ? 1 : FINENESS;
  const near = Math.round(from * fineness);
  const steps = near / fineness === from ? near : from * fineness;
  // The first multiple of the step beyond `from`.
  const first = sign > 0 ? Math.floor(steps) + 1 : Math.ceil(steps) - 1;
  const between = Math.ceil((to * fineness - first) * sign);
  const last = Math.max(0, between) + 1;
  const valueAt = (/** @type {number} */ i) => {
    if (i === 0) return from;
    return i === last ? to : (first + sign * (i - 1)) / fineness;
  };
  return [{ name, last, valueAt, best: last + 1 }];
}

/**
 * The settings to try: penalties and temperature are raised, active truncations turned off. An n-gram size is lowered,
 * since a smaller one forbids more; if it is off, from a size that no text of this length repeats.
 * @param {Core} core
 * @param {Settings} settings
 * @param {number} length of the text
 */
function candidatesOf(core, settings, length) {
  const { values, order } = core.resolve(settings);
  return core.table
    .filter(({ name, kind }) => order.includes(name) && /real|integer/.test(kind))
    .flatMap(({ name, kind, effect, neutral, high }) => {
      const from = values[name];
      if (RAISED.includes(name)) return from < high ? rangeOf(name, from, high, false) : [];
      if (name === NGRAM) return rangeOf(name, from || length + 1, 1, true);
      return effect === 'cut' ? rangeOf(name, from, neutral, kind === 'integer') : [];
    })
    .filter(({ name, valueAt, last }) => isAllowed(core, { ...settings, [name]: valueAt(last) }));
}

/** Returns false for a sampler that this source of logits cannot have. @param {Core} core @param {Settings} settings */
function isAllowed(core, settings) {
  try {
    core.resolve(settings);
    return true;
  } catch (error) {
    if (error instanceof LogitscopeError && error.code === 'unsupported') return false;
    throw error;
  }
}

/**
 * Refuses settings with a draw that depends on more than logits, text, step and u.
 * @param {import('./settings.js').Resolved} resolved
 */
function checkStages({ values, own }) {
  const { mirostat, adaptive_target, guidance_scale } = values;
  const active = {
    mirostat,
    adaptive_target,
    guidance_scale: guidance_scale !== 1,
    contrastive_beta: readsSecond(values),
    own,
  };
  const [setting] = Object.entries(active).find(([, on]) => on) ?? [];
  if (setting) throw new LogitscopeError('unsupported', 'loop_stage', { setting });
}

/**
 * The tokens of a text up to its third cycle, each with the settings of its part. `thinking` is true if the loop begins
 * in the thinking.
 * @param {Core} core
 * @param {any} options
 * @param {Text} text
 * @param {import('./text-loops.js').Loop} loop
 */
function readPlaces(core, options, { prompt, drawn }, { start, period, times }) {
  const { prompt: _, drawn_ids: __, u: ___, thinking = {}, ...settings } = options;
  const asked = { constraint_start: prompt.length, ...settings };
  const followed = openThinking(core, { ids: prompt, length: prompt.length }, options, OPTIONS);
  const inside = drawn.slice(0, start + Math.min(times, TIMES) * period).map((id) => {
    const on = options.thinking !== undefined && followed.on;
    followed.push(id);
    return on;
  });
  /** @type {Place[]} */
  const places = inside.map((on, index) => ({
    index,
    id: drawn[index],
    settings: on ? { ...asked, ...thinking.settings } : asked,
    isOwn: on === inside[start],
  }));
  return { places, thinking: inside[start] };
}

/**
 * Checks and reads the text.
 * @param {Core} core
 * @param {any} options
 * @returns {Promise<Text>}
 */
async function readText(core, options) {
  const { prompt, drawn_ids, u = [], thinking } = options ?? {};
  checkStages(core.resolve(options, OPTIONS));
  checkStages(core.resolve({ ...options, ...thinking?.settings }, OPTIONS));
  checkText('prompt', prompt);
  const { vocab_size } = core.needModel();
  const before = await core.later(() =>
    typeof prompt === 'string' ? core.encode(prompt) : prompt,
  );
  checkIds('prompt', before, vocab_size);
  checkIds('drawn_ids', drawn_ids, vocab_size);
  checkNumbers(
    'u',
    Array.from(u, (each) => each ?? 0),
  );
  return { prompt: Array.from(before), drawn: Array.from(drawn_ids), u };
}

/** Draws tokens of a text again, with one setting changed. */
class Redraw {
  #session;
  #prompt;
  #drawn;
  #u;
  #pace = openPace();

  /**
   * @param {Logitscope} scope
   * @param {Text} text
   */
  constructor(scope, { prompt, drawn, u }) {
    this.#session = scope.session();
    this.#prompt = prompt;
    this.#drawn = drawn;
    this.#u = u;
  }

  /** Moves to the token with this index. @param {number} index */
  async moveTo(index) {
    await this.#pace();
    await this.#session.feed([...this.#prompt, ...this.#drawn.slice(0, index)]);
  }

  /**
   * Returns the id that is drawn at the present place.
   * @param {Place} place
   * @param {Settings} [patch]
   */
  async draw({ index, settings, isOwn }, patch) {
    const u = this.#u[index];
    const { id } = await this.#session.draw(
      { ...settings, ...(isOwn && patch) },
      { step: index, raw: false, ...(typeof u === 'number' && { u }) },
    );
    return id;
  }

  /**
   * Returns true if a value draws another token than the text's at the present place.
   * @param {Place} place @param {Candidate} candidate @param {number} i
   */
  async differs(place, { name, valueAt }, i) {
    return (await this.draw(place, { [name]: valueAt(i) })) !== place.id;
  }

  /**
   * Lowers `best` to the first value that draws another token at the present place, by bisection.
   * @param {Place} place @param {Candidate} candidate @param {number} high an index that does
   */
  async bisect(place, candidate, high) {
    let [low, most] = [0, high];
    while (most - low > 1) {
      const middle = (low + most) >> 1;
      if (await this.differs(place, candidate, middle)) most = middle;
      else low = middle;
    }
    candidate.best = most;
  }

  close() {
    this.#session.close();
  }
}

/**
 * Lowers the `best` of each candidate to the first value that draws another token at some of the places.
 * @param {Redraw} redraw @param {Place[]} places @param {Candidate[]} candidates
 */
async function search(redraw, places, candidates) {
  for (const place of places) {
    await redraw.moveTo(place.index);
    for (const candidate of candidates) {
      const next = candidate.best - 1;
      if (next > 0 && (await redraw.differs(place, candidate, next)))
        await redraw.bisect(place, candidate, next);
    }
  }
}

/**
 * Finds the token at which each candidate breaks the loop, and the first token of the text that it changes. Returns
 * null after it has lowered a `best`: a penalty can change the order of a draw, so a value below `best` may break the
 * loop although one between them does not.
 * @param {Redraw} redraw
 * @param {Place[]} places
 * @param {number} start of the loop
 * @param {Candidate[]} candidates those that break it
 */
async function locate(redraw, places, start, candidates) {
  /** @type {Map<Candidate, { index: number, id: number, first: number }>} */
  const found = new Map();
  /** @type {Map<Candidate, number>} */
  const firsts = new Map();
  for (const place of places) {
    await redraw.moveTo(place.index);
    const isSame = (await redraw.draw(place)) === place.id;
    for (const candidate of candidates) {
      const { name, valueAt, best } = candidate;
      const { index } = place;
      const inLoop = index >= start;
      if (inLoop && best > 1 && (await redraw.differs(place, candidate, best - 1))) {
        await redraw.bisect(place, candidate, best - 1);
        return null;
      }
      const id = await redraw.draw(place, { [name]: valueAt(best) });
      if (id === place.id || !isSame) continue;
      const first = firsts.get(candidate) ?? index;
      firsts.set(candidate, first);
      if (inLoop && !found.has(candidate)) found.set(candidate, { index, id, first });
    }
  }
  return found;
}

/**
 * Returns the first token of the loop that the settings themselves draw otherwise; null if they draw the loop.
 * @param {Redraw} redraw
 * @param {Place[]} places of the loop
 */
async function findOther(redraw, places) {
  for (const place of places) {
    await redraw.moveTo(place.index);
    const id = await redraw.draw(place);
    if (id !== place.id) return { index: place.index, id };
  }
  return null;
}

/**
 * `breakLoop` of Logitscope.
 * @param {Core} core
 * @param {Logitscope} scope
 * @param {any} options
 * @returns {Promise<LoopBreaks | null>}
 */
export async function breakLoop(core, scope, options) {
  const text = await readText(core, options);
  const loop = findEarlyLoop(text.drawn);
  if (!loop) return null;
  const { places, thinking } = readPlaces(core, options, text, loop);
  const { tokenizer } = core.needModel();
  const tokenOf = (/** @type {number} */ id) => ({
    id,
    text: tokenizer ? core.piece(id).text : '',
  });
  const changeAt = (/** @type {number} */ index, /** @type {number} */ id) => ({
    index,
    token: tokenOf(text.drawn[index]),
    instead: tokenOf(id),
  });
  const report = { loop, thinking, already: null, breaks: [], unbroken: [] };
  const inLoop = places.slice(loop.start);
  const redraw = new Redraw(scope, text);
  try {
    const other = await findOther(redraw, inLoop);
    if (other) return { ...report, already: changeAt(other.index, other.id) };
    const length = text.prompt.length + text.drawn.length;
    const candidates = candidatesOf(core, inLoop[0].settings, length);
    await search(redraw, inLoop, candidates);
    const breaking = candidates.filter(({ best, last }) => best <= last);
    let found = null;
    while (!found) found = await locate(redraw, places, loop.start, breaking);
    const breaks = [...found].map(([{ name, valueAt, best }, { index, id, first }]) => ({
      setting: name,
      value: valueAt(best),
      before: valueAt(best - 1),
      ...changeAt(index, id),
      first,
    }));
    const unbroken = candidates
      .filter((candidate) => !breaking.includes(candidate))
      .map(({ name, valueAt, last }) => ({ setting: name, value: valueAt(last) }));
    const names = candidates.map(({ name }) => name);
    breaks.sort((a, b) => names.indexOf(a.setting) - names.indexOf(b.setting));
    return { ...report, breaks, unbroken };
  } finally {
    redraw.close();
  }
}
