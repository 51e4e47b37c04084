/** The parts of the bench. Each function returns races. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './chromium.js';
import { Engine } from './engine.js';
import { folder, modelFile } from './models.js';
import { race } from './race.js';
import { curveShapes, samplerShape, tensorsOf } from './shapes.js';

/** @typedef {import('./race.js').Race} Race */
/** @typedef {import('./race.js').Runner} Runner */
/** @typedef {import('./shapes.js').Shape} Shape */
/** @typedef {{ samples: number, least: number, budget: number }} Plan */

export const VARIANTS = ['scalar', 'simd', 'relaxed'];
export const WLLAMA = 'wllama 2.3.7';
const PREFILL = 64;
const PROMPT = 'Once upon a time';
const Q8_BYTES = 34 / 32;
/** Below this size, weights fit into the processor's cache, so the memory's speed is no bound. */
const BOUND_BYTES = 8e6;
/** Number of samples of a load. Loads are slow and vary little. */
const LOADS = 3;
/** Share of the budget for the scalar loops, which are only a baseline. */
const SCALAR_SHARE = 0.3;
const POSITIONS = [1, 2, 4, 8, 16, 32, 64, 128, 192, 256];

/**
 * Returns the bytes that a decode step reads: every matrix once, without position embeddings.
 * @param {Shape} shape
 * @param {string} format
 */
function weightBytes(shape, format) {
  const matrices = tensorsOf(shape).filter(
    ({ name, shape: sizes }) => sizes.length > 1 && name !== 'position_embd.weight',
  );
  const count = matrices.reduce((sum, { shape: [cols, rows] }) => sum + cols * rows, 0);
  return count * (format === 'f32' ? 4 : Q8_BYTES);
}

/**
 * Opens a contender. If that fails, returns a runner with the reason in `absent`.
 * @param {any} page
 * @param {string} name
 * @param {Runner['side']} side
 * @param {string} kind
 * @param {any} options
 * @returns {Promise<Runner>}
 */
export async function enter(page, name, side, kind, options) {
  try {
    return { name, side, contender: await page.open(kind, options) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { name, side, absent: reason.split('\n')[0].replace(/^page\.evaluate: (Error: )?/, '') };
  }
}

/** @param {any} page @param {any} options @param {string[]} [variants] */
export async function enterOurs(page, options, variants = VARIANTS) {
  const runners = [];
  for (const variant of variants) {
    const runner = await enter(page, variant, 'ours', 'engine', { ...options, variant });
    runners.push(variant === 'scalar' ? { ...runner, share: SCALAR_SHARE } : runner);
  }
  return runners;
}

/**
 * Measures decode, prefill and load of one model file.
 * @param {any} host
 * @param {Shape} shape
 * @param {any} format
 * @param {Plan} plan
 * @param {string[]} parts
 * @returns {Promise<Race[]>}
 */
export async function runModel(host, shape, format, plan, parts, variants = VARIANTS) {
  const model = modelFile(shape, format);
  const page = await host.openPage();
  const races = /** @type {Race[]} */ ([]);
  try {
    const runners = await enterOurs(page, { model }, variants);
    if (host.peers.includes('wllama')) {
      runners.push(
        await enter(page, WLLAMA, 'peer', 'wllama', { model, context: shape.context_length }),
      );
    }
    const common = { host: host.name, subject: `${shape.name} ${format}` };
    if (parts.includes('decode')) {
      const { tokens } = shape;
      const bytes = weightBytes(shape, format);
      const bound =
        bytes < BOUND_BYTES
          ? []
          : [
              {
                ...(await enter(page, 'memory', 'bound', 'memory', { bytes })),
                factor: 1 / tokens,
              },
            ];
      const entries = await race(
        [...runners, ...bound],
        { what: 'decode', tokens },
        plan,
        (ms) => (1e3 * tokens) / ms,
      );
      races.push({ part: 'decode', ...common, unit: 'tokens/s', rate: true, entries });
      for (const { contender } of bound) await contender?.close();
    }
    if (parts.includes('prefill')) {
      const work = { what: 'prefill', tokens: PREFILL };
      const entries = await race(runners, work, plan, (ms) => (1e3 * PREFILL) / ms);
      races.push({ part: 'prefill', ...common, unit: 'tokens/s', rate: true, entries });
    }
    if (parts.includes('load')) {
      const few = { ...plan, samples: Math.min(plan.samples, LOADS), minimum: 1 };
      const entries = await race(runners, { what: 'load' }, few, (ms) => ms);
      races.push({ part: 'load', ...common, unit: 'ms', rate: false, entries });
    }
    for (const { contender } of runners) await contender?.close();
  } finally {
    await page.close();
  }
  return races;
}

/**
 * Measures the time to the first token, of a page with an empty cache or of a new process. It uses the trained stories
 * model if its file exists, otherwise random weights of that size.
 * @param {any} host @param {Shape} shape @param {Plan} plan
 * @returns {Promise<Race[]>}
 */
export async function runCold(host, shape, plan) {
  const trained = join(root, `models/${shape.name}.gguf`);
  const model = existsSync(trained) ? trained : modelFile(shape, 'q8_0');
  const ask = (/** @type {string} */ engine) => ({
    sample: () => host.cold({ engine, model, prompt: PROMPT, context: shape.context_length }),
  });
  const runners = [
    { name: 'ours', side: /** @type {const} */ ('ours'), contender: ask('logitscope') },
    ...host.peers.map((/** @type {string} */ peer) => ({
      name: WLLAMA,
      side: 'peer',
      contender: ask(peer),
    })),
  ];
  const entries = await race(runners, null, plan, (ms) => ms);
  const subject = `${shape.name} q8_0`;
  return [{ part: 'cold', host: host.name, subject, unit: 'ms', rate: false, entries }];
}

const HISTORY = Array.from({ length: 64 }, (_, i) => (i * 7 + 300) % 512);
const CHAIN = { repetition_penalty: 1.1, temperature: 0.8, top_k: 40, top_p: 0.95 };
const TOP_P = { top_p: 0.95 };
/** Settings of the traced chain; `runSampler` uses the first six that the engine has. */
const STAGES = {
  logit_bias: { 5: 1, 9: -2 },
  repetition_penalty: 1.1,
  temperature: 0.8,
  top_k: 4000,
  typical_p: 0.99,
  min_p: 0.0001,
  top_p: 0.95,
};

/** @param {number} size @returns {Promise<{ model: string, logits: string, samplers: string[] }>} */
async function samplerFiles(size) {
  const model = modelFile(samplerShape(size), 'f32');
  const engine = await Engine.open({ model, variant: 'simd' });
  const logits = `${folder}logits.${size}.f32`;
  writeFileSync(logits, new Uint8Array(engine.logits(HISTORY).buffer));
  const samplers = engine.samplers.map(({ name }) => name);
  engine.close();
  return { model, logits, samplers };
}

/**
 * Measures sampling at one vocabulary size: a chain with a draw, top-p with a draw, and the page's trace.
 * @param {any} host @param {number} size @param {Plan} plan @param {string[]} parts
 * @returns {Promise<Race[]>}
 */
export async function runSampler(host, size, plan, parts) {
  const { model, logits, samplers } = await samplerFiles(size);
  const page = await host.openPage();
  const races = /** @type {Race[]} */ ([]);
  try {
    const ours = await enterOurs(page, { model, feed: HISTORY });
    const peer = (
      /** @type {string} */ name,
      /** @type {string} */ kind,
      /** @type {object} */ options,
    ) => enter(page, name, 'peer', kind, { ...options, logits, history: HISTORY });
    const peers = [
      await peer('sorting JS', 'sampler', { algorithm: 'sort' }),
      await peer('transformers JS', 'sampler', { algorithm: 'transformers' }),
    ];
    if (host.name === 'node') peers.push(await peer('PyTorch', 'torch', {}));
    const runners = [...ours, ...peers];
    const common = { host: host.name, unit: 'ms', rate: false };
    const draw = async (/** @type {string} */ label, /** @type {object} */ settings) => {
      const entries = await race(runners, { what: 'draw', settings }, plan, (ms) => ms);
      races.push({ part: label, ...common, subject: `V=${size}`, entries });
    };
    if (parts.includes('sampler')) {
      await draw('chain', CHAIN);
      await draw('top_p', TOP_P);
    }
    if (parts.includes('trace')) {
      const stages = Object.fromEntries(
        Object.entries(STAGES)
          .filter(([name]) => samplers.includes(name))
          .slice(0, 6),
      );
      const work = { what: 'trace', settings: { ...stages, top: 50 } };
      const entries = await race(ours, work, plan, (ms) => ms);
      races.push({
        part: 'trace',
        ...common,
        subject: `V=${size}, ${Object.keys(stages).length} stages`,
        entries,
      });
    }
    for (const { contender } of runners) await contender?.close();
  } finally {
    await page.close();
  }
  return races;
}

/**
 * Measures a step at each position, with and without the cache, as one race.
 * @param {any} host
 * @param {Shape} shape
 * @param {Plan} plan
 * @returns {Promise<Race[]>}
 */
export async function runPositions(host, shape, plan) {
  const page = await host.openPage();
  const [{ contender: engine }] = await enterOurs(page, { model: modelFile(shape, 'q8_0') }, [
    'simd',
  ]);
  const steps = POSITIONS.flatMap((position) =>
    [true, false].map((cache) => ({ position, cache })),
  );
  const runners = steps.map(({ position, cache }) => ({
    name: cache ? 'cache' : 'no cache',
    side: /** @type {const} */ ('ours'),
    contender: {
      sample: (/** @type {any} */ _, /** @type {number} */ least) =>
        engine.sample({ what: 'step', position, cache }, least),
    },
  }));
  const entries = await race(runners, null, plan, (ms) => ms);
  await page.close();
  return POSITIONS.map((position) => ({
    part: 'positions',
    host: host.name,
    subject: String(position),
    unit: 'ms',
    rate: false,
    entries: entries.filter((_, i) => steps[i].position === position),
  }));
}

/**
 * Measures decode at sizes between those of the table, for the plot.
 * @param {any} host
 * @param {any} formats
 * @param {Plan} plan
 */
export async function runCurve(host, formats, plan) {
  const races = [];
  for (const shape of curveShapes) {
    for (const format of formats)
      races.push(...(await runModel(host, shape, format, plan, ['decode'], VARIANTS.slice(1))));
  }
  return races.map((one) => ({ ...one, part: 'curve' }));
}
