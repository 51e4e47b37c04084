/**
 * The worker that renders a chat template, which is untrusted: Jinja's interpreter reaches nothing
 * of JavaScript but what is set here, and whoever started the worker ends it when its time is over.
 */
import { Environment, Interpreter, parse, tokenize } from '@huggingface/jinja';

/** @typedef {{ template: string, date: string, values: Record<string, unknown>, limit: number }} Job */

/** The longest list that `range` makes. */
const RANGE_MAX = 100_000;
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/**
 * Python's strftime at the beginning of a day, in English; what it does not know stays as it is.
 * @param {string} date YYYY-MM-DD
 * @param {unknown} format
 */
function formatDate(date, format) {
  const [year, month, day] = date.split('-');
  const monthName = MONTHS[Number(month) - 1];
  const dayName = DAYS[new Date(date).getUTCDay()];
  /** @type {Record<string, string>} */
  const parts = {
    Y: year,
    y: year.slice(2),
    m: month,
    d: day,
    B: monthName,
    b: monthName.slice(0, 3),
    A: dayName,
    a: dayName.slice(0, 3),
    H: '00',
    I: '12',
    p: 'AM',
    M: '00',
    S: '00',
    '%': '%',
  };
  return String(format).replace(/%(-?)([YymdBbAaHIpMS%])/g, (_, bare, letter) =>
    bare ? parts[letter].replace(/^0(?=.)/, '') : parts[letter],
  );
}

/**
 * @param {number} start
 * @param {number} [stop]
 * @param {number} [step]
 */
function range(start, stop, step = 1) {
  const [from, to] = stop === undefined ? [0, start] : [start, stop];
  const length = Math.max(0, Math.ceil((to - from) / step));
  if (!(length <= RANGE_MAX)) throw new Error(`range of more than ${RANGE_MAX} numbers`);
  return Array.from({ length }, (_, i) => from + i * step);
}

/** @param {Job} job */
function render({ template, date, values, limit }) {
  const environment = new Environment();
  const globals = {
    true: true,
    True: true,
    false: false,
    False: false,
    none: null,
    None: null,
    range,
    strftime_now: (/** @type {unknown} */ format) => formatDate(date, format),
    raise_exception: (/** @type {unknown} */ reason) => {
      throw new Error(String(reason));
    },
  };
  for (const [name, value] of Object.entries({ ...globals, ...values }))
    environment.set(name, value);
  const program = parse(tokenize(template, { lstrip_blocks: true, trim_blocks: true }));
  const { value: text } = /** @type {{ value: string }} */ (
    new Interpreter(environment).run(program)
  );
  return text.length > limit ? { long: true } : { text };
}

/** @param {Job} job */
function answer(job) {
  try {
    return render(job);
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

const inNode = typeof process === 'object' && typeof process.versions?.node === 'string';
const threads = 'node:worker_threads'; // a variable, so that bundlers for the browser leave it alone
/** @param {any} port */
function begin(port) {
  if (inNode) port.on('message', (/** @type {Job} */ job) => port.postMessage(answer(job)));
  else port.onmessage = (/** @type {MessageEvent} */ { data }) => port.postMessage(answer(data));
  port.postMessage({ ready: true });
}

if (inNode) import(threads).then(({ parentPort }) => begin(parentPort));
else begin(globalThis);
