/**
 * Finds out if work is outdated. Work has a name, such as "prompt". When newer work with the same name begins, older
 * work is outdated.
 */
export class Turns {
  #count = 0;
  /** The counter at the last call of `end`. */
  #ended = 0;
  /** For each name: the counter at the last call of `begin`. @type {Map<string, number>} */
  #begun = new Map();

  /**
   * Begins work. Older work with the same name becomes outdated.
   * @param {string} name
   * @returns {() => boolean} true while this work is the newest
   */
  begin(name) {
    this.#begun.set(name, ++this.#count);
    return this.watch(name);
  }

  /**
   * @param {string} name
   * @returns {() => boolean} true until newer work with this name begins
   */
  watch(name) {
    const turn = this.#turnOf(name);
    return () => turn === this.#turnOf(name);
  }

  /** Makes all work outdated. */
  end() {
    this.#begun.clear();
    this.#ended = ++this.#count;
  }

  /** @param {string} name */
  #turnOf(name) {
    return this.#begun.get(name) ?? this.#ended;
  }
}
