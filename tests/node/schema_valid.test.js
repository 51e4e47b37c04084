/**
 * Tests schemas of real programs and random schemas: an independent validator accepts every text that a schema's
 * grammar writes.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { Logitscope } from '../../web/engine/index.js';
import { closed } from '../cleanup.js';
import { cases } from '../long.js';
import { Pcg32 } from '../vectors/generators.js';
import { maskOf } from './naive_mask.js';
import { isValid } from './schema_validator.js';
import { EOS, smallModel } from './small_model.js';

const scope = closed(await Logitscope.load({ model: smallModel() }));

/** True if the grammar of a schema accepts a text. */
const accepts = (schema, text) =>
  maskOf(scope, { schema, space: 0 }, [...Buffer.from(text)]).includes(EOS);

const CLOSING = [...Buffer.from('"]}')];

/** Writes a text by a schema's grammar, byte by byte; returns null if it does not end within 400 bytes. */
function write(schema, below) {
  /** @type {number[]} */
  const ids = [];
  while (ids.length < 400) {
    const mask = maskOf(scope, { schema, space: 0 }, ids);
    assert.ok(mask.length, `stuck after ${Buffer.from(ids)} of ${JSON.stringify(schema)}`);
    if (mask.includes(EOS) && (mask.length === 1 || below(3) === 0))
      return Buffer.from(ids).toString();
    const bytes = mask.filter((id) => id !== EOS);
    const ends = bytes.filter((id) => CLOSING.includes(id));
    const from = ends.length && below(3) === 0 ? ends : bytes;
    ids.push(from[below(from.length)]);
  }
  return null;
}

const known = JSON.parse(readFileSync(new URL('schemas.json', import.meta.url), 'utf8'));
for (const { source, name, schema, good, bad } of known)
  test(`the grammar of ${source}, ${name}, writes valid texts`, () => {
    for (const text of good) assert.ok(accepts(schema, text), `refused ${text}`);
    for (const text of bad) assert.ok(!accepts(schema, text), `accepted ${text}`);
    const pcg = new Pcg32(3, 54);
    const below = (/** @type {number} */ n) => Math.floor((pcg.next() / 2 ** 32) * n);
    for (let i = 0; i < cases(3, 300); i++) {
      const text = write(schema, below);
      if (text !== null) assert.ok(isValid(schema, JSON.parse(text)), text);
    }
  });

const number = fc.constantFrom(0, 1, 2.5, -3, 10, 99, -0.75, 0.125);
const pattern = fc.constantFrom('^a', 'b$', '^[a-c]{1,3}$', '\\d', '^(?!a)', '^(x|yz)*$', '.b');
const NAMES = ['a', 'b', 'é', '1'];
/** A random schema with supported keywords. Some of them allow no value, and the engine refuses some. */
const { schema } = fc.letrec((tie) => {
  const part = tie('schema');
  const optional = (model) => fc.record(model, { requiredKeys: [] });
  const typed = (type, model) => optional(model).map((more) => ({ type, ...more }));
  return {
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      typed('integer', {
        minimum: number,
        maximum: number,
        exclusiveMinimum: number,
        multipleOf: fc.constantFrom(1, 2, 5, 0.5),
      }),
      typed('number', {
        minimum: number,
        exclusiveMaximum: number,
        multipleOf: fc.constantFrom(0.01, 0.25, 3),
      }),
      typed('string', { minLength: fc.nat(2), maxLength: fc.nat(4), pattern }),
      typed('string', { format: fc.constantFrom('date', 'ipv4', 'uuid', 'time') }),
      fc.constantFrom({}, true, { type: 'null' }, { type: ['boolean', 'string'] }),
      fc
        .uniqueArray(fc.constantFrom(0, 'a', 'b', null, [1], { a: 1 }), { minLength: 1 })
        .map((values) => ({ enum: values })),
      typed('array', { items: part, minItems: fc.nat(2), maxItems: fc.nat(3) }),
      fc
        .array(part, { maxLength: 3 })
        .chain((prefixItems) =>
          typed('array', { items: fc.oneof(part, fc.constant(false)), minItems: fc.nat(3) }).map(
            (more) => ({ ...more, prefixItems }),
          ),
        ),
      typed('object', {
        properties: fc.dictionary(fc.constantFrom(...NAMES), part, { maxKeys: 3 }),
        required: fc.subarray(NAMES, { maxLength: 2 }),
        additionalProperties: fc.oneof(fc.boolean(), part),
        patternProperties: fc.dictionary(pattern, part, { maxKeys: 2 }),
        propertyNames: fc.oneof(
          fc.record({ pattern }),
          fc.record({ maxLength: fc.nat(3) }),
          fc.constant({ enum: ['a', 'zz'] }),
        ),
        minProperties: fc.nat(1),
        maxProperties: fc.nat(5),
      }),
      fc.array(part, { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
      fc.array(part, { minLength: 1, maxLength: 3 }).map((oneOf) => ({ oneOf })),
      fc.array(part, { minLength: 1, maxLength: 3 }).map((allOf) => ({ allOf })),
      fc.constantFrom({ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }),
    ),
  };
});
const documents = fc
  .tuple(schema, schema, schema)
  .map(([whole, a, b]) => (typeof whole === 'object' ? { ...whole, $defs: { a, b } } : whole));

test('a random schema’s grammar writes valid texts and reaches no dead end', () => {
  const counts = { written: 0, refused: 0, cut: 0 };
  const property = fc.property(documents, fc.nat(), (wanted, seed) => {
    const pcg = new Pcg32(seed, 54);
    const below = (/** @type {number} */ n) => Math.floor((pcg.next() / 2 ** 32) * n);
    try {
      scope.warp(new Float32Array(EOS + 1), { constraint: { schema: wanted, space: 0 } });
    } catch (error) {
      assert.ok(
        ['invalid_argument', 'out_of_range', 'unsupported'].includes(error.code),
        error.stack,
      );
      counts.refused++;
      return;
    }
    for (let i = 0; i < 2; i++) {
      const text = write(wanted, below);
      if (text === null) counts.cut++;
      else {
        assert.ok(isValid(wanted, JSON.parse(text)), `${text} of ${JSON.stringify(wanted)}`);
        counts.written++;
      }
    }
  });
  fc.assert(property, { numRuns: cases(150, 20_000), seed: Number(process.env.SEED ?? 1) });
  assert.ok(counts.written > counts.refused, JSON.stringify(counts));
});
