/** Tests that settings of other programs become the chain that these programs run, and that exports say each difference. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { before, describe, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { presets } from '../../web/engine/presets.js';
import { sentences } from '../../web/engine/sentences.js';
import {
  programs,
  readSettings,
  recognise,
  writeSettings,
} from '../../web/import/settings/index.js';
import { active, ours, withoutIdle, withoutNeutral } from '../../web/import/settings/ours.js';
import { withTable } from '../../web/settings-tables.js';
import { cases, sample } from '../long.js';
import { writeGguf } from '../fixtures/gguf_writer.js';

/** @type {any} */
let scope;
before(async () => (scope = await Logitscope.load()));

const LLAMA_ORDER = [
  ...['logit_bias', 'min_new_tokens', 'repetition_penalty', 'frequency_penalty'],
  ...['presence_penalty', 'dry_multiplier', 'top_n_sigma', 'top_k', 'typical_p', 'top_p'],
  ...['min_p', 'xtc_probability', 'temperature', 'dynatemp_range'],
];
const keysOf = (reading) => reading.notes.map(({ key }) => key);
const without = ({ order, ...settings }, ...names) => {
  for (const name of names) delete settings[name];
  return settings;
};

/** Samplers that need a second distribution. */
const SECOND = ['guidance_scale', 'contrastive_beta'];

test('the facts about our settings are those of the engine', () => {
  const table = new Map(scope.table.map((row) => [row.name, row]));
  for (const [name, { neutral, low, high, whole, of, gate }] of Object.entries(ours)) {
    if (name === 'banned_words') continue; // a gate is not in the table
    const row = table.get(name);
    assert.ok(row, name);
    assert.deepEqual(neutral, row.neutral, name);
    assert.equal(!of && !gate, row.sampler, name);
    assert.equal(whole ?? false, row.kind === 'integer', name);
    for (const bound of [low, high].filter((one) => one !== undefined && !SECOND.includes(name)))
      scope.warp(new Float32Array(4), { [name]: bound });
  }
  const samplers = scope.table.filter(({ sampler }) => sampler).map(({ name }) => name);
  const named = Object.keys(ours).filter((name) => samplers.includes(name));
  assert.deepEqual(
    named,
    samplers.filter((name) => named.includes(name)),
  );
});

describe('llama.cpp', () => {
  test('a command line has its defaults filled in, and flags of other kinds are no settings', () => {
    const reading = readSettings(
      'CUDA_VISIBLE_DEVICES=0 ./llama-server -m "my model.gguf" -ngl 99 \\\n  --temp 0.7 --top_p 0.8 \\\n' +
        "  --repeat-penalty=1.1 -p 'a --top-k 3' # --min-p 0.5",
    );
    assert.equal(reading.program, 'llama-cpp');
    assert.deepEqual(reading.settings.order, LLAMA_ORDER);
    assert.deepEqual(without(reading.settings), {
      convention: 'llama.cpp',
      temperature: 0.7,
      top_k: 40,
      top_p: 0.8,
      min_p: 0.05,
      repetition_penalty: 1.1,
      repetition_window: 64,
      dry_sequence_breakers: ['\n', ':', '"', '*'],
    });
    assert.deepEqual(reading.notes, []);
    assert.deepEqual(
      reading.given.map(({ key, role }) => [key, role]),
      [
        ['-m', 'other'],
        ['-ngl', 'other'],
        ['--temp', 'setting'],
        ['--top_p', 'setting'],
        ['--repeat-penalty', 'setting'],
        ['-p', 'other'],
      ],
    );
  });

  test('an order without a stage runs none of it: DRY has no effect', () => {
    const reading = readSettings(
      '--samplers "top_k;tfs_z;typical_p;top_p;min_p;temperature" --dry-multiplier 0.8 --typical 0.5',
    );
    assert.deepEqual(reading.settings.order.slice(2), [
      ...['top_k', 'top_p', 'min_p', 'temperature', 'dynatemp_range'],
    ]);
    assert.equal(reading.settings.dry_multiplier, undefined);
    assert.deepEqual(
      reading.notes.map(({ key, values }) => [key, values.key ?? values.setting]),
      [
        ['settings_stage_unknown', '"tfs_z"'],
        ['settings_stage_unknown', '"typical_p"'],
        ['settings_not_in_order', '--samplers'],
        ['settings_not_in_order', '--samplers'],
      ],
    );
    const { notes } = readSettings('--adaptive-target 0.5', { program: 'llama-cpp' });
    assert.deepEqual(notes, [
      { key: 'settings_not_run', values: { setting: 'adaptive_target', program: 'llama.cpp' } },
    ]);
  });

  test('no flag at all is our preset "llama.cpp"', () => {
    const { order: named, ...preset } = presets['llama.cpp'];
    const { settings } = readSettings('{}', { program: 'llama-cpp' });
    assert.deepEqual(without(settings), withoutNeutral(preset));
    const known = ['min_new_tokens', ...named].filter((name) => settings.order.includes(name));
    assert.deepEqual(new Set(settings.order), new Set(known));
    const samplers = settings.order.slice(2);
    assert.deepEqual(
      samplers,
      named.filter((name) => samplers.includes(name)),
    );
  });

  test('letters name an order; the later of two orders holds', () => {
    assert.deepEqual(readSettings('--sampler-seq tpk').settings.order.slice(2), [
      ...['temperature', 'dynatemp_range', 'top_p', 'top_k'],
    ]);
    assert.deepEqual(readSettings('--samplers temp').settings.order.slice(2), [
      ...['temperature', 'dynatemp_range'],
    ]);
    assert.deepEqual(readSettings('--sampler-seq tpk --samplers Top-K;nucleus').settings.order, [
      ...['logit_bias', 'min_new_tokens', 'top_k', 'top_p'],
    ]);
  });

  test('a window of 0 sees no token', () => {
    const reading = readSettings(
      '{"repeat_last_n":0,"repeat_penalty":1.2,"dry_multiplier":1,"dry_penalty_last_n":0}',
    );
    assert.equal(reading.settings.repetition_penalty, undefined);
    assert.equal(reading.settings.dry_multiplier, undefined);
    assert.deepEqual(keysOf(reading), ['settings_window_off', 'settings_window_off']);
  });

  test('mirostat leaves temperature and biases alone', () => {
    const reading = readSettings('--mirostat 2 --repeat-penalty 1.3 --temp 0.6 --mirostat-ent 4');
    assert.deepEqual(reading.settings.order, [
      ...['logit_bias', 'min_new_tokens', 'temperature', 'mirostat'],
    ]);
    assert.deepEqual(without(reading.settings, 'dry_sequence_breakers', 'repetition_window'), {
      convention: 'llama.cpp',
      temperature: 0.6,
      mirostat: 2,
      mirostat_tau: 4,
    });
    assert.ok(reading.notes.some(({ values }) => values.setting === 'repetition_penalty'));
  });

  test('JSON of a request and of /props, biases and breakers', () => {
    const request = readSettings(
      JSON.stringify({
        prompt: 'x',
        n_predict: 8,
        temperature: null,
        logit_bias: [
          [5, 1.5],
          [6, false],
          ['Hello', -1],
        ],
        dry_multiplier: 1,
        dry_sequence_breakers: ['\n', 'x'],
        samplers: 'kt',
      }),
    );
    assert.equal(request.settings.temperature, 0.8);
    assert.deepEqual(request.settings.logit_bias, { 5: 1.5, 6: false });
    assert.deepEqual(keysOf(request), ['settings_bias_text', 'settings_not_in_order']);
    const props = JSON.stringify({
      default_generation_settings: {
        params: { temperature: 0.800000011920929, top_k: 40, samplers: ['top_k', 'temperature'] },
      },
    });
    const { settings } = readSettings(props);
    assert.equal(settings.temperature, 0.8);
    assert.deepEqual(settings.order.slice(2), ['top_k', 'temperature', 'dynatemp_range']);
  });

  test('scripts: variables, comments between flags, lists of words, other commands', () => {
    const script = [
      '#!/bin/bash',
      'TEMP=0.6',
      'curl -s http://localhost --temp 9',
      'docker run --rm --name x --entrypoint /app/llama-server img -m a.gguf \\',
      '  --temp "$TEMP" \\',
      `  --top-k \${K:-7} --min-p $MIN`,
      '  # --top-p 0.5',
    ].join('\n');
    const { settings, given, notes } = readSettings(script);
    assert.deepEqual([settings.temperature, settings.top_k, settings.top_p], [0.6, 7, 0.95]);
    assert.deepEqual(
      given.map(({ key }) => key),
      ['-m', '--temp', '--top-k', '--min-p'],
    );
    assert.deepEqual(notes, [
      { key: 'settings_variable', values: { key: '--min-p', value: '"$MIN"' } },
    ]);
    const list = 'cmd = ["llama-cli", "--temp", "0.4", "--top-k", "3", "-p", "a --temp 1"]';
    assert.equal(readSettings(list).settings.temperature, 0.4);
    const two =
      'models:\n  a:\n    cmd: llama-server -m x\n  b:\n    cmd: |\n      llama-server\n      --temp 0.3\n      --top-k 9\n  c:\n    cmd: llama-server --temp 1\n';
    assert.equal(readSettings(two).settings.top_k, 9);
    assert.deepEqual(keysOf(readSettings(two)), ['settings_commands']);
  });

  test('a file with several presets gives the first and names the others', () => {
    const reading = readSettings('[*]\ntemp = 0.5\n[a]\ntop-k = 7\n[b]\ntop-k = 9\n');
    assert.equal(reading.settings.top_k, 7);
    assert.equal(reading.settings.temperature, 0.5);
    assert.deepEqual(reading.notes, [
      { key: 'settings_sections', values: { section: 'a', names: 'b' } },
    ]);
  });

  test('keys that are not understood are named', () => {
    const reading = readSettings('llama-server --temp 1 --tfs 0.9 --grammar-file a.gbnf');
    assert.deepEqual(reading.notes, [
      { key: 'settings_unknown', values: { key: '--tfs', value: '"0.9"' } },
      {
        key: 'settings_cannot_because',
        values: {
          key: '--grammar-file',
          value: '"a.gbnf"',
          reason: { key: 'settings_reason_constraint', values: {} },
        },
      },
    ]);
  });

  test('an export is read back as the same chain', () => {
    const texts = [
      '--temp 0 --top-k 1',
      '--temp 1.2 --dry-multiplier 0.8 --dry-penalty-last-n 512 --dry-sequence-breaker none',
      '--dry-multiplier 1 --dry-sequence-breaker "\\n" --dry-sequence-breaker "it\'s" -l 15043+1 -l 7-inf',
      '--sampler-seq mt --min-p 0.1 --dynatemp-range 0.3 --dynatemp-exp 2',
      '--samplers "top_k;adaptive_p;temperature" --adaptive-target 0.4 --ignore-eos',
    ];
    for (const text of texts) {
      const { settings } = readSettings(text);
      const written = writeSettings(settings, 'llama-cpp');
      assert.deepEqual(written.notes, [], text);
      assert.deepEqual(
        readSettings(written.text, { program: 'llama-cpp' }).settings,
        settings,
        written.text,
      );
    }
  });
});

/** The program, the text, the settings beside the order, the stages that matter in their order, the notes. */
const GOLDEN = [
  {
    name: 'transformers samples only with do_sample, and has top_k 50 unless it is null',
    text: '{"do_sample":true,"temperature":0.6,"top_p":0.9,"transformers_version":"4.46.2","max_new_tokens":9}',
    program: 'transformers',
    settings: { temperature: 0.6, top_k: 50, top_p: 0.9 },
  },
  {
    name: 'transformers without do_sample takes the best token after the penalties',
    text: '{"temperature":0.6,"top_p":0.9,"top_k":null,"repetition_penalty":1.3,"transformers_version":"4"}',
    program: 'transformers',
    settings: { temperature: 0, repetition_penalty: 1.3 },
    notes: ['settings_greedy temperature', 'settings_greedy top_p'],
  },
  {
    name: 'bans, biases of sequences and the decay of transformers',
    text: JSON.stringify({
      do_sample: true,
      top_k: 0,
      suppress_tokens: [4],
      bad_words_ids: [[5, 6]],
      sequence_bias: [[[7], 1.5]],
      exponential_decay_length_penalty: [10, 1.1],
      renormalize_logits: true,
      num_beams: 4,
      length_penalty: 1,
    }),
    program: 'transformers',
    settings: {
      logit_bias: { 4: false, '5 6': false, 7: 1.5 },
      exponential_decay_length_penalty: 1.1,
      exponential_decay_start: 10,
      renormalize_logits: 1,
    },
    notes: ['settings_cannot_because num_beams'],
  },
  {
    name: 'arguments of generate in Python',
    text: 'out = model.generate(**inputs, do_sample=True, temperature=0.7, top_k=None,\n  bad_words_ids=[[1], [2, 3]])',
    program: 'transformers',
    settings: { temperature: 0.7, logit_bias: { 1: false, '2 3': false } },
    notes: [],
  },
  {
    name: "a Modelfile has Ollama's defaults: top-p 0.9, no min-p",
    text: 'FROM x:7b\n# PARAMETER top_k 3\nPARAMETER temperature 0.2\nTEMPLATE """{{ .Prompt }}\nPARAMETER top_k 9\n"""\nPARAMETER stop "<|end|>"\nPARAMETER tfs_z 0.9\n',
    program: 'ollama',
    settings: {
      convention: 'llama.cpp',
      temperature: 0.2,
      top_k: 40,
      top_p: 0.9,
      repetition_window: 64,
      dry_sequence_breakers: ['\n', ':', '"', '*'],
    },
    notes: ['settings_ignored tfs_z'],
  },
  {
    name: 'a body of Ollama reads options alone',
    text: '{"model":"x","prompt":"y","temperature":0.1,"options":{"top_k":7,"repeat_penalty":1.2,"repeat_last_n":0}}',
    program: 'ollama',
    settings: {
      convention: 'llama.cpp',
      temperature: 0.8,
      top_k: 7,
      top_p: 0.9,
      dry_sequence_breakers: ['\n', ':', '"', '*'],
    },
    notes: ['settings_beside_options temperature', 'settings_window_off repeat_last_n'],
  },
  {
    name: 'vLLM draws greedily below 1e-5 and raises a temperature to 0.01',
    text: 'SamplingParams(temperature=0.001, top_k=-1, top_p=0.5, min_p=0.1, repetition_penalty=1.0, max_tokens=5)',
    program: 'vllm',
    settings: { temperature: 0.01, top_p: 0.5, min_p: 0.1 },
    notes: ['settings_raised temperature'],
  },
  {
    name: 'a body of vLLM with temperature 0 has no truncation',
    text: '{"model":"m","messages":[],"temperature":0,"top_k":5,"min_p":0.2,"bad_words":["no"],"logit_bias":{"3":250}}',
    program: 'vllm',
    settings: { temperature: 0, banned_words: ['no'], logit_bias: { 3: 100 } },
    notes: [
      'settings_temperature_zero top_k',
      'settings_temperature_zero min_p',
      'settings_from_model vLLM',
    ],
  },
  {
    name: 'SGLang takes temperature 0 for top-k 1',
    text: '{"text":"a","sampling_params":{"temperature":0,"top_p":0.9,"regex":"a+"}}',
    program: 'sglang',
    settings: { top_k: 1, top_p: 0.9 },
    notes: ['settings_cannot_because regex', 'settings_from_model SGLang'],
  },
  {
    name: 'a body of OpenAI: unknown keys are named',
    text: '{"model":"gpt","messages":[],"temperature":1.2,"frequency_penalty":0.5,"mystery":1}',
    program: 'openai',
    settings: { temperature: 1.2, frequency_penalty: 0.5 },
    notes: ['settings_unknown mystery', 'settings_order_secret OpenAI'],
  },
];

describe('other programs', () => {
  for (const { name, text, program, settings, notes = [] } of GOLDEN)
    test(name, () => {
      const reading = readSettings(text);
      assert.equal(reading.program, program);
      const openAi = ['vllm', 'sglang', 'openai'].includes(program);
      assert.equal(reading.settings.penalty_generated_only, openAi ? 1 : undefined);
      assert.deepEqual(without(reading.settings, 'penalty_generated_only'), settings);
      assert.deepEqual(
        reading.notes.map(
          ({ key, values }) => `${key} ${values.key ?? values.setting ?? values.program}`,
        ),
        notes,
      );
      const made = writeSettings(reading.settings, program);
      assert.deepEqual(made.notes, []);
      const again = readSettings(made.text, { program }).settings;
      assert.deepEqual(withoutIdle(again), withoutIdle(reading.settings));
    });

  test('any chain of Logitscope is written and read without a loss', async () => {
    const settings = {
      convention: 'llama.cpp',
      order: ['dry_multiplier', 'logit_bias', 'temperature', 'top_k', 'green_bias'],
      temperature: 0.5,
      top_k: 3,
      dry_multiplier: 1,
      dry_sequence_breakers: ['\n', "it's"],
      logit_bias: { '3 7': 1.5, 9: false },
      green_bias: 2,
      green_self: 1,
      banned_words: ['a b'],
    };
    const { text, notes } = writeSettings(settings, 'logitscope');
    assert.deepEqual(notes, []);
    assert.equal(
      text,
      "logitscope generate --logit-bias 9=false --logit-bias '3 7=1.5' --dry-multiplier 1 --temperature 0.5" +
        " --top-k 3 --green-bias 2 --dry-sequence-breakers '\\n' --dry-sequence-breakers 'it'\\''s'" +
        " --green-self 1 --banned-words 'a b' --convention llama.cpp" +
        ' --order dry_multiplier,logit_bias,temperature,top_k,green_bias\n',
    );
    assert.deepEqual(readSettings(text), {
      ...readSettings(text),
      program: 'logitscope',
      settings,
      notes: [],
    });
    const json = readSettings(
      JSON.stringify({
        settings: {
          ...settings,
          order: ['dry', 'logit_bias', 'temperature', 'top_k', 'green_list'],
        },
      }),
    );
    assert.deepEqual(json.settings, settings);
  });

  test('the order of each is that of its source', () => {
    const ORDERS = {
      transformers: 'repetition_penalty temperature top_k top_p min_p typical_p',
      vllm: 'repetition_penalty temperature min_p top_k top_p',
      sglang: 'repetition_penalty temperature top_k top_p min_p',
      openai: 'frequency_penalty temperature top_p',
      ollama: 'repetition_penalty top_k typical_p top_p min_p temperature',
    };
    for (const [program, order] of Object.entries(ORDERS)) {
      const names = order.split(' ');
      const read = readSettings('{}', { program }).settings.order;
      assert.deepEqual(
        read.filter((name) => names.includes(name)),
        names,
        program,
      );
    }
  });

  test('keys of a GGUF file, as bytes and as lines', () => {
    const image = writeGguf({
      metadata: {
        'general.architecture': 'llama',
        'tokenizer.ggml.tokens': { type: 'array', of: 'string', value: ['a', 'b'] },
        'general.sampling.temp': { type: 'float32', value: 0.6 },
        'general.sampling.top_k': { type: 'int32', value: 20 },
        'general.sampling.penalty_last_n': { type: 'int32', value: 0 },
        'general.sampling.penalty_repeat': { type: 'float32', value: 1.1 },
        'general.sampling.sequence': 'top_k;temperature',
      },
    });
    const reading = readSettings(image);
    assert.equal(reading.program, 'gguf');
    const { settings } = reading;
    assert.deepEqual([settings.temperature, settings.top_k, settings.min_p], [0.6, 20, undefined]);
    assert.deepEqual(settings.order.slice(2), ['top_k', 'temperature', 'dynatemp_range']);
    assert.deepEqual(keysOf(reading), ['settings_window_off']);
    const made = writeSettings(settings, 'gguf');
    assert.deepEqual(made.notes, []);
    assert.deepEqual(withoutIdle(readSettings(made.text).settings), withoutIdle(settings));
    assert.deepEqual(keysOf(readSettings(image.slice(0, 60))), ['settings_gguf_none']);
  });

  test('an export names each setting that another program cannot say', () => {
    const { settings } = readSettings(
      '--temp 0.7 --dry-multiplier 0.8 --repeat-penalty 1.1 --samplers "dry;penalties;temperature;top_k"',
    );
    const { text, notes } = writeSettings(settings, 'vllm');
    assert.deepEqual(JSON.parse(text), { temperature: 0.7, top_k: 40, repetition_penalty: 1.1 });
    assert.deepEqual(
      notes.map(({ key, values }) => [key, values.setting ?? values.order]),
      [
        ['settings_rules', undefined],
        ['settings_cannot_say', 'repetition_window'],
        ['settings_cannot_say', 'dry_multiplier'],
        ['settings_cannot_say', 'dry_sequence_breakers'],
      ],
    );
  });
});

test('each refusal names the key, the value and the limit', () => {
  const refusals = [
    ['--temp warm', 'settings_number', { key: '--temp', value: '"warm"' }],
    ['--top-k 1.5', 'settings_whole', { key: '--top-k', value: 1.5 }],
    [
      '--mirostat 3',
      'settings_range',
      { key: 'mirostat', value: 3, setting: 'mirostat', minimum: 0, maximum: 2 },
    ],
    ['{"temperature": 1,\n "top_k" 4}', 'settings_json_line', { line: 2 }],
    ['[1, 2]', 'settings_object', { value: '[1,2]' }],
    ['hello', 'settings_no_program', {}],
  ];
  for (const [text, key, values] of refusals)
    assert.throws(
      () => readSettings(text, key.includes('json') ? { program: 'llama-cpp' } : {}),
      (error) => {
        assert.deepEqual([error.code, error.key, error.values], ['settings', key, values], text);
        return true;
      },
    );
});

test('each program has the values that its table says', () => {
  for (const { id, rows } of programs) {
    const names = rows.flatMap(({ key, also = [] }) => [key, ...also]);
    assert.equal(new Set(names).size, names.length, id);
    for (const { setting } of rows) assert.ok(!setting || setting in ours, `${id} ${setting}`);
  }
});

test('texts of no program are not recognised', () => {
  for (const text of ['', '{}', '[]', 'What is a -p value?', '{"a":1}', '# heading\n- list'])
    assert.deepEqual(recognise(text), [], text);
});

/** Values that a person types: two decimals. */
const real = (min, max) => fc.integer({ min: 100 * min, max: 100 * max }).map((n) => n / 100);
const whole = (max) => fc.integer({ min: 0, max });
const CHOSEN = fc.record(
  {
    temperature: real(0, 2),
    top_k: whole(60),
    top_p: real(0.05, 1),
    min_p: real(0, 0.5),
    typical_p: real(0.1, 1),
    top_n_sigma: real(0, 3),
    top_a: real(0, 0.5),
    tfs_z: real(0.5, 1),
    epsilon_cutoff: fc.integer({ min: 0, max: 90 }).map((n) => n / 1e4),
    eta_cutoff: fc.integer({ min: 0, max: 90 }).map((n) => n / 1e4),
    xtc_probability: real(0, 1),
    xtc_threshold: real(0.05, 0.5),
    repetition_penalty: real(0.8, 1.6),
    repetition_window: whole(99),
    frequency_penalty: real(-1, 1),
    presence_penalty: real(-1, 1),
    no_repeat_ngram_size: whole(4),
    dry_multiplier: real(0, 2),
    dry_base: real(1, 3),
    dry_allowed_length: whole(5),
    dry_penalty_last_n: whole(99),
    dynatemp_range: real(0, 1),
    dynatemp_exponent: real(0.5, 2),
    smoothing_factor: real(0, 1),
    mirostat: fc.constantFrom(0, 0, 0, 2),
    logit_bias: fc.dictionary(whole(20).map(String), fc.oneof(fc.constant(false), real(-5, 5)), {
      maxKeys: 3,
    }),
  },
  { requiredKeys: ['temperature'] },
);
const LOGITS = Float32Array.from({ length: 40 }, (_, i) => Math.sin(7 * i) * 4);
const HISTORY = [1, 2, 3, 1, 2, 3, 1, 2, 5];

/**
 * The distribution of a chain over fixed logits; texts need a tokenizer, so breakers are left out. Bans after a
 * truncation may leave no token.
 */
function run({
  dry_sequence_breakers,
  banned_words,
  guidance_scale,
  contrastive_beta,
  ...settings
}) {
  try {
    const { tokens } = scope.warp(LOGITS, { ...settings, top: 40 }, { history: HISTORY });
    return tokens.map(({ id, p }) => [id, p]).sort(([a], [b]) => a - b);
  } catch (error) {
    if (error.code === 'nothing_left') return error.code;
    throw error;
  }
}

/** Without biases of tokens that the logits do not have. */
const withoutFar = ({ logit_bias, ...settings }) => settings;

/** Settings with an effect, and the order of the samplers that act. */
const acting = (settings) => {
  const names = active(settings);
  return { ...withoutIdle(settings), order: settings.order.filter((name) => names.includes(name)) };
};

/** Checks the way from one program to another and back. */
function checkPair(chosen, from, to) {
  const start = readSettings(writeSettings(chosen, from).text, { program: from }).settings;
  const made = writeSettings(start, to);
  const there = readSettings(made.text, { program: to }).settings;
  const named = new Set(made.notes.map(({ key, values }) => values.setting ?? key));
  const [one, other] = [withoutIdle(start), withoutIdle(there)];
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)]))
    if (!['order', 'convention'].includes(name) && !named.has(name))
      assert.deepEqual(other[name], one[name], `${from} to ${to}: ${name}`);
  if (named.size === 0 && !Object.hasOwn(start, 'preset')) {
    assert.deepEqual(active(there), active(start));
    assert.deepEqual(run(there), run(start));
  } else run(there);
  const again = readSettings(writeSettings(there, to).text, { program: to }).settings;
  assert.deepEqual(acting(again), acting(there), `${to} to itself`);
}

test('any settings go through each pair of programs: the chain runs, each difference is named', () => {
  const ids = programs.map(({ id }) => id);
  const pairs = ids.flatMap((from) => ids.map((to) => ({ from, to })));
  for (const { from, to } of sample(pairs, 150))
    fc.assert(
      fc.property(CHOSEN, (chosen) => checkPair(chosen, from, to)),
      { numRuns: cases(1, 300), seed: 56 },
    );
});

test('any text gives a reading or one refusal, and each reading runs', () => {
  const texts = GOLDEN.map(({ text }) => text);
  const key = fc.constantFrom(...programs.flatMap(({ rows }) => rows.map((row) => row.key)));
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.double(),
    fc.constantFrom(-1, '', '0.5'),
  );
  const text = fc.oneof(
    fc.string({ maxLength: 80 }),
    fc
      .dictionary(fc.oneof(key, fc.constant('__proto__')), value, { maxKeys: 6 })
      .map((it) => JSON.stringify(it)),
    fc
      .array(fc.tuple(key, value), { maxLength: 6 })
      .map((pairs) => pairs.map(([name, it]) => `--${name} ${JSON.stringify(it)}`).join(' ')),
    fc
      .tuple(fc.constantFrom(...texts), fc.nat(), fc.string({ maxLength: 3 }))
      .map(
        ([one, at, put]) =>
          `${one.slice(0, at % one.length)}${put}${one.slice((at % one.length) + 1)}`,
      ),
  );
  let read = 0;
  fc.assert(
    fc.property(text, fc.constantFrom(...programs.map(({ id }) => id)), (one, program) => {
      try {
        const { settings, notes, given } = readSettings(one, { program });
        for (const { key, values } of notes)
          for (const [, hole] of sentences[key].matchAll(/\{(\w+)\}/g))
            assert.notEqual(values[hole], undefined, `${key} ${hole}`);
        for (const { role } of given)
          assert.match(role, /^(setting|other|ignored|cannot|unknown)$/);
        writeSettings(settings, 'llama-cpp');
        run(withoutFar(settings));
        read++;
      } catch (error) {
        if (error.code !== 'settings') throw error;
        assert.doesNotMatch(error.message, /undefined/);
      }
    }),
    { numRuns: cases(400, 20_000), seed: 56 },
  );
  assert.ok(read > cases(400, 20_000) / 3, `${read} were read`);
});

test('docs/presets.md has the table of the programs', () => {
  const text = readFileSync(new URL('../../docs/presets.md', import.meta.url), 'utf8');
  assert.equal(withTable(text), text, 'node web/settings-tables.js writes it');
  for (const { id } of programs) assert.ok(text.includes(`\`${id}\``), id);
});
