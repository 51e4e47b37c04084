/**
 * Measures in Chromium the milliseconds from a move of the temperature slider to the frame with the new bars. Also
 * measures the smoothness of landscape, twin, bench and the river of the stages (value, place) in a drag of four
 * seconds, beside the drag of an empty element over the bench, and of bench and landscape while a sweep in another page
 * uses all cores but one. node tests/bench/drag.js [--moves N] [--sweep]: only the last
 *
 * Models: the shipped ones, also with the processor slowed to a quarter, and random logits over large vocabularies.
 * Slider and bars are visible, and each frame has one move. The times end at these events. "ready": the document has
 * the new bars; "shown": the next frame begins; "painted": the main thread has painted this frame. For a drag, the
 * output is the number of frames, at most 240, and the main thread's time per move.
 */
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../../web/build.js';
import { serve } from '../../web/serve.js';
import { launchChromium } from './chromium.js';
import { dragEmpty, dragLandscape, dragStage, turnKnob } from './hand.js';
import { modelFile } from './models.js';
import { samplerShape } from './shapes.js';

const at = process.argv.indexOf('--moves');
const ONLY_SWEEP = process.argv.includes('--sweep');
const MOVES = at > 0 ? Number(process.argv[at + 1]) : 240;
const SHIPPED = ['verbs', 'stories', 'shakespeare'];
const VOCABULARIES = [128256, 262144];

/** Runs in the page: measures the time from each slider input to the new bars. */
function record(/** @type {number} */ moves) {
  const scope = /** @type {any} */ (document.querySelector('logit-scope')).shadowRoot;
  const bench = scope.querySelector('logit-bench').shadowRoot;
  const bars = bench.querySelector('logit-distribution');
  const knob = bench
    .querySelector('logit-chain')
    .shadowRoot.querySelector('[data-name=temperature]');
  const slider = knob.shadowRoot.querySelector('input[type=range]');
  const value = () =>
    bars.trace?.stages.find((/** @type {any} */ s) => s.name === 'temperature')?.value;
  let follow = () => {};
  const perform = bars.performUpdate;
  bars.performUpdate = () => {
    perform.call(bars);
    follow();
  };
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  /** Resolves in the first task after a frame. */
  const painted = () =>
    new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = resolve;
      port2.postMessage(null);
    });
  const low = Number(slider.min);
  const high = Number(slider.max);
  return (async () => {
    /** @type {{ ready: number[], shown: number[], painted: number[] }} */
    const times = { ready: [], shown: [], painted: [] };
    for (let i = 0; i < moves; i++) {
      await frame();
      const before = value();
      slider.value = String(low + ((high - low) * (1 + Math.sin(i / 9))) / 2);
      if (Number(slider.value) === before) continue;
      const followed = new Promise((resolve) => {
        follow = () => value() !== before && resolve(null);
      });
      const from = performance.now();
      slider.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
      await followed;
      times.ready.push(performance.now() - from);
      await frame();
      times.shown.push(performance.now() - from);
      await painted();
      times.painted.push(performance.now() - from);
    }
    return times;
  })();
}

/** Duration of a drag, in ms. */
const DRAG_MS = 4000;
/** Drags alone and beside a sweep. */
const TURNS = 3;

/** @param {number[]} values @param {number} share */
const quantile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];

/** Opens a view of the page at rest. @param {string} query @param {number} width @param {number} height */
async function openView(query, width, height) {
  const page = await (await browser.newContext({ viewport: { width, height } })).newPage();
  await page.addInitScript(() => localStorage.setItem('logitscope-guide', 'seen'));
  await page.goto(`${server.url}?${query}`);
  await page.locator('logit-scope').evaluate((/** @type {any} */ scope) => scope.settled());
  // A first visit installs the service worker, which would take frames from the drag.
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
  return page;
}

/**
 * Compares the frames of a drag alone and beside a sweep of another page, in turns. Writes a row of their medians, and of
 * the points that the sweep measured in a drag.
 * @param {string} view
 * @param {import('playwright-core').Page} other the page of the sweep
 */
async function dragBesideSweep(view, other) {
  const page = await openView(`view=${view}`, 1440, 900);
  const drag = (/** @type {number} */ ms) =>
    view === 'bench'
      ? page.evaluate(turnKnob, { name: 'temperature', ms })
      : page.evaluate(dragLandscape, { ms });
  const sweep = other.locator('logit-sweep');
  const points = () => sweep.evaluate((/** @type {any} */ { run }) => run.points.length);
  await drag(1000);
  /** @type {number[][]} */
  const [alone, beside, measured] = [[], [], []];
  for (let turn = 0; turn < TURNS; turn++) {
    await page.bringToFront();
    alone.push(await drag(DRAG_MS));
    await sweep.locator('[data-command=run]').click();
    await page.bringToFront();
    const before = await points();
    beside.push(await drag(DRAG_MS));
    measured.push((await points()) - before);
    await sweep.locator('[data-command=cancel]').click();
  }
  const cells = [alone, beside, measured].map((values) => quantile(values, 0.5));
  process.stdout.write(`| ${view} | ${other.workers().length} | ${cells.join(' | ')} |\n`);
  await page.context().close();
}

const dist = await mkdtemp(join(tmpdir(), 'logitscope-drag-'));
await build(dist);
const random = VOCABULARIES.map((size) => `models/V${size}.gguf`);
for (const [i, size] of VOCABULARIES.entries())
  await copyFile(modelFile(samplerShape(size), 'f32'), join(dist, random[i]));
const server = await serve(dist);
const browser = await launchChromium();
/** Measures the time from a move of the temperature slider to the new bars. */
async function measureMoves() {
  process.stdout.write(
    '| model | processor | moves | ready ms, median | 95 % | shown | 95 % | painted | 95 % |\n',
  );
  process.stdout.write('|---|---|---|---|---|---|---|---|---|\n');
  for (const slow of [1, 4]) {
    for (const model of slow === 1 ? [...SHIPPED, ...random] : SHIPPED) {
      const viewport = { width: 1440, height: 900 };
      const page = await (
        await browser.newContext({ reducedMotion: 'reduce', viewport })
      ).newPage();
      await page.addInitScript(() => localStorage.setItem('logitscope-guide', 'seen'));
      await page.goto(`${server.url}?model=${model}&view=bench`);
      await page.locator('logit-distribution .row').first().waitFor();
      await page.locator('[data-name=temperature] input[type=range]').scrollIntoViewIfNeeded();
      const client = await page.context().newCDPSession(page);
      await client.send('Emulation.setCPUThrottlingRate', { rate: slow });
      const { ready, shown, painted } = await page.evaluate(record, MOVES);
      const cells = [ready, shown, painted].flatMap((times) => [
        quantile(times, 0.5),
        quantile(times, 0.95),
      ]);
      process.stdout.write(
        `| ${model} | ${slow === 1 ? 'whole' : `1/${slow}`} | ${ready.length} | ` +
          `${cells.map((ms) => ms.toFixed(1)).join(' | ')} |\n`,
      );
      await page.context().close();
    }
  }
}

/** The rivers need stages to drag, the twin its knob. @type {Record<string, string>} */
const STATE = {
  twin: '#landscape_knob=top_p&top_p=0.9&landscape_twin=true',
  turn: '#temperature=1.3&top_k=40&top_p=0.9&min_p=0.05',
  move: '#temperature=1.3&top_k=40&top_p=0.9&min_p=0.05',
  empty: '#temperature=1.3&top_k=40&top_p=0.9&min_p=0.05',
};
/** @type {Record<string, string>} */
const VIEWS = { twin: 'landscape', turn: 'bench', move: 'bench', empty: 'bench' };

/** Measures the smoothness of each picture under a drag. */
async function measureDrags() {
  process.stdout.write(`\nChromium ${browser.version()}, a drag of ${DRAG_MS / 1000} s\n`);
  process.stdout.write(
    '| view | width | processor | frames | ms a move |\n|---|---|---|---|---|\n',
  );
  for (const view of ['landscape', 'twin', 'bench', 'turn', 'move', 'empty']) {
    for (const [width, height] of [
      [1440, 900],
      [375, 812],
    ]) {
      for (const slow of [1, 4]) {
        const page = await openView(
          `view=${VIEWS[view] ?? view}${STATE[view] ?? ''}`,
          width,
          height,
        );
        const drag = (/** @type {number} */ ms) =>
          ['landscape', 'twin'].includes(view)
            ? page.evaluate(dragLandscape, { ms })
            : view === 'bench'
              ? page.evaluate(turnKnob, { name: 'temperature', ms })
              : view === 'empty'
                ? page.evaluate(dragEmpty, { ms })
                : page.evaluate(dragStage, { name: 'top_k', ms, across: view === 'move' });
        await drag(1000);
        const client = await page.context().newCDPSession(page);
        await client.send('Performance.enable');
        await client.send('Emulation.setCPUThrottlingRate', { rate: slow });
        const taskSeconds = async () =>
          (await client.send('Performance.getMetrics')).metrics.find(
            ({ name }) => name === 'TaskDuration',
          )?.value ?? 0;
        const before = await taskSeconds();
        const frames = await drag(DRAG_MS);
        const ms = (1000 * ((await taskSeconds()) - before)) / frames;
        process.stdout.write(
          `| ${view} | ${width} | ${slow === 1 ? 'whole' : `1/${slow}`} | ${frames} | ${ms.toFixed(1)} |\n`,
        );
        await page.context().close();
      }
    }
  }
}

/** Measures a drag beside a sweep. */
async function measureBesideSweep() {
  const long = '#sweep_figure=penalty&sweep_samples=100&sweep_max_new_tokens=40';
  const other = await openView(`view=sweep&model=stories${long}`, 1440, 900);
  process.stdout.write(
    `\nA drag of ${DRAG_MS / 1000} s alone and beside a sweep of another page: medians of ${TURNS} turns\n`,
  );
  process.stdout.write('| view | workers | frames alone | frames beside | points of the sweep |\n');
  process.stdout.write('|---|---|---|---|---|\n');
  for (const view of ['bench', 'landscape']) await dragBesideSweep(view, other);
}

if (!ONLY_SWEEP) {
  await measureMoves();
  await measureDrags();
}
await measureBesideSweep();
await browser.close();
await server.close();
await rm(dist, { recursive: true });
