/** Tests mutants of correct samplers: none gets the full score unless it is equivalent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { marksOf } from '../bench/mutate.js';
import { cases } from '../long.js';
import { excuse, mutants, spread } from './mutants.js';

const COUNT = cases(8, 120);

test(`of ${COUNT} small changes none gets the full score unless it is equivalent`, async () => {
  const engine = await Logitscope.load();
  const all = mutants();
  assert.ok(all.length > 200);
  for (const [i, mutant] of spread(all, COUNT).entries()) {
    const score = await marksOf(engine, mutant, `test-${i}`);
    const why = excuse(mutant);
    const said = `${mutant.as}: ${mutant.from} -> ${mutant.to}`;
    assert.ok(score < 100 || why, said);
  }
});
