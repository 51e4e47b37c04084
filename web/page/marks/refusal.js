/**
 * The error of a course system that did not accept marks. `key` and `values` give the sentence. After an error with
 * `final`, nothing is sent again.
 */
export class Refusal extends Error {
  /**
   * @param {'none' | 'policy' | 'failed' | 'actor' | 'review' | 'silent'} key
   * @param {Record<string, string>} [values]
   * @param {{ final?: boolean }} [options]
   */
  constructor(key, values = {}, { final = false } = {}) {
    super(key);
    this.key = key;
    this.values = values;
    this.final = final;
  }
}
