/**
 * Tests models on a server of the user's own: a recording of llama.cpp's server over a file that this engine reads too,
 * answers in the documented forms of other kinds, and a server that lies. LLAMA_SERVER=URL compares with a running
 * llama.cpp server of models/stories.gguf, or of LLAMA_MODEL, as well.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { before, beforeEach, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Logitscope, LogitscopeError } from '../../web/engine/index.js';
import { KINDS } from '../../web/sources/server-kinds.js';
import { Server, readAddress } from '../../web/sources/server.js';
import { modelFile } from '../bench/models.js';
import { shapes } from '../bench/shapes.js';
import { closed } from '../cleanup.js';
import { serveLlama } from '../llama_fake.js';
import { cli } from './command_line.js';

const SMALL = modelFile(shapes[0], 'f32');
const BEGUN = ['--prompt', 'Once upon a time', '--seed', '7'];
const how = { signal: new AbortController().signal };

let fake;
let words;

before(async () => {
  fake = await serveLlama(await Logitscope.load({ model: readFileSync(SMALL) }));
  words = ['--server', fake.address, ...BEGUN];
});
beforeEach(() => {
  fake.questions.length = 0;
  fake.change = null;
});

/** Serves exchanges { path, body?, status?, answer }; a body is compared in full. Returns the address. */
async function replay(exchanges) {
  const server = closed(
    createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      const body = text ? JSON.parse(text) : undefined;
      const same = ({ path, body: asked }) =>
        path === request.url && JSON.stringify(asked) === JSON.stringify(body);
      const { status = 200, answer = {} } = exchanges.find(same) ?? { status: 404 };
      response.writeHead(status).end(JSON.stringify(answer));
    }),
  );
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${server.address().port}`;
}

const refused = (promise, code, key, values = {}) =>
  assert.rejects(promise, (error) => {
    assert.ok(error instanceof LogitscopeError, error.stack);
    assert.deepEqual([error.code, error.key], [code, key], error.message);
    for (const [name, value] of Object.entries(values)) assert.equal(error.values[name], value);
    return true;
  });

test("llama.cpp's recorded answers are this engine's numbers", async () => {
  const path = new URL('../vectors/llama_server.json.gz', import.meta.url);
  const { text, exchanges } = JSON.parse(gunzipSync(readFileSync(path)).toString());
  const server = await Server.open(await replay(exchanges));
  const direct = await Logitscope.load({
    model: readFileSync(modelFile(shapes[0], 'f32')),
  });
  assert.deepEqual([server.kind.id, server.model], ['llama-cpp', '260K']);
  assert.equal(server.reproducible, false); // evaluated anew and from its cache, the numbers differ
  const { vocab_size, context_length, bos_token_id, eos_token_id } = direct.info;
  const facts = { vocab_size, context_length: context_length - 1, bos_token_id, eos_token_id };
  assert.deepEqual(server.source.info, { logprobs: true, name: '260K', ...facts });
  const bytes = (piece) => Buffer.from(piece).toString('hex');
  for (const [id, piece] of server.source.pieces.entries())
    assert.equal(bytes(piece), bytes(direct.piece(id).bytes), `token ${id}`);

  const scope = await Logitscope.load({ source: server.source });
  const ids = await scope.encode(text);
  assert.deepEqual(ids, direct.encode(text));
  await scope.feed(ids);
  direct.feed(ids);
  for (const settings of [{}, { temperature: 0.7, top_k: 40, top_p: 0.9 }, { min_p: 0.1 }]) {
    const [theirs, ours] = [scope, direct].map((each) =>
      each.distribution({ ...settings, top: vocab_size }),
    );
    const kept = ({ tokens }) => tokens.filter((token) => !token.removed_by).map(({ id }) => id);
    assert.deepEqual(kept(theirs).sort(), kept(ours).sort());
    const p = new Map(ours.tokens.map((token) => [token.id, token.p]));
    for (const token of theirs.tokens) assert.ok(Math.abs(token.p - p.get(token.id)) < 1e-5);
  }
});

test('commands draw the same with a server as with the file', async () => {
  const commands = [
    ['generate', '--max-new-tokens', '12', '--temperature', '0.8', '--top-k', '40', '--json'],
    ['distribution', '--temperature', '0.7', '--min-p', '0.05', '--top', '50', '--json'],
    ['compare', '--strategy', 'top_k=5', '--strategy', 'beam_width=2', '--max-new-tokens', '4'],
    ['sweep', 'temperature=0.5,1', '--metric', 'nucleus', '--top-p', '0.9', '--csv'],
  ];
  for (const [name, ...rest] of commands) {
    const [remote, local] = await Promise.all([
      cli([name, ...rest, ...words]),
      cli([name, ...rest, '--model', SMALL, ...BEGUN]),
    ]);
    assert.equal(remote.status, 0, remote.stderr);
    assert.match(remote.stderr, /the prompt goes to 127\.0\.0\.1:\d+ \(llama\.cpp, stories, 512/);
    assert.match(remote.stderr, /answers with logits, \d+\.\d ms each/);
    if (name === 'generate') {
      const [theirs, ours] = [remote, local].map(({ stdout }) => JSON.parse(stdout));
      assert.deepEqual([theirs.ids, theirs.text], [ours.ids, ours.text]);
      assert.equal(theirs.model, 'stories');
      for (const [i, { p }] of theirs.steps.entries())
        assert.ok(Math.abs(p - ours.steps[i].p) < 1e-6);
    } else if (name === 'distribution') {
      const kept = ({ stdout }) => JSON.parse(stdout).tokens.map((t) => [t.id, t.removed_by]);
      assert.deepEqual(kept(remote).slice(0, 20), kept(local).slice(0, 20));
    } else assert.equal(remote.stdout, local.stdout);
  }
});

test('a shift changes no sampler but those that are refused', async () => {
  const { source } = await Server.open(fake.address);
  const [scope, direct] = await Promise.all([
    Logitscope.load({ source }),
    Logitscope.load({ model: readFileSync(SMALL) }),
  ]);
  const ids = direct.encode('Once upon a time, once upon a time');
  await scope.feed(ids);
  direct.feed(ids);
  const refusedNames = [];
  for (const { name, kind, sampler, usual } of direct.table) {
    if (!sampler || kind === 'map') continue;
    try {
      const [theirs, ours] = [scope, direct].map((one) =>
        one.distribution({ [name]: usual, top: 512 }),
      );
      const p = new Map(ours.tokens.map((token) => [token.id, token.p]));
      for (const token of theirs.tokens)
        assert.ok(
          Math.abs(token.p - p.get(token.id)) < 1e-5,
          `${name}: ${token.p} ${p.get(token.id)}`,
        );
    } catch (error) {
      if (error.key === 'second_missing') continue;
      assert.equal(error.key, 'asked_logprobs', `${name}: ${error.message}`);
      refusedNames.push(name);
    }
  }
  assert.deepEqual(refusedNames.sort(), ['encoder_repetition_penalty', 'repetition_penalty']);
});

test('a question each new token, the key and the prompt to this host alone', async () => {
  process.env.LOGITSCOPE_SERVER_KEY = 'a secret';
  const line = [...words, '--max-new-tokens', '4', '--no-cache', '--json'];
  const { stdout, stderr } = await cli(['generate', ...line, '--model', 'stories']);
  delete process.env.LOGITSCOPE_SERVER_KEY;
  const asked = fake.questions.filter(({ path }) => path === '/completion');
  assert.equal(asked.length, 3 + 4); // three to open
  assert.deepEqual(asked.at(-1).body.prompt.slice(0, -3), JSON.parse(stdout).prompt_ids);
  for (const { body, headers } of fake.questions) {
    assert.equal(headers.authorization, 'Bearer a secret');
    assert.ok(!body?.prompt || body.cache_prompt === false);
  }
  assert.ok(!(stdout + stderr).includes('secret'));
});

test('a server that stops in the middle loses nothing', async () => {
  const stopAfter = (n) => {
    let left = n;
    fake.change = (path, answer) =>
      path === '/completion' && left-- <= 0 ? { status: 503 } : answer;
  };
  stopAfter(3 + 5);
  const text = await cli(['generate', ...words, '--max-new-tokens', '9', '--temperature', '0.8']);
  assert.equal(text.status, 2);
  assert.match(text.stderr, /logitscope: 127\.0\.0\.1:\d+ answered \/completion with status 503\n/);
  assert.match(text.stdout, /^Once upon a time.{5}/s);
  stopAfter(3 + 5);
  const json = await cli(['generate', ...words, '--max-new-tokens', '9', '--json']);
  const { steps, finish_reason, error } = JSON.parse(json.stdout);
  assert.deepEqual([steps.length, finish_reason, error.key], [5, 'unanswered', 'server_status']);
  stopAfter(3 + 3);
  const compared = await cli([
    ...['compare', ...words, '--max-new-tokens', '3', '--strategy', 'top_k=1'],
    ...['--strategy', 'temperature=1.9', '--json'],
  ]);
  const { strategies, error: stopped } = JSON.parse(compared.stdout);
  assert.deepEqual([compared.status, strategies.length, stopped.code], [2, 1, 'unanswered']);
  // One failure is repeated, and the user sees nothing of it.
  let failed = false;
  fake.change = (path, answer, response) => {
    if (path !== '/completion' || failed) return answer;
    failed = true;
    response.destroy();
    return response;
  };
  assert.equal((await cli(['distribution', ...words])).status, 0);
  assert.ok(failed);
});

/**
 * Answers in the forms of vLLM 0.16 (completion and prompt log-probabilities with token ids, /tokenize) and SGLang 0.5
 * (/generate, /tokenize, vocab_size as an assumption), written after their documentation on 2026-11-29.
 */
const L = [-0.5, -1.5, -2.25, -9999];
const NEUTRAL = {
  temperature: 1,
  top_p: 1,
  top_k: -1,
  min_p: 0,
  repetition_penalty: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
};
const spellings = (model) =>
  [
    ['a', false, [1]],
    ['a', true, [0, 1]],
    ['The answer is', false, [2]],
  ].map(([prompt, add_special_tokens, tokens]) => ({
    path: '/tokenize',
    body: { model, prompt, add_special_tokens },
    answer: { tokens },
  }));
const listOf = (owned_by, model) => ({
  path: '/v1/models',
  answer: { data: [{ id: model, owned_by, max_model_len: 9 }] },
});
const completion = (body, choice, status) => ({
  path: '/v1/completions',
  body: { model: 'm', max_tokens: 1, ...NEUTRAL, ...body },
  status,
  answer: status
    ? { error: { message: 'Requested sample logprobs of -1' } }
    : { choices: [choice] },
});
const vllmTokens = { prompt: [0, 2, 0], prompt_logprobs: -1 };
const vllm = (status) => [
  listOf('vllm', 'm'),
  ...spellings('m'),
  { path: '/tokenizer_info', status: 404 },
  completion(
    vllmTokens,
    {
      prompt_logprobs: [
        null,
        {},
        Object.fromEntries(
          L.map((logprob, id) => [id, { logprob, rank: id + 1, decoded_token: 'abcd'[id] }]),
        ),
      ],
    },
    status,
  ),
  completion(
    { prompt: [0, 2], logprobs: -1, return_tokens_as_token_ids: true },
    { logprobs: { top_logprobs: [Object.fromEntries(L.map((l, id) => [`token_id:${id}`, l]))] } },
  ),
];
const sglang = (info) => [
  listOf('sglang', 'm'),
  ...spellings('m'),
  { path: '/model_info', answer: info },
  ...[true, false].map((return_text_in_logprobs) => ({
    path: '/generate',
    body: {
      input_ids: [0, 2],
      sampling_params: { max_new_tokens: 1, ...NEUTRAL },
      return_logprob: true,
      top_logprobs_num: 4,
      return_text_in_logprobs,
    },
    answer: {
      meta_info: {
        output_top_logprobs: [
          L.map((l, id) => [
            l === -9999 ? null : l,
            id,
            return_text_in_logprobs ? 'abcd'[id] : null,
          ]),
        ],
      },
    },
  })),
];

test('vLLM and SGLang are complete if they give the whole vocabulary', async () => {
  for (const exchanges of [vllm(), sglang({ model_path: 'm', vocab_size: 4 })]) {
    const server = await Server.open(await replay(exchanges), { model: 'm' });
    assert.deepEqual(server.source.pieces, ['a', 'b', 'c', 'd']);
    assert.equal(server.reproducible, true);
    assert.deepEqual(server.source.info, {
      ...{ logprobs: false, name: 'm', vocab_size: 4, context_length: 8 },
      ...{ bos_token_id: 0, eos_token_id: null },
    });
    const logits = await server.source.logits(Uint32Array.of(0, 2), how);
    assert.deepEqual(logits, Float32Array.of(-0.5, -1.5, -2.25, -Infinity));
    await Logitscope.load({ source: server.source });
  }
  const { source } = await Server.open(await replay(sglang({ model_path: 'm' })));
  assert.equal(source, null, 'no guess at the size of the vocabulary');
  const { status, stderr } = await cli(['generate', '--server', await replay(vllm(400)), ...BEGUN]);
  assert.equal(status, 2);
  assert.match(stderr, /vLLM .*gives the 20 most probable.*start it with --max-logprobs -1/);
});

test('kinds that give some tokens only are recognised and refused by name', async () => {
  const cases = [
    ['ollama', { path: '/api/version', answer: { version: '0.13.0' } }, 'library'],
    ['tgi', { path: '/info', answer: { model_id: 'm' } }, 'm'],
    ['koboldcpp', {}, 'koboldcpp'],
    ['lm-studio', {}, 'organization_owner'],
    ['openai', {}, 'somebody'],
  ];
  for (const [id, sign, owner] of cases) {
    const address = await replay([listOf(owner, 'm'), sign]);
    const server = await Server.open(address);
    assert.deepEqual([server.kind.id, server.source], [id, null]);
    const { stderr } = await cli(['generate', '--server', address, ...BEGUN]);
    const { name, most } = server.kind;
    assert.ok(stderr.includes(`${name} at ${address} gives the ${most} most probable`), stderr);
  }
});

test('the bounds of a partial server hold the numbers of the engine', async () => {
  const direct = await Logitscope.load({ model: readFileSync(SMALL) });
  direct.feed(direct.encode('Once upon a time'));
  const { tokens } = direct.distribution({ top: 20 });
  const top = tokens.map(({ text, id, p }) => ({
    token: text,
    bytes: [...direct.piece(id).bytes],
    logprob: Math.log(p),
  }));
  const body = {
    ...{ model: 'm', prompt: 'Once upon a time', raw: true, stream: false, logprobs: true },
    ...{ top_logprobs: 20, options: { num_predict: 1, temperature: 1 } },
  };
  const address = await replay([
    listOf('library', 'm'),
    { path: '/api/version', answer: { version: '0.13.0' } },
    {
      path: '/api/generate',
      body,
      answer: {
        model: 'm',
        response: top[0].token,
        done: true,
        logprobs: [{ ...top[0], top_logprobs: top }],
      },
    },
  ]);
  const line = ['distribution', '--server', address, ...BEGUN, '--vocab-size', '512', '--json'];
  for (const [settings, flags] of [
    [{ top_k: 10 }, ['--top-k', '10']],
    [{ temperature: 1.3, top_p: 0.3 }, ['--temperature', '1.3', '--top-p', '0.3']],
    [{ min_p: 0.9, temperature: 0.5 }, ['--min-p', '0.9', '--temperature', '0.5']],
  ]) {
    const { stdout, stderr, status } = await cli([...line, ...flags]);
    assert.equal(status, 0, stderr);
    const found = JSON.parse(stdout);
    const trace = direct.distribution({ ...settings, top: 20 });
    for (const [i, { p, removed_by }] of trace.tokens.entries()) {
      const [low, high] = found.tokens[i].p;
      assert.ok(low - 1e-9 <= p && p <= high + 1e-9, `${low} ${p} ${high}`);
      if (settings.top_k) {
        assert.ok(high - low < 1e-5);
        assert.equal(found.tokens[i].removed_by, removed_by);
      }
    }
  }
  const penalty = await cli([...line, '--repetition-penalty', '1.2']);
  assert.match(penalty.stderr, /penalties read the tokens of the prompt, which Ollama does not/);
});

test('a server that lies is refused, and the timeline keeps its numbers', async () => {
  const { source } = await Server.open(fake.address);
  const scope = await Logitscope.load({ source });
  await scope.feed([1, 424]);
  const kept = scope.logits();
  /** Changes the tokens of an answer with logits. */
  const entries = (edit) => (_, answer) => {
    const [first] = answer.completion_probabilities;
    return { completion_probabilities: [{ ...first, top_logprobs: edit(first.top_logprobs) }] };
  };
  const set = (change) => entries(([first, ...rest]) => [{ ...first, ...change }, ...rest]);
  const cases = [
    [entries((list) => list.slice(0, 100)), 'asked', 'asked_length', { limit: 512, n: 100 }],
    [entries((list) => [...list, ...list]), 'asked', 'asked_length', { limit: 512, n: 1024 }],
    [set({ id: 512 }), 'asked', 'server_entry', { id: '512' }],
    [set({ id: 5 }), 'asked', 'server_entry'],
    [set({ id: -1 }), 'asked', 'server_entry'],
    [set({ id: '<b>' }), 'asked', 'server_entry', { id: '<b>' }],
    [set({ logprob: 'NaN' }), 'asked', 'server_entry', { value: 'NaN' }],
    [set({ logprob: null }), 'asked', 'server_entry'],
    [set({ logprob: undefined }), 'asked', 'server_entry'],
    [() => ({ completion_probabilities: [] }), 'asked', 'asked_form', { what: 'logits' }],
    [() => ({ text: '{"completion_probabilities":[{"id":' }), 'asked', 'server_status'],
    [() => ({ text: '[]' }), 'asked', 'asked_form'],
    [() => ({ status: 400, error: { message: 'no <i>' } }), 'asked', 'server_status'],
    [() => ({ status: 500 }), 'unanswered', 'server_status', { status: 500 }],
  ];
  for (const [i, [change, code, key, values]] of cases.entries()) {
    fake.change = change;
    await refused(scope.feed([1, 424, 10 + i]), code, key, values);
    assert.deepEqual(scope.logits(), kept);
  }
  // A redirect would carry the prompt to another place.
  const { questions } = fake;
  fake.change = (_, __, response) => {
    response.writeHead(307, { location: `${fake.address}/elsewhere` }).end();
    return response;
  };
  await refused(scope.feed([1, 424, 99]), 'unanswered', 'server_gone');
  assert.ok(!questions.some(({ path }) => path === '/elsewhere'));
  // An endless answer is read up to the bound.
  fake.change = (_, __, response) => {
    const part = Buffer.alloc(1 << 24, ' ');
    const write = () => response.destroyed || response.write(part, () => setImmediate(write));
    write();
    return response;
  };
  await refused(scope.feed([1, 424, 98]), 'asked', 'asked_long');
  fake.change = null;
  await scope.feed([1, 424, 98]);
});

test('a new server is checked before it is used', async () => {
  const open = (change, options) => {
    fake.change = change;
    return Server.open(fake.address, options);
  };
  const models = (data) => (path, answer) => (path === '/v1/models' ? { data } : answer);
  const llama = (meta) => models([{ id: 'm', owned_by: 'llamacpp', meta }]);
  const loaded = async (meta) => Logitscope.load({ source: (await open(llama(meta))).source });
  await refused(open(llama({ n_vocab: 1e9, n_ctx: 512 })), 'asked', 'asked_length');
  await refused(open(llama({ n_vocab: 511, n_ctx: 512 })), 'asked', 'server_entry');
  await refused(loaded({ n_ctx: 1e9 }), 'out_of_range', 'must_be_integer_between');
  assert.equal((await open(llama({ n_ctx: 9 }))).source.info.vocab_size, 512);
  assert.equal((await open(llama('none'))).source, null);
  await refused(open(null, { model: 'other' }), 'invalid_argument', 'server_model');
  await refused(open(null, { kind: 'gpt' }), 'invalid_argument', 'must_be_one_of');
  await refused(Server.open('127.0.0.1:9'), 'unanswered', 'server_gone', { host: '127.0.0.1:9' });
  for (const text of ['', 'file:///etc', 'http://a:b@host', 'ws://host', 'a b'])
    assert.throws(() => readAddress(text), { key: 'server_address' });
  const paths = ['localhost:8080', 'http://localhost:8080/', 'http://localhost:8080/v1'];
  for (const text of paths) assert.equal(readAddress(text).href, 'http://localhost:8080/');
  const wrong = await cli(['generate', ...words, '--kind', 'gpt']);
  assert.match(wrong.stderr, /--kind must be one of llama-cpp, .*, got "gpt"/);
  const draft = await cli(['generate', ...words, '--draft', SMALL]);
  assert.match(draft.stderr, /--draft cannot stand with --server/);
  assert.equal(new Set(KINDS.map(({ id }) => id)).size, KINDS.length);
});

const LIVE = process.env.LLAMA_SERVER;
const live = LIVE ? test : () => {};
live("a running llama.cpp server gives this engine's texts", async () => {
  const line = [...BEGUN, '--max-new-tokens', '40', '--temperature', '0.8', '--json'];
  const [theirs, ours] = await Promise.all([
    cli(['generate', '--server', LIVE, ...line]),
    cli(['generate', '--model', process.env.LLAMA_MODEL ?? 'models/stories.gguf', ...line]),
  ]);
  assert.equal(theirs.status, 0, theirs.stderr);
  const [a, b] = [theirs, ours].map(({ stdout }) => JSON.parse(stdout));
  const far = a.steps.map(({ p, id }, i) =>
    id === b.steps[i].id ? Math.abs(p - b.steps[i].p) : 1,
  );
  console.log(`largest difference of p: ${Math.max(...far)}`);
  assert.deepEqual(a.ids, b.ids);
});
