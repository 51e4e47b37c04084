/**
 * The reason why a course system did not accept marks. `key` and `values` determine the sentence. After a
 * `final` refusal there is no further attempt.
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
