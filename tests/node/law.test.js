/** Tests the law of whole texts against full enumerations, draws, and facts of the model that a prototype found. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { checkSentence } from '../../web/engine/grammar.js';
import { Logitscope } from '../../web/engine/index.js';
import { RemoteLogitscope } from '../../web/engine/remote.js';
import { long } from '../long.js';

const MODEL = new URL('../../models/verbs.gguf', import.meta.url);
const grammar = JSON.parse(
  readFileSync(new URL('../../models/verbs.grammar.json', import.meta.url), 'utf8'),
);

/** @type {Logitscope} */
let scope;
before(async () => {
  scope = await Logitscope.load({ model: MODEL });
});
after(() => scope?.close());

const TWO = { grammar: 'root ::= " went home" | " and I went to the park with friends"' };
const close = (/** @type {number} */ a, /** @type {number} */ b, within = 5e-4) =>
  assert.ok(Math.abs(a - b) <= within, `${a} is not ${b} within ${within}`);

/**
 * Every text of at most `most` tokens under the settings, by a plain recursion over `warp`.
 * @param {string} prompt
 * @param {object} settings
 * @param {number} most
 * @returns {Map<string, number>} p by ids
 */
function enumerate(prompt, settings, most = 28) {
  const ids = [...scope.encode(prompt)];
  const texts = new Map();
  const visit = (/** @type {number[]} */ path, /** @type {number} */ p) => {
    const history = [...ids, ...path];
    scope.feed(history);
    const given = { constraint_start: ids.length, ...settings };
    const trace = scope.warp(scope.logits(), given, { history, step: path.length });
    trace.p.forEach((q, id) => {
      if (!q) return;
      if (id === scope.info?.eos_token_id || path.length + 1 === most)
        texts.set(String([...path, id]), p * q);
      else visit([...path, id], p * q);
    });
  };
  visit([], 1);
  return texts;
}

const keyed = (/** @type {any} */ law) =>
  new Map(law.sentences.map((/** @type {any} */ it) => [String(it.ids), it.p]));

test('greedy, mode and beams have the ranks that an enumeration gives', async () => {
  const law = await scope.law('Last night we', {}, { beams: [1, 4, 20] });
  assert.equal(law.sentences[0].text, ' went home');
  close(law.sentences[0].p, 0.0544);
  assert.equal(law.greedy.text, ' were going to school');
  assert.equal(law.greedy.rank, 19);
  close(law.greedy.p, 0.0134);
  assert.deepEqual(
    law.beams.map(({ rank }) => rank),
    [19, 2, 1],
  );
});

test('the texts that hold 90 and 99 % are 83 and 157, and mass and rest are 1 within 2^-40', async () => {
  for (const [mass, count] of [
    [0.9, 83],
    [0.99, 157],
  ]) {
    const law = await scope.law('Tomorrow she', {}, { mass });
    assert.equal(law.sentences.length, count);
    assert.ok(Math.abs(law.mass + law.rest - 1) < 2 ** -40);
    law.sentences.reduce((before, it) => (assert.ok(it.p <= before.p), it));
  }
});

test('under min-p 0.05 the law is a full enumeration of 170 texts; penalties and counts of tokens too', async () => {
  for (const [settings, count] of /** @type {[any, number | null][]} */ ([
    [{ min_p: 0.05 }, 170],
    [{ top_p: 0.5, repetition_penalty: 1.3, min_new_tokens: 3 }, null],
    [{ temperature: 0.6, top_k: 2, no_repeat_ngram_size: 2, logit_bias: { 23: -2 } }, null],
  ])) {
    const most = count ? 28 : 5;
    const whole = enumerate('Last night we', settings, most);
    const options = { mass: 1, max_new_tokens: most };
    const law = await scope.law('Last night we', settings, options);
    assert.equal(law.rest, 0);
    const listed = keyed(law);
    assert.deepEqual([...listed.keys()].sort(), [...whole.keys()].sort());
    for (const [ids, p] of listed) close(p, whole.get(ids) ?? 0, 1e-14);
    if (count) assert.equal(listed.size, count);
  }
});

test('cooling every token is not sharpening every text', async () => {
  const wanted = {
    'Tomorrow she': [0.146, 0.25, 0.548, 0.895],
    'Last night we': [0.199, 0.362, 0.762, 0.97],
  };
  for (const [prompt, distances] of Object.entries(wanted))
    for (const [i, power] of [1.5, 2, 4, 8].entries()) {
      const other = { settings: {}, power };
      const law = await scope.law(prompt, { temperature: 1 / power }, { alongside: [other] });
      const [low, high] = law.alongside[0].total_variation;
      assert.ok(low <= distances[i] + 5e-4 && high >= distances[i] - 5e-4, `${low} to ${high}`);
      assert.ok(high - low < 3e-3);
    }
});

test('a mask is not a condition', async () => {
  const masked = await scope.law('Yesterday Tom', { constraint: TWO }, { mass: 1 });
  assert.equal(masked.sentences.length, 2);
  const drawn = Object.fromEntries(masked.sentences.map(({ text, p }) => [text, p]));
  close(drawn[' went home'], 0.273);
  close(drawn[' and I went to the park with friends'], 0.727);
  const law = await scope.law('Yesterday Tom', {}, { mass: 0.97, alongside: [{ condition: TWO }] });
  const home = law.sentences.find(({ text }) => text === ' went home');
  const [low, high] = home?.beside[0] ?? [0, 0];
  assert.ok(low <= 0.973 && high >= 0.9725, `${low} to ${high}`);
  const all = enumerate('Last night we', { min_p: 0.05 });
  const fits = { grammar: 'root ::= " went home" | " ate lunch" | " were going to school"' };
  const given = await scope.law(
    'Last night we',
    { min_p: 0.05 },
    { mass: 1, alongside: [{ condition: fits }] },
  );
  const valid = given.sentences.filter(({ beside }) => beside[0][1]);
  const total = valid.reduce((sum, { ids }) => sum + (all.get(String(ids)) ?? 0), 0);
  assert.equal(valid.length, 3);
  for (const { ids, beside } of valid)
    for (const bound of beside[0]) close(bound, (all.get(String(ids)) ?? 0) / total, 1e-12);
});

test('a mask allows no word without a word that can follow', async () => {
  const grammars = [
    '" went home" | " and I went to the park with friends"',
    '" reading" | " read the book" | " were going" (" to school")?',
    '" " ("went" | "we" " were going") " home"? ', // after "we" a word begins with a space
    '(" and" | " I" | " a")* " the" " b" "ook"',
  ];
  for (const body of grammars) {
    const constraint = { grammar: `root ::= ${body}` };
    const options = { mass: 0.999, max_new_tokens: 6 };
    const { sentences } = await scope.law('Yesterday Tom', { constraint }, options);
    assert.ok(sentences.length > 0, body);
    for (const { text, finish_reason } of sentences)
      assert.notEqual(finish_reason, 'nothing_left', `${body}: ${text}`);
  }
  const none = { grammar: 'root ::= " rea" | " w"' };
  await assert.rejects(
    scope.write({ prompt: 'Yesterday Tom', constraint: none }),
    /constraint leaves no token/,
  );
});

test('top-p cuts whole texts by their first weak word', async () => {
  const kept = async (/** @type {number} */ top_p) => {
    const options = { mass: 1, knob: { name: 'top_p', values: [1] } };
    const { sentences } = await scope.law('Last night we', { top_p }, options);
    return [sentences.length, sentences.reduce((sum, { along }) => sum + (along?.[0] ?? 0), 0)];
  };
  close((await kept(0.9))[1], 0.928);
  const [count, mass] = await kept(0.7);
  assert.equal(count, 33);
  close(mass, 0.415);
});

/** Counts of the texts that the engine draws. @param {string} prompt @param {object} settings @param {number} n */
async function draws(prompt, settings, n) {
  const counts = new Map();
  for (let seed = 0; seed < n; seed++) {
    const { ids } = await scope.write({ prompt, ...settings, seed, max_new_tokens: 28 });
    counts.set(String(ids), (counts.get(String(ids)) ?? 0) + 1);
  }
  return counts;
}

/** Pearson's chi-square of the 50 first texts and the rest, as a standard normal value. */
async function misfit(
  /** @type {string} */ prompt,
  /** @type {object} */ settings,
  /** @type {number} */ n,
) {
  const law = await scope.law(prompt, settings);
  const counts = await draws(prompt, settings, n);
  const cells = law.sentences
    .slice(0, 50)
    .filter(({ p }) => p * n >= 5)
    .map(({ ids, p }) => [counts.get(String(ids)) ?? 0, p * n]);
  const [seen, wanted] = cells.reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
  const chi = [...cells, [n - seen, n - wanted]].reduce((sum, [c, d]) => sum + (c - d) ** 2 / d, 0);
  const k = cells.length;
  return ((chi / k) ** (1 / 3) - (1 - 2 / (9 * k))) / Math.sqrt(2 / (9 * k)); // Wilson and Hilferty 1931
}

test('600 drawn texts fit the law', async () => {
  assert.ok(Math.abs(await misfit('Last night we', { temperature: 0.7, top_p: 0.9 }, 600)) < 4);
});

long('200,000 drawn texts fit the law of each of six chains', async () => {
  const chains = [{}, { temperature: 0.7, top_p: 0.9 }, { min_p: 0.05 }, { typical_p: 0.8 }];
  const more = [
    { temperature: 1.3, top_k: 8 },
    { repetition_penalty: 1.2, top_p: 0.95 },
  ];
  for (const prompt of ['Last night we', 'Tomorrow she'])
    for (const settings of [...chains, ...more]) {
      const z = await misfit(prompt, settings, 16_667);
      assert.ok(Math.abs(z) < 4, `${prompt} ${JSON.stringify(settings)}: z ${z}`);
    }
});

test('the best of n draws has the share that draws show', async () => {
  const law = await scope.law('Last night we', {}, { alongside: [{ best_of: 3 }] });
  const best = law.sentences[0].beside[0][0];
  close(best, 1 - (1 - law.sentences[0].p) ** 3, 1e-12);
  const total = law.sentences.reduce((sum, { beside }) => sum + beside[0][0], 0);
  close(total + law.alongside[0].rest[0], 1, 1e-12);
  const ranks = new Map(law.sentences.map(({ ids }, i) => [String(ids), i]));
  const drawn = [...(await draws('Last night we', {}, 500))].flatMap(([ids, n]) =>
    Array(n).fill(ranks.get(ids) ?? Infinity),
  );
  let first = 0;
  for (let i = 0; i < 6000; i++) {
    const of = [0, 1, 2].map((j) => drawn[Math.floor(scope.random(i, j) * drawn.length)]);
    first += Number(Math.min(...of) === 0);
  }
  close(first / 6000, best, 0.05);
});

test('a knob moves each text as its own settings do, and a new call keeps no old settings', async () => {
  const values = [0.25, 0.5, 1];
  const law = await scope.law(
    'Last night we',
    { top_p: 0.9 },
    { knob: { name: 'temperature', values } },
  );
  for (const [i, temperature] of values.entries()) {
    const own = keyed(await scope.law('Last night we', { top_p: 0.9, temperature }, { mass: 0.9 }));
    for (const { ids, along } of law.sentences)
      if (own.has(String(ids))) assert.equal(along?.[i], own.get(String(ids)));
    const held = law.sentences.reduce((sum, { along }) => sum + (along?.[i] ?? 0), 0);
    close(held + (law.rest_along?.[i] ?? 0), 1, 1e-12);
  }
});

test('the share of right texts, and how many distinct ones are expected of 100, at four temperatures', async () => {
  const knob = { name: 'temperature', values: [0.7, 1, 1.5, 2] };
  const law = await scope.law('Last night we', {}, { grammar, knob });
  const { right } = law;
  const figures = (/** @type {Float64Array | undefined} */ values, /** @type {number} */ digits) =>
    Array.from(values ?? [], (value) => value.toFixed(digits));
  const percents = right?.along?.map((p) => 100 * p);
  assert.deepEqual(figures(percents, 2), ['99.98', '99.45', '91.19', '66.41']);
  assert.deepEqual(figures(right?.distinct_along, 1), ['48.9', '54.6', '53.0', '41.1']);
  assert.equal(right?.p, right?.along?.[1]);
  for (const it of law.sentences)
    assert.equal(it.right, checkSentence(grammar, `Last night we${it.text}`).right, it.text);

  // The listed texts bound both figures; under a cut all texts are listed, so the figures are equal.
  const settings = { min_p: 0.01, temperature: 1.5 };
  const whole = await scope.law('Last night we', settings, { mass: 1, grammar, draws: 7 });
  const ps = whole.sentences.filter((it) => it.right).map(({ p }) => p);
  assert.equal(whole.rest, 0);
  assert.ok(ps.length < whole.sentences.length, 'wrong texts are left');
  close(
    whole.right?.p ?? 0,
    ps.reduce((sum, p) => sum + p, 0),
    1e-12,
  );
  close(
    whole.right?.distinct ?? 0,
    ps.reduce((sum, p) => sum + 1 - (1 - p) ** 7, 0),
    1e-12,
  );
  const short = await scope.law('Last night we', {}, { max_new_tokens: 3, grammar });
  assert.ok((short.right?.texts ?? 0) < (right?.texts ?? 0), 'a cut text is not right');
});

test("XTC's coin is averaged: the law is the mean of both outcomes at each step", async () => {
  const settings = { xtc_probability: 0.3, xtc_threshold: 0.05, min_p: 0.1 };
  const ids = [...scope.encode('Last night we')];
  const p = (/** @type {number[]} */ path, /** @type {number} */ id) => {
    const history = [...ids, ...path];
    scope.feed(history);
    const [cut, whole] = [1, 0].map(
      (xtc_probability) =>
        scope.warp(scope.logits(), { ...settings, xtc_probability }, { history }).p[id],
    );
    return 0.3 * cut + 0.7 * whole;
  };
  const law = await scope.law('Last night we', settings, { mass: 1 });
  assert.equal(law.rest, 0);
  for (const it of law.sentences.filter((_, i) => i % 9 === 0))
    close(
      it.p,
      it.ids.reduce((all, id, i) => all * p(it.ids.slice(0, i), id), 1),
      1e-14,
    );
  assert.ok(Math.abs(await misfit('Last night we', settings, 300)) < 4);
});

test('other models give the next few tokens, with the rest', async () => {
  const stories = await Logitscope.load({
    model: new URL('../../models/stories.gguf', import.meta.url),
  });
  const law = await stories.law(
    'Once upon',
    { temperature: 0.3 },
    { max_new_tokens: 3, mass: 0.9 },
  );
  assert.ok(law.mass >= 0.9 && Math.abs(law.mass + law.rest - 1) < 2 ** -40);
  for (const { ids, finish_reason } of law.sentences)
    assert.ok(finish_reason === 'length' ? ids.length === 3 : ids.length <= 3);
  stories.close();
});

test('laws that run at once have the results of laws that run alone', async () => {
  const own = await Logitscope.load({ model: MODEL });
  const asked = [
    ...[2, 3, 4, 5, 6, 8, 9].map((top_k) => ['Last night we', { top_k }, { mass: 0.8 }]),
    ['Tomorrow she', { temperature: 0.7 }, { mass: 0.9 }],
    ['Today I', {}, { mass: 0.8, beams: [2] }],
    ['Tomorrow she', {}, { mass: 0.8 }],
  ];
  const together = await Promise.all(asked.map((each) => own.law(.../** @type {[any]} */ (each))));
  for (const [i, each] of asked.entries())
    assert.deepEqual(together[i], await scope.law(.../** @type {[any]} */ (each)));
  own.close();
});

test('a law in a worker equals the law here, tells its progress, and an abort cancels it', async () => {
  const remote = await RemoteLogitscope.load({ model: MODEL });
  const knob = { name: 'temperature', values: [0.5, 1] };
  /** @type {number[]} */
  const shares = [];
  const onprogress = (/** @type {{ share: number }} */ { share }) => void shares.push(share);
  const law = await remote.law('Tomorrow she', {}, { grammar, knob, onprogress });
  assert.deepEqual(law, await scope.law('Tomorrow she', {}, { grammar, knob }));
  assert.ok(shares.length > 0);
  assert.deepEqual(
    shares,
    shares.slice().sort((a, b) => a - b),
  );
  assert.ok(shares.every((share) => share >= 0 && share <= 1));

  const stop = new AbortController();
  const { signal } = stop;
  const few = { mass: 0.5, limit: 500, signal };
  const long = remote.law('Tomorrow', {}, { ...few, grammar, onprogress: () => stop.abort() });
  await assert.rejects(long, { code: 'cancelled' });
  for (const engine of [remote, scope])
    await assert.rejects(engine.law('Tomorrow', {}, few), { code: 'cancelled' });
  const { signal: other } = new AbortController();
  assert.deepEqual(await remote.law('Today I', {}, { signal: other }), await scope.law('Today I'));
  await assert.rejects(
    remote.law('Today I', {}, /** @type {any} */ ({ onprogress: 1 })),
    /onprogress/,
  );
  await remote.close();
});

test('a law ends with an error if the engine is closed while it runs', async () => {
  const model = new URL('../../models/stories.gguf', import.meta.url);
  const stories = await Logitscope.load({ model });
  const law = stories.law('The soup was too', { repetition_penalty: 1.1 }, { max_new_tokens: 4 });
  setTimeout(() => stories.close(), 25);
  await assert.rejects(law, /the instance is closed/);

  for (const ticks of [0, 3, 20, 300]) {
    const own = await Logitscope.load({ model: MODEL });
    const options = { mass: 0.8, alongside: [{ settings: { temperature: 0.8 } }] };
    if (ticks % 2) await own.law('Last night we', {}, options); // then all logits are known
    const ended = assert.rejects(own.law('Last night we', {}, options), /closed/);
    for (let i = 0; i < ticks; i++) await null;
    own.close();
    await ended;
  }
});

test('a state, a second distribution and wrong options are refused by name', async () => {
  const refused = async (
    /** @type {any} */ settings,
    /** @type {any} */ options,
    /** @type {RegExp} */ sentence,
  ) => assert.rejects(scope.law('Last night we', settings, options), sentence);
  await refused({ mirostat: 2 }, {}, /cannot be computed with mirostat/);
  await refused(
    { adaptive_target: 0.3 },
    {},
    /cannot be computed with adaptive_target, which has a state/,
  );
  await refused({ guidance_scale: 2 }, {}, /cannot be computed with guidance_scale/);
  await refused({}, { mass: 2 }, /mass must be between 0 and 1, got 2/);
  await refused({}, { draws: 0 }, /draws must be .* got 0/);
  await refused({}, { grammar: {} }, /grammar must be/);
  await refused({}, { limit: 0 }, /limit must be .* got 0/);
  await refused({}, { alongside: [{ power: 0.5 }] }, /power must be between 1 and 1000, got 0.5/);
  await refused({}, { alongside: [{ what: 1 }] }, /unknown.*what|must be/);
  await assert.rejects(scope.law(Array(32).fill(5)), /context/);
  const few = await scope.law('Last night we', {}, { limit: 5 });
  assert.ok(few.prefixes <= 5 && Math.abs(few.mass + few.rest - 1) < 2 ** -40);
});
