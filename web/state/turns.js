/**
 * A counter that detects stale work. Work has a name ("prompt", "alternatives"); newer work makes older
 * work with that name stale.
 */
export class Turns {
  #count = 0;
  /** The count at the last `end`. */
  #ended = 0;
  /** The count at the last `begin` of each name. @type {Map<string, number>} */
  #begun = new Map();

  /**
   * Begins work and makes earlier work with this name stale.
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

  /** Makes all work stale. */
  end() {
    this.#begun.clear();
    this.#ended = ++this.#count;
  }

  /** @param {string} name */
  #turnOf(name) {
    return this.#begun.get(name) ?? this.#ended;
  }
}
