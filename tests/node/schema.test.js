/**
 * Tests JSON by a schema. The mask must equal the result of testing each token separately, by a function that follows
 * the schema. Texts must pass JSON.parse and a plain validator. Unsupported schemas must be refused.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { Logitscope } from '../../web/engine/index.js';
import { grammarOf } from '../../web/engine/schema.js';
import { cases } from '../long.js';
import { Pcg32 } from '../vectors/generators.js';
import { maskOf, naiveMask } from './naive_mask.js';
import { SPACE, documents } from './schema_documents.js';
import { EOS, byteTokens, smallModel } from './small_model.js';

const pcg = new Pcg32(11, 54);
const below = (/** @type {number} */ n) => Math.floor((pcg.next() / 2 ** 32) * n);
const pick = (/** @type {any[]} */ list) => list[below(list.length)];

/** @type {Logitscope} */
let scope;
before(async () => {
  // The tokens are all bytes, and some that contain the end of one value and the beginning of the next.
  const tokens = ['{"', '":', ',"', '"a"', '":[', 'null', '1.', '00', '\\u', 'ru', '}}', ']}'];
  scope = await Logitscope.load({
    model: smallModel({ tokens: [...byteTokens().slice(0, 127), ...tokens, '<end>'] }),
  });
});
after(() => scope.close());

/**
 * `ends` are the possible ends of a part that begins at i; `open` is true if the text may end inside the part.
 * @typedef {{ ends: number[], open: boolean }} Reach
 * @typedef {(text: string, i: number) => Reach} Part
 */

/** @type {(wanted: string) => Part} */
const word = (wanted) => (text, i) => {
  const there = text.slice(i, i + wanted.length);
  if (there === wanted) return { ends: [i + wanted.length], open: false };
  return { ends: [], open: i + there.length === text.length && wanted.startsWith(there) };
};

/**
 * Returns a part from two expressions: `whole` matches complete values, `begun` matches their prefixes.
 * @type {(whole: RegExp, begun: RegExp) => Part}
 */
const pattern = (whole, begun) => (text, i) => {
  const ends = [];
  for (let end = i; end <= text.length; end++) if (whole.test(text.slice(i, end))) ends.push(end);
  return { ends, open: begun.test(text.slice(i)) };
};

/** @type {(...parts: Part[]) => Part} */
const either =
  (...parts) =>
  (text, i) => {
    const all = parts.map((part) => part(text, i));
    return {
      ends: [...new Set(all.flatMap(({ ends }) => ends))],
      open: all.some(({ open }) => open),
    };
  };

/** @type {(...parts: Part[]) => Part} */
const after_ =
  (...parts) =>
  (text, i) => {
    let at = { ends: [i], open: false };
    for (const part of parts) {
      const all = at.ends.map((end) => part(text, end));
      at = {
        ends: [...new Set(all.flatMap(({ ends }) => ends))],
        open: at.open || all.some(({ open }) => open),
      };
    }
    return at;
  };

const integer = pattern(/^-?(0|[1-9]\d*)$/, /^-?(0|[1-9]\d*)?$/);
const number = pattern(
  /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/,
  /^-?((0|[1-9]\d*)(\.\d*)?|(0|[1-9]\d*)(\.\d+)?[eE][-+]?\d*)?$/,
);

/**
 * Returns a part that reads a string of `least` to `most` characters.
 * @type {(least: number, most: number, counted: boolean) => Part}
 */
const string = (least, most, counted) => (text, i) => {
  if (i === text.length) return { ends: [], open: true };
  if (text[i] !== '"') return { ends: [], open: false };
  let at = i + 1;
  for (let n = 0; ; n++) {
    if (text[at] === '"') return { ends: n >= least ? [at + 1] : [], open: false };
    if (at === text.length) return { ends: [], open: n <= most };
    if (n === most || text[at] < ' ') return { ends: [], open: false };
    if (text[at] !== '\\') at++;
    else {
      const rest = text.slice(at + 1);
      const half = /^u[dD][89abAB][0-9a-fA-F]{2}/.test(rest) && counted;
      const lone = /^u[dD][c-fC-F]/.test(rest) && counted;
      const escape = half
        ? /^u.{4}\\u[dD][c-fC-F][0-9a-fA-F]{2}/
        : /^(["\\/bfnrt]|u[0-9a-fA-F]{4})/;
      const begun = half
        ? /^u.{4}(\\(u([dD]([c-fC-F][0-9a-fA-F]?)?)?)?)?$/
        : /^(u[0-9a-fA-F]{0,3})?$/;
      const [whole] = escape.exec(rest) ?? [];
      if (lone) return { ends: [], open: false };
      if (whole === undefined) return { ends: [], open: begun.test(rest) };
      at += 1 + whole.length;
    }
  }
};

/** Returns the part that reads a schema's texts, without white space. @returns {Part} */
function partOf(schema) {
  const { anyOf, oneOf = anyOf, type } = schema;
  if (oneOf) return either(...oneOf.map(partOf));
  if ('const' in schema) return word(JSON.stringify(schema.const));
  if (schema.enum) return either(...schema.enum.map((it) => word(JSON.stringify(it))));
  if (Array.isArray(type)) return either(...type.map((one) => partOf({ ...schema, type: one })));
  if (type === 'integer') return integer;
  if (type === 'number') return number;
  if (type === 'boolean') return either(word('true'), word('false'));
  if (type === 'null') return word('null');
  if (type === 'string') {
    const { minLength = 0, maxLength = Infinity } = schema;
    return string(minLength, maxLength, 'minLength' in schema || 'maxLength' in schema);
  }
  if (type === 'array') {
    const { items, minItems = 0, maxItems = 6 } = schema;
    const item = partOf(items);
    const lists = [];
    for (let n = minItems; n <= maxItems; n++) {
      const rest = Array.from({ length: Math.max(0, 2 * n - 1) }, (_, i) =>
        i % 2 ? word(',') : item,
      );
      lists.push(after_(word('['), ...rest, word(']')));
    }
    return either(...lists);
  }
  // An object: lists every selection of its optional keys.
  const names = Object.keys(schema.properties ?? {});
  const { required = [] } = schema;
  const choices = names.reduce(
    (sets, name) =>
      sets.flatMap((set) => (required.includes(name) ? [[...set, name]] : [set, [...set, name]])),
    /** @type {string[][]} */ ([[]]),
  );
  return either(
    ...choices.map((set) => {
      const members = set.flatMap((name, i) => [
        word(`${i ? ',' : ''}${JSON.stringify(name)}:`),
        partOf(schema.properties[name]),
      ]);
      return after_(word('{'), ...members, word('}'));
    }),
  );
}

function judgeOf(schema) {
  const part = partOf(schema);
  return (bytes) => {
    const text = Buffer.from(bytes).toString('latin1');
    const { ends, open } = part(text, 0);
    if (ends.includes(text.length)) return 'complete';
    return open ? 'open' : 'wrong';
  };
}

/** Makes a random schema. */
function anySchema(depth) {
  switch (below(depth ? 9 : 5)) {
    case 0:
      return { type: pick(['integer', 'number', 'boolean', 'null']) };
    case 1: {
      const minLength = below(3);
      return pick([
        { type: 'string' },
        { type: 'string', minLength, maxLength: minLength + below(3) },
        { type: 'string', minLength },
        { type: 'string', maxLength: 2 },
      ]);
    }
    case 2:
      return pick([
        { const: pick([null, 3, 'a"b', [1, { b: true }], {}]) },
        { enum: ['a', 'ab', 1, -2.5, false] },
      ]);
    case 3:
      return {
        type: pick([
          ['string', 'null'],
          ['integer', 'boolean'],
          ['number', 'integer', 'null'],
        ]),
      };
    case 4:
      return { type: ['string', 'null'], minLength: 1, maxLength: 2 };
    case 5: {
      const minItems = below(3);
      return {
        type: 'array',
        items: anySchema(depth - 1),
        ...pick([{ minItems, maxItems: minItems + below(3) }, { maxItems: 2 }]),
      };
    }
    case 6:
      return { anyOf: Array.from({ length: 1 + below(3) }, () => anySchema(depth - 1)) };
    case 7:
      return {
        oneOf: [
          { const: 'a' },
          { type: 'array', items: anySchema(depth - 1), maxItems: 1 },
          { enum: ['b', null] },
          { type: 'number' },
        ],
      };
    default: {
      const names = ['a', 'b', 'a"', 'c'].slice(0, below(5));
      const properties = Object.fromEntries(names.map((name) => [name, anySchema(depth - 1)]));
      return {
        type: 'object',
        properties,
        ...(below(4) ? { required: names.filter(() => below(2)) } : {}),
        ...(below(2) ? { additionalProperties: false } : {}),
      };
    }
  }
}

test('a random schema allows at each place exactly the tokens that a walk over it allows', () => {
  let places = 0;
  let ended = 0;
  for (let round = 0; round < 150; round++) {
    const schema = anySchema(2);
    const judge = judgeOf(schema);
    const constraint = { schema, space: 0 };
    /** @type {number[]} */
    const ids = [];
    for (let n = 0; n < 12; n++) {
      const mask = maskOf(scope, constraint, ids);
      assert.deepEqual(
        mask,
        naiveMask(scope, judge, ids),
        `${JSON.stringify(schema)} after ${scope.decode(ids)}`,
      );
      places++;
      const next = mask.filter((id) => id !== scope.info.eos_token_id);
      if (!next.length) {
        ended++;
        break;
      }
      ids.push(pick(next));
    }
  }
  assert.ok(places > 500 && ended > 30, `${places} ${ended}`);
});

/** Returns, for each text, true if a model of bytes accepts the whole text. */
async function accepts(schema, texts) {
  const model = await Logitscope.load({ model: smallModel() });
  const taken = texts.map((text) =>
    maskOf(model, { schema, space: 1 }, [...Buffer.from(text)]).includes(EOS),
  );
  model.close();
  return taken;
}

test('a key listed as required many times counts once, and the list is read once', () => {
  const names = Array.from({ length: 100 }, (_, i) => `p${i}`);
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'null' }]));
  let looks = 0;
  const required = new Proxy(Array(2000).fill('p99'), {
    get: (list, key) => (looks++, Reflect.get(list, key)),
  });
  const grammar = grammarOf({ schema: { type: 'object', properties, required } });
  const once = { type: 'object', properties, required: ['p99'] };
  assert.equal(grammar, grammarOf({ schema: once }));
  assert.ok(looks < 10 * required.length, `${looks} looks`);
});

test('keys that are not required may be left out, with the commas correct', async () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'integer' }, b: { type: 'null' }, c: { type: 'boolean' } },
    required: ['b'],
  };
  const good = [
    '{"b":null}',
    '{"a": 1,"b":null}',
    '{"b":null,"c":true}',
    '{ "a":0, "b":null, "c":false }',
  ];
  const bad = [
    '{}',
    '{"a":1}',
    '{,"b":null}',
    '{"b":null,}',
    '{"b":null,"a":1}',
    '{"a":1,"c":true}',
    '{"b":null,"b":null}',
    '{"b":null,"d":1}',
  ];
  assert.deepEqual(await accepts(schema, [...good, ...bad]), [
    ...good.map(() => true),
    ...bad.map(() => false),
  ]);
  assert.deepEqual(
    await accepts({ ...schema, required: [] }, ['{}', '{"c":true}', '{"a":1,"c":true}', '{,}']),
    [true, true, true, false],
  );
  assert.deepEqual(
    await accepts({ type: 'object', properties: schema.properties }, [
      '{}',
      '{"a":1,"b":null,"c":true}',
    ]),
    [true, true],
  );
});

test('a random schema accepts exactly the documents that a validator accepts', async () => {
  const model = await Logitscope.load({ model: smallModel() });
  const counts = { true: 0, false: 0 };
  const property = fc.property(documents, ({ wanted, text, valid }) => {
    counts[valid]++;
    const constraint = { schema: wanted, space: SPACE };
    const accepted = maskOf(model, constraint, [...Buffer.from(text)]).includes(EOS);
    assert.equal(accepted, valid, `${JSON.stringify(wanted)} and ${text}`);
  });
  fc.assert(property, { numRuns: cases(300, 50_000), seed: Number(process.env.SEED ?? 1) });
  model.close();
  assert.ok(counts.true > 100 && counts.false > 50, JSON.stringify(counts));
});

test('the text of a schema keeps the order of keys and the digits of numbers', async () => {
  const text = `{"properties": {"b": {"type": "null"}, "1": {"const": {"z": 0, "7": 1e0}}},
    "required": ["1", "b"], "$comment": 12345678901234567890}`;
  assert.deepEqual(
    await accepts(text, ['{"b":null,"1":{"z":0,"7":1}}', '{"1":{"z":0,"7":1},"b":null}']),
    [true, false],
  );
  const large =
    '{"type": "integer", "minimum": 9223372036854775806, "maximum": 9223372036854775807}';
  assert.deepEqual(
    await accepts(
      large,
      [5, 6, 7, 8].map((digit) => `922337203685477580${digit}`),
    ),
    [false, true, true, false],
  );
  assert.deepEqual(await accepts('{"const": 12345678901234567890}', ['12345678901234567890']), [
    true,
  ]);
  assert.deepEqual(await accepts('true', ['{"a": [1, null]}', '01']), [true, false]);
  for (const [bad, message] of [
    ['{"a', /^the schema is no JSON: /],
    ['[]', /^schema at \$: a schema must be an object, true or false, got \[\]$/],
    [`{"const": 1${'0'.repeat(400)}}`, /^schema: a number has more than 400 digits$/],
    ['{"const": 1e-999999999}', /^schema: a number has more than 400 digits$/],
    ['['.repeat(5000) + ']'.repeat(5000), /^constraint: depth must be .*, got 5001$/],
  ])
    assert.throws(() => grammarOf({ schema: bad }), { message });
});

test('schemas with long reference chains or too many choices are refused at once', () => {
  const chain = (/** @type {number} */ n, link) =>
    Object.fromEntries(Array.from({ length: n }, (_, i) => [`d${i}`, link(`#/$defs/d${i + 1}`)]));
  const deep = { ...chain(3000, ($ref) => ({ properties: { a: { $ref } } })), d3000: true };
  const long = { ...chain(3000, ($ref) => ({ $ref })), d3000: true };
  const choices = Array.from({ length: 40 }, (_, i) => ({
    anyOf: [{ required: [`a${i}`] }, { required: [`b${i}`] }],
  }));
  const began = process.cpuUsage();
  for (const [schema, message] of [
    [{ $ref: '#/$defs/d0', $defs: deep }, /: schemas lead to one another more than 200 deep$/],
    [{ $ref: '#/$defs/d0', $defs: long }, /: schemas lead to one another more than 100 deep$/],
    [{ allOf: choices }, /: its choices make more than 32768 branches$/],
    [{ allOf: Array(101).fill(choices[0]) }, /: its choices make more than 100 branches$/],
    [{ pattern: '^(a|b)*a(a|b){1000}$' }, /need more states than there is room for$/],
    [
      { pattern: `^(${'(a|b)'.repeat(500)})*$`, format: 'email' },
      /no value fits$|need more states/,
    ],
  ])
    assert.throws(() => grammarOf({ schema }), { message });
  assert.ok(process.cpuUsage(began).user < 3e6, 'it took seconds');
});

test('the cache of compiled schemas never confuses two schemas', () => {
  const of = (/** @type {any} */ schema, space = 1) => grammarOf({ schema, space });
  assert.equal(of({ const: 1 }), of({ const: 1 }));
  assert.notEqual(of({ const: 1 }), of({ const: '1' }));
  assert.notEqual(of({ const: 1 }), of({ const: 1 }, 2));
  assert.notEqual(of({ const: {} }), of({ const: [] }));
  of({ const: null });
  assert.throws(() => of({ const: Number.NaN }), { key: 'schema' });
  of({});
  assert.throws(() => of(new Date()), { key: 'schema' });
  const changing = { type: 'integer' };
  const first = of(changing);
  changing.type = 'null';
  assert.notEqual(of(changing), first);
});

test('a length counts characters in any spelling', async () => {
  const one = ['"a"', '"é"', '"日"', '"🦙"', '"\\n"', '"\\u00e9"', '"\\ud83e\\uDD99"', '"\\uD7ff"'];
  for (const text of one) assert.equal([...JSON.parse(text)].length, 1);
  const other = [
    '""',
    '"ab"',
    '"\\n\\n"',
    '"\\ud83e"',
    '"\\udd99"',
    '"\\udd99\\ud83e"',
    '"a\\u00e9"',
    '"\n"',
  ];
  const schema = { type: 'string', minLength: 1, maxLength: 1 };
  assert.deepEqual(await accepts(schema, [...one, ...other]), [
    ...one.map(() => true),
    ...other.map(() => false),
  ]);
  assert.deepEqual(
    await accepts({ type: 'string', minLength: 2 }, ['"a"', '"ab"', `"${'x'.repeat(50)}"`]),
    [false, true, true],
  );
  assert.deepEqual(
    await accepts({ type: 'string', maxLength: 1000 }, [
      `"${'x'.repeat(1000)}"`,
      `"${'x'.repeat(1001)}"`,
    ]),
    [true, false],
  );
});

test('integer, null, const, enum and anyOf accept their values only', async () => {
  assert.deepEqual(await accepts({ type: 'integer' }, ['7', '-0', '7.0', '1e2', 'null']), [
    true,
    true,
    false,
    false,
    false,
  ]);
  assert.deepEqual(await accepts({ type: ['integer', 'null'] }, ['7', 'null', '7.5', '"7"']), [
    true,
    true,
    false,
    false,
  ]);
  assert.deepEqual(
    await accepts({ const: { a: [1, null] } }, ['{"a":[1,null]}', '{"a": [1,null]}', '{}']),
    [true, false, false],
  );
  assert.deepEqual(
    await accepts({ enum: [1, 'x', null], type: ['integer', 'string', 'null'] }, [
      '1',
      '"x"',
      'null',
      '2',
    ]),
    [true, true, true, false],
  );
  const either = {
    anyOf: [{ type: 'number' }, { type: 'array', items: { const: 1 }, minItems: 1 }],
  };
  assert.deepEqual(await accepts(either, ['1.5', '[1,1]', '[]', '[2]', '"1"']), [
    true,
    true,
    false,
    false,
    false,
  ]);
  assert.deepEqual(
    await accepts({ oneOf: [{ const: 'a' }, { const: 'b' }, { type: 'null' }] }, [
      '"a"',
      '"b"',
      'null',
      '"c"',
    ]),
    [true, true, true, false],
  );
});

test('an unknown keyword is refused with its name and place', () => {
  const string = { type: 'string' };
  const cases = [
    [
      { type: 'array', items: string, uniqueItems: true },
      /^schema at \$: the keyword uniqueItems cannot be made into a grammar$/,
    ],
    [
      { type: 'array', items: string, minLength: 2 },
      /^schema at \$: the keyword minLength does not belong to type array$/,
    ],
    [{ type: 'object', properties: { a: { not: string } } }, /^schema at \$\.a: the keyword not /],
    [{ anyOf: [string, { if: {} }] }, /^schema at \$\.anyOf\[1\]: the keyword if cannot be/],
    [{ type: 'string', minLenght: 1 }, /^schema at \$: the keyword "minLenght" is not known$/],
    [
      { type: 'object', properties: { a: string }, required: ['b'] },
      /^schema at \$: required must name properties, got "b"$/,
    ],
    [
      { type: 'object', properties: { a: string }, required: 'a' },
      /^schema at \$: required must be a list of keys, got "a"$/,
    ],
    [
      { type: 'object', properties: { a: { $ref: 'x.json' } } },
      /^schema at \$\.a: \$ref must be "#" or begin with "#\/", got "x.json"$/,
    ],
    [{ $ref: '#/$defs/a' }, /^schema at \$: \$ref names nothing: "#\/\$defs\/a"$/],
    [{ $ref: '#/%' }, /^schema at \$: \$ref names nothing: "#\/%"$/],
    [{ $ref: '#' }, /^schema at #: the schema is made of itself alone$/],
    [{ allOf: [{ anyOf: [{ $ref: '#' }] }] }, /^schema at #: the schema is made of itself alone$/],
    [false, /^schema at \$: no value fits$/],
    [{ allOf: [string, { type: 'null' }] }, /^schema at \$: no value fits$/],
    [{ type: 'integer', minimum: 2, maximum: 1 }, /^schema at \$: no value fits$/],
    [{ type: 'string', pattern: '^a', maxLength: 0 }, /^schema at \$: no value fits$/],
    [{ type: 'number', minimum: NaN }, /^schema at \$: minimum must be a number .*, got NaN$/],
    [{ const: [NaN] }, /^schema at \$: const must hold values of JSON, got NaN$/],
    [{ enum: [{ a: 1 }], properties: {} }, /^schema at \$: the keyword properties beside enum /],
    [{ type: 'integer', multipleOf: 3 }, /^schema at \$: multipleOf must divide 1, .*, got 3$/],
    [{ type: 'number', multipleOf: 0 }, /^schema at \$: multipleOf must be a number .*, got 0$/],
    [{ type: 'number', minimum: 1e40 }, /^schema at \$: a bound has more than 40 digits before/],
    [{ type: 'number', minimum: 1e-41 }, /^schema at \$: a bound has more than 40 digits before/],
    [{ additionalProperties: true, minProperties: 2 }, /^schema at \$: minProperties 2 cannot be/],
    [{ pattern: '(' }, /^schema at \$: pattern "\(": it is no regular expression$/],
    [{ pattern: 3 }, /^schema at \$: pattern 3: it is no regular expression$/],
    [{ pattern: '\\bx' }, /^schema at \$: pattern "\\\\bx": \\b cannot be made into a grammar$/],
    [{ pattern: '(?<=a)b' }, /: \(\?<= cannot be made into a grammar$/],
    [{ pattern: '(a)\\1' }, /: \\1 cannot be made into a grammar$/],
    [{ pattern: '\\p{L}' }, /: \\p cannot be made into a grammar$/],
    [{ pattern: '(a(?!b))*' }, /: a repeated part must not look around$/],
    [{ pattern: 'a{1001}' }, /: a part is repeated more than 1000 times$/],
    [
      { pattern: '(a|b)*a(a|b){30}' },
      /^schema at \$: its patterns and lengths together need more /,
    ],
    [
      { type: 'object', properties: 3 },
      /^schema at \$: properties must be an object of schemas, got 3$/,
    ],
    [{ type: [] }, /^schema at \$: type must be .*, got \[\]$/],
    [{ type: ['string', 'date'] }, /^schema at \$: type must be .*, got "date"$/],
    [{ anyOf: [] }, /^schema at \$: anyOf must be a list of schemas, got \[\]$/],
    [
      { oneOf: [{ type: 'integer' }, { type: 'number' }] },
      /^schema at \$: oneOf must hold schemas that differ by .*, so that no value fits two: anyOf takes any$/,
    ],
    [{ oneOf: [string, { const: 'a' }] }, /oneOf must hold schemas that differ by type/],
    [{ oneOf: [{ enum: ['a', 'b'] }, { const: 'b' }] }, /oneOf must hold/],
    [{ const: 1, type: 'string' }, /^schema at \$: const must be of type string, got 1$/],
    [
      { enum: ['a', null], type: 'string' },
      /^schema at \$: enum must be of type string, got null$/,
    ],
    [
      { type: 'string', minLength: -1 },
      /^schema at \$: minLength must be an integer between 0 and 1000, got -1$/,
    ],
    [
      { type: 'string', minLength: 3, maxLength: 2 },
      /^schema at \$: maxLength must be an integer between 3 and 1000, got 2$/,
    ],
    [
      { type: 'string', maxLength: 1001 },
      /maxLength must be an integer between 0 and 1000, got 1001$/,
    ],
  ];
  for (const [schema, sentence] of cases) {
    assert.throws(
      () => scope.warp(new Float32Array(scope.info.vocab_size), { constraint: { schema } }),
      (error) =>
        sentence.test(error.message) && ['invalid_argument', 'out_of_range'].includes(error.code),
      JSON.stringify(schema),
    );
  }
});

/** @param {number} depth @param {(inner: any) => any} wrap @param {any} inner */
function nest(depth, wrap, inner) {
  let made = inner;
  for (let i = 0; i < depth; i++) made = wrap(made);
  return made;
}

test('a schema that is too deep or contains itself is refused with its depth', () => {
  const zeros = new Float32Array(scope.info.vocab_size);
  const array = (items) => ({ type: 'array', items });
  const object = (a) => ({ type: 'object', properties: { a } });
  const integer = { type: 'integer' };
  const circle = array(integer);
  circle.items = circle;
  const cases = [
    [nest(99, array, integer), 101],
    [nest(3000, array, integer), 3002],
    [nest(100_000, array, integer), Infinity],
    [nest(50, object, integer), 102],
    [nest(20_000, (it) => ({ anyOf: [it] }), integer), 40_002],
    [{ enum: [nest(10_000, (it) => [it], 1)] }, 10_003],
    [{ const: nest(10_000, (it) => [it], 1) }, 10_002],
    [circle, Infinity],
  ];
  for (const [schema, depth] of cases)
    assert.throws(() => scope.warp(zeros, { constraint: { schema } }), {
      code: 'out_of_range',
      message: `constraint: depth must be an integer between 0 and 100, got ${depth}`,
    });
  scope.warp(zeros, { constraint: { schema: nest(20, array, integer) } });
});

test('a text from random logits parses and fits its schema', async () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 4 },
      age: { type: ['integer', 'null'] },
      tags: { type: 'array', items: { enum: ['x', 'y'] }, minItems: 1, maxItems: 2 },
      kind: { oneOf: [{ const: 'cat' }, { type: 'boolean' }] },
    },
    required: ['name', 'tags'],
  };
  const seen = new Set();
  for (let seed = 0; seed < 60; seed++) {
    const generation = scope.generate({
      prompt: 'a',
      constraint: { schema, space: 0 },
      temperature: 2,
      max_new_tokens: 200,
      seed,
    });
    let { done, value } = await generation.next();
    while (!done) ({ done, value } = await generation.next());
    if (value.finish_reason !== 'eos') continue;
    const made = JSON.parse(value.text);
    const { name, age = null, tags, kind = true, ...others } = made;
    seen.add(Object.keys(made).join());
    assert.deepEqual(others, {});
    assert.ok([...name].length >= 1 && [...name].length <= 4, value.text);
    assert.ok(age === null || Number.isInteger(age));
    assert.ok(tags.length >= 1 && tags.length <= 2 && tags.every((tag) => 'xy'.includes(tag)));
    assert.ok(kind === 'cat' || typeof kind === 'boolean');
  }
  assert.ok(seen.size >= 3, [...seen].join(' '));
});
