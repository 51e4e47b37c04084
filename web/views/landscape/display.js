/** Paints a landscape: the picture, the bars beside it and the sentence above it. */
import { Throttle } from '../../base/throttle.js';
import { t } from '../../locale/locale.js';
import { fitCanvas } from '../../plots/canvas.js';
import { Flights } from './flights.js';
import { Picture } from './picture.js';
import { paintSlice } from './slice.js';

/**
 * @typedef {object} Shown
 * @property {import('./content.js').Content} content
 * @property {import('../../state/landscape.js').Reading} reading
 * @property {import('./lines.js').Lines} lines
 * @property {import('./rain.js').Rain} rain
 * @property {import('./input.js').Point | null} pointed the point under the pointer; null during a drag
 * @property {boolean} rests false during a drag and during Play
 *
 * @typedef {{ prompt: string, eos: number | null | undefined }} Prose `prompt` is '' if logits are given
 */

export class Display {
  picture;
  /** The rows of the bars; null before the first paint. @type {import('./slice.js').Painted | null} */
  rows = null;
  #flights;
  #root;
  /** The value of `content.turn` at which the bars and the sentence were last painted. */
  #turns = { bars: -1, sentence: -1 };
  /** Id of the drawn token that the sentence shows. @type {number | null} */
  #drawn = null;
  #throttle = new Throttle();
  /**
   * The texts of the numbers beside the bars, reused until `refresh`: numbers that change in every frame cannot be
   * read.
   * @type {Map<number | undefined, string>}
   */
  #numbers = new Map();

  #sentence;

  /** @param {DocumentFragment | HTMLElement} root @param {import('./sentence.js').Sentence} sentence */
  constructor(root, sentence) {
    this.#root = root;
    this.#sentence = sentence;
    this.picture = new Picture(root);
    this.#flights = new Flights(root);
  }

  /** Measures sizes and colours again, for example after a change of the window. */
  refit() {
    this.picture.refit();
    this.#flights.refit();
    this.repaintBars();
  }

  repaintBars() {
    this.#turns.bars = -1;
  }

  /** Updates the numbers beside the bars at the next paint. */
  refresh() {
    this.#numbers.clear();
    this.repaintBars();
  }

  /** @param {import('./content.js').Content} content */
  isSentenceStale({ turn }) {
    return this.#turns.sentence !== turn;
  }

  /**
   * Paints everything that is outdated. Returns true if the sentence must wait for the throttle.
   * @param {number} now
   * @param {Shown} shown
   * @param {Prose} prose
   */
  paint(now, { content, reading, lines, rain, pointed, rests }, prose) {
    const { names, turn } = content;
    const { trace, drawn } = reading;
    this.picture.paint(
      now,
      {
        share: lines.knob.share,
        u: lines.u,
        trace,
        drawn: drawn.id,
        course: content.reader?.course ?? null,
        pointed,
        rests,
      },
      { nameOf: names.of, others: t('landscape.rest'), size: trace.vocab_size },
    );
    if (this.#turns.bars !== turn) {
      if (rests) this.#numbers.clear();
      this.#paintBars(content, reading, rain);
    }
    const { look } = this.picture;
    if (this.rows) this.#flights.paint(now, rain.drops, lines.knob.share, this.rows.endOf, look);
    if (!this.isSentenceStale(content)) return false;
    // A new drawn token is written at once; a change of only the later words waits for the throttle.
    const early = this.#drawn === drawn.id && this.#throttle.left(now) > 0;
    if (!early) this.write(now, content, prose);
    return early;
  }

  /**
   * @param {import('./content.js').Content} content
   * @param {import('../../state/landscape.js').Reading} reading
   * @param {import('./rain.js').Rain} rain
   */
  #paintBars({ names, turn }, { trace, drawn }, { tally }) {
    this.#turns.bars = turn;
    const { look, side } = this.picture;
    const canvas = /** @type {HTMLCanvasElement} */ (this.#root.querySelector('.bars canvas'));
    this.rows = paintSlice(fitCanvas(canvas, side.width, side.height), {
      look: { ...look, ...side },
      trace,
      drawn,
      nameOf: names.of,
      others: (n) => (n ? t('landscape.others', { n }) : t('landscape.rest')),
      tally,
      said: this.#numbers,
    });
  }

  /**
   * Writes the sentence above the picture.
   * @param {number} now
   * @param {import('./content.js').Content} content
   * @param {Prose} prose
   */
  write(now, content, { eos }) {
    this.#turns.sentence = content.turn;
    this.#throttle.restart(now);
    this.#drawn = content.shown?.reading?.drawn.id ?? null;
    const { past } = content;
    const words = [...past, ...content.wordsUntil(eos)];
    const marked = words.map(({ id, text }) => ({ id, text, end: id === eos }));
    this.#sentence.write(marked, past.length, content.before);
  }
}
