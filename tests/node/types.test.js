/** Tests that JavaScript passes `tsc --checkJs --strict` and that public calls are documented. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { SCOPE_CALLS, SESSION_CALLS } from '../../web/engine/calls.js';
import { Logitscope, Session } from '../../web/engine/index.js';
import { RemoteLogitscope, RemoteSession } from '../../web/engine/remote.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

// pack.test.js checks the other project, tsconfig.types.json.
test('the types check under tsc -p tsconfig.json', () => {
  const { status, stdout } = spawnSync('node_modules/.bin/tsc', ['-p', 'tsconfig.json'], {
    cwd: root,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stdout);
});

/** Returns the public members of a file's classes, with their comments. @param {string} file */
function membersOf(file) {
  const source = readFileSync(`${root}/web/engine/${file}`, 'utf8');
  const classes = source.slice(source.indexOf('\nexport class'));
  const pattern =
    /(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n)?^ {2}(?:static |async |get |\*)*(\w+|\[Symbol\.\w+\])(?:\(| = )/gm;
  return [...classes.matchAll(pattern)]
    .map(([, comment = '', name]) => ({ name: `${file} ${name}`, comment }))
    .filter(({ comment }) => !/@private|@internal/.test(comment));
}

test('each public call and each setting has a description', () => {
  const members = ['logitscope.js', 'session.js', 'remote.js'].flatMap(membersOf);
  const names = members.map(({ name }) => name);
  const forwarded = [...SESSION_CALLS, ...SCOPE_CALLS];
  /** @type {[string, any, string[]][]} */
  const classes = [
    ['logitscope.js', Logitscope, ['parts']],
    ['session.js', Session, []],
    ['remote.js', RemoteSession, ['request', ...forwarded]],
    ['remote.js', RemoteLogitscope, forwarded],
  ];
  for (const [file, { prototype }, skipped] of classes) {
    for (const name of Object.getOwnPropertyNames(prototype))
      if (name !== 'constructor' && !skipped.includes(name))
        assert.ok(names.includes(`${file} ${name}`), `${file} ${name}`);
  }
  const words = (/** @type {string} */ comment) => comment.replace(/@[^]*/, '').match(/[a-z]+/gi);
  const silent = members.filter(({ comment }) => (words(comment)?.length ?? 0) < 3);
  assert.deepEqual(
    silent.map(({ name }) => name),
    [],
  );
  const types = readFileSync(`${root}/web/engine/types.js`, 'utf8');
  const options = types.match(
    /@typedef \{object\} (Settings|GenerateOptions|LoadOptions|EncodeOptions|ChatOptions|ReadChoice|WorkerOptions)\n[^]*?\*\//g,
  );
  assert.equal(options?.length, 7);
  const bare = options
    .flatMap((text) => [...text.matchAll(/@property \{.*\} (\S+)(.*)/g)])
    .filter(([, , text]) => !/[a-z]{2}/i.test(text));
  assert.deepEqual(
    bare.map(([, name]) => name),
    [],
  );
});

test('the types of the elements have each property that an attribute sets', () => {
  const web = `${root}/web/`;
  const read = (/** @type {string} */ file) => readFileSync(web + file, 'utf8');
  const attributesOf = (/** @type {string} */ source) => {
    const [, list = ''] = /static properties = \{([^]*?)\};\n/.exec(source) ?? [];
    const properties = [...list.matchAll(/(?:^|[\n,]) *(\w+): \{(.*?)\}/g)];
    return properties.filter(([, , how]) => !/state|attribute: false/.test(how)).map((at) => at[1]);
  };
  const declared = read('engine/elements.d.ts');
  const membersIn = (/** @type {string} */ name) => {
    const interfaces = new RegExp(`interface ${name} extends ([\\w, ]+) \\{\\n([^]*?)\\n\\}`);
    const [, parents = '', body = ''] = interfaces.exec(declared) ?? [];
    const own = [...body.matchAll(/^ {2}(?:readonly )?(\w+)[:(]/gm)].map((at) => at[1]);
    return [...own, ...parents.split(', ').flatMap((parent) => (parent ? membersIn(parent) : []))];
  };
  const sources = readdirSync(web, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(page|panels|views)\/.*\.js$/.test(file))
    .map(read);
  const ofModel = attributesOf(read('base/model-element.js'));
  const tags = [...declared.matchAll(/'(logit-\w+)': (\w+);/g)];
  assert.equal(tags.length, 13);
  for (const [, tag, name] of tags) {
    const source = sources.find((text) => text.includes(`define('${tag}',`)) ?? '';
    const shared = /extends (elementWith\()?ModelElement/.test(source) ? ofModel : [];
    const wanted = [...shared, ...attributesOf(source)];
    const members = membersIn(name);
    // LogitPanel is exempt: <logit-scope> sets the further properties of a panel.
    if (name !== 'LogitPanel')
      assert.deepEqual(
        wanted.filter((each) => !members.includes(each)),
        [],
        tag,
      );
    assert.ok(wanted.length > 0, tag);
  }
});
