/** Tests the languages of the page: every string is translated with equal placeholders. */
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { sentences } from '../../web/engine/sentences.js';

const folder = new URL('../../web/locale/', import.meta.url);
const read = async (file) => JSON.parse(await readFile(new URL(file, folder), 'utf8'));
const files = (await readdir(folder)).filter((file) => file.endsWith('.json'));
/** The English error sentences are only in the engine, so the test adds them to the page's messages. */
const refusals = Object.entries(sentences).map(([key, text]) => [`fault.${key}`, text]);
const english = { ...(await read('en.json')), ...Object.fromEntries(refusals) };

/** Texts that are equal in English and Spanish: names, technical terms, symbols. */
const SAME = {
  es: [
    'ltr',
    'adaptive-p',
    'Min-p',
    'temp.',
    'XTC',
    'p-less',
    'top-a',
    'top-h',
    'Auto',
    'Log',
    '{was} → {is}',
    'temp.',
    'Token',
    'T = 0, 1, 100',
    'token',
    'u',
    'tokens',
    'logit',
    'id',
    'bytes',
    'bits',
    'JSON',
    'SIMD',
    'Mirostat',
    'Gumbel-max',
    'distinct-2',
    'top-k',
    'top-p',
    'min-p',
    'typical-p',
    'top-n-sigma',
    'matrices',
    '{n} token',
    '{n} tokens',
    '{value} bits',
    '{speed} tokens/s',
    '{ms} ms',
    'top-k {value}',
    'top-p {value}',
    'u = {u}: {token}',
    'DRY',
    '{name}',
    '{part} ({why})',
    'logits',
    'tensor {name}',
    'offset',
    'no',
    'n_dimensions',
    'tensor_count',
    'metadata_kv_count',
    '{reason}',
    '{message}.',
    'p',
  ],
};

/** English words that no Spanish sentence contains. */
const ENGLISH =
  /(?<!\p{L})(the|of|and|with|from|which|before|after|is|are|this|that|not|drawn|what|each|when|until)(?!\p{L})/iu;

/** Returns the plural forms of a message. */
const forms = (entry) => (typeof entry === 'string' ? [entry] : Object.values(entry));
const holes = (entry) =>
  [...new Set(forms(entry).flatMap((text) => text.match(/\{\w+\}/g) ?? []))].sort();

for (const file of files.filter((name) => name !== 'en.json')) {
  const code = file.slice(0, -'.json'.length);
  const other = await read(file);

  test(`${file} has exactly the strings of English with the same placeholders`, () => {
    assert.deepEqual(Object.keys(other).sort(), Object.keys(english).sort());
    const wrong = Object.keys(english).filter(
      (key) => holes(english[key]).join() !== holes(other[key]).join(),
    );
    assert.deepEqual(wrong, []);
    const empty = Object.keys(other).filter((key) =>
      forms(other[key]).some((text) => !text.trim()),
    );
    assert.deepEqual(
      empty,
      Object.keys(english).filter((key) => forms(english[key]).some((text) => !text.trim())),
    );
  });

  test(`in ${file} the sentence after a beat’s name does not repeat the name`, () => {
    for (const said of [english, other])
      for (const key of Object.keys(said).filter((name) => /^guide\.\d\.[a-z]+$/.test(name)))
        for (const text of forms(said[key]))
          assert.ok(!text.startsWith(said[key.slice(0, 'guide.1'.length)]), `${key}: ${text}`);
  });

  test(`${file} has the plural forms of its language`, () => {
    const wanted = new Intl.PluralRules(code)
      .resolvedOptions()
      .pluralCategories.filter((name) => name !== 'many');
    for (const [key, entry] of Object.entries(other))
      if (typeof entry === 'object')
        for (const name of wanted) assert.ok(name in entry, `${key} has no form ${name}`);
  });

  test(`${file} has no text left in English`, () => {
    const same = (key) => forms(english[key]).some((text) => forms(other[key]).includes(text));
    const left = Object.keys(english)
      .filter(same)
      .filter((key) => !forms(other[key]).every((text) => SAME[code]?.includes(text)));
    assert.deepEqual(left, []);
    const allowed = new Set(
      Object.keys(english)
        .filter(same)
        .flatMap((key) => forms(other[key])),
    );
    assert.deepEqual(
      SAME[code]?.filter((text) => !allowed.has(text)),
      [],
      'none is allowed in vain',
    );
  });

  test(`no sentence of ${file} is half in English`, () => {
    const said = (text) => text.replace(/“[^”]*”|«[^»]*»|\{\w+\}/g, '');
    const left = Object.entries(other).filter(([, entry]) =>
      forms(entry).some((text) => ENGLISH.test(said(text))),
    );
    assert.deepEqual(left, []);
  });
}

test('each thing has the same word everywhere and in the glossary', async () => {
  const source = await readFile(new URL('../base/term.js', folder), 'utf8');
  const terms = [.../TERMS = \[([^\]]*)\]/.exec(source)[1].matchAll(/'(\w+)'/g)].map(
    ([, name]) => name,
  );
  for (const name of ['nucleus', 'top_k', 'top_p', 'beam', 'dry'])
    assert.ok(terms.includes(name), name);
  const SAME_THING = {
    ttr: ['measure.ttr', 'sweep.of.ttr'],
    distinct: ['measure.distinct', 'sweep.of.distinct_2'],
    rank: ['distribution.rank'],
    kept: ['distribution.kept'],
    mass: ['distribution.mass', 'sweep.of.mass'],
    entropy: ['sweep.of.entropy'],
    perplexity: ['distribution.perplexity', 'sweep.of.perplexity', 'compare.perplexity'],
  };
  const WITHIN = {
    kept: [
      'compare.kept',
      'compare.spread.kept',
      'sweep.figure.nucleus',
      'sweep.of.nucleus',
      'sweep.of.text_nucleus',
    ],
    rank: ['curve.rank', 'distribution.row', 'draw.lands.rest'],
    ttr: ['sweep.about.penalty'],
    nucleus: ['about.top_p'],
    entropy: ['distribution.entropy'],
  };
  for (const file of files) {
    const words = await read(file);
    for (const name of terms)
      assert.ok(words[`term.${name}`] && words[`term.${name}.about`], `${file}: ${name}`);
    for (const [name, keys] of Object.entries(SAME_THING))
      for (const key of keys) assert.equal(words[key], words[`term.${name}`], `${file}: ${key}`);
    for (const [name, keys] of Object.entries(WITHIN))
      for (const key of keys)
        assert.ok(words[key].toLowerCase().includes(words[`term.${name}`]), `${file}: ${key}`);
  }
});

test('each reason of the grader has a sentence in every language', async () => {
  const { REASONS } = await import('../../web/grade/reasons.js');
  const named = (text) => (text.match(/\{\w+\}/g) ?? []).sort();
  for (const file of files) {
    const words = await read(file);
    for (const [code, sentence] of Object.entries(REASONS))
      assert.deepEqual(named(words[`sampler.fail.${code}`]), named(sentence), `${file}: ${code}`);
  }
});
