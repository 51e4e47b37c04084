/** `logitscope law`: the most probable whole texts, without sampling, and another law over the same texts. */
import {
  CONSTRAINT,
  GRAMMAR,
  PROMPTS,
  UsageError,
  needPrompt,
  settingsOf,
  toConstraint,
} from './flags.js';
import { columns, percent, printJson, quoted } from './terminal.js';
import { readGrammar } from './verdict.js';

/** @param {[number, number]} interval */
const span = ([low, high]) =>
  percent(low) === percent(high) ? percent(low) : `${percent(low)} to ${percent(high)}`;

/** @param {number} value */
const figure = (value) => (value === Infinity ? 'no bound' : value.toFixed(4));

/**
 * The other laws that the flags ask for, each with its name.
 * @param {any} values
 * @param {any[]} table
 */
function othersOf(values, table) {
  const { power, best_of, condition, against = [] } = values;
  const settings = Object.fromEntries(
    against.map((/** @type {string} */ word) => {
      const [, name, value] = /^([^=]+)=(.+)$/.exec(word) ?? [];
      if (name === undefined || !Number.isFinite(Number(value)))
        throw new UsageError(`--against must be NAME=NUMBER, got ${JSON.stringify(word)}`);
      return [name.replaceAll('-', '_'), Number(value)];
    }),
  );
  const changed = against.length && { settings: { ...settingsOf(values, table), ...settings } };
  const raised = power !== undefined && { power };
  const name = [power === undefined ? '' : `p^${power}`, ...against].filter(Boolean).join(' ');
  return [
    ...(name ? [[name, { ...changed, ...raised }]] : []),
    ...(condition === undefined ? [] : [['condition', { condition: toConstraint(condition) }]]),
    ...(best_of === undefined ? [] : [[`best of ${best_of}`, { best_of }]]),
  ];
}

/** @param {any} law @param {string[]} names @param {number} top */
function reportOf(law, names, top) {
  const listed = law.sentences.slice(0, top);
  const rows = listed.map((/** @type {any} */ it) => [
    String(it.rank),
    quoted(it.text),
    percent(it.p),
    ...it.beside.map(span),
  ]);
  const others = law.sentences.length - listed.length;
  const held = listed.reduce((/** @type {number} */ all, /** @type {any} */ it) => all + it.p, 0);
  const more = others
    ? [['', `${others} more`, percent(law.mass - held), ...names.map(() => '')]]
    : [];
  const last = [
    '',
    'all others',
    percent(law.rest),
    ...law.alongside.map((/** @type {any} */ it) => span(it.rest)),
  ];
  const right = [0, ...[...names, ''].map((_, i) => i + 2)];
  const lines = [columns([['', 'text', 'p', ...names], ...rows, ...more, last], right), ''];
  const at = (/** @type {any} */ it) =>
    `${quoted(it.text)}, ${percent(it.p)}, rank ${it.rank ?? `after ${law.sentences.length}`}`;
  lines.push(`greedy: ${at(law.greedy)}`);
  if (law.right?.texts)
    lines.push(
      `right: ${percent(law.right.p)}; of ${law.right.draws} draws ${law.right.distinct.toFixed(1)} distinct right texts are expected`,
    );
  for (const beam of law.beams) lines.push(`${beam.beam_width} beams: ${at(beam)}`);
  law.alongside.forEach(
    (/** @type {any} */ { total_variation: [low, high], kl }, /** @type {number} */ i) =>
      lines.push(
        `${names[i]}: total variation ${figure(low)} to ${figure(high)}, KL ${figure(kl[0])} to ${figure(kl[1])} nats`,
      ),
  );
  return `${lines.join('\n')}\n`;
}

/** @type {import('./flags.js').Command} */
export const law = {
  summary: 'list whole texts by their exact probability',
  settings: true,
  flags: [
    ...PROMPTS,
    { name: 'mass', kind: 'number', help: 'list texts until they hold this probability (0.99)' },
    { name: 'max_new_tokens', kind: 'number', help: 'cut longer texts (the rest of the context)' },
    { name: 'limit', kind: 'number', help: 'how many prefixes the model reads at most (60000)' },
    { name: 'top', kind: 'number', help: 'how many texts to print (20)' },
    { name: 'beams', kind: 'names', help: 'widths of beam searches, separated by commas' },
    { name: 'power', kind: 'number', help: 'beside it the law p^power over whole texts' },
    {
      name: 'against',
      kind: 'texts',
      help: 'beside it the law of a changed setting, NAME=NUMBER; may be repeated',
    },
    {
      ...CONSTRAINT,
      name: 'condition',
      help: 'beside it the law given that the text fits this constraint',
    },
    GRAMMAR,
    {
      name: 'draws',
      kind: 'number',
      help: 'expected number of distinct right texts of so many (100)',
    },
    { name: 'best_of', kind: 'number', help: 'beside it the most probable of this many draws' },
  ],
  check: needPrompt,

  async run(scope, values, { stdout }, table) {
    const { prompt, mass, limit, max_new_tokens, top = 20, json, beams = [], draws } = values;
    const grammar = readGrammar(values);
    const others = othersOf(values, table);
    const found = await scope.law(prompt, settingsOf(values, table), {
      ...(mass !== undefined && { mass }),
      ...(limit !== undefined && { limit }),
      ...(max_new_tokens !== undefined && { max_new_tokens }),
      ...(draws !== undefined && { draws }),
      grammar,
      beams: beams.map(Number),
      alongside: others.map(([, other]) => other),
    });
    if (json) printJson(stdout, { model: values.model, prompt, ...found });
    else
      stdout.write(
        reportOf(
          found,
          others.map(([name]) => String(name)),
          top,
        ),
      );
  },
};
