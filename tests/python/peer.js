/**
 * Prints random cases with their results from the JavaScript package, for test_same_bytes.py: peer.js CASES SEED.
 * Each case is a line of JSON. A result is a hash of all its numbers and texts, or the error.
 */
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Logitscope, detect, presets, strategies } from '../../web/engine/index.js';
import { conventions } from '../../web/engine/presets.js';
import { suites } from '../../web/engine/suites.js';
import { LATER, ORDER, SERIES, digest, digestLater } from '../node/digest.js';

const [count, seed] = process.argv.slice(2).map(Number);
const root = fileURLToPath(new URL('../..', import.meta.url));
/** A mask of two texts that is not the law given these texts. */
const TWO = { grammar: 'root ::= " went home" | " and I went to the park with friends"' };
const MODELS = { verbs: 'Tomorrow she', stories: 'The soup was too', shakespeare: 'ROMEO:' };

/** JSON has no infinities and NaN, so they are written as words that Python knows. */
const print = (line) =>
  process.stdout.write(
    `${JSON.stringify(line, (_, it) => (Number.isFinite(it) || typeof it !== 'number' ? it : { float: String(it) }))}\n`,
  );

let state = (seed * 0x9e3779b1 + 1) >>> 0;
/** Returns a pseudo-random number in [0, 1). */
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let x = Math.imul(state ^ (state >>> 15), state | 1);
  x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
  return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
}
const below = (n) => Math.floor(random() * n);
const often = (share) => random() < share;
const many = (n, make) => Array.from({ length: n }, make);

/** Returns a hash of a trace and a drawn token. test_same_bytes.py hashes the same bytes. */
function hashOf({ logits, p, ...trace }, drawn) {
  const numbers = [];
  const texts = [...trace.warnings];
  const add = (it) => {
    if (typeof it === 'number') numbers.push(it);
    else if (typeof it === 'boolean') numbers.push(Number(it));
    else if (typeof it === 'string') texts.push(it);
    else if (it === null || it === undefined) numbers.push(-1);
    else for (const each of it) add(each);
  };
  const { rest, green } = trace;
  add([
    trace.vocab_size,
    rest.count,
    rest.p_raw,
    rest.p,
    rest.kept,
    trace.kept,
    trace.kept_mass_raw,
  ]);
  add([
    trace.entropy,
    trace.perplexity,
    trace.raw_entropy,
    trace.raw_perplexity,
    trace.underflowed,
  ]);
  add(green && [green.p_raw, green.p]);
  for (const it of trace.stages) {
    add([it.name, it.value, it.active, it.changed, it.kept, it.removed, it.mass_removed]);
    add([it.top_p_mass, it.entropy, it.perplexity, it.after]);
  }
  for (const it of trace.tokens) {
    add([it.id, it.text, it.special, it.rank, it.logit, it.warped, it.p_raw, it.p, it.logprob]);
    add([it.stage_p, it.removed_by, it.green]);
  }
  add([drawn.id, drawn.u, drawn.p, drawn.p_raw, drawn.logprob, drawn.rank, drawn.mu]);
  return createHash('sha256')
    .update(new Uint8Array(Float64Array.from(numbers).buffer))
    .update(texts.join('\n'))
    .update(new Uint8Array(logits.buffer))
    .update(new Uint8Array(p.buffer))
    .digest('hex')
    .slice(0, 16);
}

/** Runs a function and returns its result or its error. */
function outcome(run) {
  try {
    return { result: run() };
  } catch ({ code, key, message }) {
    return { fault: [code, key, message] };
  }
}

/** Returns random logits: some are equal, some -Infinity, a few NaN. */
function someLogits() {
  const scale = [0.5, 3, 12][below(3)];
  const steps = often(0.2) ? 4 : 2 ** 20;
  const logits = Float32Array.from(many(1 + below(often(0.1) ? 400 : 40)), () => {
    if (often(0.02)) return -Infinity;
    return (scale * Math.round(steps * (random() + random() + random() - 1.5))) / steps;
  });
  if (often(0.01)) logits[below(logits.length)] = often(0.5) ? NaN : Infinity;
  return logits;
}

/** @param {any[]} table @param {number} size of the vocabulary */
function someSettings(table, size) {
  const settings = { seed: below(2 ** 31) };
  const id = () => below(size + (often(0.005) ? 1 : 0));
  for (const { name, kind, low, high, step, choices } of table) {
    if (!often(name === 'temperature' ? 0.6 : 0.12)) continue;
    if (kind === 'choice') settings[name] = choices[below(choices.length)];
    else if (kind === 'map')
      settings[name] = Object.fromEntries(
        many(below(4), () => [
          often(0.3) ? `${id()} ${id()}` : String(id()),
          often(0.2) ? false : 4 * random() - 2,
        ]),
      );
    else if (kind === 'list')
      settings[name] = many(below(3), () => (often(0.5) ? id() : [id(), id()]));
    else settings[name] = low + step * below((high - low) / step + 1);
    if (often(0.003)) settings[name] = [-1, 1e9, NaN, 'x', true, 0.5][below(6)];
  }
  if (often(0.2))
    settings.order = table
      .flatMap(({ sampler, name }) => (sampler ? [{ name, at: random() }] : []))
      .sort((a, b) => a.at - b.at)
      .map(({ name }) => name);
  if (often(0.3)) settings.draw = 'gumbel';
  if (often(0.3)) settings.top = below(size + 5);
  if (often(0.1)) settings.end_tokens = many(1 + below(3), id);
  if (often(0.1))
    settings.banned_words = many(1 + below(3), () => (often(0.5) ? id() : [id(), id()]));
  if (often(0.05)) settings.forced_first = id();
  if (often(0.1)) settings.preset = Object.keys(presets)[below(3)];
  if (settings.preset === 'llama.cpp' && !settings.dry_sequence_breakers)
    settings.dry_sequence_breakers = [];
  if (often(0.003)) settings[['temprature', 'topk', 'zzz', 'max_tokens', 'Top-P'][below(5)]] = 1;
  return settings;
}

function printCases() {
  const scope = bare;
  for (let i = 0; i < count; i++) {
    const logits = someLogits();
    const settings = someSettings(scope.table, logits.length);
    const history = many(below(30), () => below(logits.length));
    const second = often(0.5) ? many(logits.length, () => 6 * random() - 3) : undefined;
    if (!second || often(0.5)) delete settings.contrastive_beta;
    else delete settings.guidance_scale;
    if (!second && often(0.95)) delete settings.guidance_scale;
    const step = below(50);
    const choice = { history, step, ...(second && { second }) };
    const found = outcome(() => {
      const { trace, drawn } = scope.readFrom(logits, settings, choice);
      return hashOf(trace, drawn);
    });
    const data = Buffer.from(logits.buffer).toString('base64');
    print({ kind: 'case', logits: data, settings, choice, ...found });
  }
}

/** Returns thirty settings: the strategies of the lessons, then each sampler alone at its usual value. */
function thirty(table) {
  const named = [...strategies, ...suites.flatMap((suite) => suite.strategies)].filter(
    ({ settings }) => Object.keys(settings).every((key) => table.some(({ name }) => name === key)),
  );
  const texts = new Map(named.map(({ settings }) => [JSON.stringify(settings), settings]));
  const alone = table
    .filter(({ sampler, group, kind }) => sampler && group !== 'second' && kind !== 'map')
    .map(({ name, usual }) => ({ [name]: usual, temperature: 1.3 }));
  return [...[...texts.values()].slice(0, 12), ...alone].slice(0, 30);
}

async function printTexts(name) {
  const model = `models/${name}.gguf`;
  const scope = await Logitscope.load({ model: `${root}${model}` });
  const settings = thirty(scope.table);
  settings.push({ guidance_scale: 1.5, negative_prompt: MODELS[name].split(' ')[0] });
  settings.push({ stop: ['e', 'o '], temperature: 1.4, top_logprobs: 3 });
  settings.push({ banned_words: ['the', ' '], draw: 'gumbel', drawn_ids: [3, 4] });
  for (const [i, asked] of settings.entries()) {
    const options = { prompt: MODELS[name], seed: 7 + i, max_new_tokens: 12, ...asked };
    const { steps, ...text } = await scope.write(options);
    const marks =
      asked.green_bias || asked.synthid_depth
        ? await detect(scope, [...text.prompt_ids, ...text.ids, ...text.ids], asked)
        : undefined;
    print({
      kind: 'text',
      model,
      options,
      text,
      marks,
      steps: steps.map(({ ms: _, ...step }) => step),
    });
  }
  const { text } = await scope.write({ prompt: MODELS[name], seed: 1 });
  print({
    kind: 'tokens',
    model,
    text,
    ids: [...scope.encode(text, { bos: false })],
    score: await scope.score(MODELS[name], text),
    info: scope.info,
    decoded: scope.decode(scope.encode(text)),
    pieces: [0, 1, 2, scope.info.vocab_size - 1].map((id) => {
      const { bytes, ...piece } = scope.piece(id);
      return { ...piece, bytes: [...bytes] };
    }),
  });
}

const bare = await Logitscope.load();
printCases();
print({ kind: 'presets', presets, conventions, strategies });
print({ kind: 'table', table: bare.table });
print({
  kind: 'numbers',
  numbers: [
    0,
    -0,
    1,
    -1.5,
    1e21,
    1e20,
    123456789012345680000,
    1e-6,
    1e-7,
    0.1,
    1.25e-9,
    5e-324,
    1e300,
    100,
    0.000015,
    NaN,
    -Infinity,
  ].map((it) => [it, String(it)]),
});
for (const name of Object.keys(MODELS)) await printTexts(name);
const verbs = await Logitscope.load({ model: `${root}models/verbs.gguf` });
const LAWS = [
  ['Last night we', {}, { power: 2 }],
  [
    'Tomorrow she',
    { temperature: 0.25 },
    { mass: 0.98, power: 4, alongside: [{ settings: {}, power: 4 }] },
  ],
  [
    'Last night we',
    { top_p: 0.7, repetition_penalty: 1.3 },
    { mass: 1, alongside: [{ best_of: 3 }] },
  ],
  [
    'Last night we',
    { xtc_probability: 0.3, xtc_threshold: 0.05, min_p: 0.1 },
    { max_new_tokens: 4 },
  ],
  [
    'Yesterday Tom',
    {},
    { mass: 0.9, alongside: [{ condition: TWO }, { settings: { constraint: TWO } }] },
  ],
  ['Right now', {}, { limit: 40, alongside: [{ settings: { temperature: 0.5 } }] }],
  ['Right now', { mirostat: 2 }],
  ['Right now', {}, { mass: 0 }],
  ['Right now', {}, { alongside: [{ power: 0.5 }] }],
];
for (const [prompt, settings, options = {}] of LAWS) {
  const asked = { prompt, ...settings, ...options };
  try {
    const { beams: _, ...law } = await verbs.law(prompt, settings, options);
    print({ kind: 'law', asked, law });
  } catch ({ code, message }) {
    print({ kind: 'law', asked, fault: [code, message] });
  }
}
print({
  kind: 'digests',
  order: ORDER,
  series: SERIES,
  later: LATER,
  digests: [await digest(verbs), await digestLater(verbs)],
});
