/**
 * Compares the chain that `readSettings` makes of random settings with the chain of the program in float64
 * (settings_twins.py), for each program there: the sets of kept tokens and p.
 *
 *     node tests/bench/settings_twins.js [2000]
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Logitscope } from '../../web/engine/index.js';
import { readSettings } from '../../web/import/settings/index.js';
import { Pcg32 } from '../vectors/generators.js';
import { compareChains } from './settings_chains.js';

const count = Number(process.argv[2] ?? 2000);
const V = 300;
const scope = await Logitscope.load();
const pcg = new Pcg32(11, 54);
const unit = () => pcg.next() / 2 ** 32;
const below = (n) => Math.floor(unit() * n);
const of = (...choices) => choices[below(choices.length)];
const real = (low, high) => Number((low + (high - low) * unit()).toFixed(3));
const mixed = (list) =>
  list
    .map((each) => [unit(), each])
    .sort()
    .map(([, each]) => each);

const bias = () => ({ [below(V)]: real(-9, 9), [below(V)]: of(-200, real(-3, 3)) });
const share = () => real(0.05, 0.99);
const PENALTIES = {
  repetition_penalty: () => real(0.8, 1.6),
  frequency_penalty: () => real(-1, 1),
  presence_penalty: () => real(-1, 1),
};
const XTC = { xtc_probability: () => of(0, 1), xtc_threshold: () => real(0.01, 0.5) };
const DRY = {
  dry_multiplier: () => of(0, real(0.2, 2)),
  dry_base: () => real(1, 2.5),
  dry_allowed_length: () => 1 + below(4),
};

/** Keys of each program with random values; `all` are in every text. */
const KEYS = {
  transformers: {
    all: { do_sample: () => below(8) > 0 },
    temperature: () => real(0.2, 2),
    top_k: () => of(null, 0, 1 + below(80)),
    top_p: share,
    min_p: () => real(0.001, 0.3),
    typical_p: share,
    epsilon_cutoff: () => real(0.001, 0.02),
    eta_cutoff: () => real(0.001, 0.02),
    repetition_penalty: PENALTIES.repetition_penalty,
    encoder_repetition_penalty: () => real(0.8, 1.4),
    no_repeat_ngram_size: () => below(4),
    suppress_tokens: () => [below(V), below(V)],
  },
  vllm: {
    all: { prompt: () => 'x' },
    ...PENALTIES,
    temperature: () => of(0, 0.005, real(0.2, 2)),
    top_k: () => of(-1, 0, 1 + below(80)),
    top_p: share,
    min_p: () => real(0.001, 0.3),
    logit_bias: bias,
  },
  koboldcpp: {
    all: { dry_sequence_breakers: () => [] },
    ...DRY,
    ...XTC,
    temperature: () => of(0, real(0.2, 2)),
    dynatemp_range: () => real(0.05, 1),
    dynatemp_exponent: () => real(0.5, 2),
    smoothing_factor: () => real(0.05, 1),
    smoothing_curve: () => real(1, 2),
    top_k: () => of(0, 1 + below(80)),
    top_p: share,
    min_p: () => real(0.001, 0.3),
    typical: share,
    tfs: share,
    top_a: () => real(0.01, 0.6),
    nsigma: () => real(0.3, 3),
    rep_pen: PENALTIES.repetition_penalty,
    rep_pen_range: () => of(0, 1 + below(60)),
    rep_pen_slope: () => of(0, 7, real(0.1, 1)),
    presence_penalty: PENALTIES.presence_penalty,
    dry_penalty_last_n: () => of(0, 1 + below(60)),
    mirostat: () => of(0, 0, 2),
    mirostat_tau: () => real(0.5, 5),
    logit_bias: bias,
    sampler_order: () => mixed([0, 1, 2, 3, 4, 5, 6]),
  },
  'text-generation-webui': {
    all: { dry_sequence_breakers: () => '' },
    ...PENALTIES,
    ...DRY,
    ...XTC,
    temperature: () => real(0.2, 2),
    temperature_last: () => true,
    smoothing_factor: () => real(0.05, 1),
    smoothing_curve: () => real(1, 2),
    top_k: () => 1 + below(80),
    top_p: share,
    min_p: () => real(0.001, 0.3),
    typical_p: share,
    epsilon_cutoff: () => real(1, 90),
    eta_cutoff: () => real(1, 90),
    top_a: () => real(0.01, 0.6),
    top_n_sigma: () => real(0.3, 3),
    encoder_repetition_penalty: () => real(0.8, 1.4),
    repetition_penalty_range: () => of(0, 1 + below(60)),
    no_repeat_ngram_size: () => below(4),
    sampler_priority: () =>
      mixed([
        'repetition_penalty',
        'dry',
        'temperature',
        'top_k',
        'top_p',
        'min_p',
        'xtc',
        'typical_p',
      ]),
  },
  'mlx-lm': {
    all: { repetition_context_size: () => 20 },
    ...PENALTIES,
    ...XTC,
    temperature: () => of(0, real(0.2, 2)),
    top_k: () => 1 + below(80),
    top_p: share,
    min_p: () => real(0.001, 0.3),
    logit_bias: () => ({ [below(V)]: real(-9, 9) }),
  },
  tgi: {
    all: {},
    temperature: () => real(0.2, 2),
    top_k: () => 1 + below(80),
    top_p: share,
    typical_p: share,
    repetition_penalty: PENALTIES.repetition_penalty,
    do_sample: () => true,
  },
};
/** Notes that say that the chain there is another. */
const OTHER = new Set(['settings_ngram_window', 'settings_two_temperatures']);

function someCase(program) {
  const { all, ...keys } = KEYS[program];
  const names = Object.keys(keys).filter(() => unit() < 0.3);
  const made = [...Object.entries(all), ...names.map((name) => [name, keys[name]])];
  const values = Object.fromEntries(made.map(([name, make]) => [name, make()]));
  if (program === 'text-generation-webui' && below(4) === 0) {
    delete values.temperature;
    const low = real(0.1, 1);
    Object.assign(values, {
      dynamic_temperature: true,
      dynatemp_low: low,
      dynatemp_high: low + 0.5,
    });
  }
  const body = program === 'tgi' ? { inputs: 'x', parameters: values } : values;
  const history = Array.from({ length: 1 + below(80) }, () => below(of(4, 20, V)));
  const logits = Array.from({ length: V }, () => Math.fround((unit() + unit() + unit() - 1.5) * 5));
  return { program, body, history, logits, step: below(history.length + 1) };
}

/** The tokens with p after a chain; none if bans of n-grams leave nothing. Then the twin has no number either. */
function tokensOf(logits, settings, options) {
  try {
    return scope.warp(new Float32Array(logits), { ...settings, top: V }, options).tokens;
  } catch (error) {
    if (error.code === 'nothing_left') return [];
    throw error;
  }
}

for (const program of Object.keys(KEYS)) {
  const all = Array.from({ length: count }, () => someCase(program));
  const { stdout, status, stderr } = spawnSync(
    process.env.PYTHON ?? '/usr/bin/python3',
    [fileURLToPath(new URL('settings_twins.py', import.meta.url))],
    {
      input: all.map((one) => `${JSON.stringify(one)}\n`).join(''),
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
    },
  );
  if (status !== 0) throw new Error(stderr);
  console.log(program);
  const answers = stdout.trimEnd().split('\n');
  compareChains(
    all.map(({ body, history, logits, step }, i) => {
      const { settings, notes } = readSettings(JSON.stringify(body), { program });
      const tokens = tokensOf(logits, settings, { history, step });
      const theirs = new Map(
        Object.entries(JSON.parse(answers[i])).map(([id, p]) => [Number(id), p]),
      );
      const ours = new Map(tokens.filter(({ p }) => p > 0).map(({ id, p }) => [id, p]));
      const said = notes.some(({ key }) => OTHER.has(key));
      return { about: JSON.stringify(body), ours, theirs, said };
    }),
  );
}
