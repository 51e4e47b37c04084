/** Decodes a text token by token; withholds incomplete UTF-8 and the beginning of a stop string. */
export class TextStream {
  #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #held = '';
  /** @type {readonly string[]} */
  #stops;

  /** All text returned so far. */
  text = '';
  /** True if a stop string occurred; the text ends before it. */
  stopped = false;

  /** @param {readonly string[]} stops */
  constructor(stops) {
    this.#stops = stops;
  }

  /** Adds a token's bytes; returns the text that can no longer change. @param {Uint8Array} bytes */
  push(bytes) {
    this.#held += this.#decoder.decode(bytes, { stream: true });
    return this.#release(false);
  }

  /** Ends the stream; returns the withheld text. */
  finish() {
    if (this.stopped) return '';
    this.#held += this.#decoder.decode();
    return this.#release(true);
  }

  /** @param {boolean} last */
  #release(last) {
    const found = this.#stops.map((stop) => this.#held.indexOf(stop)).filter((at) => at >= 0);
    this.stopped = found.length > 0;
    const certain = this.stopped
      ? Math.min(...found)
      : this.#held.length - (last ? 0 : this.#lengthOfBegunStop());
    const added = this.#held.slice(0, certain);
    this.#held = this.stopped ? '' : this.#held.slice(certain);
    this.text += added;
    return added;
  }

  /** The length of the longest suffix of the withheld text that begins a stop string. */
  #lengthOfBegunStop() {
    const longest = Math.max(0, ...this.#stops.map((stop) => stop.length - 1));
    for (let n = Math.min(longest, this.#held.length); n > 0; n--) {
      const end = this.#held.slice(-n);
      if (this.#stops.some((stop) => stop.startsWith(end))) return n;
    }
    return 0;
  }
}
