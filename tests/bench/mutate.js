/**
 * Counts the mutants of correct samplers that the grader finds: node tests/bench/mutate.js [COUNT]. Prints the mutants
 * with the full score. They must be equivalent; EQUIVALENT in tests/node/mutants.js has the reasons.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inThread } from '../../web/cli/own-sampler.js';
import { Logitscope } from '../../web/engine/index.js';
import { grade } from '../../web/grade/grade.js';
import { scoreOf } from '../../web/grade/score.js';
import { TestedFunction } from '../../web/grade/tested-function.js';
import { excuse, mutants, spread } from '../node/mutants.js';

const folder = fileURLToPath(new URL('../../build/fixtures/mutants', import.meta.url));
mkdirSync(folder, { recursive: true });

/**
 * Returns the score of a mutant.
 * @param {any} engine @param {{ as: string, source: string }} mutant @param {string} name
 */
export async function marksOf(engine, { as, source }, name) {
  const file = `${folder}/${name}.mjs`;
  writeFileSync(file, source);
  const tested = new TestedFunction(inThread(file, process.stderr), as, 1000);
  try {
    const { error } = await tested.load();
    if (error) return 0;
    return scoreOf(await grade({ engine, tested, as, seconds: 20 }));
  } finally {
    tested.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const engine = await Logitscope.load();
  const all = mutants();
  const chosen = process.argv[2] ? spread(all, Number(process.argv[2])) : all;
  let full = 0;
  let unexcused = 0;
  for (const [i, mutant] of chosen.entries()) {
    if ((await marksOf(engine, mutant, `bench-${i}`)) < 100) continue;
    full++;
    const why = excuse(mutant);
    if (!why) unexcused++;
    console.log(`${mutant.as}: ${mutant.from}\n  -> ${mutant.to}\n  ${why ?? 'NOT LOOKED AT'}`);
  }
  console.log(
    `${chosen.length} changes of ${all.length}, ${full} with full marks, ${unexcused} of them not looked at`,
  );
  process.exit(unexcused ? 1 : 0);
}
