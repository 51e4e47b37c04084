/** A film of Play: the picture, the bars beside it and the text above, frame by frame. */
import { download } from '../../base/download.js';
import { stripWidth } from './paint.js';

/**
 * @typedef {object} Scene
 * @property {import('./paint.js').Look} look
 * @property {number} share the knob's value as a share of its range, 0 to 1
 * @property {number | null} u null if the draw is Gumbel-max
 * @property {string} prompt
 * @property {string[]} words the text after the prompt; the first one is the drawn token
 * @property {string} about
 */

/** The formats to try, the best first. */
const KINDS = ['video/mp4;codecs=avc1.42E01F', 'video/webm;codecs=vp9', 'video/webm;codecs=vp8'];
/** Film pixels per CSS pixel, and the greatest width in film pixels. */
const SHARPNESS = 2;
const WIDEST = 1920;
/** Frames per second, and bits per second. */
const RATE = 30;
const BITS = 6e6;
/** The last frame is shown for this time, in ms. */
const STANDS = 800;
/** The width of the bars as a share of the picture's width, and the number of text lines. */
const BARS = 0.36;
const LINES = 2;

export class Film {
  #canvas = document.createElement('canvas');
  #root;
  #recorder;
  /** @type {Blob[]} */
  #parts = [];
  #box;

  /**
   * @param {ParentNode} root of the landscape
   * @param {import('./paint.js').Look} look
   */
  constructor(root, look) {
    this.#root = root;
    const { width, height, unit } = look;
    const margin = 20 * unit;
    const side = Math.max(240 * unit, width * BARS);
    const head = (LINES * 30 + 42) * unit;
    const whole = width + side + 3 * margin;
    const scale = Math.min(SHARPNESS, WIDEST / whole);
    this.#box = { margin, side, head, scale, whole, tall: head + height + margin };
    // Encoders accept even sizes only.
    this.#canvas.width = 2 * Math.round((whole * scale) / 2);
    this.#canvas.height = 2 * Math.round((this.#box.tall * scale) / 2);
    this.#recorder = new MediaRecorder(this.#canvas.captureStream(RATE), {
      mimeType: KINDS.find((kind) => MediaRecorder.isTypeSupported(kind)),
      videoBitsPerSecond: BITS,
    });
    this.#recorder.ondataavailable = ({ data }) => this.#parts.push(data);
  }

  /** @param {Scene} scene */
  take({ look, share, u, prompt, words, about }) {
    const { width, height, unit, palette, family } = look;
    const { margin, side, head, scale, whole, tall } = this.#box;
    const context = /** @type {CanvasRenderingContext2D} */ (this.#canvas.getContext('2d'));
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = palette.panel;
    context.fillRect(0, 0, whole, tall);
    context.textBaseline = 'alphabetic';
    context.font = `500 ${22 * unit}px ${family}`;
    writeProse(
      context,
      [
        { text: prompt, fill: palette.ink },
        ...words.map((text, i) => ({ text, fill: i === 0 ? palette.mark : palette.ink })),
      ],
      { x: margin, y: 34 * unit, width: whole - 2 * margin, line: 30 * unit },
    );
    context.font = `400 ${15 * unit}px ${family}`;
    context.fillStyle = palette.soft;
    context.fillText(about, margin, head - 14 * unit);

    context.translate(margin, head);
    context.fillStyle = palette.ground;
    context.fillRect(0, 0, width, height);
    const layer = (/** @type {string} */ name) =>
      /** @type {HTMLCanvasElement} */ (this.#root.querySelector(name));
    for (const name of ['.rivers', '.lit', '.names'])
      context.drawImage(layer(`.plot ${name}`), 0, 0, width, height);
    const strip = stripWidth(unit);
    context.drawImage(layer('.plot .strip'), share * width - strip / 2, 0, strip, height);
    if (u !== null) paintCrossing(context, { x: share * width, y: u * height }, look);
    const bars = layer('.bars canvas');
    const { clientWidth, clientHeight } = bars;
    const fit = Math.min(side / clientWidth, height / clientHeight);
    context.drawImage(bars, width + margin, 0, clientWidth * fit, clientHeight * fit);
    if (this.#recorder.state === 'inactive') this.#recorder.start();
  }

  /** Ends the film and downloads it. @param {string} name without its extension */
  async save(name) {
    await new Promise((resolve) => setTimeout(resolve, STANDS));
    const stopped = new Promise((resolve) => (this.#recorder.onstop = resolve));
    this.#recorder.stop();
    await stopped;
    const [type] = this.#recorder.mimeType.split(';');
    download(`${name}.${type.split('/')[1]}`, new Blob(this.#parts, { type }), type);
  }
}

/**
 * Writes words in lines, until LINES lines are full.
 * @param {CanvasRenderingContext2D} context
 * @param {{ text: string, fill: string }[]} parts
 * @param {{ x: number, y: number, width: number, line: number }} box
 */
function writeProse(context, parts, { x, y, width, line }) {
  let [at, row] = [0, 0];
  for (const { text, fill } of parts) {
    context.fillStyle = fill;
    for (const word of text.replaceAll(/\s+/g, ' ').split(/(?= )/)) {
      const wide = context.measureText(word).width;
      const turns = at + wide > width;
      if (turns && ++row === LINES) return;
      if (turns) at = 0;
      context.fillText(turns ? word.trimStart() : word, x + at, y + row * line);
      at += turns ? context.measureText(word.trimStart()).width : wide;
    }
  }
}

/**
 * Paints the line of u and its crossing with the knob's line.
 * @param {CanvasRenderingContext2D} context
 * @param {{ x: number, y: number }} place
 * @param {import('./paint.js').Look} look
 */
function paintCrossing(context, { x, y }, { width, unit, palette }) {
  context.strokeStyle = palette.mark;
  context.lineWidth = 1.5 * unit;
  context.setLineDash([6 * unit, 4 * unit]);
  context.beginPath();
  context.moveTo(0, y);
  context.lineTo(width, y);
  context.stroke();
  context.setLineDash([]);
  context.lineWidth = 3.5 * unit;
  context.fillStyle = palette.panel;
  context.beginPath();
  context.arc(x, y, 8 * unit, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
}
