/** `logitscope distribution`: prints the next-token distribution with bars, or the whole trace. */
import { readSecond } from '../engine/second-distribution.js';
import { PROMPTS, SEED, needPrompt, settingsOf } from './flags.js';
import { OWN, OWN_NOTES, withOwn } from './own-sampler.js';
import { VOCAB_SIZE, showPartial } from './partial.js';
import { SERVER } from './server.js';
import { bar, columns, inLine, largest, percent, printJson, quoted, width } from './terminal.js';

/**
 * @param {any} trace
 * @param {NodeJS.WriteStream} stdout
 * @returns {string}
 */
function tokenTable(trace, stdout) {
  const rows = trace.tokens.map((/** @type {any} */ token) => [
    String(token.rank),
    quoted(token.text),
    String(token.id),
    percent(token.p_raw),
    percent(token.p),
    token.removed_by ?? '',
  ]);
  const { count, p_raw, p } = trace.rest;
  if (count) rows.push(['', `the other ${count}`, '', percent(p_raw), percent(p), '']);
  const shares = [...trace.tokens, ...(count ? [trace.rest] : [])].map((token) => token.p);
  const text = columns(
    [['', 'token', 'id', 'raw', 'now', 'removed by'], ...rows],
    [0, 2, 3, 4],
  ).split('\n');
  const longest = largest(text.map((line) => line.length));
  const room = Math.max(10, width(stdout) - longest - 3);
  const most = largest([...shares, Number.MIN_VALUE]);
  return text
    .map((line, i) =>
      (i ? `${line.padEnd(longest)}  ${bar(shares[i - 1] / most, room)}` : line).trimEnd(),
    )
    .join('\n');
}

/** @param {any} trace @returns {string} */
function stageTable(trace) {
  const rows = trace.stages
    .filter((/** @type {any} */ stage) => stage.active)
    .map((/** @type {any} */ stage) => [
      stage.name,
      stage.name === 'own' ? '' : String(stage.value),
      String(stage.kept),
      percent(stage.mass_removed),
      stage.entropy.toFixed(3),
    ]);
  return columns(
    [
      ['stage', 'value', 'kept', 'mass removed', 'entropy'],
      ['(raw)', '', String(trace.vocab_size), '', trace.raw_entropy.toFixed(3)],
      ...rows,
    ],
    [1, 2, 3, 4],
  );
}

/**
 * @param {any} values
 * @param {Uint32Array} history
 * @param {any} trace
 * @param {NodeJS.WriteStream} stdout
 */
function show(values, history, trace, stdout) {
  if (values.json) {
    printJson(stdout, {
      model: values.model,
      prompt: values.prompt,
      prompt_ids: Array.from(history),
      ...trace,
    });
    return;
  }
  const { kept, vocab_size, kept_mass_raw, entropy, perplexity } = trace;
  stdout.write(`${tokenTable(trace, stdout)}\n\n${stageTable(trace)}\n\n`);
  stdout.write(
    `${kept} of ${vocab_size} tokens kept, ${percent(kept_mass_raw)} of the raw mass; ` +
      `entropy ${entropy.toFixed(3)} bits, perplexity ${perplexity.toFixed(2)}\n`,
  );
  for (const warning of trace.warnings) stdout.write(`note: ${inLine(warning)}\n`);
}

/** @type {import('./flags.js').Command} */
export const distribution = {
  summary: 'show the distribution of the next token, stage by stage',
  settings: true,
  flags: [
    ...PROMPTS,
    SEED,
    { name: 'step', kind: 'number', help: 'the step whose coin XTC tosses (0)' },
    { name: 'top', kind: 'number', help: 'how many tokens to list (20)' },
    ...OWN,
    ...SERVER,
    VOCAB_SIZE,
  ],
  notes: OWN_NOTES,
  check: needPrompt,
  partial: showPartial,

  async run(scope, values, { stdout, stderr }, table) {
    await scope.feed(await scope.encode(values.prompt));
    const history = scope.timeline();
    const { step } = values;
    return withOwn(values, stderr, scope, async ({ own }) => {
      const asked = settingsOf(values, table, ['top']);
      const logits = scope.logits();
      const second = await readSecond(scope, asked, history);
      scope.second(second);
      /** @type {Parameters<import('../engine/types.js').Own>} */
      const reaching = await scope.ownInput(logits, asked, {
        history,
        second: second ?? undefined,
        step,
      });
      const given = own && (await own(...reaching));
      show(values, history, scope.distribution({ ...asked, own: given }, { step }), stdout);
    });
  },
};
