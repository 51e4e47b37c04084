/** Tests the parts of <logit-landscape> separately: lines, input, content and clock. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Content } from '../../web/views/landscape/content.js';
import { FrameClock } from '../../web/views/landscape/frame-clock.js';
import { Input } from '../../web/views/landscape/input.js';
import { Lines } from '../../web/views/landscape/lines.js';
import { Loop } from '../../web/views/landscape/loop.js';
import { breakLines } from '../../web/base/svg-lines.js';

const ROW = {
  name: 'temperature',
  kind: 'real',
  low: 0,
  high: 3,
  step: 0.01,
  neutral: 1,
  sampler: true,
};

/** Returns the lines of a landscape, with a stand-in for their element that records events. */
function openLines() {
  const events = [];
  const owner = {
    table: [ROW],
    knob: null,
    asked: { temperature: 1 },
    seed: 7,
    u: null,
    drawnU: 0.25,
    emit: (type, detail) => events.push([type, detail]),
    began: () => events.push(['began']),
    plays: () => events.push(['plays']),
    moved: () => {},
    requestUpdate: () => {},
  };
  return { lines: new Lines(owner), owner, events };
}

test('a move of the lines tells the page once', () => {
  const { lines, owner, events } = openLines();
  assert.deepEqual(lines.crossing, { share: 1 / 3, u: 0.25 });
  lines.begin();
  lines.moveTo({ share: 0.5, u: 0.9 });
  assert.deepEqual([lines.knob.value, owner.u], [1.5, 0.9]);
  lines.tell();
  assert.deepEqual(events.slice(2), [
    ['logit-set', { temperature: 1.5 }],
    ['logit-choose', { u: 0.9 }],
  ]);
});

test('the page’s settings replace local changes, except a knob in a drag', () => {
  const { lines } = openLines();
  lines.move({ value: 2 }, false);
  lines.take({ temperature: 0.5, top_p: 0.9 }, true);
  assert.equal(lines.knob.value, 2);
  lines.take({ temperature: 0.5, top_p: 0.8 }, false);
  assert.equal(lines.knob.value, 0.5);
});

test('Play returns the knob to its value, and a stopped Play leaves it in place', () => {
  const { lines, events } = openLines();
  lines.play();
  const names = events.map(([name]) => name);
  assert.deepEqual([names.includes('plays'), names.includes('began')], [true, false]);
  lines.advance(performance.now() + lines.run.ms / 2, false);
  assert.ok(Math.abs(lines.knob.value - 1.5) < 0.01);
  lines.goHome();
  assert.equal(lines.knob.value, 1);
  lines.play();
  lines.advance(performance.now() + lines.run.ms / 2, false);
  lines.stop();
  assert.equal(lines.knob.value, 1.5);
});

test('keys move the line with the focus, and the other one with Shift', () => {
  const { lines, owner } = openLines();
  const input = new Input(lines, () => {});
  const key = (name, shiftKey = false) => ({ key: name, shiftKey, preventDefault() {} });
  input.onKey(key('End'), 'knob');
  assert.equal(lines.knob.value, 3);
  input.onKey(key('ArrowDown', true), 'knob');
  assert.equal(owner.u, 0.26);
});

test('content requests only another crossing, and tells when a comparison ends', async () => {
  const news = [];
  const content = new Content((name) => news.push(name));
  const source = {
    moveTo: async () => {},
    read: async () => ({
      trace: { tokens: [{ id: 3 }] },
      drawn: { id: 3, rank: 1 },
    }),
    landscape: async () => ({ top: 1, ids: [], p: [] }),
    piece: async (id) => ({ id, text: ` ${id}` }),
  };
  content.open({ source, writer: null, ids: [1], empty: false, lacks: () => false }, []);
  const crossing = {
    past: [],
    settings: { temperature: 1 },
    knob: 'temperature',
    value: 1,
    u: null,
  };
  content.compare();
  content.ask(crossing);
  content.ask(crossing);
  assert.deepEqual(news, ['asked']);
  while (content.reader.busy || !content.current) await new Promise(setImmediate);
  await new Promise(setImmediate);
  assert.ok(content.turn > 0);
  assert.deepEqual([content.names.of(3), content.current.drawn.id], ['3', 3]);
  content.ask({ ...crossing, settings: { temperature: 1, top_p: 0.9 } });
  assert.equal(news.filter((name) => name === 'compared').length, 1);
  assert.equal(content.current, null);
});

test('answers of a closed model are not shown', async () => {
  const news = [];
  const content = new Content((name) => news.push(name));
  let fail = () => {};
  const named = new Promise((_, reject) => (fail = reject));
  const open = (piece) => {
    const source = {
      moveTo: async () => {},
      read: async () => ({ trace: { tokens: [] }, drawn: { id: 3, rank: 1 } }),
      landscape: async (_settings, _knob, { length }) => ({
        top: 1,
        ids: new Uint32Array(length).fill(3),
        p: new Float64Array(length).fill(1),
      }),
      piece,
    };
    const subject = { source, writer: null, ids: [1], empty: false, close() {} };
    content.open(subject, [ROW]);
  };
  open(() => named);
  content.ask({ past: [], settings: {}, knob: 'temperature', value: 1, u: null });
  while (content.reader.busy) await new Promise(setImmediate);
  content.close();
  open(async (id) => ({ id, text: ` ${id}` }));
  fail(new Error('closed'));
  await new Promise(setImmediate);
  assert.deepEqual(news, ['asked']);
  content.close();
});

test('the clock joins requests between two frames', async () => {
  /** @type {((now: number) => void)[]} */
  const frames = [];
  globalThis.requestAnimationFrame = (act) => frames.push(act);
  globalThis.cancelAnimationFrame = () => {};
  const seen = [];
  const clock = new FrameClock(
    (now) => seen.push(now),
    () => seen.push('readout'),
  );
  clock.askFrame();
  clock.askFrame();
  assert.equal(frames.length, 1);
  frames[0](5);
  clock.askReadout();
  clock.askReadout();
  assert.ok(clock.due);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(seen, [5, 'readout']);
  assert.equal(clock.due, false);
});

test('a loop begins and ends at its value and visits both ends of the range', () => {
  const loop = new Loop(0.7);
  loop.begin(1000);
  const at = (ms) => loop.at(1000 + ms, false, ROW);
  assert.deepEqual(at(0), { value: 0.7, ended: false });
  assert.deepEqual(at(4000), { value: 0.7, ended: true });
  const values = Array.from({ length: 400 }, (_, i) => at(10 * i).value);
  assert.ok(Math.min(...values) < 0.01 && Math.max(...values) > 2.99);
  const leap = values.map((value, i) => Math.abs(value - (values[i - 1] ?? 0.7)));
  assert.ok(Math.max(...leap) < 0.05, 'no leap');
  const stepped = Array.from({ length: 400 }, (_, i) => loop.at(1000 + 10 * i, true, ROW).value);
  assert.ok(new Set(stepped).size <= 17, 'few steps with reduced motion');
});

test('a line breaks between words, never between the tokens of a word', () => {
  const parts = ['The soup was', ' spec', 'ial', ', j', 'ewels', '.'];
  const lines = (width, most) =>
    breakLines(
      parts.map((text, i) => ({ text, lit: i === 1 })),
      (text) => text.length,
      width,
      most,
    ).map((line) => line.map(({ text }) => text).join(''));
  assert.deepEqual(lines(100, 2), ['The soup was special, jewels.']);
  assert.deepEqual(lines(26, 2), ['The soup was special,', 'jewels.']);
  assert.deepEqual(lines(15, 2), ['The soup was', 'special, …']);
  const [, second] = breakLines(
    [
      { text: 'a', lit: false },
      { text: ' b', lit: true },
    ],
    () => 9,
    10,
    2,
  );
  assert.deepEqual(second, [{ text: 'b', lit: true }]);
});
