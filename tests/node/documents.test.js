/** Tests that the links and paths of every document lead to existing files and headings, without network. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { flagsOf } from '../../web/cli/flags.js';
import { COMMANDS } from '../../web/cli/main.js';
import { Logitscope } from '../../web/engine/index.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const BUILT = ['node_modules', 'build', 'dist', '.git'];

/** Returns the paths of all files below a folder. @param {string} folder @returns {string[]} */
function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return [relative(root, path)];
    return BUILT.includes(entry.name) ? [] : filesIn(path);
  });
}

const documents = filesIn(root).filter((path) => path.endsWith('.md'));
const textOf = (path) => readFileSync(join(root, path), 'utf8');
/** Returns a document's text without its code blocks. */
const proseOf = (path) => textOf(path).replaceAll(/^(`{3,})[^]*?^\1/gm, '');

/** Returns the anchors that GitHub and GitLab generate for a document's headings. */
const anchorsOf = (path) =>
  [...proseOf(path).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-'),
  );

test('each link leads to a file of the project, and its anchor to a heading', () => {
  const faults = [];
  let links = 0;
  for (const path of documents)
    for (const [, target] of proseOf(path).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      links++;
      const [file, anchor] = target.split('#');
      const to = file ? relative(root, join(root, dirname(path), file)) : path;
      if (!existsSync(join(root, to))) faults.push(`${path}: no file ${target}`);
      else if (anchor && !anchorsOf(to).includes(anchor)) faults.push(`${path}: no ${target}`);
    }
  assert.deepEqual(faults, []);
  assert.ok(links > 30, `${links} links`);
});

/** A path between backticks. `*` means any characters, a word in capitals any name. */
const PATH = /`((?:web|src|tests|docs|models)\/[\w./*-]*)`/g;
/** Paths that need not exist here: those in a user's own site, and a folder that training creates. */
const ELSEWHERE = [
  'docs/logitscope/',
  'docs/lessons/one.md',
  'src/components/Heard.js',
  'models/train/state/',
];
/** Names of files that need not exist here: a build makes them, or they belong to users or other programs. */
const OF_OTHERS = ['sw.js', 'Heard.js', 'my_top_p.py', 'my_sampler.py', 'llama2.c'];

test('each path between backticks exists in the tree', () => {
  const faults = [];
  for (const path of documents)
    for (const [, named] of proseOf(path).matchAll(PATH)) {
      if (ELSEWHERE.includes(named)) continue;
      const folder = join(root, dirname(named));
      const last = named.endsWith('/') ? '' : named.slice(named.lastIndexOf('/') + 1);
      if (/\/[A-Z]+(\/|\.|$)/.test(named) && !named.endsWith('.md')) continue;
      const pattern = RegExp(`^${last.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
      const found = last.includes('*')
        ? existsSync(folder) && readdirSync(folder).some((name) => pattern.test(name))
        : existsSync(join(root, named));
      if (!found) faults.push(`${path}: no ${named}`);
    }
  assert.deepEqual(faults, []);
});

test('each file name between backticks exists in the tree', () => {
  const names = new Set(filesIn(root).map((path) => basename(path)));
  const faults = [];
  for (const path of documents)
    for (const [, name] of proseOf(path).matchAll(/`(?:[\w./]*\/)?([\w-]+\.(?:c|css|h|js|py))`/g))
      if (!names.has(name) && !OF_OTHERS.includes(name)) faults.push(`${path}: no ${name}`);
  assert.deepEqual(faults, []);
});

/** A command of the documents; its words end at a quote of the text around it, a comment or another program. */
const COMMAND = /(?:web\/cli\.js|npx logitscope|\$CLI) +([a-z]+)([^`#|\n]*)/g;

test('each command of the documents exists, with its flags', async () => {
  const { table } = await Logitscope.load();
  const faults = [];
  let commands = 0;
  for (const path of documents)
    for (const [line, name, words] of textOf(path).matchAll(COMMAND)) {
      commands++;
      if (!Object.hasOwn(COMMANDS, name)) {
        faults.push(`${path}: no command ${name}`);
        continue;
      }
      const known = flagsOf(await COMMANDS[name](), table).map((flag) =>
        flag.name.replaceAll('_', '-'),
      );
      for (const [, flag] of words.matchAll(/ --([\w-]+)/g))
        if (flag !== 'help' && !known.includes(flag)) faults.push(`${path}: no --${flag}: ${line}`);
    }
  assert.deepEqual(faults, []);
  assert.ok(commands > 50, `${commands} commands`);
});

/** Returns the rows of all tables under a heading; a row is a list of cells. */
const rowsOf = (path, heading) => {
  const section = textOf(path).split(`\n${heading}\n`)[1].split(/^## /m)[0];
  const rows = [...section.matchAll(/^\| (.*) \|$/gm)].map(([, cells]) => cells.split(' | '));
  return rows.filter(([first]) => !['English', 'Word'].includes(first));
};

test('the glossary has each word of the page once, with its meaning', () => {
  const [english, spanish] = ['en', 'es'].map((language) =>
    JSON.parse(textOf(`web/locale/${language}.json`)),
  );
  const names = [
    .../TERMS = \[([^\]]*)\]/.exec(textOf('web/base/term.js'))[1].matchAll(/'(\w+)'/g),
  ];
  assert.deepEqual(
    rowsOf('docs/glossary.md', '## Words of the page'),
    names.map(([, name]) => [
      english[`term.${name}`],
      spanish[`term.${name}`],
      english[`term.${name}.about`],
    ]),
  );
  const words = rowsOf('docs/glossary.md', '## Words of the code').map(([word]) => word);
  assert.ok(words.length > 40);
  assert.deepEqual([...new Set(words)], words);
});

test('the homework installs the packed file of this version', () => {
  const { version } = JSON.parse(textOf('package.json'));
  const homework = 'web/lessons/homework';
  for (const file of ['package.json', 'README.md'])
    assert.ok(textOf(`${homework}/${file}`).includes(`logitscope-${version}.tgz`), file);
  assert.match(textOf('NEWS.md'), RegExp(`^## ${version} - \\d{4}-\\d\\d-\\d\\d$`, 'm'));
});

test('README.md has at most 120 lines', () => {
  assert.ok(textOf('README.md').trimEnd().split('\n').length <= 120);
});
