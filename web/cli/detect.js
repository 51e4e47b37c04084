/** `logitscope detect`: looks for a watermark in a text. */
import { detect as detectMarks } from '../engine/detect.js';
import { UsageError, settingsOf } from './flags.js';
import { bar, columns, percent, printJson } from './terminal.js';

const LINES = 8;
const WIDTH = 30;

/** Returns the z-score after some of the tokens, including the last. @param {number[]} curve */
function pointsOf(curve) {
  const every = Math.ceil(curve.length / LINES);
  return curve.map((z, i) => ({ n: i + 1, z })).filter(({ n }) => (curve.length - n) % every === 0);
}

/** @param {{ z: number, p: number }} found */
const verdictOf = ({ z, p }) =>
  `z ${z.toFixed(2)}, p ${p < 1e-4 ? p.toExponential(1) : p.toFixed(4)}`;

/** @param {import('../engine/types.js').Detection} found */
function reportOf({ name, n, count, share, expected, z, p, curve, weighted }) {
  const what = name === 'green_bias' ? 'green' : 'g that are 1';
  const rows = pointsOf(curve).map((point) => [
    `after ${point.n}`,
    point.z.toFixed(2),
    bar(Math.min(Math.max(point.z, 0) / Math.max(8, z), 1), WIDTH),
  ]);
  const head = `${name}: ${n} tokens scored, ${count} ${what} (${percent(share)}, ${percent(expected)} without a mark)`;
  const also = weighted ? `\nweighted mean: ${verdictOf(weighted)}` : '';
  const result = `${verdictOf({ z, p })}${also}`;
  return `${head}\n${result}\n${rows.length ? `${columns(rows, [1])}\n` : ''}`;
}

/** @type {import('./flags.js').Command} */
export const detect = {
  summary: 'find a watermark in a text',
  settings: true,
  operands: 'TEXT',
  operandOf: ['text', 'ids'],
  flags: [
    { name: 'text', kind: 'text', help: 'the text, without the prompt that it was drawn after' },
    { name: 'ids', kind: 'names', help: 'the same as token ids, separated by commas' },
  ],
  notes:
    'With the flags that the text was made with: --green-bias or --synthid-depth, their contexts and --watermark-key.\n',

  check({ text, ids }) {
    if ((text === undefined) === (ids === undefined)) {
      throw new UsageError(
        ids === undefined ? 'TEXT, --text or --ids is missing' : '--text cannot stand with --ids',
      );
    }
    const odd = ids?.find((/** @type {string} */ id) => !/^\d+$/.test(id));
    if (odd !== undefined) {
      throw new UsageError(`--ids must be whole numbers, got ${JSON.stringify(odd)}`);
    }
  },

  async run(scope, values, { stdout }, table) {
    const { model, text, json } = values;
    const ids = values.ids?.map(Number) ?? [...scope.encode(text, { bos: false })];
    const { vocab_size } = scope.info;
    const beyond = ids.find((/** @type {number} */ id) => id >= vocab_size);
    if (beyond !== undefined) {
      throw new UsageError(
        `--ids must be below ${vocab_size}, the vocabulary's size, got ${beyond}`,
      );
    }
    const found = await detectMarks(scope, ids, settingsOf(values, table));
    if (json) printJson(stdout, { model, ids, found });
    else stdout.write(found.map(reportOf).join('\n'));
  },
};
