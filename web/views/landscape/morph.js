/**
 * The motion from one landscape to another. Each river keeps its token; its edges, its colour and the line
 * of the knob move. At its end the picture shows the new landscape itself, without a mixture.
 */
import { aligned, between } from '../../plots/landscape.js';
import { blend } from '../../plots/river-colours.js';

/** @typedef {import('../../plots/landscape.js').Rivers} Rivers */

/** The duration for another knob, and for another text or setting, in ms. */
const KNOB_MS = 400;
const OTHER_MS = 150;

/** @param {number} part 0 to 1 */
const ease = (part) => (part < 0.5 ? 4 * part ** 3 : 1 - 4 * (1 - part) ** 3);

export class Morph {
  /** True if the motion is between two knobs. */
  along;
  #from;
  /** @type {Map<number, string>} */
  #colours;
  /** @type {[Rivers, Rivers]} */
  #pair;
  #began;
  /** The last mixture, for a motion that begins during this one. @type {{ rivers: Rivers, colours: Map<number, string> } | null} */
  #shown = null;

  /**
   * @param {Rivers} from
   * @param {Map<number, string>} colours of the tokens in `from`
   * @param {Rivers} to
   * @param {{ along: boolean, began: number }} how
   */
  constructor(from, colours, to, { along, began }) {
    this.along = along;
    this.#from = from;
    this.#colours = colours;
    this.#pair = aligned(from, to);
    this.#began = began;
  }

  /** Changes the destination; the motion goes on. @param {Rivers} to */
  turnTo(to) {
    this.#pair = aligned(this.#from, to);
  }

  /** Returns the eased part of the way, 0 to 1. @param {number} now in ms */
  partAt(now) {
    const part = (now - this.#began) / (this.along ? KNOB_MS : OTHER_MS);
    return ease(Math.min(1, Math.max(0, part)));
  }

  /**
   * Returns the rivers on the way, with their colours.
   * @param {number} part 0 to 1
   * @param {(id: number) => string} colourOf the colour of a token at the end
   */
  at(part, colourOf) {
    const rivers = between(...this.#pair, part);
    const colours = new Map(
      rivers.rivers.map(({ id }) => {
        const end = colourOf(id);
        return [id, blend(this.#colours.get(id) ?? end, end, part)];
      }),
    );
    this.#shown = { rivers, colours };
    return this.#shown;
  }

  /** The rivers and colours on the screen. */
  get shown() {
    return this.#shown ?? { rivers: this.#pair[0], colours: this.#colours };
  }
}
