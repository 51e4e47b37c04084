/** Tests presets of front ends and bodies of other servers: the chain that each program runs, and the way back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  programs,
  readSettings,
  recognise,
  writeSettings,
} from '../../web/import/settings/index.js';
import { ours, withoutIdle } from '../../web/import/settings/ours.js';
import { cases } from '../long.js';
import { Pcg32 } from '../vectors/generators.js';

const OLD_SAMPLERS = ['top_k', 'tfs_z', 'typical_p', 'top_p', 'min_p', 'temperature'];
/** A preset in the form of 2024, of SillyTavern. */
const preset = (changes) =>
  JSON.stringify({
    ...{ temp: 0.9, temperature_last: true, top_p: 0.8, top_k: 30, top_a: 0, tfs: 1, typical_p: 1 },
    ...{ min_p: 0.05, rep_pen: 1.1, rep_pen_range: 512, rep_pen_slope: 1, freq_pen: 0 },
    ...{ presence_pen: 0, dynatemp: false, min_temp: 0, max_temp: 2, do_sample: true },
    ...{ dry_multiplier: 0.8, dry_base: 1.75, dry_allowed_length: 2, dry_penalty_last_n: 0 },
    ...{ dry_sequence_breakers: '["\\n"]', samplers: OLD_SAMPLERS, logit_bias: [] },
    ...{ sampler_order: [6, 0, 1, 3, 4, 2, 5], banned_tokens: '', extensions: {}, ...changes },
  });
const words = (notes) =>
  notes.map(({ key, values }) =>
    `${key.slice('settings_'.length)} ${values.setting ?? values.key ?? values.program ?? values.value ?? ''}`.trim(),
  );
const acting = ({ order, ...settings }) => order.filter((name) => name in settings);

/** The program, a text, and parts of the reading: settings, acting stages in order, notes. */
const GOLDEN = [
  {
    name: 'DRY of SillyTavern does nothing with llama.cpp: neither window nor order has room for it',
    text: preset({}),
    program: 'sillytavern-llama-cpp',
    stages: ['top_k', 'top_p', 'min_p', 'temperature'],
    notes: [
      'stage_unknown "tfs_z"',
      'stage_unknown "typical_p"',
      'window_off dry_multiplier',
      'backend llama.cpp',
      'not_in_order repetition_penalty',
    ],
  },
  {
    name: 'a window of 0 is the whole text for DRY of KoboldCpp, and one token for its penalties',
    text: preset({ rep_pen_range: 0 }),
    program: 'sillytavern',
    stages: ['dry_multiplier', 'repetition_penalty', 'top_k', 'top_p', 'min_p', 'temperature'],
    settings: { repetition_window: 1, dry_penalty_last_n: 0, dry_multiplier: 0.8 },
    notes: [
      'window_one rep_pen_range',
      'window_whole dry_penalty_last_n',
      'breakers_too KoboldCpp',
      'backend KoboldCpp',
    ],
  },
  {
    name: 'DRY of SillyTavern acts with text-generation-webui, over the window of the penalties',
    text: preset({}),
    program: 'sillytavern-text-generation-webui',
    stages: ['repetition_penalty', 'dry_multiplier', 'top_k', 'top_p', 'min_p', 'temperature'],
    settings: { dry_multiplier: 0.8, dry_sequence_breakers: ['\n'], dry_penalty_last_n: 512 },
    notes: ['backend text-generation-webui'],
  },
  {
    name: 'a DRY that is shaped and off is named',
    text: preset({ dry_multiplier: 0, dry_allowed_length: 4 }),
    program: 'sillytavern',
    notes: ['dry_off', 'backend KoboldCpp'],
  },
  {
    name: 'dynatemp takes the middle of both ends, not temp',
    text: preset({ dynatemp: true, min_temp: 0.5, max_temp: 1.5, dry_multiplier: 0 }),
    program: 'sillytavern',
    settings: { dynatemp_range: 0.5, temperature: undefined },
    notes: ['backend KoboldCpp'],
  },
  {
    name: 'banned lines and biases of SillyTavern: ids, quoted texts, words',
    text: preset({
      banned_tokens: '[5, 6]\n"as an AI"\nsigh',
      logit_bias: [
        { text: '[9]', value: 2 },
        { text: 'Hello', value: -3 },
      ],
      dry_multiplier: 0,
    }),
    program: 'sillytavern',
    settings: { banned_words: ['as an AI'], logit_bias: { 5: -100, 6: -100, 9: 2 } },
    notes: ['bias_text -3', 'bias_text -100', 'backend KoboldCpp'],
  },
  {
    name: 'a preset of text-generation-webui in yaml; ε counts in units of 1e-4',
    text: 'temperature: 1.31\ntop_p: 0.14\nepsilon_cutoff: 1.49  # units\ntop_k: 49\nrepetition_penalty: 1.17\n',
    program: 'text-generation-webui',
    stages: ['repetition_penalty', 'temperature', 'top_k', 'top_p', 'epsilon_cutoff'],
    settings: { epsilon_cutoff: 0.000149, repetition_window: 1024 },
    notes: [],
  },
  {
    name: 'temperature_last moves all temperatures; names that are missing run first',
    text: 'temperature: 0.5\ntemperature_last: true\nmin_p: 0.1\ntop_k: 3\nrepetition_penalty: 1.2\nsampler_priority:\n- min_p\n- top_k\n',
    program: 'text-generation-webui',
    stages: ['repetition_penalty', 'min_p', 'top_k', 'temperature'],
    notes: [],
  },
  {
    name: 'temperature_last runs temperatures in their own order, also those that the list lacks',
    text: 'temperature: 0.5\ntemperature_last: true\nsmoothing_factor: 0.3\nsampler_priority: [min_p, temperature]\nmin_p: 0.1\n',
    program: 'text-generation-webui',
    stages: ['min_p', 'temperature', 'smoothing_factor'],
    notes: [],
  },
  {
    name: 'typical-p of llama.cpp counts the tokens that top-n-sigma has removed',
    text: 'llama-cli --top-nsigma 1 --typical 0.5',
    program: 'llama-cpp',
    notes: ['sigma_counts typical_p'],
  },
  {
    name: 'the order of KoboldCpp in numbers; a slope above 1 counts as 1, a window of 0 too',
    text: '{"temperature":0.6,"rep_pen":1.2,"rep_pen_range":0,"rep_pen_slope":7,"min_p":0.1,"smoothing_factor":0.3,"sampler_order":[5,6,0,1,2,3,4],"max_context_length":4096}',
    program: 'koboldcpp',
    stages: [
      ...['temperature', 'smoothing_factor', 'repetition_penalty', 'top_k', 'top_p', 'min_p'],
    ],
    settings: { top_k: 100, top_p: 0.92, repetition_window: 1, rep_pen_slope: undefined },
    notes: ['window_one rep_pen_range'],
  },
  {
    name: 'adaptive-p of KoboldCpp forces a small min-p',
    text: '{"rep_pen":1,"top_p":1,"adaptive_target":0.4}',
    program: 'koboldcpp',
    settings: { min_p: 0.002, adaptive_target: 0.4 },
    notes: ['forced_min_p 0.002'],
  },
  {
    name: 'a .kcpps file has settings in gendefaults alone',
    text: '{"model_param":"m.gguf","gpulayers":99,"contextsize":8192,"gendefaults":"{\\"temperature\\":0.4,\\"top_k\\":0}"}',
    program: 'koboldcpp',
    settings: { temperature: 0.4, top_p: 0.92 },
    notes: ['cut_first KoboldCpp'],
  },
  {
    name: 'a preset of LM Studio: a box that is not ticked turns its sampler off',
    text: '{"identifier":"@local:a","name":"a","operation":{"fields":[{"key":"llm.prediction.temperature","value":0.3},{"key":"llm.prediction.topPSampling","value":{"checked":false,"value":0.9}},{"key":"llm.prediction.llama.frequencyPenalty","value":{"checked":true,"value":0.2}},{"key":"llm.prediction.systemPrompt","value":"x"}]},"load":{"fields":[{"key":"llm.load.contextLength","value":4096}]}}',
    program: 'lm-studio',
    stages: ['repetition_penalty', 'frequency_penalty', 'top_k', 'min_p', 'temperature'],
    settings: { repetition_penalty: 1.1, frequency_penalty: 0.2, top_k: 40, repetition_window: 64 },
    notes: [],
  },
  {
    name: 'an override of tabbyAPI; DRY is accepted and not used',
    text: '# comment\ntemperature:\n  override: 0.7\n  force: false\ntemperature_last:\n  override: true\ndry_multiplier:\n  override: 0.8\nmin_p:\n  override: 0.05\nlogit_bias:\n  override:\n  force: false\nbanned_tokens:\n  override: [3, 4]\n',
    program: 'tabbyapi',
    stages: ['logit_bias', 'min_p', 'temperature'],
    settings: { logit_bias: { 3: false, 4: false } },
    notes: ['ignored dry_multiplier'],
  },
  {
    name: 'attributes of exllamav2; 0 turns top-p off',
    text: 'settings = ExLlamaV2Sampler.Settings()\nsettings.temperature = 0.6\nsettings.top_p = 0\nsettings.token_repetition_penalty = 1.05\nsettings.smoothing_factor = 0.2\nsettings.temperature_last = True',
    program: 'exllamav2',
    stages: ['repetition_penalty', 'top_k', 'temperature'],
    settings: { top_k: 50, repetition_penalty: 1.05, top_p: undefined },
    notes: ['cannot_because smoothing_factor'],
  },
  {
    name: 'llama-cpp-python below temperature 0 draws from the whole vocabulary',
    text: 'llm("Hi", temperature=-1, top_k=5, repeat_penalty=1.2)',
    program: 'llama-cpp-python',
    stages: ['repetition_penalty'],
    notes: ['temperature_below top_k'],
  },
  {
    name: 'mirostat of llama-cpp-python keeps the penalties and leaves out the temperature',
    text: 'Llama(model_path="m.gguf", last_n_tokens_size=32)\nllm("Hi", temperature=0.7, mirostat_mode=2, repeat_penalty=1.2)',
    program: 'llama-cpp-python',
    stages: ['repetition_penalty', 'mirostat'],
    settings: { repetition_window: 32 },
    notes: ['beside_mirostat temperature'],
  },
  {
    name: 'mlx-lm: temperature last, a window for each penalty',
    text: 'mlx_lm.generate --model m --temp 0.7 --top-p 0.9 --top-k 20 --repetition-penalty 1.1 --repetition-context-size 40 --presence-penalty 0.5',
    program: 'mlx-lm',
    stages: ['repetition_penalty', 'presence_penalty', 'top_p', 'top_k', 'temperature'],
    settings: { repetition_window: 40 },
    notes: ['windows 40'],
  },
  {
    name: 'TGI is greedy unless a key makes it draw',
    text: '{"inputs":"Hi","parameters":{"repetition_penalty":1.2,"frequency_penalty":0.5}}',
    program: 'tgi',
    settings: { temperature: 0, repetition_penalty: 1.2 },
    notes: ['cannot_because frequency_penalty'],
  },
];

for (const { name, text, program, settings = {}, stages, notes } of GOLDEN)
  test(name, () => {
    assert.ok(recognise(text).some((guess) => guess.program === program));
    const reading = readSettings(text, { program });
    const wanted = Object.keys(settings).filter((key) => settings[key] !== undefined);
    for (const key of Object.keys(settings))
      assert.deepEqual(reading.settings[key], settings[key], `${key} of ${wanted}`);
    if (stages) assert.deepEqual(acting(reading.settings), stages);
    assert.deepEqual(words(reading.notes), notes);
    assert.deepEqual(
      reading.given.filter(({ role }) => role === 'unknown'),
      [],
    );
    const { text: made, notes: lost } = writeSettings(reading.settings, program);
    assert.deepEqual(lost, [], made);
    const again = readSettings(made, { program }).settings;
    assert.deepEqual(
      withoutIdle({ ...again, order: 0 }),
      withoutIdle({ ...reading.settings, order: 0 }),
    );
    assert.deepEqual(acting(withoutIdle(again)), acting(withoutIdle(reading.settings)));
  });

test('a note names the key of the preset, not that of its server', () => {
  const { notes } = readSettings(preset({ rep_pen_range: 0 }), {
    program: 'sillytavern-llama-cpp',
  });
  const off = notes.filter(({ key }) => key === 'settings_window_off');
  assert.deepEqual(
    off.map(({ values }) => values.key),
    ['rep_pen_range', 'dry_penalty_last_n'],
  );
});

test('the surest guess is the program that wrote the text', () => {
  for (const { text, program } of GOLDEN)
    assert.equal(recognise(text)[0].program, program.replace(/^sillytavern.*/, 'sillytavern'));
});

test('the parts of YAML that are not read are refused by their line', () => {
  const refusals = [
    ['top_p: 0.5\ntop_k: &a 4', 2],
    ['temperature: 1\n  top_k: 3', 2],
    ['min_p: !!float 3', 1],
    ['top_p: 0.5\nwhat', 2],
    ['top_k: {a', 1],
  ];
  for (const [text, line] of refusals)
    assert.throws(() => readSettings(text, { program: 'text-generation-webui' }), {
      key: 'settings_yaml',
      values: { line },
    });
  const deep = Array.from({ length: 99 }, (_, i) => `${' '.repeat(i)}a:`).join('\n');
  assert.throws(() => readSettings(deep, { program: 'tabbyapi' }), { key: 'settings_deep' });
  assert.throws(() => readSettings('model: a/b\nbase:\n  - key: x\nconfig:\n  operation:\n', {}), {
    key: 'settings_model_yaml',
  });
});

const pcg = new Pcg32(7, 54);
const unit = () => pcg.next() / 2 ** 32;
const below = (n) => Math.floor(unit() * n);
const of = (...choices) => choices[below(choices.length)];
const real = (low, high) => Math.round((low + (high - low) * unit()) * 100) / 100;

/** Random settings in any order, some neutral. */
function someSettings() {
  const values = {
    temperature: of(0, 1, real(0, 2)),
    top_k: of(0, below(100)),
    top_p: of(1, real(0.01, 0.99)),
    min_p: of(0, real(0, 0.5)),
    typical_p: of(1, real(0.01, 0.99)),
    top_n_sigma: of(0, real(0, 3)),
    tfs_z: of(1, real(0.01, 0.99)),
    top_a: of(0, real(0, 1)),
    xtc_probability: of(0, real(0, 1)),
    xtc_threshold: real(0, 0.5),
    mirostat: of(0, 0, 0, 2),
    mirostat_tau: real(1, 6),
    repetition_penalty: of(1, real(0.8, 1.8)),
    frequency_penalty: of(0, real(0, 1)),
    presence_penalty: of(0, real(0, 1)),
    repetition_window: of(0, 1 + below(300)),
    rep_pen_slope: of(1, real(0, 1)),
    dry_multiplier: of(0, real(0, 1)),
    dry_penalty_last_n: of(0, 1 + below(300)),
    dry_allowed_length: below(6),
    dry_sequence_breakers: of([], ['\n', 'x"y']),
    dynatemp_range: of(0, 0, real(0.01, 0.5)),
    smoothing_factor: of(0, real(0, 1)),
    adaptive_target: of(0, 0, real(0.01, 0.9)),
    no_repeat_ngram_size: of(0, 1 + below(4)),
    encoder_repetition_penalty: of(1, real(0.5, 1.5)),
    epsilon_cutoff: of(0, real(0.01, 9) / 1e4),
    logit_bias: of({}, { 5: 1.5, 7: false }),
    min_new_tokens: of(0, 2 ** 31 - 1),
    banned_words: of([], ['no']),
  };
  if (values.dynatemp_range > 0) values.temperature = values.dynatemp_range + real(0, 1);
  const order = Object.keys(ours).filter((name) => !ours[name].of && !ours[name].gate);
  const mixed = below(3)
    ? order
    : order
        .map((name) => [unit(), name])
        .sort()
        .map(([, name]) => name);
  const chosen = Object.entries(values).filter(() => unit() < 0.35);
  return { ...Object.fromEntries(chosen), order: mixed };
}

const rounds = cases(8, 300);
test(`each setting that a program can say comes back from it unchanged: ${rounds} settings a program`, () => {
  for (const { id } of programs)
    for (let i = 0; i < rounds; i++) {
      const first = readSettings(writeSettings(someSettings(), id).text, { program: id }).settings;
      const { text, notes } = writeSettings(first, id);
      assert.deepEqual(notes, [], `${id}: ${text}`);
      const again = readSettings(text, { program: id }).settings;
      const about = `${id}\n${text}`;
      assert.deepEqual(
        withoutIdle({ ...again, order: 0 }),
        withoutIdle({ ...first, order: 0 }),
        about,
      );
      assert.deepEqual(acting(withoutIdle(again)), acting(withoutIdle(first)), about);
    }
});
