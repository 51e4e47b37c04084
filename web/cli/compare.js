/** `logitscope compare`: strategies on one prompt, those that draw with the same random numbers. */
import { searches, strategies } from '../engine/index.js';
import { GRAMMAR, MAX_NEW_TOKENS, PROMPT, SEED, UsageError, needPrompt } from './flags.js';
import { collect } from './generate.js';
import { HELD_OUT, compareHeldOut } from './held_out.js';
import { columns, printJson, quoted } from './terminal.js';
import { judge, readGrammar, verdictLine } from './verdict.js';

/** @type {import('./flags.js').Command} */
export const compare = {
  summary: 'run nine strategies with the same seed, beam search and contrastive search',
  settings: false,
  flags: [PROMPT, MAX_NEW_TOKENS, SEED, GRAMMAR, ...HELD_OUT],

  check(values) {
    if (values.held_out === undefined) return needPrompt(values);
    if (values.prompt === undefined) return undefined;
    throw new UsageError('--prompt and --held-out exclude each other, got both');
  },

  async run(scope, values) {
    if (values.held_out !== undefined) {
      await compareHeldOut(scope, values);
      return;
    }
    const grammar = readGrammar(values);
    const { prompt, seed = 0, max_new_tokens } = values;
    /** @type {any[]} */
    const rows = [];
    const add = (/** @type {string} */ name, /** @type {any} */ settings, /** @type {any} */ result) => {
      const verdict = judge(grammar, prompt + result.text);
      /** @type {number[]} */
      const kept = (result.steps ?? [])
        .map((/** @type {any} */ step) => step.kept)
        .filter((/** @type {number | undefined} */ count) => count !== undefined);
      rows.push({
        name,
        settings,
        text: result.text,
        ids: result.ids,
        finish_reason: result.finish_reason,
        distinct_1: scope.distinct(result.ids, 1),
        distinct_2: scope.distinct(result.ids, 2),
        mean_kept: kept.length ? kept.reduce((sum, n) => sum + n, 0) / kept.length : null,
        ...(verdict && { verdict }),
      });
    };
    for (const { name, settings } of strategies) {
      add(name, settings, await collect(scope, { ...settings, prompt, seed, max_new_tokens }));
    }
    for (const { name, settings, search } of searches) {
      add(name, settings, await search(scope, { ...settings, prompt, max_new_tokens }));
    }
    if (values.json) {
      printJson({ model: values.model, prompt, seed, strategies: rows });
      return;
    }
    const table = rows.map((row) => [
      row.name,
      row.distinct_1.toFixed(2),
      row.distinct_2.toFixed(2),
      row.mean_kept?.toFixed(1) ?? '',
      ...(grammar ? [row.verdict.right ? 'right' : 'wrong'] : []),
      quoted(row.text),
    ]);
    process.stdout.write(
      `${columns(
        [
          [
            'strategy',
            'distinct-1',
            'distinct-2',
            'mean kept',
            ...(grammar ? ['grammar'] : []),
            'text',
          ],
          ...table,
        ],
        [1, 2, 3],
      )}\n`,
    );
    for (const { name, verdict } of rows) {
      if (verdict && !verdict.right) process.stdout.write(`${name}: ${verdictLine(verdict)}\n`);
    }
  },
};
