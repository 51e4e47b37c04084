/** `logitscope sweep`: varies one or two settings and prints a table, CSV or JSON. */
import { MEASURES, needsTexts } from '../engine/measures.js';
import {
  checkPlan,
  parseAxis,
  placesOf,
  sweep as run,
  tableHeads,
  tableRow,
} from '../engine/sweep.js';
import {
  GRAMMAR,
  PROMPTS,
  SEED,
  UsageError,
  checkSettings,
  needPrompt,
  settingsOf,
} from './flags.js';
import { SERVER, faultOf, isStopped } from './server.js';
import { columns, printJson, say } from './terminal.js';
import { readGrammar } from './verdict.js';
import { WORKERS, checkWorkers, crowdOf } from './workers.js';

/** Writes a number with four digits, even a very small one. @param {number} value */
const writeNumber = (value) =>
  Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));

/**
 * @param {any} values
 * @param {any[]} table
 * @returns {import('../engine/sweep.js').Plan}
 */
function planOf(values, table) {
  const axes = values.operands.map(parseAxis);
  const settings = settingsOf(values, table);
  const twice = axes.find((/** @type {any} */ { name }) => name in settings);
  if (twice) throw new UsageError(`${twice.name} is both swept and set`);
  const { prompt, samples, max_new_tokens, metric: measures = ['entropy'] } = values;
  const grammar = measures.some(measuresTexts) ? readGrammar(values) : null;
  return { axes, measures, prompt, settings, samples, max_new_tokens, grammar };
}

/** @param {string} name */
const measuresTexts = (name) => Object.hasOwn(MEASURES, name) && needsTexts(name);

/** @type {import('./flags.js').Command} */
export const sweep = {
  summary: 'sweep one or two settings and measure the distribution or texts at each point',
  operands: 'SETTING=FROM:TO:STEP|SETTING=A,B,... ...',
  settings: true,
  flags: [
    ...PROMPTS,
    SEED,
    {
      name: 'metric',
      kind: 'names',
      help: `what to measure, separated by commas (entropy): ${Object.keys(MEASURES).join(', ')}`,
    },
    { name: 'samples', kind: 'number', help: 'texts a point, where the metric needs texts (10)' },
    { name: 'max_new_tokens', kind: 'number', help: 'at most so many in each text (40)' },
    { name: 'csv', kind: 'switch', help: 'comma-separated values, every number in full' },
    GRAMMAR,
    WORKERS,
    ...SERVER,
  ],

  check(values) {
    needPrompt(values);
    if (values.csv && values.json) throw new UsageError('--csv and --json exclude each other');
    checkWorkers(values);
  },

  async run(scope, values, { stdout, stderr }, table) {
    const plan = planOf(values, table);
    checkPlan(plan, table);
    for (const place of placesOf(plan.axes))
      await checkSettings(scope, { ...plan.settings, ...place });
    const line = (/** @type {unknown[]} */ words) => stdout.write(`${words.join(',')}\n`);
    let begun = false;
    const points = [];
    /** @type {any} */
    let stopped = null;
    try {
      for await (const point of run(scope, plan, undefined, crowdOf(values))) {
        if (values.csv && !begun) line(tableHeads(plan)); // after the first point, so a failed start prints no heads
        begun = true;
        if (values.csv) line(tableRow(plan, point));
        else points.push(point);
      }
    } catch (error) {
      if (!begun || !isStopped(error)) throw error;
      stopped = error;
    }
    if (values.json) {
      const { grammar, ...told } = plan;
      const fault = stopped && { error: faultOf(stopped) };
      printJson(stdout, { model: values.model, ...told, points, ...fault });
    } else if (!values.csv) {
      const heads = tableHeads(plan);
      const rows = points.map((point) => tableRow(plan, point).map(writeNumber));
      stdout.write(`${columns([heads, ...rows], [...heads.keys()])}\n`);
    }
    if (stopped) say(stderr, stopped.message);
    return stopped ? 2 : 0;
  },
};
