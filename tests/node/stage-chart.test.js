/**
 * Tests the numbers in the chart of the stages against the engine's own traces. The height of each band must equal
 * the probability after each stage, also with 262,144 tokens and for tokens that the trace does not list.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bandAt,
  betweenStages,
  changedColumns,
  heightAt,
  layStages,
  nameStages,
  sliceStages,
  stackOf,
} from '../../web/plots/stages.js';
import { findHidden, mayHide } from '../../web/state/hidden-tokens.js';
import { Logitscope } from '../../web/engine/index.js';
import { closed } from '../cleanup.js';
import { cases } from '../long.js';

/** Returns a seeded generator of numbers from 0 to 1: xorshift. @param {number} seed */
function rng(seed) {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const scope = closed(await Logitscope.load({}));

/** Returns settings in which about half of these stages act, in a random order. @param {() => number} random */
function chainOf(random) {
  const values = {
    temperature: 0.2 + 2 * random(),
    top_k: 1 + Math.floor(60 * random()),
    top_p: 0.3 + 0.7 * random(),
    min_p: 0.2 * random(),
    typical_p: 0.3 + 0.7 * random(),
    repetition_penalty: 1 + random(),
    xtc_probability: 1,
  };
  const on = Object.entries(values).filter(() => random() < 0.5);
  const order = [...scope.table.filter(({ sampler }) => sampler).map(({ name }) => name)];
  order.sort(() => random() - 0.5);
  return { ...Object.fromEntries(on), order };
}

/** @param {() => number} random @param {number} size */
const logitsOf = (random, size) =>
  Float32Array.from(
    { length: size },
    (_, i) => (i < 60 ? 6 : 2) * (random() + random() + random() - 1.5),
  );

/** Computes the chart's bands as the page does. @param {Float32Array} logits @param {any} settings */
async function riverOf(logits, settings) {
  const how = { history: [0, 1, 2] };
  const trace = scope.warp(logits, { ...settings, top: 48 }, how);
  const raw = scope.warp(logits, { top: 48 }, how);
  const warp = async (choices) => choices.map((asked) => scope.warp(logits, asked, how));
  const hidden = mayHide(trace) ? await findHidden(trace, raw, settings, warp) : [];
  const further = hidden.map((token) => ({ ...token, text: '', special: false }));
  return { trace, further, river: layStages(trace, further) };
}

/** Asserts that the bands of the chart equal a trace. */
function check({ trace, river, further }, settings) {
  const { columns, bands, ground, rest } = river;
  const active = trace.stages.filter((stage) => stage.active).map(({ name }) => name);
  assert.deepEqual(
    columns.map(({ name }) => name),
    ['model', ...active],
  );
  columns.forEach(({ index }, c) => {
    let sum = rest[c];
    for (const band of bands) {
      const p = index < 0 ? band.token.p_raw : band.token.stage_p[index];
      assert.equal(band.p[c], p);
      assert.ok(Math.abs(band.after[c] - band.before[c] - p) < 1e-12);
      sum += p;
    }
    assert.ok(Math.abs(sum - 1) < 1e-9, `column ${c} sums to ${sum}, ${JSON.stringify(settings)}`);
    const listed = bands.filter(({ id }) => !further.some((token) => token.id === id));
    const shown = c === columns.length - 1 ? listed : bands;
    const filled = shown.reduce((walked, { p }) => walked + p[c], 0);
    assert.ok(Math.abs(ground[c] - filled) < 1e-9);
  });
  const last = columns.length - 1;
  if (further.length === 0) assert.ok(Math.abs(rest[last] - trace.rest.p) < 1e-12);
}

test('each band has the height of the engine’s probability, and each column sums to 1', async () => {
  const random = rng(7);
  for (let i = 0; i < cases(60, 600); i++) {
    const settings = chainOf(random);
    const logits = logitsOf(random, 300);
    const found = await riverOf(logits, settings);
    check(found, settings);
    const { river, trace } = found;
    const last = river.columns.length - 1;
    for (let draw = 0; draw < 5; draw++) {
      const u = random();
      const { drawn } = scope.readFrom(logits, settings, { u, history: [0, 1, 2] });
      const band = river.bands.find(({ id }) => id === drawn.id);
      if (band) assert.ok(band.before[last] <= u + 1e-9 && u < band.after[last] + 1e-9);
      else assert.ok(drawn.rank > trace.tokens.length);
    }
  }
});

test('a token that XTC removes among many survivors has a band, at 262,144 tokens too', async () => {
  const random = rng(8);
  for (const size of [2048, 262144]) {
    const logits = logitsOf(random, size);
    const most = logits.reduce((a, b) => Math.max(a, b)) + 8;
    [logits[size - 1], logits[3]] = [most, most - 0.5];
    const settings = { temperature: 1.2, xtc_probability: 1, xtc_threshold: 0.05 };
    const found = await riverOf(logits, settings);
    check(found, settings);
    const gone = found.river.bands.filter(({ token }) => token.removed_by === 'xtc_probability');
    assert.ok(gone.length > 0, 'XTC removes a token');
    assert.ok(gone[0].p[0] > 0.05 && gone[0].p[2] === 0);
    // A trace with room for every token gives the expected numbers.
    const whole = scope.warp(logits, { ...settings, top: size }, { history: [0, 1, 2] });
    for (const { token } of gone) {
      const { id, p_raw, stage_p, removed_by } = whole.tokens.find(({ id }) => id === token.id);
      assert.deepEqual(
        [token.id, token.p_raw, token.stage_p, token.removed_by],
        [id, p_raw, stage_p, removed_by],
      );
    }
  }
});

test('ribbons are monotone, the point finds its band, and names lie inside their bands', async () => {
  const random = rng(9);
  const { river } = await riverOf(logitsOf(random, 300), {
    temperature: 1.4,
    top_k: 12,
    min_p: 0.05,
  });
  const { columns, bands } = river;
  for (const band of bands.slice(0, 20))
    for (let c = 1; c < columns.length; c++) {
      const way = Math.sign(band.before[c] - band.before[c - 1]);
      let earlier = band.before[c - 1];
      for (let i = 0; i <= 20; i++) {
        const [from, to] = [columns[c - 1].to, columns[c].from];
        const height = heightAt(columns, band.before, from + ((to - from) * i) / 20);
        assert.ok(way * (height - earlier) >= -1e-12);
        earlier = height;
      }
    }
  for (let i = 0; i < 200; i++) {
    const [x, y] = [random(), random()];
    const band = bandAt(river, x, y);
    if (!band) continue;
    assert.ok(heightAt(columns, band.before, x) <= y && y < heightAt(columns, band.after, x));
  }
  const box = { width: 800, height: 400, sizes: [22, 16, 13], wide: (band) => (band ? 3 : 4) };
  const names = nameStages(river, box);
  assert.ok(names.length > columns.length);
  for (const { band, column, y, size } of names) {
    const [from, to] = band ? [band.before[column], band.after[column]] : [river.ground[column], 1];
    assert.ok(y - size / 2 >= from * 400 && y + size / 2 <= to * 400);
  }
});

test('a transition begins at the old river and ends at the new one, with columns that come and go', async () => {
  const logits = logitsOf(rng(10), 300);
  const { river: few } = await riverOf(logits, { temperature: 1.4, top_k: 12 });
  const { river: many } = await riverOf(logits, { temperature: 1.4, top_k: 12, min_p: 0.1 });
  for (const [from, to] of [
    [few, many],
    [many, few],
  ]) {
    const end = betweenStages(from, to, 1);
    const start = betweenStages(from, to, 0);
    const lastOf = (river) => river.columns.length - 1;
    for (const band of to.bands) {
      const shown = end.bands.find(({ id }) => id === band.id);
      assert.equal(shown.before[lastOf(end)], band.before[lastOf(to)]);
    }
    for (const band of from.bands) {
      const shown = start.bands.find(({ id }) => id === band.id);
      assert.equal(shown.after[lastOf(start)], band.after[lastOf(from)]);
    }
  }
});

test('outside of its moving part a transition does not change, and a stack has no gaps and no crossing', async () => {
  const random = rng(11);
  let [still, stacks, crossings] = [0, 0, 0];
  for (let i = 0; i < cases(40, 400); i++) {
    const logits = logitsOf(random, 300);
    const settings = chainOf(random);
    const order = [...settings.order];
    const at = Math.floor(random() * (order.length - 1));
    order.splice(at, 2, order[at + 1], order[at]); // two neighbours change places
    const from = (await riverOf(logits, settings)).river;
    const to = (await riverOf(logits, { ...settings, order })).river;
    const [start, end] = [0, 1].map((share) => betweenStages(from, to, share));
    const [first, last] = changedColumns(start, end);
    for (const share of [0.25, 0.75]) {
      const middle = betweenStages(from, to, share);
      for (const [c] of middle.columns.entries()) {
        if (c > first && c < last) continue;
        if ((c === 0 && first === 0) || (c === end.columns.length - 1 && c === last)) continue;
        still++;
        for (const [b, band] of middle.bands.entries()) {
          assert.ok(Math.abs(band.before[c] - start.bands[b].before[c]) < 2e-4);
          assert.ok(Math.abs(band.after[c] - end.bands[b].after[c]) < 2e-4);
        }
      }
      assert.deepEqual(
        sliceStages(middle, first, last).bands.map(({ after }) => [...after]),
        middle.bands.map(({ after }) => [...after].slice(first, last + 1)),
      );
      const stack = stackOf(middle);
      if (stack) stacks++;
      else crossings++;
      for (const [b, band] of (stack ?? []).entries())
        for (const [c] of middle.columns.entries()) {
          const below = stack[b + 1]?.before[c] ?? middle.ground[c];
          assert.ok(Math.abs(band.after[c] - below) < 2e-4);
        }
    }
  }
  assert.ok(still > 0 && stacks > 0 && crossings > 0);
});
