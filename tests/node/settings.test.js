/** Tests that settings of other programs become the chain that these programs run, and that exports say each difference. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import {
  programs,
  readSettings,
  recognise,
  writeSettings,
} from '../../web/import/settings/index.js';
import { ours } from '../../web/import/settings/ours.js';

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

test('the facts about our settings are those of the engine', () => {
  const table = new Map(scope.table.map((row) => [row.name, row]));
  for (const [name, { neutral, low, high, whole, of }] of Object.entries(ours)) {
    const row = table.get(name);
    assert.ok(row, name);
    assert.deepEqual(neutral, row.neutral, name);
    assert.equal(!of && name !== 'min_tokens_to_keep', row.sampler, name);
    assert.equal(whole ?? false, row.kind === 'integer', name);
    for (const bound of [low, high].filter((one) => one !== undefined && name !== 'guidance_scale'))
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
        ['settings_not_run', 'dry_multiplier'],
        ['settings_not_run', 'typical_p'],
      ],
    );
  });

  test('letters name an order; the later of two orders holds', () => {
    assert.deepEqual(readSettings('--sampler-seq tpk').settings.order.slice(2), [
      ...['temperature', 'dynatemp_range', 'top_p', 'top_k'],
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
    assert.deepEqual(keysOf(request), ['settings_bias_text', 'settings_not_run']);
    const props = JSON.stringify({
      default_generation_settings: {
        params: { temperature: 0.800000011920929, top_k: 40, samplers: ['top_k', 'temperature'] },
      },
    });
    const { settings } = readSettings(props);
    assert.equal(settings.temperature, 0.8);
    assert.deepEqual(settings.order.slice(2), ['top_k', 'temperature', 'dynatemp_range']);
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
    ['[1, 2]', 'settings_no_program', {}],
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
