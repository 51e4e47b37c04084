/**
 * Tests the page with the keyboard only. Tab must reach every control of every view once, in both directions; each
 * control must be visible and have a focus ring. Then each type of control must work by keys.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { long } from '../long.js';
import { openBench, settle, unfoldView, until } from './bench.js';
import { VIEW_NAMES } from '../../web/state/fields.js';
import { closed } from '../cleanup.js';

/** The smallest allowed side of a target, in CSS pixels (WCAG 2.5.8). */
const TARGET = 24;

const bench = closed(await openBench());

/** Runs in the page: records a description of each element that receives the focus. */
function watchFocus() {
  const order = new Map();
  /**
   * Returns the elements that may show the focus ring if this element has the focus: itself, its label and its
   * parent.
   */
  const parts = (element) => {
    const root = element.getRootNode();
    const label =
      element.closest('label') ?? (element.id && root.querySelector(`label[for="${element.id}"]`));
    return [
      element,
      ...(label ? [label] : []),
      ...(element.parentElement ? [element.parentElement] : []),
    ];
  };
  const look = (element) =>
    parts(element)
      .map((part) => {
        const {
          outlineStyle,
          outlineWidth,
          outlineColor,
          boxShadow,
          borderColor,
          backgroundColor,
        } = getComputedStyle(part);
        return [
          outlineStyle === 'none' ? '' : outlineWidth + outlineColor,
          boxShadow,
          borderColor,
          backgroundColor,
        ].join();
      })
      .join('|');
  const describe = (element) => {
    const host = element.getRootNode().host;
    const own = [
      'id',
      'data-command',
      'data-view',
      'data-name',
      'data-place',
      'data-handle',
      'data-action',
      'data-do',
      'class',
      'name',
      'value',
    ]
      .map((name) => element.getAttribute(name) && `${name}=${element.getAttribute(name)}`)
      .find(Boolean);
    return `${host?.localName ?? ''}${host?.dataset?.name ? `[${host.dataset.name}]` : ''} ${element.localName}${own ? `[${own}]` : ''}`;
  };
  window.met = [];
  let last = null;
  let heard = null;
  const onFocus = (event) => {
    if (event === heard) return;
    heard = event;
    const [element] = event.composedPath();
    if (last?.element === element) return; // this element already had the focus
    if (last) last.entry.left = look(last.element);
    if (!order.has(element)) order.set(element, order.size);
    const [, label] = parts(element);
    const painted =
      getComputedStyle(element).opacity === '0' || getComputedStyle(element).clipPath !== 'none'
        ? label
        : element;
    const boxes = [element, ...(element.closest('label') ? [element.closest('label')] : [])].map(
      (each) => each.getBoundingClientRect(),
    );
    const box = (painted ?? element).getBoundingClientRect();
    const [x, y] = [
      box.left + Math.min(box.width, innerWidth) / 2,
      Math.max(0, box.top) + Math.min(box.height, innerHeight) / 2,
    ];
    let hit = document.elementFromPoint(x, y);
    while (hit?.shadowRoot?.elementFromPoint(x, y)) {
      const inner = hit.shadowRoot.elementFromPoint(x, y);
      if (inner === hit) break;
      hit = inner;
    }
    const within = (node, wanted) => {
      for (let at = node; at; at = at.parentNode ?? at.host) if (at === wanted) return true;
      return false;
    };
    const seen = hit && [element, painted].some((each) => within(hit, each) || within(each, hit));
    window.met.push({
      key: order.get(element),
      name: describe(element),
      width: Math.max(
        ...boxes.map(({ width }) => width),
        painted === label && label ? box.width : 0,
      ),
      height: Math.max(
        ...boxes.map(({ height }) => height),
        painted === label && label ? box.height : 0,
      ),
      inside: box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight,
      covered: !seen,
      focused: look(element),
    });
    const entry = window.met.at(-1);
    last = { element, entry };
  };
  // If the focus changes within a shadow tree, only that tree fires the event, so each tree has its own listener.
  const watch = (root) => {
    root.addEventListener('focusin', onFocus);
    for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) watch(shadowRoot);
  };
  watch(document);
}

/** Presses `key` (Tab or Shift+Tab) until the focus is back at the start; returns each element once, in order. */
async function walk(page, key) {
  const met = () => page.evaluate(() => window.met);
  await page.evaluate(() => (window.met.length = 0));
  for (let turn = 0, before = 0; turn < 40; turn++) {
    for (let i = 0; i < 12; i++) await page.keyboard.press(key);
    await settle(page);
    const found = await met();
    const again = found.findIndex((one, i) => i > 0 && one.key === found[0].key);
    if (again > 0) return found.slice(0, again);
    // In a code editor, Tab indents the line. After Escape, Tab leaves the editor.
    if (found.length - before < 12) await page.keyboard.press('Escape');
    before = found.length;
  }
  assert.fail(`${key} never comes round: ${(await met()).slice(-6).map(({ name }) => name)}`);
}

/** Returns the focusable elements without an accessible name. */
async function nameless(page) {
  const client = await page.context().newCDPSession(page);
  const { nodes } = await client.send('Accessibility.getFullAXTree');
  await client.detach();
  return nodes
    .filter(({ ignored, role, name, properties = [] }) => {
      const focusable = properties.some((one) => one.name === 'focusable' && one.value.value);
      return focusable && !ignored && role.value !== 'RootWebArea' && !name?.value?.trim();
    })
    .map(({ role }) => role.value);
}

/** Opens a view with its results and with all folds open. */
async function openView(name) {
  const opened = await bench.open({ fresh: true });
  const { page } = opened;
  await unfoldView(page, name);
  return opened;
}

/** Moves each slider by all slider keys. Returns their number. */
async function moveSliders(page) {
  const sliders = page.locator(
    '[role=slider]:visible, [role=separator][tabindex]:visible, input[type=range]:visible',
  );
  const count = await sliders.count();
  for (let i = 0; i < count; i++) {
    const slider = sliders.nth(i);
    const value = () => slider.evaluate((it) => it.value ?? it.getAttribute('aria-valuenow'));
    const name = await slider.evaluate(
      (it) => it.getAttribute('aria-label') ?? it.labels?.[0]?.innerText,
    );
    await slider.focus();
    let now = await value();
    /** Presses a key and waits for its effect; returns true if the value changes. */
    const press = async (key) => {
      const before = now;
      await page.keyboard.press(key);
      await settle(page);
      now = await value();
      return now !== before;
    };
    await press('Home');
    // The last key leaves the value at which the slider removes the fewest tokens, so that the next slider has some
    // to remove.
    const moved = {
      ArrowRight: await press('ArrowRight'),
      Home: await press('Home'),
      End: await press('End'),
      Page: (await press('PageUp')) || (await press('PageDown')),
      again: await press('End'),
      ArrowLeft: await press('ArrowLeft'),
      left: await press('End'),
    };
    assert.deepEqual(
      Object.keys(moved).filter((key) => !moved[key]),
      [],
      name,
    );
    assert.match(
      (await slider.getAttribute('aria-valuetext')) ?? '',
      /[\p{L}\d]/u,
      `${name} in words`,
    );
  }
  return count;
}

for (const name of VIEW_NAMES)
  long(`Tab goes through the whole view and back, and the sliders answer: ${name}`, async () => {
    const { page, close } = await openView(name);
    await page.evaluate(watchFocus);
    await page.evaluate(() => {
      document.activeElement?.blur();
      scrollTo(0, 0);
    });
    const there = await walk(page, 'Tab');
    const keys = (met) => met.map(({ key }) => key);
    assert.equal(new Set(keys(there)).size, there.length, 'each once');
    const back = await walk(page, 'Shift+Tab');
    assert.deepEqual(keys(back).sort(), keys(there).sort(), 'the same on the way back');
    const bad = there.flatMap(({ name: what, focused, left, inside, covered, width, height }) => [
      ...(focused === left ? [`${what} shows no focus`] : []),
      ...(inside ? [] : [`${what} is off the screen`]),
      ...(covered ? [`${what} is covered`] : []),
      // Narrow tokens are allowed: WCAG 2.5.8 exempts targets within a line of text.
      ...((width < TARGET && !/^logit-tape span/.test(what)) || height < TARGET
        ? [`${what} is ${width} x ${height}`]
        : []),
    ]);
    assert.deepEqual(bad, []);
    assert.deepEqual(await nameless(page), []);
    const sliders = await moveSliders(page);
    if (name === 'bench') assert.ok(sliders >= 9, `${sliders} sliders`);
    await close();
  });

/** Returns the name of the shadow host of the focused element, and an attribute that identifies the element in it. */
function focused(page) {
  return page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    const host = element.getRootNode().host?.localName ?? '';
    const { dataset, id, className } = element;
    return `${host} ${id || Object.values(dataset).join('/') || className || element.localName}`.trim();
  });
}

/**
 * For each panel: the fold around it, if any; the element that opens it; the keys; and the part that Escape must
 * close.
 */
const OPENS = {
  'menu of a bar': {
    from: 'logit-distribution .chart',
    keys: ['ArrowDown', 'Enter'],
    opens: 'logit-token-menu [role=menu]',
  },
  'menu of a drawn token': {
    from: '.step [data-place]',
    keys: ['ArrowDown'],
    opens: 'logit-alternatives [role=menu]',
  },
  'explanation of a word': {
    fold: 'logit-distribution summary',
    from: 'logit-distribution logit-term button',
    keys: ['Enter'],
    opens: 'logit-distribution logit-term p:popover-open',
  },
  'panel for sending': {
    from: '[data-command=share]',
    keys: ['Enter'],
    opens: 'logit-send dialog[open]',
  },
  tour: { from: '[data-guide=show]', keys: ['Enter'], opens: 'logit-guide section' },
};

long('Escape closes a panel that a key opened, and the focus returns', async () => {
  const { page, close } = await bench.open();
  await page.locator('[data-command=step]').press('Enter');
  await page.locator('.step').waitFor();
  for (const [what, { fold, from, keys, opens }] of Object.entries(OPENS)) {
    if (fold) await page.locator(fold).press('Enter');
    await page.locator(from).first().focus();
    const before = await focused(page);
    for (const key of keys) await page.keyboard.press(key);
    await page.locator(opens).first().waitFor();
    if (what === 'tour') await page.locator('[data-guide=next]').focus();
    await settle(page);
    await page.keyboard.press('Escape');
    await page.locator(opens).first().waitFor({ state: 'detached' });
    await until(() => focused(page), before);
  }
  await close();
});

long('keys move cards, open the menus of bars and tokens, and walk branches', async () => {
  const { page, close } = await bench.open();
  const order = () =>
    page
      .locator('logit-chain .card')
      .evaluateAll((cards) => cards.map(({ dataset }) => dataset.stage).join());
  const first = await order();
  await page.locator('.card[data-stage=temperature] .plug').focus();
  for (const key of ['Space', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  await until(order, /top_p,temperature$/);
  for (const key of ['Enter', 'ArrowUp', 'Escape']) await page.keyboard.press(key);
  assert.match(await order(), /top_p,temperature$/, 'Escape puts it back');
  await page.locator('[data-command=canonical]').press('Enter');
  await until(order, first);

  // In the menu of the third bar, Enter puts that bar's token in place of the drawn token.
  const ids = await page
    .locator('logit-distribution .row')
    .evaluateAll((rows) => rows.map(({ dataset }) => dataset.id));
  await page.locator('logit-distribution .chart').focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter'])
    await page.keyboard.press(key);
  await page.locator('logit-token-menu [data-item=force]').waitFor();
  await page.keyboard.press('Enter');
  const steps = () =>
    page
      .locator('.step [data-place]')
      .evaluateAll((all) => all.map(({ dataset }) => dataset.id).join());
  assert.equal(await until(steps, (now) => now === ids[2]), ids[2]);

  // Choosing another token makes a branch. The list of branches leads back to the first one.
  await page.locator('.step [data-place]').focus();
  await page.keyboard.press('ArrowDown');
  await page.locator('logit-alternatives [data-alternative]').first().waitFor();
  await page.keyboard.press('Enter');
  const other = await until(steps, (now) => now !== ids[2]);
  assert.notEqual(other, ids[2]);
  await page.locator('logit-text .more > summary').press('Enter');
  await page.locator('logit-branches [role=option][tabindex="0"]').focus();
  await page.keyboard.press('Home');
  assert.equal(await until(steps, (now) => now === ids[2]), ids[2]);
  await page.keyboard.press('End');
  await until(steps, other);
  await close();
});

const steps = (page) => page.locator('logit-text .step').count();
const viewOf = (page) => page.locator('logit-scope').evaluate((it) => it.view);
async function press(page, key) {
  await page.keyboard.press(key);
  await settle(page);
}

test('single keys run the most frequent commands, not in a text box, and can be turned off', async () => {
  const { page, complaints, close } = await bench.open();
  await page.evaluate(() => document.activeElement?.blur());
  for (const [key, count] of [
    ['s', 1],
    ['s', 2],
    ['b', 1],
    ['Control+b', 1],
    ['s', 2],
    ['x', 0],
  ]) {
    await press(page, key);
    await until(() => steps(page), count);
  }
  // In a text box, the shortcut keys are letters.
  await press(page, 'e');
  assert.match(await focused(page), /logit-text prompt/);
  const before = await page.locator('#prompt').inputValue();
  await page.keyboard.type('s2');
  assert.equal(await page.locator('#prompt').inputValue(), `${before}s2`);
  assert.equal(await viewOf(page), 'bench');
  await page.locator('#prompt').fill(before);
  await page.locator('#prompt').press('Enter');
  await settle(page);

  // The question mark opens the list of shortcuts. If shortcuts are off, no key works, and the menu has the list.
  await page.locator('logit-text [data-command=step]').focus();
  await press(page, '?');
  const dialog = page.locator('logit-shortcuts dialog');
  await dialog.waitFor();
  assert.equal(await dialog.locator('dt').count(), 12);
  await page.locator('logit-shortcuts #on').press('Space');
  await press(page, 'Escape');
  assert.equal(await dialog.isVisible(), false);
  assert.match(await focused(page), /logit-text step/);
  const had = await steps(page);
  await press(page, 's');
  await press(page, '?');
  assert.deepEqual([await steps(page), await dialog.isVisible()], [had, false]);
  await page.locator('logit-preferences [popovertarget]').click();
  await page.locator('logit-preferences [data-command=shortcuts]').click();
  await dialog.waitFor();
  await page.locator('logit-shortcuts #on').press('Space');
  await press(page, 'Escape');
  await page.locator('logit-chain h2').click();
  await press(page, 's');
  assert.equal(await steps(page), had + 1);
  assert.deepEqual(complaints, []);
  await close();
});

long(
  'single keys also change the seed and the view, on a slider too, if there are views',
  async () => {
    const { page, complaints, close } = await bench.open();
    const offer = (controls) =>
      page.locator('logit-scope').evaluate((it, asked) => (it.controls = asked), controls);
    await page.evaluate(() => document.activeElement?.blur());
    const seed = () => page.locator('logit-draw #seed').inputValue();
    const first = await seed();
    await press(page, 'n');
    assert.notEqual(await seed(), first);
    await press(page, 'd');
    assert.equal(await page.locator('logit-draw .result').getAttribute('data-total'), '1000');
    await press(page, 't');
    assert.match(await focused(page), /^logit-knob/);
    await press(page, 'ArrowRight');
    await press(page, 's');
    assert.equal(await steps(page), 1, 'on a slider too');
    await press(page, '3');
    assert.equal(await viewOf(page), 'compare');
    await press(page, 's');
    assert.equal(await viewOf(page), 'compare');
    await press(page, '2');
    assert.equal(await steps(page), 1, 'the bench alone has steps');

    // If the views have no tabs, a number key does nothing.
    await offer('chain,model');
    await settle(page);
    await press(page, '3');
    assert.equal(await viewOf(page), 'bench');
    await offer(''); // offers all views again, since the next test may reuse this page
    assert.deepEqual(complaints, []);
    await close();
  },
);
