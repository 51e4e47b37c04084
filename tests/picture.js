/**
 * Makes two pictures from the built page: the animation docs/logitscope.webp of README.md, and web/preview.png for
 * link previews, the picture of the first screen with a digest of its numbers. In the animation a pointer drags the
 * temperature along the landscape. `node tests/picture.js preview` makes only web/preview.png.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { PICTURE, digestOf, withDigest } from '../web/preview.js';
import { serve } from '../web/serve.js';
import { firstFrame } from '../web/first-frame.js';
import { LAUNCH } from './chromium.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const ADDRESS =
  '?view=landscape&lang=en&theme=light#prompt=Lily%20wanted%20to&temperature=0.7&seed=42';
/** The temperatures that the pointer reaches in turn, from 0.7, each with its number of frames. */
const WAY = [
  { to: 0.15, frames: 14 },
  { to: 2, frames: 28 },
  { to: 0.7, frames: 20 },
];
/** Duration of a frame and of the last frame of each drag, in ms. */
const FRAME = 80;
const PAUSE = 600;
const QUALITY = 0.78;
const SIZE = { width: 1040, height: 498 };
const MOST_BYTES = 1e6;

/** Returns temperature and duration of each frame; the pointer accelerates and brakes smoothly. */
function frames() {
  let from = 0.7;
  return WAY.flatMap(({ to, frames }) => {
    const start = from;
    from = to;
    return Array.from({ length: frames }, (_, i) => ({
      temperature: start + ((to - start) * (1 - Math.cos((Math.PI * (i + 1)) / frames))) / 2,
      ms: i + 1 < frames ? FRAME : PAUSE,
    }));
  });
}

/** Yields each chunk of a WebP image as [name, bytes with header and padding]. @param {Buffer} image */
function* chunksOf(image) {
  for (let at = 12; at < image.length; ) {
    const size = 8 + image.readUInt32LE(at + 4);
    yield/** @type {const} */ ([
      image.toString('latin1', at, at + 4),
      image.subarray(at, at + size + (size % 2)),
    ]);
    at += size + (size % 2);
  }
}

/** Makes a chunk of a WebP file. @param {string} name @param {(Buffer | Uint8Array)[]} parts */
function chunk(name, ...parts) {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}

/** Encodes numbers in 24 bits each, little-endian. @param {number[]} numbers */
const of24 = (...numbers) => Uint8Array.from(numbers.flatMap((n) => [n, n >> 8, n >> 16]));

/** Makes an animated WebP that repeats for ever. @param {{ image: Buffer, ms: number }[]} shown */
function animate(shown) {
  const { width, height } = SIZE;
  const all = shown.map(({ image, ms }) => {
    const pixels = [...chunksOf(image)].filter(([name]) => /^(ALPH|VP8[ L])$/.test(name));
    const head = of24(0, 0, width - 1, height - 1, ms);
    return chunk('ANMF', head, Uint8Array.of(0), ...pixels.map(([, bytes]) => bytes));
  });
  const canvas = chunk('VP8X', Uint8Array.of(0x12, 0, 0, 0), of24(width - 1, height - 1));
  return chunk('RIFF', Buffer.from('WEBP'), canvas, chunk('ANIM', Buffer.alloc(6)), ...all);
}

/** Runs in the page: draws an arrow at the pointer, since screenshots have none, and hides the tooltip. */
function showPointer(/** @type {Element} */ plot) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('.tip { display: none }');
  /** @type {ShadowRoot} */ (plot.getRootNode()).adoptedStyleSheets.push(sheet);
  const arrow = new Image();
  const path = 'M1 1v16l4-4 3 6 3-1-3-6h6z';
  arrow.src = `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" width="22" height="26" viewBox="0 0 16 20"><path d="${path}" fill="black" stroke="white"/></svg>`,
  )}`;
  arrow.style.cssText = 'position: fixed; z-index: 9; pointer-events: none';
  document.body.append(arrow);
  addEventListener(
    'pointermove',
    ({ clientX, clientY }) => {
      arrow.style.left = `${clientX}px`;
      arrow.style.top = `${clientY}px`;
    },
    true,
  );
}

/**
 * Runs in an empty page: converts PNG images to WebP, both as base64. Each image after the first has only the blocks
 * that changed.
 */
async function toWebp({ images, quality }) {
  const BLOCK = 16; // block size of the codec, in pixels
  const made = [];
  let before = null;
  for (const image of images) {
    const png = Uint8Array.from(atob(image), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([png], { type: 'image/png' }));
    const { width, height } = bitmap;
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d', { willReadFrequently: true });
    context.drawImage(bitmap, 0, 0);
    const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
    const isChanged = (left, top) => {
      for (let y = top; y < Math.min(top + BLOCK, height); y++)
        for (let x = left; x < Math.min(left + BLOCK, width); x++)
          if (pixels[y * width + x] !== before[y * width + x]) return true;
      return false;
    };
    for (let top = 0; before && top < height; top += BLOCK)
      for (let left = 0; left < width; left += BLOCK)
        if (!isChanged(left, top)) context.clearRect(left, top, BLOCK, BLOCK);
    before = pixels;
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality });
    const bytes = new Uint8Array(await blob.arrayBuffer());
    made.push(btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')));
  }
  return made;
}

/** Opens a page that shows the landscape. @param {{ width: number, height: number }} viewport @param {string} address */
async function openPage(viewport, address = ADDRESS) {
  const page = await browser.newPage({ viewport });
  await page.addInitScript(() => localStorage.setItem('logitscope-guide', 'seen'));
  await page.goto(server.url + address);
  await page.locator('logit-landscape .plot').waitFor();
  const scope = page.locator('logit-scope');
  const settled = () => scope.evaluate((/** @type {any} */ it) => it.settled());
  await settled();
  return { page, settled };
}

/** Writes web/preview.png. */
async function makePreview() {
  const { page } = await openPage(
    { width: 1440, height: 900 },
    '?view=landscape&lang=en&theme=light',
  );
  const { svg } = await page.locator('logit-landscape').evaluate((it) => it.picture());
  const card = await browser.newPage({ viewport: { width: 1200, height: 630 } });
  await card.setContent(`<style>body { margin: 0 } svg { display: block }</style>${svg}`);
  const png = withDigest(await card.screenshot(), digestOf(await firstFrame()));
  await writeFile(`${root}web/${PICTURE}`, png);
  console.log(`web/${PICTURE}: ${png.length} bytes`);
}

/** Writes docs/logitscope.webp. */
async function makeAnimation() {
  const { page, settled } = await openPage({ width: SIZE.width, height: 720 });
  const plot = page.locator('logit-landscape .plot');
  await plot.evaluate(showPointer);

  const { x, y, width, height } = await plot.boundingBox();
  const moveTo = (/** @type {number} */ temperature) =>
    page.mouse.move(x + (width * temperature) / 3, y + height + 14);
  const shoot = async () => {
    await settled();
    return page.screenshot({ clip: { x: 0, y: 0, ...SIZE } });
  };
  await moveTo(0.7);
  await page.mouse.down();
  const images = [];
  for (const { temperature } of frames()) {
    await moveTo(temperature);
    images.push((await shoot()).toString('base64'));
  }
  await page.mouse.up();
  const blank = await browser.newPage();
  const made = await blank.evaluate(toWebp, { images, quality: QUALITY });
  const picture = animate(
    frames().map(({ ms }, i) => ({ image: Buffer.from(made[i], 'base64'), ms })),
  );
  await writeFile(`${root}docs/logitscope.webp`, picture);
  console.log(`docs/logitscope.webp: ${made.length} frames, ${picture.length} bytes`);
  if (picture.length > MOST_BYTES) throw new Error(`at most ${MOST_BYTES} bytes`);
}

const browser = await chromium.launch(LAUNCH);
const server = await serve(`${root}dist`);
try {
  await makePreview();
  if (process.argv[2] !== 'preview') await makeAnimation();
} finally {
  await browser.close();
  server.close();
}
