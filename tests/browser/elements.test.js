/** Tests single elements in a lesson's page: models by name, the inherited language, and messages of a host page. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { cases, long } from '../long.js';
import { openBench, settle, until } from './bench.js';

let bench;
let host;
/** HTML of the page's body. */
let body = '';
let root = '<html lang="en">';

before(async () => {
  bench = await openBench();
  host = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(
      `<!doctype html>${root}<meta charset="utf-8"><link rel="icon" href="data:,"><body>${body}</body></html>`,
    );
  });
  await new Promise((resolve) => host.listen(0, '127.0.0.1', resolve));
});
after(async () => {
  host?.close();
  await bench?.close();
});

async function openLesson(content, html = '<html lang="en">') {
  body = content;
  root = html;
  const opened = await bench.open({
    path: 'source/tests/browser/blank.html',
    ready: false,
  });
  await opened.page.goto(`http://127.0.0.1:${host.address().port}/`);
  return opened;
}

const script = () => `<script type="module" src="${bench.url}logitscope.js"></script>`;

long(
  'a comparison and a sweep find a model by its name, with its first example and its grammar',
  async () => {
    const { page, complaints, close } = await openLesson(
      `${script()}<logit-compare model="verbs" suite="extremes"></logit-compare>
    <logit-sweep model="verbs" figure="trade" samples="2" max_new_tokens="8"></logit-sweep>`,
    );
    await page.locator('logit-compare .gaps').waitFor();
    assert.equal(await page.locator('logit-compare #prompt').inputValue(), 'Today she');
    const run = page.locator('logit-sweep [data-command=run]');
    await until(() => run.getAttribute('aria-disabled'), 'false');
    await run.click();
    assert.ok(
      (await until(
        () => page.locator('logit-sweep tbody tr').count(),
        (n) => n > 0,
      )) > 0,
    );
    assert.deepEqual(complaints, []);
    await close();
  },
);

long('a landscape that names no model shows the first one, and takes another', async () => {
  const { page, complaints, close } = await openLesson(
    `${script()}<logit-landscape temperature="0"></logit-landscape>`,
  );
  const sentence = page.locator('logit-landscape .sentence');
  const begins = (words) =>
    until(
      () => sentence.innerText(),
      (text) => text.startsWith(words),
    );
  await begins('The soup was too big');
  await page.locator('logit-landscape').evaluate((it) => {
    it.prompt = 'Tomorrow she';
    it.setAttribute('model', 'verbs');
  });
  await begins('Tomorrow she will');
  assert.deepEqual(complaints, []);
  await close();
});

long('an element takes its language from itself, an ancestor or the document', async () => {
  const { page, complaints, close } = await openLesson(
    `${script()}<logit-cost id="whole" model="verbs"></logit-cost>
    <section lang="en"><logit-scope id="around" model="verbs" controls="chain"></logit-scope></section>
    <logit-draw id="british" lang="en-GB" model="verbs" prompt="Today she"></logit-draw>`,
    '<html lang="es-MX">',
  );
  const heading = (id) => page.locator(`#${id} h2:visible`).first().innerText();
  const expected = { whole: 'Coste', around: 'Chain', british: 'Draw' };
  const found = {};
  for (const [id, words] of Object.entries(expected))
    found[id] = await until(() => heading(id), words);
  assert.deepEqual(found, expected);
  await page.locator('#british').evaluate((e) => (e.lang = 'es'));
  await until(() => heading('british'), 'Sorteo');
  await page.evaluate(() => (document.documentElement.lang = 'en'));
  await until(() => heading('whole'), 'Cost');
  assert.equal(await heading('british'), 'Sorteo');
  assert.deepEqual(complaints, []);
  await close();
});

long(
  'an element has the direction of its language, even in a page of the other direction',
  async () => {
    const names = [
      'scope',
      'landscape',
      'distribution',
      'chain',
      'draw',
      'text',
      'compare',
      'sweep',
    ];
    names.push('cost', 'logits', 'speculative', 'lesson');
    const { page, complaints, close } = await openLesson(
      `${script()}<logit-landscape model="verbs"></logit-landscape>`,
      '<html lang="en" dir="rtl">',
    );
    const count = page.locator('logit-landscape [data-command=rain]');
    await count.waitFor();
    const [sign, last] = await count.evaluate((button) => {
      const texts = [...button.childNodes].filter(({ data }) => data?.trim());
      const leftOf = (text, from) => {
        const range = document.createRange();
        range.setStart(text, from);
        range.setEnd(text, from + 1);
        return range.getBoundingClientRect().left;
      };
      return [
        leftOf(texts[0], texts[0].data.indexOf('×')),
        leftOf(texts.at(-1), texts.at(-1).length - 1),
      ];
    });
    assert.ok(sign < last, 'the sign stands before the number');
    const directions = await page.evaluate(
      (all) =>
        Promise.all(
          all.map(async (name) => {
            await customElements.whenDefined(`logit-${name}`); // the landscape shows before all modules are loaded
            const element = document.body.appendChild(document.createElement(`logit-${name}`));
            await element.updateComplete;
            const { direction } = getComputedStyle(element);
            element.remove();
            return direction;
          }),
        ),
      names,
    );
    assert.deepEqual(
      directions,
      names.map(() => 'ltr'),
    );
    assert.deepEqual(complaints, []);
    await close();
  },
);

long(
  'a key that an element uses stops there, any other key reaches the page around it',
  async () => {
    const { page, complaints, close } = await openLesson(
      `<script>
      window.heard = [];
      for (const type of ['keydown', 'keypress', 'keyup'])
        document.addEventListener(type, ({ key }) => heard.push(type + ' ' + key));
    </script>${script()}<logit-scope model="verbs" view="bench"></logit-scope>`,
    );
    await page.locator('logit-distribution .row').first().waitFor();
    await settle(page);
    /** Presses keys at an element. Returns the keys that reach the surrounding page. */
    const heardOf = async (selector, keys) => {
      await page.locator(selector).first().focus();
      await page.evaluate(() => (window.heard.length = 0));
      for (const key of keys) await page.keyboard.press(key);
      const all = await page.evaluate(() => window.heard);
      return all.filter((each) => each.startsWith('keydown ')).map((each) => each.split(' ')[1]);
    };
    const nothing = () => page.evaluate(() => window.heard.length);
    const slider = 'logit-knob[data-name=temperature] input[type=range]';
    const moves = ['ArrowRight', 'ArrowUp', 'PageUp', 'End', 'Home', 'PageDown', 'ArrowLeft'];
    for (const at of [slider, 'logit-draw .strip', '[data-handle=top_p]']) {
      assert.deepEqual(await heardOf(at, moves), [], at);
      assert.equal(await nothing(), 0, `${at}: nor does it hear of their release`);
    }
    assert.deepEqual(await heardOf(slider, ['s', '.', 'Tab', 'F1']), ['s', '.', 'Tab', 'F1']);
    for (const box of ['logit-knob[data-name=temperature] .box', '#prompt']) {
      assert.deepEqual(await heardOf(box, ['.', '1', 'ArrowLeft', 'Backspace']), []);
      assert.equal(await nothing(), 0);
      assert.deepEqual(await heardOf(box, ['Control+a']), ['Control']);
      assert.deepEqual(await heardOf(box, ['Control+k']), ['Control', 'k']);
      const free = box === '#prompt' ? ['Escape'] : []; // a knob's box uses Escape itself: it restores the old value
      assert.deepEqual(await heardOf(box, ['Escape']), free);
    }
    assert.deepEqual(await heardOf('logit-text [data-command=step]', ['Enter', 'Space']), []);
    assert.deepEqual(await heardOf('logit-text [data-command=step]', ['ArrowRight', 'b']), [
      'ArrowRight',
      'b',
    ]);
    await page.locator('logit-distribution summary').click();
    await page.evaluate(() => (window.heard.length = 0));
    const help = 'logit-distribution logit-term button';
    assert.deepEqual(await heardOf(help, ['Enter', 'Escape', 'Escape']), ['Escape'], 'once closed');
    const chart = 'logit-distribution .chart';
    await page.locator(chart).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const menu = page.locator('logit-token-menu [role=menu]');
    await menu.waitFor();
    await page.evaluate(() => (window.heard.length = 0));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    assert.equal(await nothing(), 0);
    assert.deepEqual(complaints, []);
    await close();
  },
);

/** Opens the page in a frame. The host page records the frame's messages and can send messages. */
async function openFrame(query = '') {
  const address = `${bench.url}?lang=en&model=verbs&view=bench${query}`.replaceAll('&', '&amp;');
  const opened = await openLesson(
    `<iframe width="1200" height="900" src="${address}"></iframe><script>
      window.heard = [];
      addEventListener('message', ({ data, source }) => { if (source === frames[0]) heard.push(data); });
      window.ask = (message) => frames[0].postMessage(message, '*');
    </script>`,
  );
  const heard = (type) =>
    opened.page.evaluate((wanted) => heard.filter((m) => m.type === `logitscope:${wanted}`), type);
  await until(
    () => heard('ready'),
    (all) => all.length > 0,
  );
  const frame = opened.page.frameLocator('iframe');
  await frame.locator('logit-distribution .row').first().waitFor();
  return { ...opened, frame, heard };
}

long('the result of a learner’s click has its verdict, and its text has no markup', async () => {
  const { frame, heard, close } = await openFrame('#prompt=Tomorrow%20she&temperature=0&seed=1');
  for (let i = 1; i < 30; i++) {
    if ((await frame.locator('logit-text [data-command=step][aria-disabled=true]').count()) > 0)
      break;
    if ((await heard('result')).length > 0) break;
    await frame.locator('[data-command=step]').click();
    await until(() => frame.locator('logit-text .step').count(), i);
  }
  const [result] = await until(
    () => heard('result'),
    (all) => all.length > 0,
  );
  assert.equal(result.finish_reason, 'eos');
  assert.equal(typeof result.verdict?.right, 'boolean');
  assert.match(result.text, /^[a-z ]+\.?$/);
  assert.equal((await heard('result')).length, 1);
  await close();
});

test('every message of a host is answered, a refused one with a sentence', async () => {
  const { page, heard, close } = await openFrame();
  await page.evaluate(() => {
    const circle = {};
    circle.again = circle;
    const deep = [];
    for (let i = 0, at = deep; i < 2000; i++) at.push((at = []));
    const all = [
      { prompt: 1n },
      { seed: 2n ** 80n },
      { settings: { constraint: circle } },
      { settings: { banned_words: deep } },
      { settings: circle },
      { settings: 'hot' },
      { settings: null },
      { settings: [1] },
      { branch: circle },
      { compare_strategies: [circle] },
      { settings: new Map([[circle, 1n]]), seed: -1 },
      { settings: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`x${i}`, i])) },
    ];
    all.forEach((message, id) => window.ask({ type: 'logitscope:set', id, ...message }));
    window.ask({ type: 'logitscope:get', id: 'last' });
  });
  const answers = await until(
    () => heard('error'),
    (all) => all.length >= 12,
  );
  await until(
    () => heard('state'),
    (all) => all.some(({ id }) => id === 'last'),
  );
  assert.deepEqual(
    answers.map(({ id }) => id),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  );
  for (const { message } of answers) {
    assert.match(message, /^[^\n]+ (was|were) left out: .*\.$/);
    assert.ok(message.length < 1000, message.slice(0, 200));
  }
  assert.match(answers[5].message, /settings=hot \(cannot be read\)/);
  assert.match(answers[11].message, /^5,000 parts were left out: .* and 4,992 more\.$/);
  await close();
});

long('a flood of messages gets one answer each and is worked on at once', async () => {
  const { page, close } = await openFrame();
  const COUNT = cases(5000, 20_000);
  const flood = async (/** @type {number} */ count) => {
    window.heard.length = 0;
    const start = performance.now();
    for (let id = 0; id < count; id++)
      window.ask({
        type: 'logitscope:set',
        id,
        settings: { temperature: 0.5 + id / count },
        ...(id === 7 ? { seed: 99 } : {}),
      });
    window.ask({ type: 'logitscope:get', id: 'last' });
    while (!window.heard.some(({ id }) => id === 'last'))
      await new Promise((r) => setTimeout(r, 20));
    return performance.now() - start;
  };
  // Sends the messages up to three times: one fast set is enough, since another program may slow down the others.
  let ms = Infinity;
  for (let i = 0; i < 3 && ms >= 0.75 * COUNT; i++) ms = await page.evaluate(flood, COUNT);
  assert.ok(ms < 0.75 * COUNT, `${COUNT} messages took ${Math.round(ms)} ms`);
  // Counts inside the page: sending all messages to the test's process would take longer than the answers.
  const { answered, last } = await page.evaluate(() => {
    const states = window.heard.filter(({ type }) => type === 'logitscope:state');
    const ids = states.map(({ id }) => id).filter((id) => typeof id === 'number');
    return { answered: new Set(ids).size, last: states.find(({ id }) => id === 'last') };
  });
  assert.equal(answered, COUNT);
  assert.equal(last.settings.temperature, 0.5 + (COUNT - 1) / COUNT);
  assert.equal(last.seed, 99, 'what an earlier one set stays');
  await close();
});

long('a host sets a view and its choices, and hears of them', async () => {
  const { page, frame, heard, close } = await openFrame();
  await page.evaluate(() =>
    window.ask({ type: 'logitscope:set', id: 1, view: 'compare', compare_suite: 'extremes' }),
  );
  await frame.locator('logit-compare .gaps').waitFor();
  const [state] = await until(
    async () => (await heard('state')).filter(({ id }) => id === 1),
    (all) => all.length > 0,
  );
  assert.deepEqual([state.view, state.compare_suite], ['compare', 'extremes']);
  await frame.locator('logit-compare #suite').selectOption('searches');
  const told = async () => (await heard('state')).at(-1).compare_suite;
  await until(told, 'searches');
  await close();
});
