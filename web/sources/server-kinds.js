/**
 * The kinds of servers that can be asked for probabilities: their questions and the forms of their answers. A server's
 * log-probabilities serve as logits, since softmax(l + c) = softmax(l) for every constant c; the two samplers that
 * depend on the sign of a logit are refused.
 */

/**
 * Puts a question to the server: a GET without a body, else a POST of JSON. Throws for every status but 200.
 * @typedef {(path: string, body?: object) => Promise<any>} Ask
 *
 * The facts of a model. A vocab_size of 0: the number of tokens in its first answer.
 * @typedef {{ vocab_size: number, context_length: number }} Facts
 *
 * One token of an answer. `piece` is its bytes or its text, if the answer has one.
 * @typedef {{ id: unknown, logprob: unknown, piece?: unknown }} Entry
 *
 * @typedef {object} Kind
 * @property {string} id
 * @property {string} name as its makers write it
 * @property {number} port its default port
 * @property {string} [owner] `owned_by` in its list of models
 * @property {[path: string, key: string]} [sign] a path and a key of its answer, if no `owner` tells the kind
 * @property {number} most tokens of an answer with the most probable ones; 0 for the whole vocabulary
 * @property {string} [whole] the way to get the whole vocabulary, for a sentence
 * @property {(model: any, ask: Ask) => Facts | Promise<Facts>} [facts] from the model's entry in the list of models
 * @property {(text: string, model: string, how: { begin?: boolean, special?: boolean }) => [path: string, body: object]}
 *   [encode] with `begin`, the begin token comes first; with `special`, the text may contain special tokens
 * @property {(ids: number[], model: string) => [path: string, body: object]} [decode] asks for the text of ids, special
 *   tokens too; the answer is { content }
 * @property {(ask: Ask) => Promise<unknown>} [end] the text of the token that ends a text
 * @property {(ids: number[], model: string, vocab_size: number, how: { pieces: boolean, cache: boolean }) =>
 *   [path: string, body: object]} [logits] with `pieces`, the answer has the tokens' bytes or texts; with `cache`, the
 *   server may use its evaluation of an earlier text
 * @property {(answer: any, pieces: boolean) => Iterable<Entry>} [entries]
 * @property {(text: string, model: string, most: number) => [path: string, body: object]} [top] asks for the most
 *   probable tokens after a text
 */

/** The most tokens of a vocabulary. */
export const TOKENS_MAX = 1 << 18;

/** Settings that leave the probabilities as they are, in the spelling of vLLM. */
const NEUTRAL = {
  temperature: 1,
  top_p: 1,
  top_k: -1,
  min_p: 0,
  repetition_penalty: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
};

/** Tokenizers of transformers always read special tokens in a text. @type {NonNullable<Kind['encode']>} */
const encodeByTransformers = (prompt, model, { begin = false }) => [
  '/tokenize',
  { model, prompt, add_special_tokens: begin },
];

/** A question to an OpenAI-compatible server. @type {NonNullable<Kind['top']>} */
const topOfCompletion = (prompt, model, most) => [
  '/v1/completions',
  { model, prompt, max_tokens: 1, temperature: 1, top_p: 1, logprobs: most },
];

/** @type {readonly Kind[]} */
export const KINDS = [
  {
    id: 'llama-cpp',
    name: 'llama.cpp',
    port: 8080,
    owner: 'llamacpp',
    most: 0,
    // A prompt leaves room for one more token.
    facts: ({ meta }) => ({ vocab_size: meta?.n_vocab ?? 0, context_length: meta?.n_ctx - 1 }),
    encode: (content, model, { begin = false, special = false }) => [
      '/tokenize',
      { model, content, add_special: begin, parse_special: special },
    ],
    decode: (tokens, model) => ['/detokenize', { model, tokens }],
    end: async (ask) => (await ask('/props')).eos_token,
    logits: (prompt, model, vocab_size, { cache }) => [
      '/completion',
      {
        model,
        prompt,
        n_predict: 1,
        n_probs: vocab_size || TOKENS_MAX,
        temperature: 0,
        cache_prompt: cache,
        response_fields: ['completion_probabilities'],
      },
    ],
    *entries({ completion_probabilities: [{ top_logprobs }] }) {
      for (const { id, logprob, bytes } of top_logprobs) yield { id, logprob, piece: bytes };
    },
  },
  {
    id: 'vllm',
    name: 'vLLM',
    port: 8000,
    owner: 'vllm',
    most: 20,
    whole: '--max-logprobs -1',
    facts: ({ max_model_len }) => ({ vocab_size: 0, context_length: max_model_len - 1 }),
    encode: encodeByTransformers,
    end: async (ask) => (await ask('/tokenizer_info')).eos_token,
    // The probabilities of a prompt's tokens come with ids and texts; those of an answer with ids alone.
    logits: (prompt, model, _, { pieces }) => [
      '/v1/completions',
      {
        model,
        max_tokens: 1,
        ...NEUTRAL,
        ...(pieces
          ? { prompt: [...prompt, 0], prompt_logprobs: -1 }
          : { prompt, logprobs: -1, return_tokens_as_token_ids: true }),
      },
    ],
    *entries({ choices: [{ logprobs, prompt_logprobs }] }, pieces) {
      if (pieces) {
        for (const [id, { logprob, decoded_token }] of Object.entries(prompt_logprobs.at(-1)))
          yield { id: Number(id), logprob, piece: decoded_token };
        return;
      }
      for (const [token, logprob] of Object.entries(logprobs.top_logprobs[0]))
        yield { id: Number(/^token_id:(\d+)$/.exec(token)?.[1]), logprob };
    },
    top: topOfCompletion,
  },
  {
    id: 'sglang',
    name: 'SGLang',
    port: 30_000,
    owner: 'sglang',
    most: 20,
    // More tokens than the vocabulary has would end the server, so a guess is no way to find the number.
    facts: async ({ max_model_len }, ask) => ({
      vocab_size: (await ask('/model_info').catch(() => ({})))?.vocab_size ?? -1,
      context_length: max_model_len - 1,
    }),
    encode: encodeByTransformers,
    logits: (input_ids, _, vocab_size, { pieces }) => [
      '/generate',
      {
        input_ids,
        sampling_params: { max_new_tokens: 1, ...NEUTRAL },
        return_logprob: true,
        top_logprobs_num: vocab_size,
        return_text_in_logprobs: pieces,
      },
    ],
    *entries({ meta_info: { output_top_logprobs } }) {
      for (const [logprob, id, piece] of output_top_logprobs[0])
        yield { id, logprob: logprob ?? -Infinity, piece };
    },
    top: topOfCompletion,
  },
  {
    id: 'ollama',
    name: 'Ollama',
    port: 11_434,
    sign: ['/api/version', 'version'],
    most: 20,
    top: (prompt, model, top_logprobs) => [
      '/api/generate',
      {
        model,
        prompt,
        raw: true,
        stream: false,
        logprobs: true,
        top_logprobs,
        options: { num_predict: 1, temperature: 1 },
      },
    ],
  },
  {
    id: 'lm-studio',
    name: 'LM Studio',
    port: 1234,
    owner: 'organization_owner',
    most: 20,
    top: (input, model, top_logprobs) => [
      '/v1/responses',
      {
        model,
        input,
        max_output_tokens: 1,
        temperature: 1,
        include: ['message.output_text.logprobs'],
        top_logprobs,
      },
    ],
  },
  {
    id: 'koboldcpp',
    name: 'KoboldCpp',
    port: 5001,
    owner: 'koboldcpp',
    most: 5,
    top: (prompt) => [
      '/api/v1/generate',
      { prompt, max_length: 1, temperature: 1, top_p: 1, top_k: 0, rep_pen: 1, logprobs: true },
    ],
  },
  {
    id: 'tgi',
    name: 'TGI',
    port: 3000,
    sign: ['/info', 'model_id'],
    most: 5,
    top: (inputs, _, top_n_tokens) => [
      '/generate',
      { inputs, parameters: { max_new_tokens: 1, details: true, top_n_tokens } },
    ],
  },
  {
    id: 'openai',
    name: 'OpenAI-compatible',
    port: 8000,
    most: 5,
    top: topOfCompletion,
  },
];
