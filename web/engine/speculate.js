/**
 * Speculative decoding (Leviathan, Kalman and Matias 2023, algorithm 1): a small model drafts some
 * tokens (drafts), the session's own model evaluates them in one pass, and src/speculate.c accepts
 * or rejects each draft. Drafts do not change the distribution of the text.
 *
 * The random numbers of a token depend only on its step. The step's u draws a draft, or a token
 * without a draft. Acceptance and residual use two further random numbers of the step (coins).
 */
import { checkInteger } from './checks.js';
import { LogitscopeError } from './errors.js';
import * as layout from './layout.js';

/** @import { Choice, Sample } from './chain.js' */
/** @import { Core } from './core.js' */
/** @import { Timeline } from './generate.js' */
/** @import { Resolved } from './settings.js' */
/** @import { Draft, DraftSession, Speculated, SpeculatedToken } from './types.js' */

/**
 * @typedef {{ session: DraftSession, draft_tokens: number, draft_top: number, cache: boolean }} Options
 * @typedef {{ id: number, u: number, ms: number }} Drafted
 * The decision of src/speculate.c on one draft.
 * @typedef {{ id: number, accepted: boolean, p: number, q: number, acceptance: number, u: number,
 *   u_residual: number, residual: number }} Verdict
 */

const DRAFT_MAX = 32;
const TOP_MAX = 1024;

/**
 * The scope loaded for each `draft` that is an argument of `load`; the next generation reuses it.
 * @type {WeakMap<Core, { from: unknown, scope: Promise<Draft> }>}
 */
const loaded = new WeakMap();
/**
 * For each draft's scope, the engine whose vocabulary was compared with that of the draft.
 * @type {WeakMap<Draft, Core>}
 */
const compared = new WeakMap();

/**
 * Refuses settings that speculation cannot support: p must come from this timeline's logits only,
 * and one number u must draw the token.
 * @param {Resolved} resolved
 */
function checkSettings({ values, draw, own, top }) {
  const { mirostat, adaptive_target, guidance_scale, contrastive_beta } = values;
  const active = {
    draw: draw === 'gumbel',
    mirostat,
    adaptive_target,
    guidance_scale: guidance_scale !== 1,
    contrastive_beta,
    own,
    top_logprobs: top,
  };
  const [setting] = Object.entries(active).find(([, on]) => on) ?? [];
  if (setting) throw new LogitscopeError('unsupported', 'draft_setting', { setting });
}

const sameBytes = (/** @type {Uint8Array} */ a, /** @type {Uint8Array} */ b) =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);

/**
 * Throws unless every id is an equal token in both models.
 * @param {Core} core
 * @param {Draft} draft
 */
async function checkVocabulary(core, draft) {
  const { vocab_size, tokenizer } = core.needModel();
  if (compared.get(draft) === core) return;
  if (draft.info?.vocab_size !== vocab_size) {
    const values = { n: draft.info?.vocab_size ?? 0, limit: vocab_size };
    throw new LogitscopeError('invalid_argument', 'draft_vocabulary_size', values);
  }
  for (let id = 0; tokenizer && id < vocab_size; id++) {
    const here = core.piece(id);
    const there = await draft.piece(id);
    if (here.special === there.special && sameBytes(here.bytes, there.bytes)) continue;
    const values = { id, wanted: JSON.stringify(here.text), value: JSON.stringify(there.text) };
    throw new LogitscopeError('invalid_argument', 'draft_vocabulary', values);
  }
  compared.set(draft, core);
}

/**
 * @param {Core} core
 * @param {Timeline} timeline
 * @param {{ parts: Resolved[], cache: boolean }} asked
 * @param {any} options of the generation
 */
export async function openSpeculation(core, timeline, { parts, cache }, options) {
  const { draft: from, draft_tokens = 4, draft_top = 0 } = options;
  checkInteger('draft_tokens', draft_tokens, 1, DRAFT_MAX);
  checkInteger('draft_top', draft_top, 0, TOP_MAX);
  parts.forEach(checkSettings);
  const draft = await scopeOf(core, from);
  await checkVocabulary(core, draft);
  const session = await draft.session();
  const speculation = new Speculation(core, timeline, { session, draft_tokens, draft_top, cache });
  speculation.context = draft.info?.context_length;
  return speculation;
}

/**
 * @param {Core} core
 * @param {any} from an open scope, or an argument of `load`
 * @returns {Promise<Draft>}
 */
async function scopeOf(core, from) {
  if (typeof from?.session === 'function' && typeof from.piece === 'function') return from;
  const known = loaded.get(core);
  if (known && known.from === from) return known.scope;
  const scope = core.loadBeside(from);
  const entry = { from, scope };
  loaded.set(core, entry);
  scope.catch(() => loaded.get(core) === entry && loaded.delete(core));
  return scope;
}

export class Speculation {
  #core;
  #timeline;
  #options;
  #size;
  /**
   * Addresses in the heap, in this order: p, the residual, q of each draft, logits of each position.
   */
  #p;
  #residual;
  #q;
  #rows;
  /**
   * The current pass: its drafts, the number already decided, the timeline's address in the heap, and
   * `#open`: true until a draft is rejected or the last token is drawn.
   */
  #drafts = /** @type {Drafted[]} */ ([]);
  #at = 0;
  #history = 0;
  #open = false;
  /** Number of ids that the draft's model sees; undefined if unknown. @type {number | undefined} */
  context;
  #totals = { passes: 0, drafted: 0, accepted: 0, rejected: 0, tokens: 0, ms: 0, draft_ms: 0 };

  /**
   * @param {Core} core
   * @param {Timeline} timeline
   * @param {Options} options
   */
  constructor(core, timeline, options) {
    const { module } = core;
    const most = options.draft_tokens;
    this.#core = core;
    this.#timeline = timeline;
    this.#options = options;
    this.#size = core.needModel().vocab_size;
    const width = 8 * this.#size;
    this.#p = module.need(
      module.calls.memory_allocate(width * (most + 2) + 4 * this.#size * (most + 1)),
    );
    this.#residual = this.#p + width;
    this.#q = this.#residual + width;
    this.#rows = this.#q + width * most;
  }

  /** The session of the draft's model. */
  get draft() {
    return this.#options.session;
  }

  close() {
    this.#options.session.close();
    this.#core.module.calls.memory_release(this.#p);
  }

  totals() {
    const { accepted, rejected, passes, tokens, ...rest } = this.#totals;
    const decided = accepted + rejected;
    return {
      passes,
      tokens,
      ...rest,
      accepted,
      rejected,
      acceptance: decided ? accepted / decided : null,
      tokens_per_pass: passes ? tokens / passes : null,
    };
  }

  /**
   * The next token of the text.
   * @param {number[]} ids
   * @param {Resolved} now
   * @param {Choice} choice
   * @param {number} left number of tokens that may still be drawn, including this token
   * @returns {Promise<Sample & { speculation: Speculated }>}
   */
  async next(ids, now, choice, left) {
    const began = performance.now();
    if (!this.#open) await this.#runPass(ids, now, choice, left);
    const sample = this.#decide(ids.length, now, choice);
    this.#totals.tokens++;
    this.#totals.ms += performance.now() - began;
    return sample;
  }

  /**
   * Drafts tokens and evaluates them in one pass.
   * @param {number[]} ids
   * @param {Resolved} now
   * @param {Choice} choice
   * @param {number} left
   */
  async #runPass(ids, now, choice, left) {
    const { draft_tokens, cache } = this.#options;
    const { context_length } = this.#core.needModel();
    // Beyond the context the window moves at each token, so no drafts are made there.
    const room = Math.max(0, context_length - ids.length);
    this.#drafts = await this.#draft(ids, now, choice, Math.min(draft_tokens, left - 1, room));
    this.#at = 0;
    this.#open = true;
    this.#totals.passes++;
    this.#totals.drafted += this.#drafts.length;
    const all = [...ids, ...this.#drafts.map(({ id }) => id)];
    this.#history = this.#feed(all, cache);
  }

  /**
   * Feeds text and drafts to the large model; returns the timeline's address in the heap.
   * @param {number[]} all
   * @param {boolean} cache
   */
  #feed(all, cache) {
    const { module } = this.#core;
    const handle = this.#timeline.handle();
    const { session_feed_rows, session_timeline } = module.calls;
    const at = module.place(all);
    const rows = this.#drafts.length + 1;
    module.need(session_feed_rows(handle, at, all.length, Number(cache), this.#rows, rows));
    return session_timeline(handle);
  }

  /**
   * Runs the chain and writes p of every token to an address in the heap; returns the chain's handle.
   * @param {import('./chain.js').Source} source
   * @param {Resolved} now
   * @param {number} step
   * @param {number} to
   */
  #computeP(source, now, step, to) {
    const { module, chain } = this.#core;
    const { chain: handle, at } = chain.prepareRun(source, now, step);
    module.need(module.calls.chain_apply(handle, ...at, 0));
    module.calls.chain_probabilities(handle, to, this.#size);
    return handle;
  }

  /**
   * Drafts up to `most` tokens by the small model, each with its step's u. Stops at a token that ends
   * the text.
   * @param {number[]} ids
   * @param {Resolved} now
   * @param {Choice} choice
   * @param {number} most
   */
  async #draft(ids, now, choice, most) {
    const core = this.#core;
    const { session } = this.#options;
    const { end_token_ids } = core.needModel();
    const began = performance.now();
    const all = [...ids];
    /** @type {Drafted[]} */
    const drafts = [];
    while (drafts.length < most) {
      const from = performance.now();
      const step = choice.step + drafts.length;
      await session.feed(all);
      const source = core.chain.given(await session.logits(), all);
      const chain = this.#computeP(source, now, step, this.#q + 8 * this.#size * drafts.length);
      const u = this.#random(now, choice, step);
      const { id } = this.#draw(chain, u, now).drawn;
      all.push(id);
      drafts.push({ id, u, ms: performance.now() - from });
      if (end_token_ids.includes(id)) break;
      if (!end_token_ids.length && core.gates.isSpent(now.gates, all)) break;
    }
    this.#totals.draft_ms += performance.now() - began;
    return drafts;
  }

  /** @param {number} chain result of #computeP @param {number} u @param {Resolved} now */
  #draw(chain, u, now) {
    const { module, chain: reader } = this.#core;
    return reader.readSample(module.calls.chain_draw(chain, u), now, u);
  }

  /**
   * @param {Resolved} now
   * @param {Choice} choice the choice for the pass's first token
   * @param {number} step
   */
  #random({ seed }, choice, step) {
    const given = step === choice.step ? choice.u : undefined;
    return given ?? this.#core.module.calls.draw_random(seed, step);
  }

  /**
   * Accepts or rejects the next draft of the pass; after the last draft, draws a token from p.
   * @param {number} length of the text so far
   * @param {Resolved} now
   * @param {Choice} choice
   * @returns {Sample & { speculation: Speculated }}
   */
  #decide(length, now, choice) {
    const { calls } = this.#core.module;
    const at = this.#at++;
    const draft = this.#drafts[at];
    const chain = this.#computeP(this.#source(at, length), now, choice.step, this.#p);
    const pass = this.#totals.passes - 1;
    if (!draft) {
      this.#open = false;
      const sample = this.#draw(chain, this.#random(now, choice, choice.step), now);
      return {
        ...sample,
        speculation: { outcome: 'bonus', pass, ...this.#topTokens(null, [sample.drawn.id]) },
      };
    }
    const q = this.#q + 8 * this.#size * at;
    const verdict = this.#verdict(q, draft.id, now, choice.step);
    const { accepted, id } = verdict;
    this.#totals[accepted ? 'accepted' : 'rejected']++;
    if (!accepted) this.#open = false;
    const from = accepted ? draft.u : verdict.u_residual;
    const sample = this.#core.chain.readSample(calls.chain_describe(chain, id), now, from);
    const { p, acceptance, u, residual } = verdict;
    return {
      ...sample,
      speculation: {
        outcome: accepted ? 'accepted' : 'replaced',
        pass,
        drafted: draft.id,
        drafted_text: this.#text(draft.id),
        p,
        q: verdict.q,
        acceptance,
        coin: u,
        residual,
        ...(!accepted && { dropped: this.#drafts.slice(at + 1).map((one) => one.id) }),
        ...this.#topTokens(q, [id, draft.id]),
      },
    };
  }

  /**
   * The logits at a position of the pass, with the text before it.
   * @param {number} at
   * @param {number} length
   * @returns {import('./chain.js').Source}
   */
  #source(at, length) {
    const logits = this.#rows + 4 * this.#size * at;
    const place = () => ({ logits, history: this.#history, count: length });
    return { size: this.#size, place, piece: () => ({ text: '', special: false }), whole: false };
  }

  /**
   * @param {number} q
   * @param {number} drafted
   * @param {Resolved} now
   * @param {number} step
   * @returns {Verdict}
   */
  #verdict(q, drafted, { seed }, step) {
    const { module } = this.#core;
    const at = module.calls.speculate_decide(this.#p, q, this.#size, drafted, seed, step);
    return readVerdict(module, at);
  }

  /** @param {number} id */
  #text(id) {
    return this.#core.needModel().tokenizer ? this.#core.piece(id).text : '';
  }

  /**
   * Lists the `draft_top` tokens with the largest max(p, q), and the tokens `also`; {} if draft_top
   * is 0. If q is null, only p counts.
   * @param {number | null} q
   * @param {number[]} also
   * @returns {{ tokens?: SpeculatedToken[] }}
   */
  #topTokens(q, also) {
    const { draft_top } = this.#options;
    if (!draft_top) return {};
    const { module } = this.#core;
    const read = (/** @type {number} */ at) => module.float64(at, this.#size);
    const p = read(this.#p);
    const others = q === null ? p : read(q);
    if (q !== null) module.calls.speculate_residual(this.#residual, this.#p, q, this.#size);
    const residual = read(this.#residual);
    const larger = p.map((share, id) => Math.max(share, others[id]));
    const ids = [...p.keys()].filter((id) => larger[id] > 0);
    ids.sort((a, b) => larger[b] - larger[a] || a - b);
    const rest = also.filter((id) => ids.indexOf(id) >= draft_top);
    const tokens = [...ids.slice(0, draft_top), ...new Set(rest)].map((id) => ({
      id,
      text: this.#text(id),
      p: p[id],
      ...(q !== null && { q: others[id], residual: residual[id] }),
    }));
    return { tokens };
  }
}

/**
 * @param {import('./module.js').Module} module
 * @param {number} at
 * @returns {Verdict}
 */
export function readVerdict(module, at) {
  const { u32, f64 } = module.fields(at);
  return {
    id: u32(layout.SPECULATE_VERDICT_ID),
    accepted: u32(layout.SPECULATE_VERDICT_ACCEPTED) === 1,
    p: f64(layout.SPECULATE_VERDICT_P),
    q: f64(layout.SPECULATE_VERDICT_Q),
    acceptance: f64(layout.SPECULATE_VERDICT_ACCEPTANCE),
    u: f64(layout.SPECULATE_VERDICT_U),
    u_residual: f64(layout.SPECULATE_VERDICT_U_RESIDUAL),
    residual: f64(layout.SPECULATE_VERDICT_RESIDUAL),
  };
}
