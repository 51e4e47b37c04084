/** The measured z-score of each watermark at each temperature, for texts of 100 tokens (as in docs/samplers.md). */

export const TEMPERATURES = [0, 0.3, 0.7, 1, 1.5];
/** Medians of 100 texts; tests/bench/watermark.js prints them. */
export const MEASURED = [
  { name: 'green_bias', by: 2, z: [0, 0.9, 2.6, 5.1, 9.2] },
  { name: 'green_bias', by: 4, z: [0, 2.3, 6.9, 11.2, 15.1] },
  { name: 'synthid_depth', by: 30, z: [0, 1.5, 4.1, 7.9, 18.3] },
];
