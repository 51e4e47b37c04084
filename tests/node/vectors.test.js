/**
 * Tests the engine with the golden vectors of tests/vectors. Also checks coverage.txt there: it must have an entry for
 * every case of the vectors' sources, with a reason if the vectors omit the case.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Logitscope, strategies } from '../../web/engine/index.js';
import { checkCase } from '../vectors/check.js';
import { parse, parseList } from '../vectors/parse.js';
import { Pcg32, unitOf } from '../vectors/generators.js';

const root = new URL('../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');
const files = parseList(read('tests/vectors/index.txt'))
  .flat()
  .map((name) => ({ name, cases: parse(read(`tests/vectors/${name}`)) }));
const cases = files.flatMap((file) => file.cases);
const coverage = parseList(read('tests/vectors/coverage.txt'));
const claims = coverage
  .filter(([first]) => first !== 'total')
  .map(([set, name, status, where]) => ({ set, name, status, where }));

for (const variant of ['simd', 'scalar']) {
  const scope = await Logitscope.load({ variant });
  for (const { name, cases: list } of files) {
    describe(`${name}, ${variant}`, () => {
      for (const given of list)
        test(given.name, () => assert.deepEqual(checkCase(scope, given), []));
    });
  }
}

test('random(seed, step) takes two outputs of PCG32 for each step', async () => {
  const scope = await Logitscope.load();
  for (const seed of [42, 0, 2 ** 53 - 1]) {
    const plain = new Pcg32(seed, 54);
    for (let step = 0; step < 400; step++) {
      assert.equal(scope.random(seed, step), unitOf(plain.next(), plain.next()));
    }
  }
});

test('the nine strategies are those of the Day 27 vectors', () => {
  const active = ({ temperature, ...rest }) =>
    temperature === 1 ? rest : { temperature, ...rest };
  const named = cases.filter((given) => given.name.startsWith('day27/strategy/'));
  assert.deepEqual(
    strategies.map(({ settings }) => active({ temperature: 1, ...settings })),
    named.map(({ settings }) => active({ temperature: 1, ...settings })),
  );
});

describe('account of the source sets', () => {
  const covers = (where, name) =>
    name === where ||
    name.startsWith(`${where}/`) ||
    (where.endsWith('*') && name.startsWith(where.slice(0, -1)));

  test('every case has a unique name and a source', () => {
    assert.equal(new Set(cases.map((given) => given.name)).size, cases.length);
    assert.deepEqual(
      cases.filter((given) => !given.source),
      [],
    );
  });

  test('every case of every set is accounted for', () => {
    const totals = coverage.filter(([first]) => first === 'total');
    assert.deepEqual(
      totals.map(([, set]) => set),
      [...new Set(claims.map((claim) => claim.set))],
    );
    for (const [, set, total] of totals) {
      const names = new Set(claims.filter((claim) => claim.set === set).map((claim) => claim.name));
      assert.equal(names.size, Number(total), set);
    }
  });

  test('the vectors are exactly the cases listed as carried over', () => {
    const carried = claims.filter((claim) => claim.status === 'vectors');
    for (const { where } of carried) {
      assert.ok(
        cases.some((given) => covers(where, given.name)),
        where,
      );
    }
    const own = (name) => name.startsWith('own/') || name.startsWith('rng/random/');
    const unclaimed = cases
      .map((given) => given.name)
      .filter((name) => !own(name) && !carried.some(({ where }) => covers(where, name)));
    assert.deepEqual(unclaimed, []);
  });

  test('every exception and every waiting case has a reason, and every reason a case', () => {
    const [, waiting, exceptions] = read('tests/vectors/EXCEPTIONS.md')
      .split(/^## .*$/m)
      .map((part) => [...part.matchAll(/^- \*\*(.+?)\*\*: ./gm)].map((match) => match[1]).sort());
    const keys = (status) =>
      [
        ...new Set(claims.filter((claim) => claim.status === status).map((claim) => claim.where)),
      ].sort();
    assert.deepEqual(waiting, keys('waiting'));
    assert.deepEqual(exceptions, keys('exception'));
  });

  test('a case that another test checks is named in that test', () => {
    for (const { set, name, where } of claims.filter((claim) => claim.status === 'test')) {
      const word = name === 'all' ? set.replace('.json', '') : name.split('/').at(-1);
      assert.ok(read(where).includes(word), `${where} does not name ${word}`);
    }
  });

  test('every line has a known status', () => {
    const known = ['vectors', 'test', 'waiting', 'exception'];
    assert.deepEqual(
      claims.filter(({ status, where }) => !known.includes(status) || !where),
      [],
    );
  });
});
