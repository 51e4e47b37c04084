/**
 * Tests the engine in Node over a long time: `node tests/soak.js [MINUTES] [TOKENS] [KNOBS]` writes texts, moves knobs,
 * and opens and closes constraints, sessions and models. It runs at least MINUTES, TOKENS and KNOBS (knob moves), and
 * prints the memory in use after each twentieth. Memory and handles must not grow from the first twentieth on.
 */
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Logitscope } from '../web/engine/index.js';
import { Random } from '../web/grade/inputs.js';

const [MINUTES = 120, TOKENS = 1e6, KNOBS = 1e5] = process.argv.slice(2).map(Number);
const STAGES = 20;
/** Length of a text, in tokens. Each text has other settings. */
const TEXT = 40;
/** Tokens and knob moves of a round. After a round, a session and a model are opened and closed. */
const ROUND = { tokens: 10_000, knobs: 1_000 };
/** Allowed growth of the heap in bytes, for its random changes. */
const NOISE = 8e6;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
const model = new Uint8Array(readFileSync('models/verbs.gguf'));
const random = new Random(1);
const scope = await Logitscope.load({ model });
const knobs = scope.table.filter(({ kind, low, high }) => kind !== undefined && high > low);
const sums = { tokens: 0, texts: 0, knobs: 0, refused: 0, models: 0 };

/** Returns a random knob with a random value. */
function turned() {
  const { name, kind, low, high } = random.of(knobs);
  const value = low + random.next() * (high - low);
  return { [name]: kind === 'integer' ? Math.round(value) : value };
}

/**
 * Runs a call that may be invalid with the present values of the other knobs. Its error with a code is then ignored; an
 * error without a code ends the run.
 * @param {() => any} act
 */
function attempt(act) {
  try {
    return act();
  } catch (error) {
    if (typeof (/** @type {any} */ (error).code) !== 'string') throw error;
    sums.refused++;
  }
}

/** @param {number} n */
function moveKnobs(n) {
  scope.feed(scope.encode('Today she'));
  for (let i = 0; i < n; i++, sums.knobs++)
    attempt(() => scope.read({ ...turned(), ...turned(), top: 10 }, { u: random.next() }));
}

/** @param {number} n */
async function write(n) {
  for (const end = sums.tokens + n; sums.tokens < end; sums.texts++) {
    const constraint = sums.texts % 50 ? undefined : { grammar: 'root ::= .{30}' };
    const settings = { temperature: 0.5 + random.next(), top_p: 0.5 + random.next() / 2 };
    const options = { prompt: 'Today she', max_new_tokens: TEXT, seed: sums.texts, constraint };
    try {
      for await (const _ of scope.generate({ ...options, ...settings })) sums.tokens++;
    } catch (error) {
      if (typeof (/** @type {any} */ (error).code) !== 'string') throw error;
      sums.refused++;
    }
  }
}

async function comeAndGo() {
  const session = scope.session();
  session.feed([1, 2]);
  session.close();
  const other = await Logitscope.load({ model });
  other.feed([1, 2]);
  other.close();
  sums.models++;
}

function held() {
  collectGarbage();
  collectGarbage();
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  return {
    rss,
    heap: heapUsed + external + arrayBuffers,
    module: scope.memoryBytes,
    handles: process.getActiveResourcesInfo().length,
  };
}

const began = Date.now();
/** @type {ReturnType<typeof held> | null} */
let first = null;
let last = held();
console.log(
  '| minutes | tokens | knob moves | models | resident MB | heap MB | module MB | handles |',
);
console.log('|---|---|---|---|---|---|---|---|');
for (let stage = 1; stage <= STAGES; stage++) {
  const share = stage / STAGES;
  const due = () =>
    Date.now() - began < share * MINUTES * 60_000 ||
    sums.tokens < share * TOKENS ||
    sums.knobs < share * KNOBS;
  do {
    await write(ROUND.tokens);
    moveKnobs(ROUND.knobs);
    await comeAndGo();
  } while (due());
  last = held();
  first ??= last;
  const megabytes = [last.rss, last.heap, last.module].map((bytes) => (bytes / 1e6).toFixed(1));
  console.log(
    `| ${((Date.now() - began) / 60_000).toFixed(1)} | ${sums.tokens} | ${sums.knobs} | ${sums.models} | ${megabytes.join(' | ')} | ${last.handles} |`,
  );
}
scope.close();

const { user } = process.cpuUsage();
console.log(
  `${sums.tokens} tokens in ${sums.texts} texts, ${sums.knobs} knob moves, ${sums.refused} refused; ` +
    `${Math.round((Date.now() - began) / 1000)} s, ${Math.round(user / 1e6)} of the processor`,
);
const begin = /** @type {ReturnType<typeof held>} */ (first);
const grown = [
  last.heap > begin.heap + NOISE && 'the heap grew',
  last.rss > 1.25 * begin.rss + 2 * NOISE && 'what is resident grew',
  last.module > begin.module && "the module's memory grew",
  last.handles > begin.handles && 'handles are left open',
].filter(Boolean);
if (grown.length) console.log(`FAILED: ${grown.join(', ')}`);
process.exitCode = grown.length ? 1 : 0;
