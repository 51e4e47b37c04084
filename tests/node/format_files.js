/**
 * Files of tests/vectors/forward that together contain every quantised format. Their vocabularies can encode the
 * digest's prompt. Paths are relative to the repository's root.
 */
export const formatFiles = [
  'lfm2_q8_0',
  'qwen2_q4_1',
  'llama_q4_0',
  'llama_q5_0',
  'llama_q5_1',
  'llama_iq4_nl',
  'llama_q2_k',
  'llama_q3_k_m',
  'qwen2_q4_k_m',
  'llama_q5_k_m',
  'llama_iq4_xs',
].map((name) => `tests/vectors/forward/${name}.gguf`);
