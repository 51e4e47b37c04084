/**
 * Runs the bench and prints its tables; --write also writes this processor's section of RESULTS.md and its plots. The
 * defaults of the flags are:
 *
 *     node tests/bench/run.js --parts decode,prefill,load,cold,sampler,alone,trace,mask,size,growth
 *       --shapes 260K,15M,124M --formats f32,q8_0 --hosts node,chromium
 *       --vocabularies 512,32000,50257,128256,256000 --samples 5 --least 200 --budget 4000
 *
 * Run nothing else on the machine. Other load changes absolute figures, but hardly ratios, since contenders
 * take turns.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openHost } from './hosts.js';
import { runMask } from './mask.js';
import { folder, formats as allFormats } from './models.js';
import { runCold, runCurve, runModel, runPositions, runSampler } from './parts.js';
import { report, writeResults } from './report.js';
import { shapes as allShapes, storiesShape } from './shapes.js';
import { measureSizes } from './size.js';
import { SAMPLER_SIZES, runEachSampler } from './each_sampler.js';

const PARTS = [
  'decode',
  'prefill',
  'load',
  'cold',
  'sampler',
  'alone',
  'trace',
  'mask',
  'size',
  'growth',
];
const VOCABULARIES = ['512', '32000', '50257', '128256', '256000'];
const MODEL_PARTS = ['decode', 'prefill', 'load'];
const SAMPLER_PARTS = ['sampler', 'trace'];

/** @param {string} flag @param {string | undefined} value @param {string[]} known */
function choose(flag, value, known) {
  const chosen = value?.split(',') ?? known;
  const wrong = chosen.find((name) => !known.includes(name));
  if (wrong !== undefined)
    throw new Error(`--${flag} must be among ${known.join(', ')}, got ${wrong}`);
  return chosen;
}

/** @param {string[]} args */
function readFlags(args) {
  const text = { type: /** @type {const} */ ('string') };
  const { values } = parseArgs({
    args,
    options: {
      parts: text,
      shapes: text,
      formats: text,
      hosts: text,
      vocabularies: text,
      samples: text,
      least: text,
      budget: text,
      write: { type: 'boolean' },
    },
  });
  const number = (
    /** @type {'samples' | 'least' | 'budget'} */ flag,
    /** @type {number} */ fallback,
  ) => {
    const given = Number(values[flag] ?? fallback);
    if (!(given >= 1)) throw new Error(`--${flag} must be a number from 1, got ${values[flag]}`);
    return given;
  };
  const names = choose(
    'shapes',
    values.shapes,
    allShapes.map(({ name }) => name),
  );
  return {
    parts: choose('parts', values.parts, PARTS),
    shapes: allShapes.filter(({ name }) => names.includes(name)),
    formats: /** @type {any[]} */ (choose('formats', values.formats, allFormats)),
    hosts: choose('hosts', values.hosts, ['node', 'chromium']),
    vocabularies: choose('vocabularies', values.vocabularies, VOCABULARIES).map(Number),
    plan: {
      samples: number('samples', 5),
      least: number('least', 200),
      budget: number('budget', 4000),
    },
    write: values.write ?? false,
  };
}

/**
 * @param {any} host
 * @param {ReturnType<typeof readFlags>} flags
 * @param {(label: string) => void} say
 */
async function runHost(host, { parts, shapes, formats, hosts, vocabularies, plan }, say) {
  const wants = (/** @type {string[]} */ some) => some.some((part) => parts.includes(part));
  const races = [];
  for (const shape of wants(MODEL_PARTS) ? shapes : []) {
    for (const format of formats) {
      say(`${host.name} ${shape.name} ${format}`);
      races.push(...(await runModel(host, shape, format, plan, parts)));
    }
  }
  const middle = allShapes[1];
  if (parts.includes('cold')) {
    say(`${host.name} cold start`);
    for (const shape of [storiesShape, middle]) races.push(...(await runCold(host, shape, plan)));
  }
  for (const size of wants(SAMPLER_PARTS) ? vocabularies : []) {
    say(`${host.name} sampler ${size}`);
    races.push(...(await runSampler(host, size, plan, parts)));
  }
  for (const size of SAMPLER_SIZES.filter((each) => vocabularies.includes(each))) {
    if (!parts.includes('alone')) continue;
    say(`${host.name} alone ${size}`);
    races.push(...(await runEachSampler(host, size, plan)));
  }
  if (parts.includes('mask') && host.name === 'node') {
    say(`${host.name} mask`);
    races.push(...(await runMask(plan)));
  }
  if (parts.includes('growth') && host.name === hosts.at(-1)) {
    say(`${host.name} growth`);
    races.push(
      ...(await runCurve(host, formats, plan)),
      ...(await runPositions(host, middle, plan)),
    );
  }
  return races;
}

async function main() {
  const flags = readFlags(process.argv.slice(2));
  const began = performance.now();
  const say = (/** @type {string} */ label) => {
    process.stderr.write(
      `${((performance.now() - began) / 1e3).toFixed(0).padStart(4)} s  ${label}\n`,
    );
  };
  const races = [];
  const versions = /** @type {Record<string, string>} */ ({});
  for (const name of flags.hosts) {
    const host = await openHost(name);
    if (!host) {
      say(`${name} is not installed: left out`);
      continue;
    }
    versions[name] = host.version;
    try {
      races.push(...(await runHost(host, flags, say)));
    } finally {
      await host.close();
    }
  }
  const sizes = flags.parts.includes('size') ? await measureSizes() : [];
  const seconds = (performance.now() - began) / 1e3;
  const result = {
    date: new Date().toISOString().slice(0, 10),
    seconds,
    versions,
    plan: flags.plan,
    races,
    sizes,
    command: [
      'node tests/bench/run.js',
      ...process.argv.slice(2).filter((arg) => arg !== '--write'),
    ].join(' '),
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}results.json`, JSON.stringify(result));
  process.stdout.write(`${report(result)}\n`);
  if (flags.write) writeResults(result);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
