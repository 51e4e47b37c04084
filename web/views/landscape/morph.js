/**
 * The animated transition from one landscape to another. Each river keeps its token; its edges and colour change
 * gradually. After the transition, the picture shows the new landscape without any blending.
 */
import { aligned, between } from '../../plots/landscape.js';
import { blend } from '../../plots/river-colours.js';

/** @typedef {import('../../plots/landscape.js').Rivers} Rivers */

/** Duration in ms if the knob is another one, and if only the text or settings are others. */
const KNOB_MS = 400;
const OTHER_MS = 150;

/** @param {number} part 0 to 1 */
const easeInOut = (part) => (part < 0.5 ? 4 * part ** 3 : 1 - 4 * (1 - part) ** 3);

export class Morph {
  /** True if the knob is another one, so that the line of the knob moves too. */
  along;
  #from;
  /** @type {Map<number, string>} */
  #colours;
  /** @type {[Rivers, Rivers]} */
  #pair;
  #began;
  /**
   * The last frame: a transition that interrupts this one starts from it.
   * @type {{ rivers: Rivers, colours: Map<number, string> } | null}
   */
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

  /** Continues the transition towards another landscape. @param {Rivers} to */
  turnTo(to) {
    this.#pair = aligned(this.#from, to);
  }

  /** Returns the progress of the transition, 0 to 1, with easing at both ends. @param {number} now in ms */
  partAt(now) {
    const part = (now - this.#began) / (this.along ? KNOB_MS : OTHER_MS);
    return easeInOut(Math.min(1, Math.max(0, part)));
  }

  /**
   * Returns the rivers and their colours at a point of the transition.
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

  /** The rivers and colours that the last frame showed. */
  get shown() {
    return this.#shown ?? { rivers: this.#pair[0], colours: this.#colours };
  }
}
