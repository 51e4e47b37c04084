/**
 * One counter that tells newer work from older. Work is named by its noun ("prompt", "alternatives"),
 * and newer work under a name makes older work under that name stale.
 */
export class Turns {
  #count = 0;
  /** The count at the last `end`. */
  #ended = 0;
  /** The count at the last `begin` of each name. @type {Map<string, number>} */
  #begun = new Map();

  /**
   * Makes earlier work of this name stale.
   * @param {string} name
   * @returns {() => boolean} whether the work that begins now is still the newest
   */
  begin(name) {
    this.#begun.set(name, ++this.#count);
    return this.watch(name);
  }

  /**
   * @param {string} name
   * @returns {() => boolean} whether no newer work of this name has begun since this call
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
