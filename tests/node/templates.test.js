/** Tests the language of chat templates: snippets and published templates render as in Jinja2. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { renderTemplate } from '../../web/engine/jinja/render.js';
import { long } from '../long.js';
import { SHAPES } from './chat_shapes.js';

const vectors = new URL('../vectors/', import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(name, vectors), 'utf8'));
const DATE = '2024-07-26';
/** Folder of additional templates, files that end in .jinja; undefined if there is none. */
const FOLDER = process.env.LOGITSCOPE_TEMPLATES;
const PYTHON = process.env.PYTHON ?? '/usr/bin/python3';

/** Renders a template; returns null if the engine refuses it. */
function rendered(template, values) {
  try {
    const { text, origin } = renderTemplate(template, DATE, values, {});
    assert.ok(origin === null || origin.length === text.length, template);
    return { text, origin };
  } catch (error) {
    assert.equal(error.constructor.name, 'Fault', `${template}\n${error.stack}`);
    assert.match(error.message, /^\S.*/s);
    return { text: null, reason: error.message };
  }
}

describe('snippets render as in Jinja2', () => {
  const { values, cases } = read('templates.json');
  for (const kind of new Set(cases.map(([each]) => each))) {
    const of = cases.filter(([each]) => each === kind);
    test(`${kind}: ${of.length} snippets`, () => {
      for (const [, template, text] of of)
        assert.equal(rendered(template, values).text, text, template);
    });
  }

  test('the snippets are at least 200, and some of them are refused', () => {
    assert.ok(cases.length > 200);
    assert.ok(cases.filter(([, , text]) => text === null).length > 50);
  });
});

describe('a refusal names the unsupported part', () => {
  for (const [template, reason] of [
    ["{% include 'x' %}", 'the tag {% include %} is not supported'],
    ['{% block a %}{% endblock %}', 'the tag {% block %} is not supported'],
    ['{% do x %}', 'Unknown tag: {% do %}'],
    ["{{ 'x' | nothing }}", 'Unknown filter: nothing'],
    ["{{ 'x' | urlize }}", "the filter 'urlize' is not supported"],
    ["{{ 'x' is nothing }}", 'Unknown test: nothing'],
    ["{{ 'x'.encode() }}", "the method 'encode' of strings is not supported"],
    ['{{ x.y }}', "'x' is undefined"],
    ['{{ [].append(1) }}', "the sandbox forbids 'append'"],
    ['{{ x.y.z }}', "'x' is undefined"],
    [`${'{{ '}${'('.repeat(1e5)}`, /call stack/],
    [
      '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}',
      'macros call each other more than 256 deep',
    ],
    ["{{ 'x' * 99999999 }}", 'a text has more than 16777216 characters'],
    ["{{ 'x'.center(2 ** 40) }}", 'a text has more than 16777216 characters'],
    ["{{ 'x' | indent(2 ** 40) }}", 'a text has more than 16777216 characters'],
    ['{{ [1] | tojson(indent=2 ** 40) }}', 'a text has more than 16777216 characters'],
    [
      '{% set ns = namespace(x="ab") %}{% for i in range(40) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}',
      'a text has more than 16777216 characters',
    ],
    [
      '{% set ns = namespace(x=[0]) %}{% for i in range(40) %}{% set ns.x = ns.x + ns.x %}{% endfor %}',
      'a list has more than 1048576 items',
    ],
    ['{{ [0] * 2 ** 21 }}', 'a list has more than 1048576 items'],
    ['{{ [0] | batch(2 ** 21, 0) | list }}', 'a list has more than 1048576 items'],
    ['{{ [0] | slice(2 ** 21) | list }}', 'a list has more than 1048576 items'],
    ["{{ '%d' % 10 ** 4300 }}", 'an integer has more than 4300 digits'],
    ['{{ 9 ** 99999 }}', 'a power has more than 65536 bits'],
  ])
    test(template.slice(0, 60), () => {
      assert.throws(() => renderTemplate(template, DATE, {}, {}), { message: reason });
    });
});

test('the sign of a long number is no digit, and a batch of many items is filled', () => {
  const text = (template) => renderTemplate(template, DATE, {}, {}).text;
  assert.equal(text("{{ -(10 ** 4299) ~ '' }}").length, 4301);
  assert.equal(text('{{ ([0] | batch(200000, 0) | list)[0] | length }}'), '200000');
});

describe('each character keeps its origin', () => {
  const said = { messages: [{ role: 'user', content: ' ab☃é "c"\nd ' }], word: '☃' };
  for (const [template, text, origin] of [
    ['<{{ messages[0].content | trim }}>', '<ab☃é "c"\nd>', ' mmmmmmmmmm '],
    ["{{ 'x' ~ word + 'y' }}", 'x☃y', ' m '],
    ["{{ word * 2 }}{{ (word ~ 'a')[::-1] }}", '☃☃a☃', 'mm m'],
    ["{{ word | tojson }}{{ ['a', word] }}", "\"☃\"['a', '☃']", ` m ${' '.repeat(7)}m  `],
    ["{{ 'a-b'.replace('-', word) }}{{ word.replace('☃', 'x') }}", 'a☃bx', ' m  '],
    ["{{ '%s=%s' % ('a', word) }}{{ '{}{}'.format(word, 1) }}", 'a=☃☃1', '  mm '],
    ["{{ ['a', word] | join('-') }}{{ (word ~ ',b').split(',')[0] }}", 'a-☃☃', '  mm'],
    ["{{ (word ~ 'a') | upper }}{{ ('ß' ~ word) | upper }}", '☃ASS☃', 'm mmm'],
    ['{% set x %}[{{ word }}]{% endset %}{{ x | indent(1, true) }}', ' [☃]', '  m '],
    [
      "{{ messages[0].role }}{{ word.zfill(3) }}{{ word.center(3, '-') }}",
      'user00☃-☃-',
      '      m m ',
    ],
  ])
    test(template, () => {
      const got = renderTemplate(template, DATE, said, {});
      assert.deepEqual([got.text, got.origin], [text, origin]);
    });

  test('an unknown role is marked as part of the message, and a known one is not', () => {
    const origins = (role) =>
      renderTemplate('{{ messages[0].role }}', DATE, { messages: [{ role, content: '' }] }, {})
        .origin;
    assert.deepEqual([origins('ipython'), origins('critic')], [null, 'rrrrrr']);
  });
});

/** Renders many templates with Jinja2; returns their texts. @param {{ template: string, values: object }[]} cases */
function byJinja(cases) {
  const program = fileURLToPath(new URL('jinja_reference.py', vectors));
  const input = cases.map((one) => `${JSON.stringify(one)}\n`).join('');
  const { stdout, stderr } = spawnSync(PYTHON, [program], { input, maxBuffer: 2 ** 30 });
  const lines = String(stdout).trim().split('\n');
  assert.equal(lines.length, cases.length, String(stderr));
  return lines.map((line) => JSON.parse(line).text ?? null);
}

/** Characters that occur in the messages but in no template. */
const SAID = /[🦙日]/gu;

/** Compares templates with Jinja2 on all conversations; counts the outcomes. */
function compare(templates) {
  const cases = templates.flatMap(({ name, template }) =>
    SHAPES.map((shape) => ({ name: `${name}, ${shape.name}`, template, values: shape.values })),
  );
  const counts = { equal: 0, both: 0, refused: 0 };
  for (const [i, wanted] of byJinja(cases).entries()) {
    const { name, template, values } = cases[i];
    const { text, origin, reason } = rendered(template, values);
    if (text === null) counts[wanted === null ? 'both' : 'refused']++;
    else {
      assert.equal(text, wanted, name);
      counts.equal++;
      for (const { index } of text.matchAll(SAID)) assert.equal(origin[index], 'm', name);
    }
    if (text === null && wanted !== null) console.log(`${name}: ${reason}`);
  }
  const { equal, both, refused } = counts;
  console.log(
    `${templates.length} templates in ${SHAPES.length} shapes: ${equal} equal, ${both} refused by both, ` +
      `${refused} refused here alone, 0 different`,
  );
}

const hasJinja = spawnSync(PYTHON, ['-c', 'import jinja2']).status === 0;
const unless = (missing) => ({ skip: missing && `without ${missing}` });

long('published templates render as in Jinja2', unless(!hasJinja && 'python3-jinja2'), () => {
  compare(read('chat.json').cases.map(({ name, template }) => ({ name, template })));
});

const needed = hasJinja ? !FOLDER && 'LOGITSCOPE_TEMPLATES' : 'python3-jinja2';
long('templates of a folder render as in Jinja2', unless(needed), () => {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.jinja'));
  const templates = names.map((name) => ({
    name: basename(name),
    template: readFileSync(join(FOLDER, name), 'utf8'),
  }));
  compare(templates);
});
