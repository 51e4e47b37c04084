// Tests the statements of the shipped models' cards: size and hash of each file, losses in the C engine, and samples,
// which must be equal byte for byte.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../cleanup.js';
import { long, sample } from '../long.js';
import { cli } from './command_line.js';

const folder = temporaryFolder();
const root = fileURLToPath(new URL('../../', import.meta.url));
/** @param {string} path */
const read = (path) => readFileSync(join(root, path), 'utf8');
/** @param {string[]} args */
async function logitscope(...args) {
  const { status, stdout, stderr } = await cli(args);
  assert.equal(status, 0, stderr);
  return stdout;
}

const cards = read('models/README.md');
const models = readdirSync(join(root, 'models')).filter((file) => file.endsWith('.gguf'));

for (const file of models) {
  test(`the card of ${file} names its size and its hash`, () => {
    const bytes = readFileSync(join(root, 'models', file));
    const card = cards.slice(cards.indexOf(`## ${file}`)).split('\n## ')[0];
    assert.ok(cards.includes(`## ${file}`));
    assert.ok(card.includes(`${bytes.length.toLocaleString('en')} bytes`));
    assert.ok(card.includes(createHash('sha256').update(bytes).digest('hex')));
  });
}

for (const { model, text, tokens, nats_per_token } of JSON.parse(read('tests/vectors/eval.json'))) {
  test(`eval gives ${model} the same loss as PyTorch`, async () => {
    const file = join(folder, `${model}.txt`);
    writeFileSync(file, text);
    const found = JSON.parse(
      await logitscope('eval', '--model', `models/${model}.gguf`, '--text', file, '--json'),
    );
    assert.equal(found.tokens, tokens);
    assert.ok(Math.abs(found.nats_per_token / nats_per_token - 1) < 0.01, found.nats_per_token);
  });
}

/**
 * Returns the commands in a text with their documented outputs: the lines from `$ node web/cli.js ...` to the next
 * command or to the end of the block.
 * @param {string} text
 */
function shown(text) {
  const blocks = text.split(/^```.*\n/m);
  return blocks
    .flatMap((block) => block.split(/^\$ /m).slice(1))
    .filter((part) => part.startsWith('node web/cli.js generate '))
    .map((part) => {
      const end = part.indexOf('\n');
      return { command: part.slice(0, end), output: part.slice(end + 1) };
    });
}

/** @param {string} command */
const argumentsOf = (command) =>
  [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain).slice(2);

const samples = readdirSync(join(root, 'models/samples')).map((file) => `models/samples/${file}`);
for (const path of ['models/README.md', ...samples]) {
  test(`the samples of ${path} are reproduced byte for byte`, async () => {
    const found = shown(read(path));
    assert.ok(found.length >= 3);
    for (const { command, output } of sample(found, 3, 14)) {
      const printed = await logitscope(...argumentsOf(command));
      assert.equal(printed.trimEnd(), output.trimEnd(), command);
    }
  });
}

long(
  'at least 15 of 20 stories end by themselves, and none repeats a 4-gram three times',
  async () => {
    const found = shown(read('models/samples/stories.txt'));
    assert.equal(found.length, 20);
    let ended = 0;
    const tried = sample(found, 7, 20);
    for (const { command } of tried) {
      const { ids, finish_reason } = JSON.parse(
        await logitscope(...argumentsOf(command), '--json'),
      );
      ended += Number(finish_reason === 'eos');
      for (let i = 0; i + 12 <= ids.length; i++) {
        const [first, second, third] = [0, 4, 8].map((n) => ids.slice(i + n, i + n + 4).join());
        assert.ok(first !== second || second !== third, `${command}: ${first} three times running`);
      }
    }
    assert.ok(ended >= (15 / 20) * tried.length, `${ended} of ${tried.length} end by themselves`);
  },
);
