/**
 * Compares strategies: all strategies continue one prompt with equal random numbers, and their texts
 * are measured. The page and the command line both call this module, so their figures agree. Scopes
 * and sessions may be in this thread or in a worker.
 */
import { findLoop } from './text-loops.js';
import { beamSearch, contrastiveSearch } from './search.js';

/**
 * A strategy chooses tokens. `kind` is 'sample' by default. With 'given' the tokens are those of
 * `text`, to compare a person's text with generated texts.
 * @typedef {{ name?: string, kind?: keyof typeof KINDS, text?: string,
 *   settings: Record<string, any> & import("./types.js").Settings }} Strategy
 *
 * A generated token with its surprisal in bits after the chain (`bits`) and before (`bits_raw`).
 * @typedef {import('./types.js').Step & { bits: number, bits_raw: number }} MeasuredStep
 *
 * The figures of one text. Surprisals are means in bits; `mean_kept` is the mean number of tokens
 * that the chain keeps. These means are null for a text without tokens.
 * @typedef {object} Figures
 * @property {number} tokens
 * @property {number} distinct_1 type-token ratio
 * @property {number} distinct_2 distinct pairs of neighbours over all pairs
 * @property {number | null} surprisal under the distribution after the chain
 * @property {number | null} surprisal_raw under the model's own distribution
 * @property {number | null} perplexity
 * @property {number | null} perplexity_raw
 * @property {number | null} mean_kept
 * @property {import('./text-loops.js').Loop | null} loop
 *
 * The figures of several texts of one strategy.
 * @typedef {object} Spread
 * @property {number} different number of different texts
 * @property {number} distinct_2_within mean of distinct_2 over the texts
 * @property {number} distinct_2_between distinct pairs of neighbours over all pairs, counted over
 *   all texts together
 * @property {number | null} edit_similarity mean over all pairs of texts; null for a single text
 * @property {number | null} mean_kept over all tokens
 * @property {number | null} surprisal_raw over all tokens
 * @property {number | null} perplexity_raw
 * @property {number} loops number of texts that end in a loop
 *
 * A step of a greedy text: the best and the second-best token with their probabilities at a
 * temperature, and the difference of their logits (`gap`).
 * @typedef {{ id: number, text: string, p: number }} Rival
 * @typedef {{ step: number, best: Rival, second: Rival, gap: number }} Gap
 */

/** If the best token's probability is lower, a nearly greedy text may differ from the greedy text. */
const SURE = 0.999;
/** Up to this temperature, a user expects the greedy text. */
const COLD = 0.05;

/** The kinds of strategy. Each function yields the measured steps of a text and returns its result. */
const KINDS = {
  sample,
  beam: strategyOfSearch(beamSearch),
  contrastive: strategyOfSearch(contrastiveSearch),
  given: strategyOfSearch(idsOfGivenText),
};

/** Default number of tokens read from a given text. */
const MOST = 100;

/**
 * Makes one text.
 * @param {any} scope an engine with a model
 * @param {any} session a timeline over this model
 * @param {Strategy} strategy
 * @param {{ prompt: string | ArrayLike<number>, seed: number, max_new_tokens?: number,
 *   signal?: import('./types.js').Platform<'AbortSignal'> }} options
 * @returns {AsyncGenerator<MeasuredStep, import('./types.js').Generated, void>}
 */
export function run(scope, session, { kind = 'sample', settings, text }, options) {
  return KINDS[kind](scope, session, {
    ...settings,
    ...options,
    ...(kind === 'given' && { text }),
  });
}

/**
 * Encodes prompt and text together and returns the ids after the prompt. It adds a space between
 * two words, but not after an opening quote.
 * @param {any} scope
 * @param {{ prompt: string | ArrayLike<number>, text?: string, max_new_tokens?: number }} options
 */
async function idsOfGivenText(scope, { prompt, text = '', max_new_tokens = MOST }) {
  const before = typeof prompt === 'string' ? prompt : await scope.decode(prompt);
  const gap = /[\p{L}\p{N}.,;:!?]$/u.test(before) && /^[\p{L}\p{N}]/u.test(text) ? ' ' : '';
  const alone =
    typeof prompt === 'string' ? Array.from(await scope.encode(prompt)) : Array.from(prompt);
  if (!text.trim()) return { prompt_ids: alone, ids: [], finish_reason: 'text' };
  // If the prompt is from a chat template, encoding its text may give other tokens.
  const spelled =
    typeof prompt === 'string' || alone.join() === (await scope.encode(before)).join();
  const all = spelled
    ? Array.from(await scope.encode(before + gap + text))
    : [...alone, ...(await scope.encode(text, { bos: false }))];
  const shared = divergence(alone, all) ?? alone.length;
  const prompt_ids = all.slice(0, shared);
  const ids = all.slice(shared, shared + max_new_tokens);
  const finish_reason = shared + ids.length < all.length ? 'length' : 'text';
  return { prompt_ids, ids, finish_reason };
}

/**
 * Makes a kind of strategy from a search: the search finds the whole text, then each token is
 * measured.
 * @param {(scope: any, options: any) => Promise<any>} search
 */
function strategyOfSearch(search) {
  /**
   * @param {any} scope
   * @param {any} session
   * @param {any} options
   * @returns {AsyncGenerator<MeasuredStep, import('./types.js').Generated, void>}
   */
  return async function* (scope, session, { seed: _, ...options }) {
    const result = await search(scope, options);
    const ids = Array.from(result.prompt_ids);
    for (const id of result.ids) {
      const [, nats, { text }] = await Promise.all([
        session.feed(Uint32Array.from(ids)),
        session.surprisal(id),
        scope.piece(id),
      ]);
      const p = Math.exp(-nats);
      const bits = nats / Math.LN2;
      const position = ids.length;
      yield/** @type {any} */ ({ id, text, position, p, p_raw: p, bits, bits_raw: bits });
      ids.push(id);
    }
    return result;
  };
}

/**
 * @param {any} _
 * @param {any} session
 * @param {any} options
 * @returns {AsyncGenerator<MeasuredStep, import('./types.js').Generated, void>}
 */
async function* sample(_, session, options) {
  const generation = session.generate(options);
  try {
    for (;;) {
      const { done, value } = await generation.next();
      if (done) return value;
      // If p is below 2^-44 of the best token's p, the step has 0 for it. Its surprisal is finite, so ask for it.
      const nats = value.p_raw > 0 ? -Math.log(value.p_raw) : await session.surprisal(value.id);
      yield { ...value, bits: -value.logprob / Math.LN2 + 0, bits_raw: nats / Math.LN2 + 0 };
    }
  } finally {
    await generation.return();
  }
}

/** @param {number[]} values @returns {number | null} */
function mean(values) {
  return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}

/** @param {number | null} bits */
function perplexity(bits) {
  return bits === null ? null : 2 ** bits;
}

/**
 * @param {any} scope
 * @param {MeasuredStep[]} steps
 * @returns {Promise<Figures>}
 */
export async function figuresOf(scope, steps) {
  const ids = steps.map(({ id }) => id);
  const surprisal = mean(steps.map(({ bits }) => bits));
  const surprisal_raw = mean(steps.map(({ bits_raw }) => bits_raw));
  return {
    tokens: steps.length,
    distinct_1: await scope.distinct(ids, 1),
    distinct_2: await scope.distinct(ids, 2),
    surprisal,
    surprisal_raw,
    perplexity: perplexity(surprisal),
    perplexity_raw: perplexity(surprisal_raw),
    mean_kept: mean(steps.map(({ kept }) => kept).filter((kept) => kept !== undefined)),
    loop: findLoop(ids),
  };
}

/**
 * The first index at which two texts differ; null if one text is a prefix of the other.
 * @param {ArrayLike<number>} a
 * @param {ArrayLike<number>} b
 */
export function divergence(a, b) {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return i;
  return null;
}

/**
 * The similarity of two texts, 0 to 1: 1 - edit distance / length of the longer text.
 * @param {ArrayLike<number>} a
 * @param {ArrayLike<number>} b
 */
export function editSimilarity(a, b) {
  if (a.length === 0 && b.length === 0) return 1;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1] + Number(a[i - 1] !== b[j - 1]);
      next.push(Math.min(changed, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return 1 - row[b.length] / Math.max(a.length, b.length);
}

/**
 * @param {ArrayLike<number>[]} texts
 * @returns {number} distinct pairs of neighbours over all pairs; no pair spans two texts
 */
function distinctPairs(texts) {
  const pairs = texts.flatMap((ids) =>
    Array.from({ length: Math.max(0, ids.length - 1) }, (_, i) => `${ids[i]} ${ids[i + 1]}`),
  );
  return pairs.length > 0 ? new Set(pairs).size / pairs.length : 0;
}

/**
 * @param {{ ids: ArrayLike<number>, figures: Figures }[]} samples of one strategy, at least one
 * @returns {Spread}
 */
export function spreadOf(samples) {
  const texts = samples.map(({ ids }) => ids);
  const pairs = texts.flatMap((a, i) => texts.slice(i + 1).map((b) => editSimilarity(a, b)));
  const tokens = samples.reduce((sum, { figures }) => sum + figures.tokens, 0);
  const written = samples.map(({ figures }) => figures).filter((figures) => figures.tokens > 0);
  /** @param {(figures: Figures) => number | null} of */
  const overTokens = (of) =>
    tokens > 0 && written.every((figures) => of(figures) !== null)
      ? written.reduce((sum, figures) => sum + Number(of(figures)) * figures.tokens, 0) / tokens
      : null;
  const surprisal_raw = overTokens((figures) => figures.surprisal_raw);
  return {
    different: new Set(texts.map((ids) => Array.from(ids).join())).size,
    distinct_2_within: mean(samples.map(({ figures }) => figures.distinct_2)) ?? 0,
    distinct_2_between: distinctPairs(texts),
    edit_similarity: mean(pairs),
    mean_kept: overTokens((figures) => figures.mean_kept),
    surprisal_raw,
    perplexity_raw: perplexity(surprisal_raw),
    loops: samples.filter(({ figures }) => figures.loop).length,
  };
}

/**
 * Returns texts with their figures as comma-separated values, one line per text. Numbers are not
 * rounded; a missing figure is empty.
 * @param {{ name: string, seed: number, finish: string | null, figures: Figures, text: string }[]} texts
 */
export function toCsv(texts) {
  const rows = texts.map(({ name, seed, figures, finish, text }) => {
    const { loop, ...numbers } = figures;
    const { start, period, times } = loop ?? {};
    /** @type {Record<string, string | number | null | undefined>} */
    const row = {
      strategy: name,
      seed,
      tokens: numbers.tokens,
      distinct_1: numbers.distinct_1,
      distinct_2: numbers.distinct_2,
      surprisal_raw: numbers.surprisal_raw,
      surprisal: numbers.surprisal,
      perplexity_raw: numbers.perplexity_raw,
      perplexity: numbers.perplexity,
      mean_kept: numbers.mean_kept,
      loop_start: start,
      loop_period: period,
      loop_times: times,
      finish,
      text,
    };
    return row;
  });
  const lines = rows.map((row) => Object.values(row).map(csvCell));
  return [Object.keys(rows[0] ?? {}), ...lines].map((line) => `${line.join(',')}\n`).join('');
}

/** @param {string | number | null | undefined} value */
function csvCell(value) {
  const text = String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Finds the first greedy and the first nearly greedy strategy among the strategies that set only
 * the temperature; null unless both exist.
 * @param {readonly Strategy[]} strategies
 * @returns {{ greedy: number, cold: number } | null} as indices
 */
export function coldPair(strategies) {
  /** @param {(temperature: number) => boolean} good */
  const find = (good) =>
    strategies.findIndex(({ kind = 'sample', settings: { temperature = 1, ...others } }) => {
      return kind === 'sample' && Object.keys(others).length === 0 && good(temperature);
    });
  const greedy = find((temperature) => temperature === 0);
  const cold = find((temperature) => temperature > 0 && temperature <= COLD);
  return greedy >= 0 && cold >= 0 ? { greedy, cold } : null;
}

/**
 * Finds the gap between the two best logits at each step of a greedy text. Returns the smallest gap,
 * and every gap so small that sampling at `temperature` may draw another token.
 * @param {any} session a session; its timeline is changed
 * @param {ArrayLike<number>} prompt
 * @param {ArrayLike<number>} ids
 * @param {number} temperature
 * @returns {Promise<{ smallest: Gap | null, close: Gap[] }>}
 */
export async function gapsOf(session, prompt, ids, temperature) {
  /** @type {Gap[]} */
  const gaps = [];
  const timeline = Array.from(prompt);
  for (let step = 0; step < ids.length; step++) {
    await session.feed(timeline);
    const { tokens } = await session.distribution({ temperature, top: 2 });
    const [best, second] = tokens;
    if (!second) break; // the vocabulary has only one token
    /** @param {Rival} token */
    const toRival = ({ id, text, p }) => ({ id, text, p });
    const gap = best.logit - second.logit;
    gaps.push({ step, best: toRival(best), second: toRival(second), gap });
    timeline.push(ids[step]);
  }
  const smallest = gaps.reduce(
    (/** @type {Gap | null} */ least, gap) => (least && least.gap <= gap.gap ? least : gap),
    null,
  );
  return { smallest, close: gaps.filter(({ best }) => best.p < SURE) };
}
