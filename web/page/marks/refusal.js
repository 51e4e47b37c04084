/**
 * The reason why a course system did not take marks. `key` and `values` make the sentence; after
 * a `final` refusal there is no other attempt.
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
