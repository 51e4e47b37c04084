/**
 * Runs the official test suite of JSON Schema if JSON_SCHEMA_TEST_SUITE names its folder. No grammar may accept an
 * invalid instance. A grammar may refuse a valid instance only if isLeftOut is true for it.
 */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { maskOf } from './naive_mask.js';
import { EOS, smallModel } from './small_model.js';

const folder = process.env.JSON_SCHEMA_TEST_SUITE;
const skip = folder ? false : 'JSON_SCHEMA_TEST_SUITE names no folder';

/** Formats that grammars support; each has a file in the suite. */
const FOLLOWED = 'date date-time duration email hostname ipv4 ipv6 time uri uuid'.split(' ');

/** @template T @param {T[]} list @returns {T[][]} */
const orders = (list) =>
  list.length < 2
    ? [list]
    : list.flatMap((one, i) =>
        orders([...list.slice(0, i), ...list.slice(i + 1)]).map((rest) => [one, ...rest]),
      );

/** Returns a value as JSON texts, one for each order of its keys. @param {any} value @returns {string[]} */
function spellings(value) {
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)];
  const isList = Array.isArray(value);
  const each = (/** @type {string[]} */ keys) =>
    keys.reduce(
      (texts, key, i) => {
        const head = `${i ? ',' : ''}${isList ? '' : `${JSON.stringify(key)}:`}`;
        const inner = spellings(value[key]).slice(0, 24);
        return texts.flatMap((text) => inner.map((it) => text + head + it)).slice(0, 48);
      },
      [''],
    );
  const keys = Object.keys(value);
  const texts = (isList || keys.length > 5 ? [keys] : orders(keys)).flatMap(each);
  return texts.map((text) => (isList ? `[${text}]` : `{${text}}`));
}

/** True if grammars never write this valid value; types.js documents these rules. */
function isLeftOut(schema, value, file) {
  const text = JSON.stringify(schema);
  if (/format/.test(file) || /"format"/.test(text)) return true; // grammars refuse some texts of a format
  if (/\$ref":"#"|"anyOf"|"prefixItems"|"items":\[/.test(text)) return true; // inner objects and lists accept no additional elements
  if (typeof value === 'number' && /e/.test(String(value))) return true;
  const closed = schema.properties ?? schema.patternProperties;
  if (closed && schema.additionalProperties === undefined) return true;
  return schema.type === undefined;
}

for (const draft of ['draft2020-12', 'draft7'])
  test(`${draft}: no grammar accepts an invalid instance`, { skip }, async () => {
    const scope = await Logitscope.load({ model: smallModel() });
    const counts = { accepted: 0, rejected: 0, refused: 0, narrower: 0 };
    for (const part of ['', 'optional/format']) {
      const at = join(String(folder), 'tests', draft, part);
      const files = readdirSync(at).filter(
        (name) => name.endsWith('.json') && (!part || FOLLOWED.includes(name.slice(0, -5))),
      );
      for (const file of files)
        for (const { schema, tests, description } of JSON.parse(
          readFileSync(join(at, file), 'utf8'),
        )) {
          const constraint = { schema, space: 0 };
          try {
            scope.warp(new Float32Array(EOS + 1), { constraint });
          } catch (error) {
            assert.ok(['invalid_argument', 'out_of_range'].includes(error.code), error.stack);
            counts.refused++;
            continue;
          }
          for (const { data, valid, description: which } of tests) {
            const takes = spellings(data).some((text) =>
              maskOf(scope, constraint, [...Buffer.from(text)]).includes(EOS),
            );
            const place = `${file}: ${description}: ${which}`;
            assert.ok(valid || !takes, place);
            assert.ok(takes || !valid || isLeftOut(schema, data, part + file), place);
            counts[takes ? 'accepted' : valid ? 'narrower' : 'rejected']++;
          }
        }
    }
    scope.close();
    console.log(`${draft}: ${JSON.stringify(counts)}`);
    assert.ok(counts.accepted > 400 && counts.rejected > 400, JSON.stringify(counts));
  });
