/**
 * Runs the plain samplers of tests/native through the native command line. They accept any chain and are compared bit
 * for bit.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Largest vocabulary of the plain samplers; a history has at most 90 ids. See tests/native/plain_chain.h. */
export const PLAIN_MAX = 4000;

/** Returns a value as C's number. @param {any} row @param {any} value */
function numberOf({ kind, choices }, value) {
  if (kind === 'choice') return choices.indexOf(value);
  return kind === 'map' || kind === 'list' ? 0 : value;
}

/**
 * Returns the bias of each id after a history. Biases of one id are added, and a ban overrides them.
 * @param {Record<string, any>} map
 */
function biasesOf(map, history) {
  const sums = new Map();
  for (const [key, bias] of Object.entries(map)) {
    const ids = key.split(' ').map(Number);
    const id = ids.at(-1);
    if (String([...history, id].slice(-ids.length)) !== String(ids)) continue;
    sums.set(id, (sums.get(id) ?? 0) + (bias === false ? -Infinity : bias));
  }
  return [...sums].sort(([a], [b]) => a - b);
}

/**
 * Encodes one case for plain_cases.c.
 * @param {any[]} table
 * @param {{ logits: Float32Array, settings: Record<string, any>, history: number[], second?: Float32Array,
 *   step: number }} one
 */
function bytesOf(table, { logits, settings, history, second, step }) {
  const canonical = table.filter(({ sampler }) => sampler).map(({ name }) => name);
  const order = (settings.order ?? canonical).map((name) =>
    table.findIndex((row) => row.name === name),
  );
  const biases = biasesOf(settings.logit_bias ?? {}, history);
  const breakers = (settings.dry_sequence_breakers ?? []).flatMap((ids) => [ids.length, ...ids]);
  const ends = [...new Set(settings.end_tokens ?? [])];
  const lists = [logits, history, order, biases, breakers, ends, second ?? []];
  const values = table.map((row) => numberOf(row, settings[row.name] ?? row.neutral));
  const whole = (numbers) => Buffer.from(Uint32Array.from(numbers).buffer);
  const long = (n) => Buffer.from(BigUint64Array.of(BigInt(n)).buffer);
  return Buffer.concat([
    whole(lists.map(({ length }) => length)),
    long(settings.seed ?? 0),
    long(step),
    Buffer.from(Float64Array.from(values).buffer),
    whole(history),
    whole(order),
    ...biases.map(([id, bias]) =>
      Buffer.concat([whole([id]), Buffer.from(Float64Array.of(bias).buffer)]),
    ),
    whole(breakers),
    whole(ends),
    Buffer.from(logits.buffer),
    Buffer.from(Float32Array.from(second ?? []).buffer),
  ]);
}

/**
 * Runs all cases; returns the logits of each after its chain.
 * @param {any[]} table
 * @param {any[]} cases
 * @returns {Float32Array[]}
 */
export function runPlainly(table, cases) {
  const { status, stdout, stderr } = spawnSync('build/gcc/logitscope', ['chain'], {
    cwd: root,
    input: Buffer.concat(cases.map((one) => bytesOf(table, one))),
    maxBuffer: 2 ** 28,
  });
  assert.equal(status, 0, String(stderr));
  const numbers = new Float32Array(new Uint8Array(stdout).buffer);
  let at = 0;
  return cases.map(({ logits: { length } }) => numbers.subarray(at, (at += length)));
}
