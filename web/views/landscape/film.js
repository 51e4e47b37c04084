/** Records a film of the landscape, frame by frame: the picture, the bars, the sentence and the knob's value. */
import { breakLines } from '../../base/svg-lines.js';
import { partsOf } from './prose.js';
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

/** Video formats, the best first; the first one that the browser can record is used. */
const KINDS = ['video/mp4;codecs=avc1.42E01F', 'video/webm;codecs=vp9', 'video/webm;codecs=vp8'];
/** Pixels of the film for each CSS pixel, and the limit for its width in pixels. */
const SHARPNESS = 2;
const WIDEST = 1920;
/** Frames per second, and bits per second. */
const RATE = 30;
const BITS = 6e6;
/** Width of the bars as a share of the picture's width, and number of lines for the sentence. */
const BARS = 0.36;
const LINES = 2;

export class Film {
  canvas = document.createElement('canvas');
  /** Resolves to the recorded film, or to null if the recording was cancelled. @type {Promise<Blob | null>} */
  ended;
  #root;
  /**
   * Null before the first frame. The recording starts after this frame is painted, since it would begin with an empty
   * canvas.
   * @type {MediaRecorder | null}
   */
  #recorder = null;
  /** @type {Blob[]} */
  #parts = [];
  #box;
  /** @type {(film: Blob | null) => void} */
  #resolve = () => {};

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
    // Video encoders accept only even widths and heights.
    this.canvas.width = 2 * Math.round((whole * scale) / 2);
    this.canvas.height = 2 * Math.round((this.#box.tall * scale) / 2);
    this.ended = new Promise((resolve) => (this.#resolve = resolve));
  }

  /** @param {Scene} scene */
  take({ look, share, u, prompt, words, about }) {
    const { width, height, unit, palette, family, serif } = look;
    const { margin, side, head, scale, whole, tall } = this.#box;
    const context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d'));
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = palette.panel;
    context.fillRect(0, 0, whole, tall);
    context.textBaseline = 'alphabetic';
    context.font = `400 ${22 * unit}px ${serif}`;
    const measure = (/** @type {string} */ text) => context.measureText(text).width;
    breakLines(partsOf(prompt, words), measure, whole - 2 * margin, LINES).forEach((line, row) => {
      let x = margin;
      for (const { text, lit } of line) {
        context.fillStyle = lit ? palette.mark : palette.ink;
        context.fillText(text, x, (34 + 30 * row) * unit);
        x += measure(text);
      }
    });
    context.font = `650 ${16 * unit}px ${family}`;
    context.fillStyle = palette.ink;
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
    if (fit > 0 && fit < Infinity)
      context.drawImage(bars, width + margin, 0, clientWidth * fit, clientHeight * fit);
    this.#recorder ??= this.#start();
  }

  #start() {
    const recorder = new MediaRecorder(this.canvas.captureStream(RATE), {
      mimeType: KINDS.find((kind) => MediaRecorder.isTypeSupported(kind)),
      videoBitsPerSecond: BITS,
    });
    recorder.ondataavailable = ({ data }) => this.#parts.push(data);
    recorder.onstop = () => {
      const [type] = recorder.mimeType.split(';');
      this.#resolve(new Blob(this.#parts, { type }));
    };
    recorder.start();
    return recorder;
  }

  /** Stops the recording and keeps the film. The recorder takes the last frame only after the browser has painted it. */
  end() {
    setTimeout(() => this.#stop(), 2000 / RATE);
  }

  /** Stops the recording without a film. */
  drop() {
    this.#resolve(null);
    this.#stop();
  }

  #stop() {
    if (this.#recorder?.state === 'recording') this.#recorder.stop();
  }
}

/**
 * Paints the line of u and the point at which it crosses the line of the knob.
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
