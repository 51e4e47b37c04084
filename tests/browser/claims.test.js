/** Tests promises of the README and of the page's own texts that no other test covers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { closed } from '../cleanup.js';
import { smallModel } from '../node/small_model.js';
import { cases, long } from '../long.js';
import {
  FIRST,
  START,
  expectTrace,
  loadReference,
  modelFacts,
  openBench,
  readBars,
  settle,
  showView,
  until,
  unfoldDraw,
} from './bench.js';

const bench = closed(await openBench());
const scope = closed(await loadReference());

const BALANCED = { temperature: 0.7, top_p: 0.9, repetition_penalty: 1.1 };
const percent = (p) => `${Number((p * 100).toPrecision(3)).toFixed(10)}`;

function expectBars(page, prompt, settings) {
  scope.feed(scope.encode(prompt));
  return expectTrace(page, scope.distribution(settings));
}

/** Opens the page at its initial settings, perhaps in a page that an earlier test used. */
const open = () => bench.open({ path: `?lang=en${START}` });

async function type(page, name, text) {
  const box = page.locator(`logit-knob[data-name=${name}] .box`);
  await box.fill(String(text));
  await box.press('Enter');
}

/**
 * Opens a page and records its calls to the engine: [{ session, method, result }].
 * @param {Parameters<typeof bench.open>[0]} [options]
 */
async function openOverheard(options) {
  const opened = await bench.open({
    ...options,
    ready: false,
    own: true,
    path: 'source/tests/browser/blank.html',
  });
  const { page } = opened;
  await page.addInitScript(() => {
    window.heard = [];
    const open = new Map();
    const Real = Worker;
    window.Worker = class extends Real {
      constructor(...args) {
        super(...args);
        this.addEventListener('message', ({ data }) => {
          const sent = open.get(data.id);
          if (sent && 'result' in data) sent.result = { ...data.result };
        });
      }

      postMessage(message, ...rest) {
        const { id, session, method } = message;
        const sent = { session, method, result: null };
        open.set(id, sent);
        window.heard.push(sent);
        super.postMessage(message, ...rest);
      }
    };
  });
  await page.goto(`${bench.url}?lang=en&model=verbs${START}`);
  await page.locator('logit-distribution .row').first().waitFor();
  const heard = (method) =>
    page.evaluate((wanted) => window.heard.filter((sent) => sent.method === wanted), method);
  const forget = () => page.evaluate(() => void (window.heard.length = 0));
  return { ...opened, heard, forget };
}

test('every removed token shows its removing stage, by pattern and in words', async () => {
  const { page, close } = await open();
  await type(page, 'top_k', 6);
  await type(page, 'top_p', 0.6);
  await expectBars(page, FIRST, { ...BALANCED, top_k: 6, top_p: 0.6 });
  const bars = await readBars(page);
  const fills = new Map();
  for (const stage of ['top_k', 'top_p']) {
    const removed = bars.filter((bar) => bar.removed_by === stage);
    assert.ok(removed.length > 0, stage);
    for (const { id } of removed) {
      const row = page.locator(`logit-distribution .row[data-id="${id}"]`);
      const fill = await row.locator('.ghost').evaluate((bar) => getComputedStyle(bar).fill);
      assert.match(fill, /^url\(.*#by-/, `${stage}: ${fill}`);
      fills.set(stage, fill);
      const words = await page.locator(`#option-${id}`).getAttribute('aria-label');
      assert.ok(words.endsWith(`removed by ${stage.replace('_', '-')}`), words);
    }
  }
  assert.notEqual(fills.get('top_k'), fills.get('top_p'));
  const kept = bars.find(({ removed_by, id }) => removed_by === null && id !== 'rest');
  const plain = page.locator(`logit-distribution .row[data-id="${kept.id}"] .ghost`);
  assert.doesNotMatch(await plain.evaluate((bar) => getComputedStyle(bar).fill), /url/);
  await close();
});

test('hover and focus both show a token’s logit, rank, bytes and its share after each stage', async () => {
  const { page, close } = await open();
  await type(page, 'top_k', 12);
  const settings = { ...BALANCED, top_k: 12 };
  await expectBars(page, FIRST, settings);
  const trace = scope.distribution(settings);
  const detail = page.locator('logit-distribution .detail');
  const expectDetail = async (token) => {
    const text = await until(
      () => detail.innerText(),
      (said) => said.includes(`id ${token.id}`),
    );
    const words = text.replace(/\s+/g, ' ');
    assert.ok(
      words.includes(`id ${token.id} rank ${token.rank} logit ${token.logit.toFixed(3)}`),
      words,
    );
    const bytes = Buffer.from(token.text)
      .toString('hex')
      .toUpperCase()
      .replace(/(..)(?=.)/g, '$1 ');
    assert.ok(words.includes(`bytes ${bytes}`), words);
    const shares = [...words.matchAll(/([\d.]+)%/g)].map(([, share]) => Number(share).toFixed(10));
    const active = trace.stages.flatMap((stage, i) => (stage.active ? [token.stage_p[i]] : []));
    assert.deepEqual(shares, [token.p_raw, ...active].map(percent), words);
    for (const name of ['repetition penalty', 'temperature', 'top-k', 'top-p'])
      assert.ok(words.includes(name));
  };
  const [first, second, third] = trace.tokens;
  await page.locator(`logit-distribution .row[data-id="${third.id}"]`).hover();
  await expectDetail(third);
  await page.locator('h1').hover({ position: { x: 5, y: 5 } });
  await page.locator('logit-distribution').getByRole('listbox').focus();
  await page.keyboard.press('Home');
  await expectDetail(first);
  await page.keyboard.press('ArrowDown');
  await expectDetail(second);
  await close();
});

test('a card shows the engine’s numbers and a drawing of its stage, and turns it off', async () => {
  const { page, close } = await open();
  await expectBars(page, FIRST, BALANCED);
  const { stages } = scope.distribution(BALANCED);
  const i = stages.findIndex(({ name }) => name === 'top_p');
  const card = page.locator('.card[data-stage=top_p]');
  await card.hover();
  await card.locator('[data-more]').click();
  const words = (await card.locator('.did').innerText()).replace(/\s+/g, ' ');
  const [removed, mass, kept, from, to] = words.match(/[\d.]+/g).map(Number);
  assert.equal(removed, stages[i].removed, words);
  assert.equal(kept, stages[i].kept, words);
  assert.ok(Math.abs(mass / 100 - stages[i].mass_removed) < 0.0005, words);
  assert.ok(
    Math.abs(from - stages[i - 1].entropy) < 0.006 && Math.abs(to - stages[i].entropy) < 0.006,
    words,
  );
  assert.ok((await card.locator('svg path').count()) > 0, 'its own small chart');
  await card.getByRole('button', { name: /turn off|back to 1/i }).click();
  await expectBars(page, FIRST, { ...BALANCED, top_p: 1 });
  await close();
});

long(
  'tokens outside the model’s context are struck through, with the length of the context',
  async () => {
    const { page, close } = await open();
    await page.locator('logit-text .more > summary').click();
    await page.locator('#stop-at-end').click();
    const speed = page.locator('logit-text input[type=range]');
    await speed.focus();
    await page.keyboard.press('End');
    await page.locator('[data-command=run]').click();
    await page.locator('logit-text .step').nth(cases(32, 39)).waitFor();
    await page.locator('[data-command=stop]').click();
    await settle(page);
    const { context_length } = scope.info;
    const all = scope.encode(FIRST).length + (await page.locator('logit-text .step').count());
    // The tape contains an invisible token for the beginning of a text, which the page's count excludes.
    const shown = await page.locator('logit-tape .unseen').count();
    assert.equal(
      shown,
      all - context_length - (scope.encode(FIRST)[0] === scope.info.bos_token_id ? 1 : 0),
    );
    assert.equal(await page.locator('logit-tape .edge').count(), 1);
    await page.locator('h1').hover();
    const words = () => page.locator('logit-tape .numbers').innerText();
    assert.match(
      await until(words, (text) => text.includes('context')),
      /sees the last 32 tokens only/,
    );
    await close();
  },
);

long('a dropped file opens; spaces, line breaks and partial characters are visible', async () => {
  const { page, complaints, close } = await open();
  const image = smallModel({ name: 'bytes' });
  const transfer = await page.evaluateHandle(
    (numbers) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(numbers)], 'bytes.gguf'));
      return data;
    },
    [...image],
  );
  await page.dispatchEvent('body', 'dragover', { dataTransfer: transfer });
  await page.locator('logit-model .drop').waitFor();
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
  const facts = () => modelFacts(page);
  assert.match(await until(facts, (text) => text.includes('bytes')), /257 tokens/);
  await page.locator('#preset').selectOption({ label: 'Plain: the model as it is' });

  const reference = await Logitscope.load({ model: image });
  const labels = new Map();
  for (const prompt of ['a', 'b c', 'é', 'hello']) {
    await page.locator('#prompt').fill(prompt);
    reference.feed(reference.encode(prompt));
    const expected = reference.distribution({}).tokens;
    await until(
      async () => (await readBars(page)).map(({ p }) => p).join(),
      (shown) => expected.every(({ p }) => shown.includes(String(p))),
    );
    for (const [id, label] of await page
      .locator('logit-distribution .row')
      .evaluateAll((rows) =>
        rows.map((row) => [row.dataset.id, row.querySelector('.name').textContent.trim()]),
      ))
      labels.set(id, label);
  }
  let parts = 0;
  for (const [id, label] of labels) {
    if (id === 'rest' || Number(id) > 255) continue;
    const byte = Number(id);
    if (byte >= 128) {
      parts++;
      assert.equal(label, `⟨${byte.toString(16).toUpperCase()}⟩`);
    } else if (byte === 32) assert.equal(label, '␣');
    else if (byte === 10) assert.equal(label, '↵');
    else if (byte > 32 && byte < 127) assert.equal(label, String.fromCharCode(byte));
  }
  assert.ok(parts > 5, `${parts} parts of characters were listed`);
  reference.close();
  assert.deepEqual(complaints, []);
  await close();
});

long('the lessons’ example can be pasted as probabilities, and top-p 0.9 keeps three', async () => {
  const { page, complaints, close } = await open();
  await showView(page, 'logits');
  const view = page.locator('logit-logits');
  await view.locator('#kind').selectOption('probabilities');
  const numbers = view.locator('#logits');
  await numbers.fill('a: 0.60\nb: 0.20\nc: 0.10\nd: 0.05\ne: 0.03\nf: 0.02');
  const after_ = () => view.locator('.row text.after').allTextContents();
  const shares = ['60.0%', '20.0%', '10.0%', '5.00%', '3.00%', '2.00%'];
  await until(after_, shares);
  await view.locator('logit-knob[data-name=top_p] .box').fill('0.9');
  await view.locator('logit-knob[data-name=top_p] .box').press('Enter');
  const kept = () => view.locator('[data-readout=kept] dd').first().innerText();
  await until(kept, '3 of 6');

  const error = view.locator('section > #error');
  await numbers.fill('a: 0.5\nb: -0.1');
  assert.equal(
    await until(() => error.innerText(), Boolean),
    'A probability must be 0 or more, got -0.1 for entry 2.',
  );
  await numbers.fill('a: 0\nb: 0');
  const none = 'At least one probability must be more than 0.';
  await until(() => error.innerText(), none);
  await view.locator('[data-sample=tailed]').click();
  assert.equal(await view.locator('#kind').inputValue(), 'logits');
  assert.equal(await error.innerText(), '');
  assert.deepEqual(complaints, []);
  await close();
});

test('no knob runs the model, and going back only shortens the cache', async () => {
  const { page, heard, forget, close } = await openOverheard();
  for (let n = 1; n <= 4; n++) {
    await page.locator('[data-command=step]').click();
    await until(() => page.locator('logit-text .step').count(), n);
  }
  const fed = await until(
    () => heard('feed'),
    (all) => all.every(({ result }) => result),
  );
  const [{ session }] = fed;
  for (const { result } of fed.slice(1)) assert.equal(result.evaluated, 1, 'a step runs one token');

  await settle(page);
  await forget();
  const slider = page.locator('logit-knob[data-name=temperature]').getByRole('slider');
  await slider.focus();
  for (let n = 0; n < 8; n++) await page.keyboard.press('ArrowRight');
  await settle(page);
  const said = await page.evaluate(() => window.heard.map(({ method }) => method));
  assert.deepEqual(new Set(said), new Set(['read']), 'bars and draw are one message');
  assert.deepEqual(await heard('feed'), []);

  await page.locator('logit-text .step [data-place]').nth(2).hover();
  await page.locator('logit-alternatives [data-alternative]').first().waitFor();
  await forget();
  await page.locator('logit-alternatives').getByRole('menuitem').last().click();
  await until(() => page.locator('logit-text .step').count(), 2);
  const back = await until(
    async () => (await heard('feed')).filter((sent) => sent.session === session),
    (all) => all.length > 0 && all.every(({ result }) => result),
  );
  for (const { result } of back) {
    assert.ok(result.evaluated <= 1, `${result.evaluated} tokens were run`);
    assert.ok(result.reused >= scope.encode(FIRST).length + 1);
  }
  await close();
});

long('a slow engine skips outdated positions of a slider but shows the last one', async () => {
  const { page, heard, forget, close } = await openOverheard();
  await settle(page);
  const before = await page.locator('logit-knob[data-name=temperature] .box').inputValue();
  await forget();
  await page.locator('logit-knob[data-name=temperature] input[type=range]').evaluate((slider) => {
    for (let i = 0; i < 400; i++) {
      slider.value = String(
        Number(slider.min) + ((Number(slider.max) - Number(slider.min)) * (i % 97)) / 97,
      );
      slider.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    }
  });
  await until(
    () => page.locator('logit-knob[data-name=temperature] .box').inputValue(),
    (text) => text !== before,
  );
  const temperature = Number(
    await page.locator('logit-knob[data-name=temperature] .box').inputValue(),
  );
  await expectBars(page, FIRST, { ...BALANCED, temperature });
  const { length } = await heard('read');
  assert.ok(length >= 1 && length < 40, `${length} questions for 400 moves`);
  await close();
});

long(
  'the prompt can be edited at any time: typing continues during a run and ends it',
  async () => {
    const { page, complaints, close } = await bench.open({ path: '?lang=en&model=stories' });
    await page.locator('logit-text .more > summary').click();
    await page.locator('#stop-at-end').click();
    const speed = page.locator('logit-text input[type=range]');
    await speed.focus();
    await page.keyboard.press('End');
    await page.locator('[data-command=run]').click();
    await page.locator('logit-text .step').nth(4).waitFor();
    const seed = page.locator('logit-draw #seed');
    await unfoldDraw(page);
    await seed.focus();
    await page.keyboard.press('End');
    const typed = '0123456789';
    for (const key of typed) {
      await page.keyboard.press(key);
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    assert.equal(await seed.inputValue(), `42${typed}`);
    assert.equal(
      await page.locator('[data-command=stop]').getAttribute('aria-disabled'),
      'false',
      'still running',
    );

    await page.locator('#prompt').fill('');
    await page.locator('#prompt').pressSequentially('One day a dog');
    assert.equal(await page.locator('#prompt').inputValue(), 'One day a dog');
    await until(() => page.locator('logit-text .step').count(), 0);
    await settle(page);
    assert.equal(await page.locator('logit-text .step').count(), 0);
    assert.deepEqual(complaints, []);
    await close();
  },
);

long(
  'the guide, once skipped before the model loads, stays away although nothing is stored',
  async () => {
    const { page, close } = await bench.open({
      ready: false,
      own: true,
      path: 'source/tests/browser/blank.html',
    });
    await page.addInitScript(() =>
      Object.defineProperty(window, 'localStorage', {
        get() {
          throw new DOMException('refused', 'SecurityError');
        },
      }),
    );
    let release;
    const held = new Promise((resolve) => (release = resolve));
    await page.route('**/*.gguf', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${bench.url}?lang=en`);
    await page.locator('logit-guide [data-guide=skip]').click();
    await page.locator('logit-guide').waitFor({ state: 'detached' });
    release();
    await settle(page);
    await page.locator('logit-landscape .sentence mark').waitFor();
    assert.equal(await page.locator('logit-guide').count(), 0);
    await close();
  },
);

long('the guide, once skipped, stays away', async () => {
  const { page, close } = await bench.open({ first: true, firstScreen: true, ready: false });
  await page.locator('logit-guide [data-guide=skip]').click();
  await page.locator('logit-guide').waitFor({ state: 'detached' });
  await page.reload();
  await page.locator('logit-landscape .sentence mark').waitFor();
  await settle(page);
  assert.equal(await page.locator('logit-guide').count(), 0);
  await close();
});
