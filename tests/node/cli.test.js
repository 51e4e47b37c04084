/** Tests the command line as a user runs it: output, JSON, `generate --interactive`, and errors of one line each. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import {
  Logitscope,
  beamSearch,
  contrastiveSearch,
  searches,
  strategies,
} from '../../web/engine/index.js';
import { quoted, safe } from '../../web/cli/terminal.js';
import { temporaryFolder } from '../cleanup.js';
import { long, sample } from '../long.js';
import { fromLink } from '../../web/state/link.js';
import { cli, spawned } from './command_line.js';
import { EOS, VOCAB, byteTokens, smallModel } from './small_model.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SMALL = 'build/fixtures/cli_model.gguf';
mkdirSync(`${root}build/fixtures`, { recursive: true });
writeFileSync(`${root}${SMALL}`, smallModel({ name: 'evil \x1b[31m' }));
const DEEP = 'build/fixtures/cli_deep.json';
const opened = '{"type":"array","items":'.repeat(3000);
writeFileSync(`${root}${DEEP}`, `${opened}{"type":"null"}${'}'.repeat(3000)}`);

const NO_GRAMMARS = ['{}', 'null', '[]', '{"vocabulary":["x"]}'].map((text, i) => {
  writeFileSync(`${root}build/fixtures/cli_no_grammar_${i}.json`, text);
  return `build/fixtures/cli_no_grammar_${i}.json`;
});

/** Ranges of characters that reorder or hide text. */
const HIDDEN = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0x61c, 0x61c],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x2069],
  [0xfeff, 0xfeff],
  [0xe0001, 0xe007f],
];

async function json(...words) {
  const { status, stdout, stderr } = await cli([...words, '--json']);
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

const SHE = ['--prompt', 'Tomorrow she'];

describe('settings', () => {
  const FLAGS =
    'llama-server --temp 0.7 --samplers "temperature;top_k" --dry-multiplier 0.8 --tfs 1';

  test('shows each key with its effect, the order, and the reason of each key without one', async () => {
    const { status, stdout } = await cli(['settings', '-'], FLAGS);
    assert.equal(status, 0);
    assert.match(stdout, /^llama\.cpp, by the source of v0\.5\.0\n/);
    assert.match(stdout, /\n--temp +0\.7 +temperature = 0\.7\n/);
    assert.match(stdout, /\n--dry-multiplier +0\.8 +dry_multiplier: no effect, see below\n/);
    assert.match(stdout, /\n--tfs +1 +not known\n/);
    assert.match(
      stdout,
      /\norder: logit_bias, min_new_tokens, temperature, dynatemp_range, top_k\n/,
    );
    assert.match(stdout, /\ndry_multiplier has no effect: --samplers of this text leaves it out\n/);
  });

  test('--to prints the text for another program, and on stderr each thing that the text does not say', async () => {
    const { stdout, stderr } = await cli(['settings', '-', '--to', 'ollama'], FLAGS);
    assert.equal(stdout, 'PARAMETER temperature 0.7\nPARAMETER top_p 1\n');
    const [unknown, dry, order, left] = stderr.split('\n');
    assert.match(unknown, /^logitscope: --tfs "1": /);
    assert.match(dry, /^logitscope: dry_multiplier has no effect: /);
    assert.equal(order, 'logitscope: Ollama has another order: top_k, temperature');
    assert.equal(left, 'logitscope: left out, since Ollama has these values by default: top_k 40');
  });

  test('--to says that a model file states no settings', async () => {
    const { stdout, stderr } = await cli(['settings', 'models/verbs.gguf', '--to', 'llama-cpp']);
    assert.equal(stdout, 'llama-server\n');
    assert.match(stderr, /^logitscope: the file states no settings of samplers, .*\n/);
    assert.match(
      stderr,
      /\nlogitscope: left out, .* temp 0\.8, top_k 40, top_p 0\.95, min_p 0\.05\n$/,
    );
  });

  test('--json holds the reading, the guesses and the text', async () => {
    const { stdout } = await cli(['settings', '-', '--to', 'vllm', '--json'], FLAGS);
    const { program, settings, given, notes, guesses, text, lost } = JSON.parse(stdout);
    assert.deepEqual([program, guesses[0].program, settings.top_k], ['llama-cpp', 'llama-cpp', 40]);
    assert.deepEqual([given.length, notes.length, lost.length], [4, 2, 1]);
    assert.deepEqual(JSON.parse(text), { temperature: 0.7, top_k: 40 });
  });

  test('--settings-of runs another command with these settings; its own flags override them', async () => {
    const flags = ['distribution', ...SHE, '--settings-of', '-', '--top', '3', '--json'];
    const { stdout, stderr } = await cli(
      flags,
      '--temp 0.5 --top-k 2 --repeat-last-n 0 --repeat-penalty 2',
    );
    const { stages, kept } = JSON.parse(stdout);
    assert.equal(kept, 2);
    const run = stages.filter(({ active }) => active).map(({ name, value }) => [name, value]);
    assert.deepEqual(run, [
      ['top_k', 2],
      ['top_p', 0.95],
      ['min_p', 0.05],
      ['temperature', 0.5],
    ]);
    assert.match(stderr, /^logitscope: repetition_penalty has no effect: repeat_last_n is 0/);
    const own = await cli([...flags, '--temperature', '1'], '--temp 0.5');
    assert.equal(
      JSON.parse(own.stdout).stages.some(({ name, active }) => active && name === 'temperature'),
      false,
    );
  });

  test('refusals are one line with the value and the names', async () => {
    const faults = [
      [['-'], 'hello', /^logitscope: this text has the settings of no known program\n$/],
      [['-'], '{"top_k": 1\n"x": 2}', /^logitscope: line 2 is not valid JSON\n$/],
      [['-'], '--temp hot', /^logitscope: --temp must be a number, got "hot"\n$/],
      [
        ['-', '--to', 'x'],
        '--temp 1',
        /^logitscope: program must be among llama-cpp, .*, got "x"\n$/,
      ],
      [['no-such-file'], '', /^logitscope: there is no file no-such-file\n$/],
      [[], '', /^logitscope: FILE is missing, - is standard input\n$/],
    ];
    for (const [words, input, sentence] of faults) {
      const { status, stdout, stderr } = await cli(['settings', ...words], input);
      assert.deepEqual([status, stdout], [2, ''], String(words));
      assert.match(stderr, sentence);
    }
  });
});

describe('generate', () => {
  test('prints only the text on stdout and the finish reason on stderr', async () => {
    const { status, stdout, stderr } = await cli(['generate', ...SHE, '--temperature', '0']);
    assert.equal(status, 0);
    assert.match(stdout, /^Tomorrow she (will|is) [^\n]*\n$/);
    assert.match(stderr, /^\d+ tokens, eos, seed 0; right\n$/);
  });

  test('--json prints one object, the engine’s result', async () => {
    const got = await json(
      'generate',
      ...SHE,
      '--temperature',
      '0.8',
      '--top-k=40',
      '--top-p',
      '0.95',
      '--seed',
      '42',
      '--repetition-penalty',
      '1.1',
      '--max-new-tokens',
      '20',
    );
    assert.deepEqual(Object.keys(got), [
      'model',
      'settings',
      'seed',
      'prompt_ids',
      'ids',
      'text',
      'finish_reason',
      'verdict',
      'steps',
    ]);
    const scope = await Logitscope.load({ model: `${root}models/verbs.gguf` });
    const generation = scope.generate({
      prompt: 'Tomorrow she',
      temperature: 0.8,
      top_k: 40,
      top_p: 0.95,
      seed: 42,
      repetition_penalty: 1.1,
      max_new_tokens: 20,
    });
    let answer = await generation.next();
    while (!answer.done) answer = await generation.next();
    const { ids, text, prompt_ids, finish_reason, settings } = answer.value;
    assert.deepEqual(
      [got.ids, got.text, got.prompt_ids, got.finish_reason, got.seed],
      [ids, text, prompt_ids, finish_reason, 42],
    );
    assert.deepEqual(got.settings, settings);
    assert.equal(got.steps.length, ids.length);
    assert.equal(got.ids.at(-1), scope.info.eos_token_id);
    assert.equal(typeof got.verdict.right, 'boolean');
  });

  test('every kind of flag reaches the engine', async () => {
    const got = await json(
      'generate',
      ...SHE,
      '--logit-bias',
      '3=-1.5',
      '--logit-bias',
      '4=false',
      '--logit-bias',
      '3 4=2',
      '--draw',
      'gumbel',
      '--order',
      'top-k,temperature,logit_bias',
      '--preset',
      'greedy',
      '--top-k',
      '5',
      '--no-cache',
      '--stop',
      'zzz',
      '--stop',
      'yyy',
      '--variant',
      'scalar',
      '--min-tokens-to-keep',
      '2',
    );
    assert.deepEqual(got.settings.logit_bias, { 3: -1.5, 4: false, '3 4': 2 });
    assert.deepEqual(got.settings.order, ['top_k', 'temperature', 'logit_bias']);
    assert.deepEqual(
      [got.settings.draw, got.settings.temperature, got.settings.top_k],
      ['gumbel', 0, 5],
    );
    assert.equal(got.steps[0].u, null);
  });

  test('a bias of -Infinity bans a token, as false does', async () => {
    const [infinite, banned] = await Promise.all(
      ['-Infinity', 'false'].map((ban) => json('generate', ...SHE, '--logit-bias', `24=${ban}`)),
    );
    assert.deepEqual(infinite.settings.logit_bias, { 24: false });
    assert.deepEqual(infinite.ids, banned.ids);
  });

  test('--thinking gives the part between two delimiters settings of its own', async () => {
    const scope = await Logitscope.load({ model: `${root}models/verbs.gguf` });
    const id = scope.encode(SHE[1]).at(-1);
    const words = ['--thinking', 'temperature=3', '--thinking', 'top-k=4'];
    const flags = [...words, '--thinking-begin', `${id}`, '--thinking-end', 'will'];
    const got = await json('generate', ...SHE, '--seed', '9', ...flags);
    const settings = { temperature: 3, top_k: 4 };
    const thinking = { settings, begin: [id], end: 'will' };
    const asked = { prompt: SHE[1], seed: 9, thinking };
    const { ids, thinking: used } = await scope.write(asked);
    assert.deepEqual(got.ids, ids);
    assert.deepEqual(got.thinking, used);
    assert.equal(got.steps[0].thinking, true);
    const { stderr } = await cli(['generate', ...SHE, '--seed', '9', ...flags]);
    assert.match(stderr, /^\d+ tokens \(\d+ thinking\), /);
    scope.close();
  });

  test('a stop text ends the text', async () => {
    const { text, finish_reason } = await json(
      'generate',
      ...SHE,
      '--temperature',
      '0',
      '--stop',
      ' ',
    );
    assert.deepEqual([text, finish_reason], ['', 'stop']);
  });

  test('token text cannot steer the terminal', async () => {
    const words = [
      'generate',
      '--model',
      SMALL,
      '--prompt',
      'x\x1b[31m',
      '--max-new-tokens',
      '200',
      '--logit-bias',
      `${EOS}=false`,
      '--temperature',
      '3',
    ];
    for (const { stdout } of [await cli(words), await cli([...words, '--json'])]) {
      assert.doesNotMatch(stdout, /[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
      assert.match(stdout, /\\u001b/);
    }
    assert.equal(safe('a\u202eb\n\t'), 'a\\u202eb\n\t');
    assert.equal(quoted('a"\n\\'), '"a"\\n\\\\"');
  });

  test('no character hides in the output: direction marks, zero-width characters, tags', async () => {
    for (const [first, last] of HIDDEN)
      for (let code = first; code <= last; code++) {
        const escaped = JSON.stringify(safe(`a${String.fromCodePoint(code)}b`));
        assert.match(escaped, /^"a(\\\\u[0-9a-f]{4}){1,2}b"$/, code.toString(16));
      }
    assert.equal(safe('é 漢 👍 \u0301'), 'é 漢 👍 \u0301');
    const prompt = 'a\u{e0041}\u200bb';
    const { stdout } = await cli(['tokenize', '--model', SMALL, '--prompt', prompt, '--json']);
    assert.match(stdout, /"a\\udb40\\udc41\\u200bb"/);
    assert.equal(JSON.parse(stdout).text, prompt);
  });
});

describe('distribution', () => {
  test('prints tokens with bars, the rest, and the stages', async () => {
    const { status, stdout } = await cli(['distribution', ...SHE, '--top-k', '8', '--top', '10']);
    assert.equal(status, 0);
    const lines = stdout.split('\n');
    assert.match(lines[1], /^ 1 +"[^"]+" +\d+ +\d+\.\d+ % +\d+\.\d+ % +█+/);
    assert.match(stdout, /the other 54/);
    assert.match(stdout, /top_k +8 +8 /);
    assert.match(stdout, /8 of 64 tokens kept/);
    assert.ok(lines.every((line) => line.length <= 100));
  });

  test('--json prints the trace', async () => {
    const { model, prompt, prompt_ids, ...trace } = await json(
      'distribution',
      ...SHE,
      '--temperature',
      '0.5',
      '--top',
      '5',
    );
    const scope = await Logitscope.load({ model: `${root}models/verbs.gguf` });
    scope.feed(scope.encode('Tomorrow she'));
    assert.deepEqual(
      trace,
      JSON.parse(JSON.stringify(scope.distribution({ temperature: 0.5, top: 5 }))),
    );
    assert.deepEqual(prompt_ids, [...scope.encode('Tomorrow she')]);
  });

  test('--step selects XTC’s coin, and a preset may name another program’s defaults', async () => {
    const scope = await Logitscope.load({ model: `${root}models/verbs.gguf` });
    scope.feed(scope.encode('Tomorrow she'));
    const xtc = ['--xtc-probability', '0.5', '--xtc-threshold', '0.01', '--seed', '42'];
    const kept = [];
    for (const step of [0, 1, 2, 3, 4]) {
      const { model, prompt, prompt_ids, ...trace } = await json(
        ...['distribution', ...SHE, ...xtc, '--step', String(step)],
      );
      const settings = { xtc_probability: 0.5, xtc_threshold: 0.01, seed: 42 };
      assert.equal(trace.kept, scope.distribution(settings, { step }).kept);
      kept.push(trace.kept);
    }
    assert.equal(new Set(kept).size, 2);
    const { stages, tokens } = await json('distribution', ...SHE, '--preset', 'llama.cpp');
    const expected = scope.distribution({ preset: 'llama.cpp' });
    assert.deepEqual(
      [stages, tokens],
      JSON.parse(JSON.stringify([expected.stages, expected.tokens])),
    );
    assert.match(
      (await cli(['distribution', ...SHE, '--step', '0.5'])).stderr,
      /^logitscope: step must be/,
    );
  });

  test('a setting without effect is noted', async () => {
    assert.match(
      (await cli(['distribution', ...SHE, '--top-k', '1', '--top-p', '0.9'])).stdout,
      /note: top_p 0.9 removes nothing after top_k 1/,
    );
  });
});

describe('compare', () => {
  test('runs the nine strategies with the same seed', async () => {
    const { strategies: all, seed } = await json(
      'compare',
      ...SHE,
      '--seed',
      '3',
      '--max-new-tokens',
      '12',
    );
    assert.equal(seed, 3);
    const rows = all.slice(0, strategies.length);
    assert.deepEqual(
      rows.map(({ name, settings }) => ({ name, settings })),
      strategies,
    );
    for (const row of rows) {
      assert.ok(row.distinct_1 > 0 && row.distinct_1 <= 1 && row.mean_kept >= 1);
      assert.equal(typeof row.verdict.right, 'boolean');
      const alone = await json(
        'generate',
        ...SHE,
        '--seed',
        '3',
        '--max-new-tokens',
        '12',
        '--preset',
        row.name,
      );
      assert.deepEqual(alone.ids, row.ids);
    }
    assert.equal(rows[0].mean_kept, 1);
  });

  test('then come beam search and contrastive search with the engine’s results', async () => {
    const { strategies: all } = await json(
      'compare',
      ...SHE,
      '--max-new-tokens',
      '12',
      '--suite',
      'searches',
    );
    const scope = await Logitscope.load({ model: `${root}models/verbs.gguf` });
    const rows = all.filter(({ kind }) => kind);
    assert.deepEqual(
      rows.map(({ name }) => name),
      searches.map(({ name }) => name),
    );
    for (const [i, { kind, settings }] of searches.entries()) {
      const search = kind === 'beam' ? beamSearch : contrastiveSearch;
      const found = await search(scope, {
        ...settings,
        prompt: 'Tomorrow she',
        max_new_tokens: 12,
      });
      assert.deepEqual(rows[i].ids, found.ids);
      assert.equal(rows[i].mean_kept, null);
    }
  });

  test('a search strategy gives the search with its settings', async () => {
    const given = [
      '--strategy',
      'beam_width=3,length_penalty=0,early_stopping=true',
      '--strategy',
      'alpha=0.3,k=5',
    ];
    const { strategies: rows } = await json('compare', ...SHE, '--max-new-tokens', '8', ...given);
    const scope = await Logitscope.load({ model: `${root}models/verbs.gguf` });
    const options = { prompt: 'Tomorrow she', max_new_tokens: 8 };
    const beam = await beamSearch(scope, {
      ...options,
      beam_width: 3,
      length_penalty: 0,
      early_stopping: true,
    });
    const contrast = await contrastiveSearch(scope, { ...options, alpha: 0.3, k: 5 });
    assert.deepEqual(
      rows.map(({ ids }) => ids),
      [beam.ids, contrast.ids],
    );
    const wrong = await cli([
      'compare',
      ...SHE,
      '--strategy',
      'beam_width=0',
      '--strategy',
      'alpha=2',
    ]);
    assert.equal(wrong.status, 2);
    assert.match(
      wrong.stderr,
      /^logitscope: beam_width must be an integer between 1 and 64, got 0\n$/,
    );
  });

  test('prints a line for each strategy', async () => {
    const { stdout } = await cli(['compare', ...SHE]);
    for (const { name } of strategies) assert.ok(stdout.includes(`\n${name} `), name);
    assert.match(stdout, /distinct-1 .*distinct-2 .*mean kept .*grammar .*text/);
  });

  test('a text has the engine’s figures, and its first divergence is marked', async () => {
    const { strategies: rows } = await json('compare', ...SHE, '--seed', '3');
    for (const { ids, diverges_at, ...row } of rows) {
      assert.equal(
        diverges_at,
        ids.every((id, i) => id === rows[0].ids[i])
          ? null
          : ids.findIndex((id, i) => id !== rows[0].ids[i]),
      );
      assert.ok(Math.abs(row.perplexity_raw - 2 ** row.surprisal_raw) < 1e-9);
      assert.equal(row.tokens, ids.length);
    }
    assert.equal(rows[0].surprisal, 0);
    assert.ok(rows.some(({ diverges_at }) => diverges_at !== null));
  });

  test('several texts of a strategy give the number of different ones and their similarity', async () => {
    const {
      samples,
      strategies: rows,
      greedy_gaps,
    } = await json('compare', ...SHE, '--suite', 'e27.1');
    assert.equal(samples, 5);
    assert.deepEqual(
      rows.slice(0, 2).map(({ different, edit_similarity }) => [different, edit_similarity]),
      [
        [1, 1],
        [1, 1],
      ],
    );
    assert.deepEqual(
      rows[4].texts.map(({ seed }) => seed),
      [0, 1, 2, 3, 4],
    );
    assert.ok(rows[8].different === 5 && rows[8].edit_similarity < 0.3);
    assert.ok(Number.isFinite(rows[8].surprisal_raw) && rows[8].surprisal_raw > 6);
    assert.deepEqual(greedy_gaps.close, []);
    assert.match(
      (await cli(['compare', ...SHE, '--suite', 'extremes'])).stdout,
      /smallest gap between best and second logit: token \d+, ".+" before ".+": 0\.\d+ apart/,
    );
  });

  test("takes strategies of one's own", async () => {
    const own = ['--strategy', 'top-k=3,temperature=0.5', '--strategy', 'temperature=0'];
    const { strategies: rows } = await json('compare', ...SHE, ...own, '--samples', '2');
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['top-k 3, temperature 0.5', 'greedy'],
    );
    assert.equal(rows[0].mean_kept, 3);
  });

  test('settings of another program are a strategy; one alone stands beside the plain model', async () => {
    const flags = '--temp 0.5 --top-k 2 --min-p 0';
    const compared = async (...words) =>
      JSON.parse((await cli(['compare', ...SHE, '--json', ...words], flags)).stdout).strategies;
    const [plain, read] = await compared('--settings-of', '-');
    assert.deepEqual([plain.name, plain.mean_kept], ['plain', 64]);
    assert.deepEqual([read.name, read.settings.temperature, read.mean_kept], ['-', 0.5, 2]);
    const rows = await compared('--settings-of', '-', '--strategy', 'top_k=3');
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['top-k 3', '-'],
    );
  });

  test('a model without a grammar gets no verdict', async () => {
    const {
      strategies: [row],
    } = await json('compare', '--model', SMALL, '--prompt', 'x', '--max-new-tokens', '3');
    assert.equal('verdict' in row, false);
  });
});

// Sentences of the model's training data. The expected figures are from the trainer's evaluate.py on this file.
const HELD_OUT = 'build/fixtures/held_out.txt';
writeFileSync(
  `${root}${HELD_OUT}`,
  ['Tomorrow she will go home', 'Yesterday they went to work', 'Today she is going to school'].join(
    '\n<|endoftext|>\n',
  ),
);

describe('held-out text', () => {
  test('eval gives the trainer’s figures', async () => {
    const got = await json('eval', '--text', HELD_OUT);
    assert.deepEqual([got.documents, got.tokens, got.bytes], [3, 16, 80]);
    assert.ok(Math.abs(got.nats_per_token - 1.4117) < 2e-4, `${got.nats_per_token}`);
    assert.ok(Math.abs(got.bits_per_byte - 0.4073) < 1e-4, `${got.bits_per_byte}`);
    assert.ok(Math.abs(got.perplexity - Math.exp(got.nats_per_token)) < 1e-9);
    const one = await json('eval', '--text', HELD_OUT, '--documents', '1', '--bytes', '12');
    assert.deepEqual([one.documents, one.tokens, one.bytes], [1, 2, 12]);
  });

  test('compare --held-out puts the true continuation beside the sampled ones', async () => {
    const cut = ['--prompt-tokens', '3', '--max-new-tokens', '2', '--passages', '2'];
    const { passages } = await json('compare', '--held-out', HELD_OUT, ...cut);
    assert.deepEqual(
      passages.map(({ prompt, truth }) => [prompt, truth.text]),
      [
        ['Tomorrow she', ' will go'],
        ['Yesterday they', ' went to'],
      ],
    );
    const scope = await Logitscope.load({ model: `${root}models/verbs.gguf` });
    for (const { prompt_ids, truth, samples } of passages) {
      let logprob = 0;
      for (const [i, id] of truth.ids.entries()) {
        scope.feed([...prompt_ids, ...truth.ids.slice(0, i)]);
        const { tokens } = scope.distribution({ top: 64 });
        logprob += Math.log(tokens.find((token) => token.id === id).p_raw);
      }
      assert.ok(Math.abs(truth.logprob - logprob) < 1e-5);
      assert.deepEqual(
        samples.map(({ name }) => name),
        strategies.map(({ name }) => name),
      );
    }
    assert.match(
      (await cli(['compare', '--held-out', HELD_OUT, ...cut])).stdout,
      /the text itself +0\.\d+/,
    );
  });
});

describe('detect', () => {
  test('finds generate’s watermark by the same flags in a text and in its ids', async () => {
    const mark = ['--green-bias', '100', '--green-fraction', '0.5', '--watermark-key', '7'];
    const written = ['--model', SMALL, '--prompt', 'Hi', '--max-new-tokens', '60', ...mark];
    const { ids } = await json('generate', ...written);
    const list = ['detect', '--model', SMALL, '--ids', ids.join(), ...mark];
    const {
      found: [found],
    } = await json(...list);
    assert.equal(found.name, 'green_bias');
    assert.equal(found.count, found.n);
    assert.ok(found.p < 1e-4, String(found.p));
    const { stdout, status } = await cli(list);
    assert.equal(status, 0);
    assert.match(stdout, new RegExp(`^green_bias: ${found.n} tokens scored, ${found.n} green`));
    assert.match(stdout, new RegExp(`\\nz ${found.z.toFixed(2)}, p `));
    assert.match(stdout, new RegExp(`\\nafter ${found.n} +${found.z.toFixed(2)} +█`));
    const plain = await json('detect', '--text', 'Tomorrow she', '--synthid-depth', '9');
    assert.equal(plain.found[0].p, 1);
    assert.deepEqual(
      plain.ids,
      (await json('tokenize', '--prompt', 'Tomorrow she', '--bos', 'no')).ids,
    );
  });
});

describe('tokenize and info', () => {
  test('tokenize prints each token with its id', async () => {
    const { ids, tokens } = await json('tokenize', '--prompt', 'Tomorrow she');
    assert.deepEqual((await json('tokenize', '--text', 'Tomorrow she')).ids, ids);
    assert.deepEqual(
      tokens.map(({ id }) => id),
      ids,
    );
    assert.equal(
      tokens
        .filter(({ special }) => !special)
        .map(({ text }) => text)
        .join(''),
      'Tomorrow she',
    );
    assert.match(
      (await cli(['tokenize', '--text', 'Tomorrow she'])).stdout,
      /"Tomorrow"[^]*" she"[^]*\d tokens\n$/,
    );
    assert.deepEqual(
      (await json('tokenize', '--model', SMALL, '--text', '<end>', '--special')).ids,
      [EOS],
    );
    assert.deepEqual(
      (await json('tokenize', '--model', SMALL, '--text', 'a', '--bos', 'yes')).ids,
      [EOS, 97],
    );
  });

  test('info prints the facts of the model', async () => {
    assert.deepEqual((await json('info', '--model', SMALL)).vocab_size, VOCAB);
    assert.match((await cli(['info', '--model', SMALL])).stdout, /name +evil \\u001b\[31m\n/);
    assert.equal((await json('info', '--model', SMALL, '--context', '8')).context_length, 8);
    assert.match(
      (await cli(['info', '--model', SMALL, '--context', '100'])).stderr,
      /context must be at most 32/,
    );
  });
});

describe('the playground', () => {
  const play = (...lines) =>
    cli(['generate', '--interactive', '--seed', '5'], `${lines.join('\n')}\n`);

  test('the playground continues prompts and obeys commands', async () => {
    const { status, stdout } = await play(
      '/temperature 0',
      'Tomorrow she',
      '/temperature',
      '/seed 9',
      '/settings',
      'Yesterday we',
      '/reset',
      '/quit',
      'never read',
    );
    assert.equal(status, 0);
    assert.match(stdout, /^"verbs", 64 tokens/);
    assert.match(
      stdout,
      /\ntemperature 0\nTomorrow she [^\n]+\n\[eos, \d+ tokens, seed 5; right\]\ntemperature neutral\n/,
    );
    assert.match(stdout, /\nseed 9\nseed 9\nYesterday we [^\n]+\n\[[^\n]*seed 9/);
    assert.match(stdout, /seed 5\n$/);
  });

  test('a setting that is put back takes the preset’s value', async () => {
    const { stdout } = await play(
      '/preset llama.cpp',
      'Tomorrow she',
      '/temperature 2',
      '/temperature',
      'Tomorrow she',
    );
    assert.match(stdout, /\ntemperature 0\.8, of preset llama\.cpp\n/);
    const [first, second] = stdout.split('\n').filter((line) => line.startsWith('Tomorrow she'));
    assert.equal(second, first);
  });

  test('a wrong command or word gives one line, and the playground goes on', async () => {
    const { status, stdout } = await play(
      '/temprature 1',
      '/top-p 7',
      '/top-k x',
      '/max-new-tokens -1',
      '/seed 0.5',
      'xyzzy',
      'Tomorrow she',
    );
    assert.equal(status, 0);
    for (const said of [
      'did you mean temperature?',
      'top_p must be between 0 and 1, got 7',
      'must be a number, got "x"',
      'max_new_tokens must be',
      'seed must be',
      'xyzzy',
      '\nTomorrow she ',
    ]) {
      assert.ok(stdout.includes(said), `${said} is missing in ${stdout}`);
    }
    assert.doesNotMatch(stdout, / at .*\.js/);
  });

  test('unusable flags are refused before it begins', async () => {
    for (const [flags, said] of [
      [['--top-p', '3'], 'top_p must be between 0 and 1, got 3'],
      [['--constraint', 'foo'], 'constraint must be "json", '],
      [['--seed', '-1'], 'seed must be an integer between 0 and 9007199254740991, got -1'],
      [['--order', 'own'], '--order names own, which needs --own'],
      [['--draft', SMALL], 'draft must have the same vocabulary of 64 tokens'],
      [['--json'], '--json cannot stand with --interactive'],
      [SHE, '--prompt cannot stand with --interactive'],
    ])
      for (const input of ['', 'Tomorrow she\n']) {
        const { status, stdout, stderr } = await cli(
          ['generate', '--interactive', ...flags],
          input,
        );
        assert.deepEqual([status, stdout], [2, ''], stderr);
        assert.ok(stderr.startsWith(`logitscope: ${said}`) && stderr.endsWith('\n'), stderr);
        assert.equal(stderr.split('\n').length, 2);
      }
  });

  test('files and lists given by flags are shown by name, and settings can still be set', async () => {
    const own = 'build/fixtures/cli_own.mjs';
    writeFileSync(`${root}${own}`, 'export default (logits) => logits;');
    const grammar = 'build/fixtures/cli_will.gbnf';
    writeFileSync(`${root}${grammar}`, 'root ::= " will" (" " [a-z]+)+');
    const verbs = 'models/verbs.gguf';
    for (const [flags, shown] of [
      [['--own', own], [`own ${own}`]],
      [
        ['--draft', verbs, '--draft-tokens', '3'],
        ['draft_tokens 3', `draft ${verbs}`],
      ],
      [
        ['--amateur', verbs, '--guidance-scale', '3'],
        ['guidance_scale 3', `amateur ${verbs}`],
      ],
      [['--constraint', `grammar:${grammar}`], [`constraint grammar:${grammar}`]],
      [
        ['--logit-bias', '5=2', '--logit-bias', '3 4=-Infinity', '--stop', ' ', '--stop', 'zz'],
        ['logit_bias 5=2 "3 4=false"', 'stop " " zz'],
      ],
    ]) {
      const lines = [
        '/settings',
        '/temperature 0.5',
        '/temperature -1',
        '/settings',
        'Tomorrow she',
      ];
      const { stdout } = await cli(['generate', '--interactive', ...flags], lines.join('\n'));
      const [, ...rest] = stdout.split('\n');
      const set = 'temperature 0.5';
      const refused = 'temperature must be a finite number of at least 0, got -1';
      assert.deepEqual(rest.slice(0, -3), [...shown, set, refused, ...shown, set]);
      assert.match(rest.at(-3), /^Tomorrow she/);
      assert.match(rest.at(-2), /^\[(eos|stop), /);
    }
  });

  test('guidance can be set, and a value that fails every prompt is refused', async () => {
    const { stdout } = await play(
      '/guidance-scale 2',
      '/order top-k,guidance-scale',
      '/max-new-tokens 1e9',
      '/order own,top-k',
      '/settings',
      'Tomorrow she',
    );
    const [, ...rest] = stdout.split('\n');
    assert.deepEqual(rest.slice(0, 7), [
      'guidance_scale 2',
      'order top_k,guidance_scale',
      'max_new_tokens must be an integer between 0 and 262144, got 1000000000',
      '--order names own, which needs --own',
      'seed 5',
      'guidance_scale 2',
      'order top_k,guidance_scale',
    ]);
    assert.match(rest[7], /^Tomorrow she /);
  });

  test('the playground gives the same text as generate', async () => {
    const { text } = await json('generate', ...SHE, '--seed', '5');
    assert.ok((await play('Tomorrow she')).stdout.includes(`\nTomorrow she${text}\n`));
  });
});

test('bench measures the requested numbers of tokens and rounds', async () => {
  const asked = ['bench', '--prompt-tokens', '6', '--new-tokens', '3', '--rounds', '2'];
  const { stdout } = await cli(asked);
  assert.match(stdout, /^\w+ loops in 1 stream, 6 tokens read and 3 drawn, 2 rounds\n/);
  assert.match(stdout, /\nprefill, tokens\/s( +\d+\.\d){3}\ndecode, tokens\/s( +\d+\.\d){3}\n/);
  const found = await json(...asked);
  assert.deepEqual([found.prompt_tokens, found.new_tokens, found.rounds], [6, 3, 2]);
  for (const key of ['prefill_tokens_per_second', 'decode_tokens_per_second', 'distribution_ms']) {
    const { least, median, most } = found[key];
    assert.ok(0 < least && least <= median && median <= most, key);
  }
  const { status, stderr } = await cli(['bench', '--prompt-tokens', '30', '--new-tokens', '20']);
  assert.deepEqual(
    [status, stderr],
    [
      2,
      'logitscope: --prompt-tokens and --new-tokens must be at most 32 together, got 30 and 20\n',
    ],
  );
});

test('a name cannot forge a line of info', async () => {
  const forger = 'build/fixtures/cli_forger.gguf';
  writeFileSync(`${root}${forger}`, smallModel({ name: 'a\nvocab_size  3\ttrue' }));
  const { stdout } = await cli(['info', '--model', forger]);
  assert.match(stdout, /^name +a\\nvocab_size {2}3\\ttrue$/m);
  assert.equal(stdout.match(/^vocab_size /gm)?.length, 1);
});

describe('more rows than a function call can take arguments', () => {
  test('are printed by tokenize', async () => {
    const { status, stdout, stderr } = await cli([
      'tokenize',
      '--model',
      SMALL,
      '--prompt',
      'ab'.repeat(65_500),
    ]);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /\n97 {2}"a"\n98 {2}"b"\n131000 tokens\n$/);
  });

  long('are printed by distribution', async () => {
    const wide = 'build/fixtures/cli_wide.gguf';
    const tokens = [
      ...byteTokens(),
      ...Array.from({ length: 130_000 }, (_, i) => `a${i}`),
      '<end>',
    ];
    writeFileSync(`${root}${wide}`, smallModel({ dim: 2, heads: 1, layers: 1, tokens }));
    const words = ['distribution', '--model', wide, '--prompt', 'x', '--top', '200000'];
    const { status, stdout, stderr } = await cli(words);
    assert.equal(status, 0, stderr);
    assert.ok(stdout.split('\n').length > 130_257);
  });
});

test('the program has the output, input and exit code of its main', async () => {
  for (const [words, input] of [
    [['generate', ...SHE, '--temperature', '0']],
    [['generate', '--interactive', '--seed', '5'], '/temperature 0\nTomorrow she\n'],
    [['genrate']],
  ])
    assert.deepEqual(await spawned(words, input), await cli(words, input));
});

describe('where the output goes', () => {
  /** @param {string} script of sh, with the command line in $CLI */
  const sh = (script) => {
    const env = { ...process.env, CLI: `${process.execPath} web/cli.js` };
    return spawnSync('sh', ['-c', script], { cwd: root, encoding: 'utf8', env });
  };
  const noFull = !existsSync('/dev/full') && 'only Linux has a device that is always full';

  test('a program that closes the pipe early causes no error', async () => {
    const { stderr } = sh(
      `{ $CLI tokenize --model ${SMALL} --prompt ${'x'.repeat(20_000)} --json; echo $? >&2; } | head -c 1`,
    );
    assert.equal(stderr, '0\n');
  });

  test('a full disk gives one sentence', { skip: noFull }, async () => {
    const commands = [
      'info',
      "distribution --prompt 'Tomorrow she'",
      "generate --prompt 'Tomorrow she'",
      '--help',
    ];
    for (const words of sample(commands, 2)) {
      const { status, stderr } = sh(`$CLI ${words} >/dev/full`);
      assert.equal(status, 2, words);
      assert.match(stderr, /(^|\n)logitscope: the output cannot be written: ENOSPC[^\n]*\n/, words);
      assert.doesNotMatch(stderr, / at |\.js/);
    }
    assert.equal(sh('$CLI nothing 2>/dev/full').status, 2);
  });
});

describe('wrong arguments give one line on stderr and exit code 2', () => {
  const cases = {
    'an unknown command': [['genrate'], 'did you mean generate?'],
    'an unknown flag': [['generate', '--temprature', '1'], 'did you mean --temperature?'],
    'an unknown setting in order': [['generate', ...SHE, '--order', 'topk'], '"top_k"'],
    'a schema too deep': [
      ['generate', ...SHE, '--constraint', `schema:${DEEP}`],
      'constraint: depth must be an integer between 0 and 100, got 3002',
    ],
    'a word that is no flag': [['generate', 'Tomorrow'], '"Tomorrow"'],
    'a weaker model that nothing asks': [
      ['generate', ...SHE, '--amateur', 'models/verbs.gguf'],
      '--amateur needs --guidance-scale or --contrastive-beta',
    ],
    'a second text that nothing reads': [
      ['generate', ...SHE, '--negative-prompt', 'Yesterday they'],
      '--negative-prompt needs --guidance-scale or --contrastive-beta',
    ],
    'a folder as a sampler': [['generate', ...SHE, '--own', 'src'], '"src" is a folder'],
    'a lesson without a verb': [['lesson'], 'check or answers is missing'],
    'an address that no fetch knows': [['info', '--model', 'ftp://x/y.gguf'], 'unknown scheme'],
    'no prompt': [['generate'], '--prompt'],
    'no text': [['tokenize'], '--prompt'],
    'no text to detect': [['detect', '--green-bias', '2'], '--text or --ids is missing'],
    'a text and ids': [['detect', '--text', 'she', '--ids', '1'], '--text cannot stand with --ids'],
    'an odd id': [['detect', '--ids', '1,x', '--green-bias', '2'], '"x"'],
    'no watermark': [['detect', '--ids', '1'], 'green_bias or synthid_depth must be above 0'],
    'text twice': [['tokenize', '--prompt', 'x', '--text', 'x'], '--text'],
    'no setting of the thinking': [
      ['generate', ...SHE, '--thinking', 'topp=1'],
      'did you mean top_p?',
    ],
    'a delimiter alone': [
      ['generate', ...SHE, '--thinking-end', 'x'],
      '--thinking-end needs --thinking',
    ],
    'no value': [['generate', '--prompt'], '--prompt needs a value'],
    'a number that is none': [['generate', ...SHE, '--temperature', 'hot'], '"hot"'],
    'a number out of range': [
      ['generate', ...SHE, '--top-p', '1.5'],
      'top_p must be between 0 and 1, got 1.5',
    ],
    NaN: [['generate', ...SHE, '--temperature', 'NaN'], '"NaN"'],
    'a flag given twice': [['generate', ...SHE, ...SHE], 'twice'],
    'a value for a switch': [['generate', ...SHE, '--json=1'], 'takes no value'],
    'a bias that is none': [['generate', ...SHE, '--logit-bias', '3:1'], 'ID=NUMBER'],
    'a bias outside': [['generate', ...SHE, '--logit-bias', '64=1'], '64'],
    'a seed too large': [['generate', ...SHE, '--seed', '9007199254740992'], '9007199254740991'],
    'an empty prompt': [['generate', '--model', SMALL, '--prompt', ''], 'prompt'],
    'a word unknown': [['generate', '--prompt', 'Tomorrow zebra'], 'zebra'],
    'a model that is not there': [['generate', ...SHE, '--model', 'none.gguf'], 'none.gguf'],
    'a model that is none': [['info', '--model', 'package.json'], 'GGUF'],
    'a grammar that is none': [['generate', ...SHE, '--grammar', 'package.json'], '--grammar'],
    'an unknown variant': [['generate', ...SHE, '--variant', 'gpu'], '"gpu"'],
    'no text to evaluate': [['eval'], '--text'],
    'a text that is not there': [['eval', '--text', 'none.txt'], 'none.txt'],
    'a text that the model cannot spell': [['eval', '--text', 'package.json'], 'vocabulary'],
    'no document': [['eval', '--text', HELD_OUT, '--documents', '0'], '--documents', 'got 0'],
    'one strategy': [['compare', ...SHE, '--strategy', 'top_k=3'], '2 to 9'],
    'unknown suite': [['compare', ...SHE, '--suite', 'nin'], 'did you mean nine?'],
    'held-out text and prompt': [['compare', ...SHE, '--held-out', HELD_OUT], '--held-out'],
    'passages too long': [['compare', '--held-out', HELD_OUT], '48 tokens'],
    'a sweep that begins wrongly': [
      ['sweep', 'temperature=-1:1:0.5', ...SHE, '--csv'],
      'temperature must be a finite number of at least 0, got -1',
    ],
    'a wrong point between others': [
      ['sweep', 'top_k=0:3:1.5', ...SHE, '--csv'],
      'top_k must be a whole number of at least 0, got 1.5',
    ],
    'a wrong setting beside a sweep': [
      ['sweep', 'top_k=1', ...SHE, '--csv', '--top-p', '2'],
      'top_p must be between 0 and 1, got 2',
    ],
    'a wrong seed of a sweep': [
      ['sweep', 'top_k=1', ...SHE, '--csv', '--metric', 'length', '--seed', '1.5'],
      'seed must be an integer',
    ],
    'a sweep after an unknown word': [
      ['sweep', 'top_k=1', '--prompt', 'Tomorrow zebra', '--csv'],
      '" zebra"',
    ],
    'a time limit of nothing': [['generate', ...SHE, '--time-limit', '3'], 'needs --own'],
    'passages of nothing': [['compare', ...SHE, '--passages', '3'], 'needs --held-out'],
    'lengths of no passages': [['compare', ...SHE, '--prompt-tokens', '3'], 'needs --held-out'],
    'strategies and held-out text': [
      ['compare', '--held-out', HELD_OUT, '--strategy', 'top_k=2'],
      '--strategy cannot stand with --held-out',
    ],
    'a suite and strategies': [
      ['compare', ...SHE, '--suite', 'nine', '--strategy', 'top_k=2', '--strategy', 'top_k=3'],
      '--suite cannot stand with --strategy',
    ],
    'a strategy that names a setting twice': [
      ['compare', ...SHE, '--strategy', 'top_p=.5,top-p=.9', '--strategy', 'top_k=3'],
      '--strategy names top_p twice',
    ],
    'an unknown setting of a strategy': [
      ['compare', ...SHE, '--strategy', 'foo=2', '--strategy', 'top_k=3'],
      'unknown setting "foo", known are ',
    ],
    'a place for no sampler': [
      ['generate', ...SHE, '--order', 'own,top_k'],
      '--order names own, which needs --own',
    ],
    'an order of nothing': [['generate', ...SHE, '--order', ''], 'unknown setting "", known are '],
    'an id beyond the vocabulary': [
      ['detect', '--ids', '1,99', '--green-bias', '2'],
      "--ids must be below 64, the vocabulary's size, got 99",
    ],
    'a seed with more digits than a number has': [
      ['generate', ...SHE, '--seed', '9007199254740990.6'],
      '--seed must be whole or have fewer digits, got 9007199254740990.6',
    ],
    'a bias of a word': [
      ['generate', ...SHE, '--logit-bias', '24=x'],
      '--logit-bias must be ID=NUMBER, or ID=false or ID=-Infinity to ban, got "24=x"',
    ],
    ...Object.fromEntries(
      NO_GRAMMARS.map((file) => [
        `JSON that is no grammar: ${readFileSync(`${root}${file}`, 'utf8')}`,
        [
          ['generate', ...SHE, '--grammar', file],
          `--grammar "${file}" is not a grammar of sentences`,
        ],
      ]),
    ),
    'an odd bos': [['tokenize', '--text', 'x', '--bos', 'maybe'], '"maybe"'],
    'a control character': [['gen\x1brate'], 'unknown command'],
  };
  for (const [what, [words, ...says]] of Object.entries(cases)) {
    test(what, async () => {
      const { status, stdout, stderr } = await cli(words);
      assert.equal(status, 2, stderr);
      assert.equal(stdout, '');
      assert.match(stderr, /^logitscope: [^\n\x1b]+\n$/);
      for (const said of says) assert.ok(stderr.includes(said), `${stderr} lacks ${said}`);
    });
  }
});

test('help lists the commands, and the flags from the table', async () => {
  const { table } = await Logitscope.load();
  for (const command of [
    'generate',
    'distribution',
    'compare',
    'tokenize',
    'detect',
    'info',
    'eval',
  ]) {
    assert.ok((await cli(['--help'])).stdout.includes(`\n  ${command} `));
  }
  const help = await cli(['generate', '--help']);
  assert.equal(help.status, 0);
  for (const { name } of table)
    assert.ok(help.stdout.includes(`--${name.replaceAll('_', '-')} `), name);
  assert.match(help.stdout, /--variant +auto, relaxed, simd or scalar /);
});

test('the file that package.json installs is executable', async () => {
  assert.match(readFileSync(`${root}web/cli.js`, 'utf8'), /^#!\/usr\/bin\/env node\n/);
  assert.equal(spawnSync(`${root}web/cli.js`, ['--help']).status, 0);
});

describe('texts from files and standard input', () => {
  const folder = temporaryFolder();
  /** @param {string} name @param {string | Buffer} bytes */
  const file = (name, bytes) => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  const marked = (/** @type {string} */ text) => Buffer.from(`\ufeff${text}`);
  const wide = (/** @type {string} */ text) => Buffer.from(`\ufeff${text}`, 'utf16le');
  const swapped = (/** @type {string} */ text) => wide(text).swap16();

  test('a byte order mark is no part of a text and tells UTF-16 from UTF-8', async () => {
    const lesson = readFileSync(`${root}web/lessons/temperature.en.json`, 'utf8');
    const held = 'Tomorrow she will go';
    const plain = await json('eval', file('plain.txt', held));
    for (const make of [marked, wide, swapped]) {
      const got = await json('eval', file('other.txt', make(held)));
      assert.deepEqual({ ...got, text: '' }, { ...plain, text: '' });
    }
    const checked = await cli(['lesson', 'check', file('lesson.json', wide(lesson))]);
    assert.equal(checked.stdout, 'Temperature: 8 questions, no fault\n');
    const constraints = [
      `grammar:${file('a.gbnf', marked('root ::= "a"'))}`,
      `schema:${file('a.json', marked('{"type": "boolean"}'))}`,
    ];
    const words = ['--model', SMALL, '--max-new-tokens', '1', '--prompt', 'a'];
    for (const constraint of constraints) {
      const { status, stderr } = await cli(['generate', ...words, '--constraint', constraint]);
      assert.equal(status, 0, stderr);
    }
    const broken = file('broken.txt', Buffer.from([0x61, 0xff, 0x62]));
    const odd = file('odd.txt', wide('Tomorrow').subarray(0, 5));
    for (const path of [broken, odd]) {
      const { status, stderr } = await cli(['eval', path]);
      assert.equal(status, 2);
      const why = 'is neither UTF-8 nor UTF-16 with its byte order mark';
      assert.equal(stderr, `logitscope: --text could not be read: ${path} ${why}\n`);
    }
  });

  test('a clone without the built engine names make wasm', () => {
    const clone = temporaryFolder();
    const filter = (/** @type {string} */ path) => !path.endsWith('.wasm');
    for (const name of ['web', 'package.json', 'Makefile'])
      cpSync(join(root, name), join(clone, name), { recursive: true, filter });
    const words = [join(clone, 'web/cli.js'), 'info', `${root}${SMALL}`];
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    assert.equal(status, 2, stderr);
    assert.match(stderr, /logitscope\.wasm; in a fresh clone, run `make wasm` first\n$/);
  });

  test('--prompt-file reads a file or standard input without its final line break', async () => {
    const flags = ['--temperature', '0'];
    const { stdout } = await cli(['generate', ...SHE, ...flags]);
    for (const end of ['', '\n', '\r\n']) {
      const path = file('prompt.txt', `Tomorrow she${end}`);
      assert.equal((await cli(['generate', '--prompt-file', path, ...flags])).stdout, stdout);
    }
    const piped = await cli(['generate', '--prompt-file', '-', ...flags], 'Tomorrow she\n');
    assert.equal(piped.stdout, stdout);
    const { text } = await json(
      'tokenize',
      '--model',
      SMALL,
      '--prompt-file',
      file('two', 'a\n\n'),
    );
    assert.equal(text, 'a\n');
    const line = ['tokenize', '--model', SMALL, '--prompt-file', '-', '--json'];
    assert.equal(JSON.parse((await cli(line, '\n')).stdout).text, '\n');
    for (const [words, message, input] of [
      [['--prompt-file', '-', ...SHE], '--prompt cannot stand with --prompt-file', 'Tomorrow'],
      [['--prompt-file', '-', '--chat', 'a'], '--chat cannot stand with --prompt-file', 'Tomorrow'],
      [['--prompt-file', '-', '--interactive'], '--interactive cannot stand with --prompt-file'],
      [['--prompt-file', '-'], '--prompt-file: standard input is empty'],
      [
        ['--prompt-file', file('empty', marked(''))],
        `--prompt-file: ${join(folder, 'empty')} is empty`,
      ],
      [['--prompt-file', folder], `--prompt-file: ${folder} is a folder`],
      [['--prompt-file', 'none'], '--prompt-file: there is no file none'],
    ]) {
      const { status, stderr } = await cli(['generate', ...words], /** @type {any} */ (input));
      assert.deepEqual([status, stderr], [2, `logitscope: ${message}\n`]);
    }
  });

  test('--stop, --banned-words and breakers know the escapes \\n, \\t and \\\\', async () => {
    const words = ['generate', '--model', SMALL, '--prompt', 'a', '--max-new-tokens', '2'];
    const list = ['--banned-words', '\\n', '--dry-sequence-breakers', '\\t', '--stop', '\\\\n'];
    const { settings } = await json(...words, ...list, '--constraint', 'json');
    assert.deepEqual(settings.banned_words, ['\n']);
    assert.deepEqual(settings.dry_sequence_breakers, ['\t']);
    const grammar = file('line.gbnf', 'root ::= "a\\n\\\\b"');
    const text = async (/** @type {string} */ stop) => {
      const flags = ['--constraint', `grammar:${grammar}`, '--max-new-tokens', '9', '--stop', stop];
      const got = await json('generate', '--model', SMALL, '--prompt', 'x', ...flags);
      return [got.text, got.finish_reason];
    };
    assert.deepEqual(await text('\\n'), ['a', 'stop']);
    assert.deepEqual(await text('\\\\'), ['a\n', 'stop']);
    assert.deepEqual(await text('\\t'), ['a\n\\b', 'eos']);
    const { status, stderr } = await cli([...words, '--stop', 'a\\d']);
    assert.equal(status, 2);
    assert.match(
      stderr,
      /^logitscope: --stop: \\d is no escape, known are \\n, \\t and \\\\, got /,
    );
  });

  test('one word without a flag is the text, the file or the model', async () => {
    const plain = await json('tokenize', ...SHE);
    assert.deepEqual(await json('tokenize', 'Tomorrow she'), plain);
    const held = file('held.txt', 'Tomorrow she will go');
    assert.deepEqual(await json('eval', held), await json('eval', '--text', held));
    assert.equal((await json('info', SMALL)).name, 'evil \x1b[31m');
    const marks = ['--green-bias', '2', 'Tomorrow she will go'];
    assert.ok((await json('detect', ...marks)).found.length);
    for (const [words, message] of [
      [['tokenize', 'a', 'b'], 'unexpected argument "b"'],
      [['tokenize', 'a', ...SHE], 'TEXT cannot stand with --prompt'],
      [['tokenize'], 'TEXT is missing, or --prompt'],
      [['eval', held, '--text', held], 'FILE cannot stand with --text'],
      [['eval'], 'FILE is missing, or --text'],
      [['info', SMALL, '--model', SMALL], 'MODEL cannot stand with --model'],
      [['detect', ...marks, '--ids', '1'], 'TEXT cannot stand with --ids'],
    ]) {
      const { status, stderr } = await cli(words);
      assert.deepEqual([status, stderr], [2, `logitscope: ${message}\n`]);
    }
  });

  test('a forced or banned token may be spelled as tokenize prints it or as a word', async () => {
    const words = ['--model', 'models/stories.gguf', '--prompt', 'Once upon a'];
    const flags = ['--max-new-tokens', '1', '--temperature', '0'];
    const first = async (...more) => (await json('generate', ...words, ...flags, ...more)).ids[0];
    const { tokens } = await json('tokenize', 'a bear', '--model', 'models/stories.gguf');
    const { id, text } = tokens.at(-1);
    assert.equal(text, ' bear');
    assert.equal(await first('--forced-first', ' bear'), id);
    assert.equal(await first('--forced-first', 'bear'), id);
    const best = await first();
    const { tokens: all } = await json('distribution', ...words, '--top', '1');
    assert.equal(all[0].id, best);
    assert.notEqual(await first('--banned-words', all[0].text), best);
    assert.notEqual(await first('--banned-words', all[0].text.trim()), best);
  });
});

describe('masks before the samplers', () => {
  const folder = temporaryFolder();
  /** @param {string} name @param {string} text */
  const file = (name, text) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  test('--constraint takes a grammar or a schema from a file', async () => {
    const grammar = file('will.gbnf', 'root ::= " will" (" " [a-z]+)+');
    const flags = [...SHE, '--constraint', `grammar:${grammar}`];
    const got = await json('generate', ...flags, '--temperature', '2');
    assert.match(got.text, /^ will( [a-z]+)+$/);
    assert.match(
      (await cli(['distribution', ...flags])).stdout,
      /" is" .* constraint\n[^]*\nconstraint +1 +1 /,
    );
    const schema = file('yes.json', '{"type": "boolean"}');
    const { settings } = await json(
      'generate',
      '--model',
      SMALL,
      '--prompt',
      'a',
      '--constraint',
      `schema:${schema}`,
    );
    assert.deepEqual(settings.constraint, { schema: { type: 'boolean' } });
  });

  test('guidance leads away from --negative-prompt or from --amateur', async () => {
    const guided = ['--guidance-scale', '4', '--max-new-tokens', '4'];
    const ids = async (...words) => (await json('generate', ...SHE, ...guided, ...words)).ids;
    const plain = await ids();
    const away = await json('generate', ...SHE, ...guided, '--negative-prompt', 'Yesterday they');
    assert.notDeepEqual(away.ids, plain);
    assert.equal(away.settings.negative_prompt, 'Yesterday they');
    const [first] = away.steps;
    const { tokens } = await json(
      'distribution',
      ...SHE,
      ...guided.slice(0, 2),
      '--negative-prompt',
      'Yesterday they',
    );
    assert.equal(tokens.find(({ id }) => id === first.id).p, first.p);
    // If the amateur is the model itself, contrastive decoding changes nothing.
    assert.deepEqual(
      await ids('--amateur', 'models/verbs.gguf'),
      (await json('generate', ...SHE, '--max-new-tokens', '4')).ids,
    );
  });

  test('--draft with the same model gives the same text and a line about its gain', async () => {
    const words = ['--draft', 'models/verbs.gguf', '--draft-tokens', '3', '--seed', '4'];
    const { ids, speculation, steps } = await json('generate', ...SHE, ...words);
    assert.deepEqual(ids, (await json('generate', ...SHE, '--seed', '4')).ids);
    assert.equal(speculation.passes, Math.ceil(ids.length / 4));
    assert.equal(steps[0].speculation.outcome, 'accepted');
    const { stderr } = await cli(['generate', ...SHE, ...words]);
    assert.match(
      stderr,
      /^\d+ tokens, eos, seed 4; right\n\d\.\d\d tokens a pass \(\d passes\), \d of \d drafts accepted, [\d.]+ ms a token, [\d.]+ without a draft\n$/,
    );
    for (const [flags, line] of [
      [['--draft-tokens', '3'], /^logitscope: --draft-tokens needs --draft\n$/],
      [
        ['--draft', 'models/stories.gguf'],
        /^logitscope: draft must have the same vocabulary of 64/,
      ],
      [
        [...words, '--mirostat', '2'],
        /^logitscope: a draft cannot be used with mirostat: [^\n]+\n$/,
      ],
    ])
      assert.match((await cli(['generate', ...SHE, ...flags])).stderr, line);
  });

  test('--forced-first takes an id or a text, --banned-words may be repeated', async () => {
    const got = await json(
      'generate',
      ...SHE,
      '--forced-first',
      ' has',
      '--banned-words',
      ' eaten',
      '--banned-words',
      ' been',
    );
    assert.match(got.text, /^ has (?!eaten|been)/);
    assert.deepEqual(got.settings.banned_words, [' eaten', ' been']);
    assert.equal(
      (await json('generate', ...SHE, '--forced-first', String(got.ids[0]))).ids[0],
      got.ids[0],
    );
  });

  test('a fault in these flags gives one line', async () => {
    for (const [flags, pattern] of [
      [['--constraint', 'xml'], /^logitscope: constraint must be "json", .*"xml"\n$/],
      [
        ['--constraint', `schema:${file('bad.json', '{')}`],
        /^logitscope: --constraint: \S+ is not JSON, [^\n]+\n$/,
      ],
      [
        ['--constraint', `grammar:${file('bad.gbnf', 'root ::= (')}`],
        /^logitscope: grammar, line 1: a parenthesis is not closed with \)\n$/,
      ],
      [
        ['--constraint', 'grammar:/nowhere'],
        /^logitscope: --constraint: there is no file \/nowhere\n$/,
      ],
      [['--constraint', 'schema:/etc'], /^logitscope: --constraint: \/etc is a folder\n$/],
      [
        ['--model', '/nowhere'],
        /^logitscope: model "\/nowhere" could not be loaded: there is no file \/nowhere\n$/,
      ],
      [['--model', '/etc'], /^logitscope: model "\/etc" could not be loaded: \/etc is a folder\n$/],
      [
        ['--forced-first', ' will go'],
        /^logitscope: forced_first must be one token, " will go" is 2\n$/,
      ],
    ]) {
      const { status, stdout, stderr } = await cli(['generate', ...SHE, ...flags]);
      assert.equal(status, 2);
      assert.equal(stdout, '');
      assert.match(stderr, pattern);
    }
  });
});

describe('for programs and shells', () => {
  test('--ndjson prints a line for each step and one for the result, as in --json', async () => {
    const words = [
      'generate',
      ...SHE,
      '--seed',
      '5',
      '--max-new-tokens',
      '4',
      '--top-logprobs',
      '2',
    ];
    const { status, stdout } = await cli([...words, '--ndjson']);
    assert.equal(status, 0);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { steps, ...result } = await json(...words);
    const withoutTime = ({ ms, ...step }) => step;
    assert.deepEqual(lines.slice(0, -1).map(withoutTime), steps.map(withoutTime));
    assert.deepEqual(lines.at(-1), result);
    assert.equal(steps[0].top_logprobs.length, 2);
    const both = await cli([...words, '--ndjson', '--json']);
    assert.deepEqual(
      [both.status, both.stderr],
      [2, 'logitscope: --json cannot stand with --ndjson\n'],
    );
  });

  test('with --json a refusal is a JSON object', async () => {
    const { status, stdout, stderr } = await cli(['generate', ...SHE, '--top-p', '3', '--json']);
    const message = 'top_p must be between 0 and 1, got 3';
    assert.deepEqual([status, stderr], [2, `logitscope: ${message}\n`]);
    assert.deepEqual(JSON.parse(stdout), {
      error: {
        code: 'out_of_range',
        message,
        key: 'must_be_between',
        values: { setting: 'top_p', minimum: 0, maximum: 1, value: 3 },
      },
    });
    const usage = await cli(['generate', '--ndjson']);
    assert.deepEqual(JSON.parse(usage.stdout), {
      error: { code: 'usage', message: '--prompt is missing' },
    });
  });

  test('a link of the page replaces flags, and explicit flags override it', async () => {
    const link =
      'https://example.org/scope/?model=verbs&lang=es#prompt=Tomorrow+she&temperature=0.5&top_k=5&order=top_k,temperature&seed=7&max_new_tokens=5';
    const flags = ['--prompt', 'Tomorrow she', '--temperature', '0.5', '--top-k', '5'];
    const more = ['--order', 'top_k,temperature', '--seed', '7', '--max-new-tokens', '5'];
    const plain = ({ model, steps, ...result }) => result;
    assert.deepEqual(
      plain(await json('generate', '--link', link)),
      plain(await json('generate', ...flags, ...more)),
    );
    assert.equal((await json('generate', '--link', link, '--seed', '8')).seed, 8);
    for (const own of [
      ['--prompt', 'Today she'],
      ['--prompt-file', '-'],
    ]) {
      const { stdout } = await cli(['generate', '--link', link, ...own], 'Today she\n');
      assert.match(stdout, /^Today she is/);
    }
    const { tokens } = await json('distribution', '--link', link, '--top', '3');
    assert.equal(tokens.filter(({ removed_by }) => !removed_by).length, 3);
    for (const [odd, reason] of [
      ['nowhere', 'a link must be an address, got nowhere'],
      ['https://example.org/#top_p=9', 'the link has a part that is not understood: top_p=9'],
      ['https://example.org/#bogus=1', 'the link has a part that is not understood: bogus=1'],
    ])
      assert.equal((await cli(['generate', '--link', odd])).stderr, `logitscope: ${reason}\n`);
    const asked = await fromLink(
      'https://example.org/a/?model=hub:o/n/f.gguf#chat=Hi&system=Brief',
    );
    assert.deepEqual(
      [asked.model, asked.chat],
      ['hub:o/n/f.gguf', { content: 'Hi', system: 'Brief' }],
    );
    const first = await fromLink(new URL('https://example.org/a/'));
    assert.equal(first.model, 'https://example.org/a/models/stories.gguf');
    assert.deepEqual(first.options, {
      prompt: 'The soup was too',
      seed: 42,
      max_new_tokens: 100,
    });
  });

  test('the shell completion knows the commands and the flags of each', async () => {
    const { stdout } = await cli(['completion', 'bash']);
    const program = (word, at, ...words) =>
      `${stdout}\nCOMP_WORDS=(${words.join(' ')} ${word}); COMP_CWORD=${at}; _logitscope; echo "\${COMPREPLY[@]}"`;
    const proposed = (...given) =>
      spawnSync('bash', ['-c', program(...given)], { encoding: 'utf8' }).stdout.trim();
    assert.equal(proposed('gen', 1, 'logitscope'), 'generate');
    assert.equal(proposed('--top-l', 2, 'logitscope', 'generate'), '--top-logprobs');
    const fish = (await cli(['completion', 'fish'])).stdout;
    assert.match(fish, /-n '__fish_seen_subcommand_from grade' -l as -r -d /);
    assert.equal(
      (await cli(['completion', 'ksh'])).stderr,
      'logitscope: SHELL must be one of bash, zsh, fish, got ksh\n',
    );
  });
});
