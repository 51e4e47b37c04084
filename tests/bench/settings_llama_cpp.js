/**
 * Compares the chain that `readSettings` makes of flags with the chain of llama.cpp itself: its parser of flags and its
 * samplers, over random logits and texts. Prints the number of equal sets of kept tokens and the largest difference of p.
 *
 *     node tests/bench/settings_llama_cpp.js CHAIN [2000]
 *
 * CHAIN is the command that settings_llama_cpp.cpp makes; its first comment says how.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Logitscope } from '../../web/engine/index.js';
import { readSettings } from '../../web/import/settings/index.js';
import { Pcg32 } from '../vectors/generators.js';
import { compareChains } from './settings_chains.js';

const [command, count = '2000'] = process.argv.slice(2);
const MODEL = fileURLToPath(new URL('../../models/stories.gguf', import.meta.url));
const scope = await Logitscope.load({ model: MODEL });
const V = scope.info.vocab_size;

const pcg = new Pcg32(2026, 54);
const unit = () => pcg.next() / 2 ** 32;
const below = (n) => Math.floor(unit() * n);
const of = (...choices) => choices[below(choices.length)];
const real = (low, high) => Number((low + (high - low) * unit()).toFixed(3));

/** Flags and their values; XTC acts always or never, since its coin has another stream. */
const FLAGS = {
  '--temp': () => of(0, 1, real(0.1, 2), real(0.1, 2)),
  '--dynatemp-range': () => real(0.05, 1),
  '--dynatemp-exp': () => real(0.5, 2),
  '--top-k': () => of(0, 1 + below(200)),
  '--top-p': () => of(1, real(0.05, 1)),
  '--min-p': () => of(0, real(0.001, 0.3)),
  '--typical': () => of(1, real(0.1, 1)),
  '--top-nsigma': () => of(-1, real(0.2, 3)),
  '--xtc-probability': () => of(0, 1),
  '--xtc-threshold': () => real(0.02, 0.5),
  '--repeat-penalty': () => real(0.8, 1.6),
  '--repeat-last-n': () => of(0, 1 + below(100)),
  '--frequency-penalty': () => real(-1, 1),
  '--presence-penalty': () => real(-1, 1),
  '--dry-multiplier': () => of(0, real(0.2, 2)),
  '--dry-base': () => real(1, 2.5),
  '--dry-allowed-length': () => 1 + below(4),
  '--dry-penalty-last-n': () => of(0, 1 + below(100)),
  '--dry-sequence-breaker': () => of('none', ' the'),
  '--mirostat': () => of(0, 0, 0, 1, 2),
  '--mirostat-ent': () => real(1, 8),
  '--logit-bias': () => `${below(V)}${of('+', '-')}${real(0.1, 9)}`,
};
const STAGES = 'penalties dry top_n_sigma top_k typ_p top_p min_p xtc temperature'.split(' ');

/** An order: all stages mixed, or some of them, or letters. */
function someOrder() {
  const mixed = STAGES.map((name) => [unit(), name])
    .sort()
    .map(([, name]) => name);
  return of(
    ['--samplers', mixed.join(';')],
    ['--samplers', mixed.slice(4).join(';')],
    ['--sampler-seq', of('edskypmxt', 'tpk', 'kypmt', 'emt')],
  );
}

function someCase() {
  const names = Object.keys(FLAGS).filter(() => unit() < 0.3);
  const flags = names.flatMap((name) => [name, String(FLAGS[name]())]);
  if (below(3) === 0) flags.push(...someOrder());
  const span = of(5, 40, V);
  const history = Array.from({ length: 1 + below(120) }, () => below(span));
  const scale = of(1, 3, 8);
  const logits = Float32Array.from({ length: V }, (_, id) => {
    const near = Math.sqrt(-2 * Math.log(unit() || 1)) * Math.cos(2 * Math.PI * unit());
    return near * scale + (id < 40 ? 2 * scale : 0);
  });
  return { flags, history, logits };
}

const all = Array.from({ length: Number(count) }, someCase);
const input = all
  .map(
    ({ flags, history, logits }) =>
      `${flags.join('\t')}\n${history.join(' ')}\n${[...logits].join(' ')}\n`,
  )
  .join('');
const { stdout, status, stderr } = spawnSync(command, [MODEL], {
  input,
  encoding: 'utf8',
  maxBuffer: 2 ** 30,
});
if (status !== 0) throw new Error(stderr);

const answers = stdout.trimEnd().split('\n');
compareChains(
  all.map(({ flags, history, logits }, i) => {
    const text = ['llama-server', ...flags.map((word) => `'${word}'`)].join(' ');
    const { settings, notes } = readSettings(text, { program: 'llama-cpp' });
    const said = notes.some(({ key }) => key === 'settings_sigma_counts');
    const words = answers[i].trim().split(' ');
    const theirs = new Map();
    for (let n = 0; n + 1 < words.length; n += 2)
      theirs.set(Number(words[n]), Number(words[n + 1]));
    const { tokens } = scope.warp(logits, { ...settings, top: V }, { history });
    const ours = new Map(tokens.filter(({ p }) => p > 0).map(({ id, p }) => [id, p]));
    return { about: flags.join(' '), ours, theirs, said };
  }),
);
