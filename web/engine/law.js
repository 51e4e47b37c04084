/**
 * The law of whole texts: the probability of each complete text after a prompt, most probable first, without
 * sampling. A text ends with an end token, or at `max_new_tokens`. The probability of a text is the product of its
 * tokens' p under the chain. All texts that are not listed are one number, `rest`.
 *
 * A pass visits every prefix with p >= threshold, depth first, so each new prefix feeds one token. All texts with
 * p >= threshold are found, so ranks and mode are certain. A prefix keeps its logits: other settings need no model.
 */
import {
  checkFunction,
  checkInteger,
  checkNumbers,
  checkOptions,
  checkSignal,
  checkText,
  isObject,
} from './checks.js';
import { LogitscopeError, mustBe, show } from './errors.js';
import { bestOf, condition, distances, product, sharpen, sum } from './other-laws.js';
import { Walk, branchesOf, forestOf } from './prefixes.js';
import { expectDistinct, rightTexts } from './right-texts.js';
import { beamSearch, checkNumber } from './search.js';

/** @import { Core } from './core.js' */
/** @import { Beside } from './other-laws.js' */
/** @import { Law, LawOptions, Other, Sentence } from './law-types.js' */
/** @import { Settings } from './types.js' */

const LIMIT = 60_000;
const LIMIT_MAX = 1 << 17;
const POWER_MAX = 1000;
const DRAWS_MAX = 1e9;
/** A pass that finds too little is repeated with a threshold divided by this number. */
const STEP = 4;
/** A constraint that allows texts of at most this many prefixes has them all listed. */
const FEW = 2000;
/** Below this threshold p is no longer exact enough to be ranked. */
const THRESHOLD_MIN = 2 ** -44;

/** Sorts by descending p, then by ids. @param {Sentence} a @param {Sentence} b */
const byP = (a, b) => b.p - a.p || (String(a.ids) < String(b.ids) ? -1 : 1);

/**
 * The texts that hold `mass`, most probable first, and the rest.
 * @param {Walk} walk
 * @param {number} mass
 */
async function search(walk, mass) {
  let threshold = Math.max(THRESHOLD_MIN, (1 - mass) / 8);
  let best = await walk.pass(threshold);
  while (!best && threshold < 1) best = await walk.pass((threshold *= STEP));
  best ??= { found: [], rest: 1, visited: 0 };
  while (best.rest && 1 - best.rest < mass && threshold > THRESHOLD_MIN) {
    const more = await walk.pass((threshold /= STEP));
    if (!more) break;
    best = more;
  }
  const sorted = best.found.sort(byP);
  let held = 0;
  let count = 0;
  while (count < sorted.length && held < mass) held += sorted[count++].p;
  const left = sorted.slice(count).map(({ p }) => p);
  const last = count ? sorted[count - 1].p : 1;
  return {
    listed: sorted.slice(0, count),
    rest: best.rest + sum(left),
    all: sorted,
    last,
    visited: best.visited,
  };
}

/**
 * Walks of other laws see the same prefixes.
 * @typedef {{ core: Core, forest: ReturnType<typeof forestOf>, bounds: { most: number, ends: number[], limit: number, signal?: any }, tell?: (share: number) => void }} Ground
 */

/**
 * The searches of the other laws with settings of their own. Their texts join the listed ones, so that a text that
 * only the other law prefers is compared too.
 * @param {Ground} ground
 * @param {Other[]} others
 * @param {number} mass
 * @param {Walk} walk
 * @param {Sentence[]} listed
 */
async function joinOthers({ core, forest, bounds }, others, mass, walk, listed) {
  const known = new Set(listed.map(({ ids }) => String(ids)));
  const joined = [...listed];
  const searches = [];
  for (const { settings, condition } of others) {
    if (!settings && condition === undefined) {
      searches.push(null);
      continue;
    }
    const its = new Walk(core, forest, settings ?? { constraint: condition }, bounds);
    const few = settings ? null : await its.pass(Number.MIN_VALUE, FEW);
    const { listed: texts, last } = few ? { listed: few.found, last: 0 } : await search(its, mass);
    searches.push({ walk: its, last, complete: few !== null });
    for (const { ids, finish_reason } of texts) {
      if (known.has(String(ids))) continue;
      known.add(String(ids));
      const steps = await walk.along(ids);
      joined.push({
        ids,
        finish_reason,
        steps,
        p: steps.length === ids.length ? product(steps) : 0,
      });
    }
  }
  return { joined: joined.sort(byP), searches };
}

/**
 * Another law over the listed texts.
 * @param {Other} other
 * @param {{ walk: Walk, last: number, complete: boolean } | null} its search, if it has a chain of its own
 * @param {{ listed: Sentence[], rest: number, last: number }} own
 * @returns {Promise<Beside>}
 */
async function beside(other, its, { listed, rest, last }) {
  if (other.best_of !== undefined) return bestOf(listed, other.best_of);
  if (other.condition !== undefined && its)
    return condition(its.walk, listed, its.complete ? 0 : rest);
  const ps = its ? await its.walk.shares(listed) : listed.map(({ p }) => p);
  const hidden = its ? Math.max(0, 1 - sum(ps)) : rest;
  if (other.power !== undefined) return sharpen(ps, hidden, its?.last ?? last, other.power);
  return { each: ps.map((p) => [p, p]), rest: [hidden, hidden] };
}

/**
 * The p of each text at each value of a setting.
 * @param {Ground} ground
 * @param {Settings} settings
 * @param {{ name: string, values: number[] }} knob
 * @param {{ ids: number[] }[]} texts
 */
async function follow({ core, forest, bounds, tell }, settings, { name, values }, texts) {
  const branches = branchesOf(forest, texts);
  const courses = texts.map(() => new Float64Array(values.length));
  for (const [at, value] of values.entries()) {
    // The first value reads the model: it counts as half of the work.
    const told = (/** @type {number} */ share) =>
      tell?.(at ? (1 + (at + share) / values.length) / 2 : share / 2);
    const walk = new Walk(core, forest, { ...settings, [name]: value }, bounds);
    const shares = await walk.shares(texts, branches, told);
    for (const [i, p] of shares.entries()) courses[i][at] = p;
  }
  return courses;
}

/** The p of each text at one value of the knob. @param {Float64Array[]} courses @param {number} at */
const columnOf = (courses, at) => courses.map((course) => course[at]);

/**
 * The right texts after the prompt: their probability and the expected number of distinct ones among `draws`.
 * @param {Walk} walk
 * @param {{ ids: number[] }[]} texts
 * @param {number} draws
 * @param {Float64Array[] | undefined} courses the p of each text at each value of the knob
 * @param {((share: number) => void) | undefined} tell
 * @returns {Promise<NonNullable<Law['right']>>}
 */
async function reckonRight(walk, texts, draws, courses, tell) {
  const ps = await walk.shares(texts, undefined, courses ? undefined : tell);
  const columns = courses && Array.from(courses[0] ?? [], (_, at) => columnOf(courses, at));
  return {
    texts: texts.length,
    draws,
    p: sum(ps),
    distinct: expectDistinct(ps, draws),
    ...(columns && {
      along: Float64Array.from(columns, sum),
      distinct_along: Float64Array.from(columns, (each) => expectDistinct(each, draws)),
    }),
  };
}

/** @param {unknown} other @param {number} i */
function checkOther(other, i) {
  if (!isObject(other)) throw mustBe('alongside', 'a_list_of_laws', other, i);
  checkOptions('alongside', /** @type {any} */ (other), [
    'settings',
    'power',
    'condition',
    'best_of',
  ]);
  const keys = Object.keys(/** @type {any} */ (other))
    .sort()
    .join();
  if (!['best_of', 'condition', 'power', 'power,settings', 'settings'].includes(keys))
    throw mustBe('alongside', 'a_list_of_laws', other, i);
  const { power, best_of } = /** @type {Other} */ (other);
  if (power !== undefined) checkNumber('power', power, 1, POWER_MAX);
  if (best_of !== undefined) checkInteger('best_of', best_of, 1, 1 << 20);
}

/**
 * Checks the options and fills in the defaults.
 * @param {LawOptions} given
 * @param {number} most the longest text that the context holds
 */
function checkLaw(given, most) {
  const NAMES = [
    'mass',
    'limit',
    'max_new_tokens',
    'power',
    'alongside',
    'knob',
    'powers',
    'beams',
    'grammar',
    'draws',
    'signal',
    'onprogress',
  ];
  checkOptions('options of law', given, NAMES);
  const {
    mass = 0.99,
    limit = LIMIT,
    max_new_tokens = most,
    power,
    knob,
    powers = [],
    beams = [],
    grammar = null,
    draws = 100,
    signal,
    onprogress,
  } = given;
  if (!(typeof mass === 'number' && mass > 0 && mass <= 1)) {
    const range = { setting: 'mass', minimum: 0, maximum: 1, value: show(mass) };
    throw new LogitscopeError('out_of_range', 'must_be_between', range);
  }
  checkInteger('limit', limit, 1, LIMIT_MAX);
  checkInteger('max_new_tokens', max_new_tokens, 1, most);
  checkSignal(signal);
  checkFunction('onprogress', onprogress);
  const tell = onprogress && ((/** @type {number} */ share) => onprogress({ share }));
  if (given.alongside !== undefined && !Array.isArray(given.alongside))
    throw mustBe('alongside', 'a_list', given.alongside);
  const others = [...(given.alongside ?? []), ...(power === undefined ? [] : [{ power }])];
  others.forEach(checkOther);
  if (knob) checkNumbers('knob.values', knob.values);
  for (const each of powers) checkNumber('powers', each, 1, POWER_MAX);
  for (const width of beams) checkInteger('beams', width, 1, 64);
  checkInteger('draws', draws, 1, DRAWS_MAX);
  const bounds = { most: max_new_tokens, limit, signal };
  return { mass, bounds, tell, others, knob, powers, beams, grammar, draws };
}

/**
 * Returns a function that completes a text: its words, p and rank.
 * @param {Core} core
 * @param {Sentence[]} ranked the texts of the search, most probable first
 */
function openReader(core, ranked) {
  const ranks = new Map(ranked.map(({ ids }, i) => [String(ids), i + 1]));
  return (/** @type {{ ids: number[], steps: number[] }} */ { ids, steps }) => {
    const pieces = ids.map((id) => core.piece(id));
    return {
      ids,
      text: pieces.map(({ special, text }) => (special ? '' : text)).join(''),
      tokens: ids.map((id, i) => ({ id, text: pieces[i].text, p: steps[i] ?? 0 })),
      p: steps.length === ids.length ? product(steps) : 0,
      rank: ranks.get(String(ids)) ?? null,
    };
  };
}

/**
 * The texts of beam searches without length penalty.
 * @param {import('./logitscope.js').Logitscope} scope
 * @param {Walk} walk
 * @param {{ prompt: number[], max_new_tokens: number }} options
 * @param {number[]} widths
 * @param {ReturnType<typeof openReader>} read
 */
async function searchBeams(scope, walk, options, widths, read) {
  const found = [];
  for (const beam_width of widths) {
    const { ids } = await beamSearch(scope, { ...options, beam_width, length_penalty: 0 });
    found.push({ beam_width, ...read({ ids, steps: await walk.along(ids) }) });
  }
  return found;
}

/**
 * `law` of Logitscope.
 * @param {Core} core
 * @param {import('./logitscope.js').Logitscope} scope
 * @param {string | ArrayLike<number>} prompt
 * @param {Settings} [settings]
 * @param {LawOptions} [options]
 * @returns {Promise<Law>}
 */
export async function law(core, scope, prompt, settings = {}, options = {}) {
  checkText('prompt', prompt);
  const { context_length, end_token_ids: ends } = core.needModel();
  const ids = Array.from(typeof prompt === 'string' ? core.encode(prompt) : prompt);
  if (!ids.length) throw new LogitscopeError('empty', 'no_prompt');
  const room = context_length - ids.length;
  if (room < 1)
    throw new LogitscopeError('too_long', 'context_prompt', {
      n: ids.length,
      limit: context_length,
    });
  const asked = checkLaw(options, room);
  const forest = forestOf(core, scope, ids);
  forest.enter();
  try {
    const bounds = { ...asked.bounds, ends };
    return await reckon({ core, forest, bounds, tell: asked.tell }, scope, settings, asked);
  } finally {
    forest.leave();
  }
}

/**
 * @param {Ground} ground
 * @param {import('./logitscope.js').Logitscope} scope
 * @param {Settings} settings
 * @param {ReturnType<typeof checkLaw>} asked
 * @returns {Promise<Law>}
 */
async function reckon(ground, scope, settings, asked) {
  const { core, forest, bounds } = ground;
  const { mass, others, knob, powers, beams, grammar, draws } = asked;
  const ids = forest.prompt;
  const walk = new Walk(core, forest, settings, bounds);
  const right = grammar && rightTexts(core, grammar, ids, bounds);
  const { listed: found, all, last, visited, rest: unlisted } = await search(walk, mass);
  const { joined: listed, searches } = await joinOthers(ground, others, mass, walk, found);
  const held = sum(listed.map(({ p }) => p));
  const rest = Math.max(0, unlisted - (held - sum(found.map(({ p }) => p))));
  const read = openReader(core, all);
  const courses = knob && (await follow(ground, settings, knob, [...listed, ...(right ?? [])]));
  const along = courses?.slice(0, listed.length);
  const ps = listed.map(({ p }) => p);
  const raised = powers.map((power) => sharpen(ps, rest, last, power));
  /** @type {(Beside & ReturnType<typeof distances>)[]} */
  const alongside = [];
  for (const [i, other] of others.entries()) {
    const its = await beside(other, searches[i], { listed, rest, last });
    alongside.push({ ...its, ...distances(listed, rest, its) });
  }
  const rights = right && new Set(right.map((text) => String(text.ids)));
  return {
    prompt_ids: ids,
    sentences: listed.map((it, i) => ({
      ...read(it),
      finish_reason: it.finish_reason,
      beside: alongside.map(({ each }) => each[i]),
      ...(along && { along: along[i] }),
      ...(powers.length && { sharpened: Float64Array.from(raised, ({ each }) => each[i][0]) }),
      ...(rights && { right: rights.has(String(it.ids)) }),
    })),
    mass: held,
    rest,
    prefixes: visited,
    greedy: read(await walk.greedy()),
    beams: await searchBeams(
      scope,
      walk,
      { prompt: ids, max_new_tokens: bounds.most },
      beams,
      read,
    ),
    alongside: alongside.map(({ each: _, ...figures }) => figures),
    ...(along && {
      rest_along: Float64Array.from(knob?.values ?? [], (_, at) =>
        Math.max(0, 1 - sum(columnOf(along, at))),
      ),
    }),
    ...(powers.length && {
      rest_sharpened: Float64Array.from(raised, ({ rest: [, most] }) => most),
    }),
    ...(right && {
      right: await reckonRight(walk, right, draws, courses?.slice(listed.length), ground.tell),
    }),
  };
}
