/**
 * Tests the list of samplers: each has a source, a picture and a group, and a search finds it by any program's name.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { ALWAYS_SHOWN } from '../../web/state/settings.js';
import { SAMPLERS, drawPictures, findSamplers, groupSamplers } from '../../web/state/samplers.js';

const { table } = await Logitscope.load();
const GROUPS = groupSamplers(table);
const NAMES = GROUPS.flatMap(({ names }) => names);
const read = (code) =>
  JSON.parse(readFileSync(new URL(`../../web/locale/${code}.json`, import.meta.url), 'utf8'));

test('every sampler except the front ones is on the shelf once, with strings, source and picture', () => {
  const samplers = table.filter(({ sampler }) => sampler).map(({ name }) => name);
  const waiting = samplers.filter((name) => !ALWAYS_SHOWN.includes(name));
  assert.deepEqual([...NAMES].sort(), [...waiting, 'constraint', 'own'].sort());
  assert.deepEqual(Object.keys(SAMPLERS).sort(), [...NAMES].sort());
  assert.deepEqual(
    GROUPS.map(({ group }) => group),
    ['flatten', 'cut', 'penalise', 'steer', 'mark'],
  );
  for (const code of ['en', 'es']) {
    const messages = read(code);
    for (const { group } of GROUPS) assert.ok(messages[`group.${group}`], group);
    for (const name of NAMES) {
      const { source, given } = SAMPLERS[name];
      assert.ok(messages[`about.${name}`] && messages[`setting.${name}`], name);
      assert.ok(given === undefined || messages[`shelf.given.${given}`], `${name}: ${given}`);
      if (name === 'own') continue;
      assert.match(source.url, /^https:\/\/[^ ]+$/, name);
      assert.ok(source.by.length > 2 && (source.year === 0 || source.year > 1980), name);
    }
  }
});

test('the start value of a stage is valid and visible in its picture', async () => {
  const scope = await Logitscope.load();
  const pictures = await drawPictures(scope, NAMES);
  assert.deepEqual(Object.keys(pictures).sort(), NAMES.filter((name) => name !== 'own').sort());
  for (const [name, { confident, flat }] of Object.entries(pictures)) {
    for (const { before, after, kept, removed } of [confident, flat]) {
      const mass = (shares) => shares.reduce((sum, share) => sum + share, 0);
      assert.ok(Math.abs(mass(before) - 1) < 1e-9 && Math.abs(mass(after) - 1) < 1e-6, name);
      assert.equal(kept.filter((it) => !it).length, removed, name);
      after.forEach((p, id) => assert.ok(kept[id] || p === 0, `${name}: ${id}`));
    }
    const changed = confident.changed || flat.changed;
    assert.equal(changed, SAMPLERS[name].given !== 'none', `${name} changes ${changed}`);
  }
  // In the first picture, min-p 0.05 of the largest p, 58 %, removes tokens below 2.9 %. In the second, 0.05 of 11.5
  // % is less than the smallest p.
  assert.deepEqual([pictures.min_p.confident.removed, pictures.min_p.flat.removed], [11, 0]);
  assert.equal(pictures.min_p.flat.changed, false);
  // The text is 1 0 2 5 1 0. It ends with 1 0, and the first 1 0 was followed by 2, so only 2 is removed.
  assert.deepEqual(
    pictures.no_repeat_ngram_size.flat.kept
      .map((kept, id) => (kept ? -1 : id))
      .filter((id) => id >= 0),
    [2],
  );
  scope.close();
});

test('a stage is found by any system’s name in any spelling', () => {
  const english = read('en');
  const said = (name) => [english[`setting.${name}`], english[`about.${name}`]];
  const find = (query) => findSamplers(query, NAMES, said);
  assert.deepEqual(find('  '), NAMES);
  for (const [name, { aliases }] of Object.entries(SAMPLERS))
    for (const alias of [name, ...aliases]) assert.equal(find(alias)[0], name, alias);
  for (const [query, name] of [
    ['minP', 'min_p'],
    ['MIN-P', 'min_p'],
    ['typical', 'typical_p'],
    ['locally typical', 'typical_p'],
    ['rep_pen', 'repetition_penalty'],
    ['repeat penalty', 'repetition_penalty'],
    ['tfs', 'tfs_z'],
    ['tail-free', 'tfs_z'],
    ['xtc_threshold', 'xtc_probability'],
    ['quadratic', 'smoothing_factor'],
    ['temp-ext', 'dynatemp_range'],
    ['cfg', 'guidance_scale'],
    ['gbnf', 'constraint'],
    ['meister', 'typical_p'],
    ['standard deviations', 'top_n_sigma'],
  ])
    assert.equal(find(query)[0], name, query);
  assert.deepEqual(find('deviations standard'), ['top_n_sigma'], 'words in any order');
  assert.deepEqual(find('no such stage'), []);
});
