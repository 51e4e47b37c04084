/**
 * Shapes of answers with token probabilities: one table of shapes, one of programs. A shape finds the tokens in one
 * document: a whole answer, a line, or an event of a stream.
 */

/**
 * A token as its document names it.
 * @typedef {Record<string, any>} Raw
 *
 * A drawn token with the listed alternatives. `prompt` is true for a token that was given, not drawn. With `first`,
 * `drawn` is the first listed token, since nothing names the drawn one. With `echo`, the tokens after it may be
 * given too.
 * @typedef {{ drawn: Raw, top: Raw[], prompt?: boolean, first?: boolean, echo?: boolean }} Found
 *
 * @typedef {object} Shape
 * @property {string} program if the document itself does not tell
 * @property {(doc: any) => unknown} is truthy for a document of this shape, with or without probabilities
 * @property {(doc: any) => Found[] | null | undefined} find
 * @property {boolean} [whole] true if each document of a stream repeats the tokens before
 *
 * @typedef {object} Program
 * @property {'raw' | 'warped' | 'unknown'} raw 'raw': before penalties, temperature and truncation
 * @property {string} ask the request that gives alternatives
 * @property {boolean} [top_only] true if the list of alternatives never has the drawn token in place of a likelier one
 */

/** @type {Record<string, Program>} */
export const PROGRAMS = {
  openai: { raw: 'unknown', ask: '"logprobs": true, "top_logprobs": 20', top_only: true },
  'llama-cpp': { raw: 'raw', ask: '"n_probs": 20', top_only: true },
  vllm: { raw: 'raw', ask: '"logprobs": true, "top_logprobs": 20' },
  ollama: { raw: 'raw', ask: '"logprobs": true, "top_logprobs": 20', top_only: true },
  gemini: { raw: 'unknown', ask: '"responseLogprobs": true, "logprobs": 20', top_only: true },
  tgi: { raw: 'warped', ask: '"details": true, "top_n_tokens": 5', top_only: true },
  sglang: { raw: 'warped', ask: '"return_logprob": true, "top_logprobs_num": 20', top_only: true },
  'mlx-lm': { raw: 'unknown', ask: '"logprobs": true, "top_logprobs": 10', top_only: true },
  koboldcpp: { raw: 'unknown', ask: '"logprobs": true' },
  'lm-studio': { raw: 'unknown', ask: '"top_logprobs": 20' },
  'llama-cpp-python': { raw: 'raw', ask: '"logprobs": 20' },
  'text-generation-webui': { raw: 'unknown', ask: '"logprobs": 20' },
  tabbyapi: { raw: 'raw', ask: '"logprobs": true, "top_logprobs": 20' },
};

/** @param {unknown} value @returns {any[] | null} */
const list = (value) => (Array.isArray(value) ? value : null);
/** @param {unknown} value @returns {value is Record<string, any>} */
export const isObject = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** @param {any} doc */
const choiceOf = (doc) =>
  list(doc.choices)?.find((choice) => isObject(choice) && (choice.index ?? 0) === 0);

/** A token with its alternatives in one object. @param {any} item @returns {Found} */
const nested = (item) => ({
  drawn: item,
  top: list(item?.top_logprobs ?? item?.top_probs ?? item?.probs) ?? [],
});
/** @param {unknown} items */
const nestedAll = (items) => list(items)?.map(nested);

/** Lists in step: drawn tokens, and the alternatives of each. @param {any[] | null} drawn @param {any[] | null} tops */
const beside = (drawn, tops) =>
  drawn?.map((token, i) => ({ drawn: token, top: list(tops?.[i]) ?? [] }));

/**
 * Columns of the old completions: texts, numbers, and a map from text to number. With `echo` in the request the tokens
 * of the prompt come first, and the very first has no number.
 * @param {any} columns
 * @param {any} usage
 * @returns {Found[] | undefined}
 */
function columnsOf({ tokens, token_logprobs, top_logprobs, token_ids }, usage) {
  const echoed = list(token_logprobs)?.[0] === null;
  const given = echoed ? (usage?.prompt_tokens ?? 1) : 0;
  return list(tokens)?.map((text, i) => ({
    drawn: { text, logprob: token_logprobs?.[i], id: token_ids?.[i] },
    top: Object.entries(Object(top_logprobs?.[i])).map(([key, logprob]) => ({
      text: key,
      logprob,
    })),
    prompt: i < given,
    echo: i === 0 && echoed && usage?.prompt_tokens === undefined,
  }));
}

/** A map from id to token; the first one is the given token. @param {any} map @returns {Found} */
function rankedOf(map) {
  const top = Object.entries(Object(map)).map(([key, value]) => ({
    ...Object(value),
    id: Number(key.replace('id:', '')),
  }));
  return { drawn: top[0] ?? { logprob: null }, top, prompt: true };
}

/** SGLang's tokens, (logprob, id, text). @param {any} tuples */
const tuplesOf = (tuples) =>
  list(tuples)?.map((tuple) => {
    const [logprob, id, text] = list(tuple) ?? [];
    return { logprob, id, text };
  }) ?? null;

/** @param {any} meta @param {'input' | 'output'} side */
const sglangOf = (meta, side) =>
  beside(
    tuplesOf(meta[`${side}_token_logprobs`]),
    list(meta[`${side}_top_logprobs`])?.map(tuplesOf) ?? null,
  )?.map((found) => (side === 'input' ? { ...found, prompt: true } : found)) ?? [];

/** The parts of OpenAI's responses that have text. @param {any} doc @returns {any[]} */
const partsOf = (doc) =>
  (list(doc.output) ?? []).flatMap((item) => list(item?.content) ?? []).filter(isObject);

/** @param {any} doc */
const geminiOf = (doc) => list(doc.candidates)?.[0]?.logprobsResult ?? doc.logprobsResult;

/** @param {any} content @returns {Found[] | undefined} */
const chatOf = (content) =>
  // mlx_lm.server: without bytes; beside alternatives, the item names the first of them.
  nestedAll(content)?.map((found) =>
    found.top.length > 0 && 'id' in Object(found.drawn) && !('bytes' in found.drawn)
      ? { ...found, first: true }
      : found,
  );

/** The event of OpenAI's responses with new tokens. */
const DELTA = 'response.output_text.delta';

/** The shapes; the first that matches is taken. @type {Shape[]} */
export const SHAPES = [
  {
    program: 'llama-cpp',
    is: (doc) => 'completion_probabilities' in doc || ('content' in doc && 'stop' in doc),
    find: (doc) => nestedAll(doc.completion_probabilities),
  },
  {
    program: 'sglang',
    is: (doc) => isObject(doc.meta_info),
    find: ({ meta_info }) => [...sglangOf(meta_info, 'input'), ...sglangOf(meta_info, 'output')],
    whole: true,
  },
  {
    program: 'tgi',
    is: (doc) => 'generated_text' in doc || list(doc.details?.tokens),
    find: ({ token, top_tokens, details }) => [
      ...(beside(list(details?.prefill), null) ?? []).map((found) => ({ ...found, prompt: true })),
      ...((isObject(token)
        ? [{ drawn: token, top: list(top_tokens) ?? [] }]
        : beside(list(details?.tokens), list(details?.top_tokens))) ?? []),
    ],
  },
  {
    program: 'gemini',
    is: (doc) => list(doc.candidates) || geminiOf(doc),
    find: (doc) => {
      const { chosenCandidates, topCandidates } = Object(geminiOf(doc));
      const tops = list(topCandidates)?.map((top) => top?.candidates) ?? null;
      return beside(list(chosenCandidates), tops);
    },
  },
  {
    // Only this event of such a stream is new; others repeat the tokens.
    program: 'openai',
    is: (doc) => /^response\./.test(doc.type),
    find: (doc) => (doc.type === DELTA ? chatOf(doc.logprobs) : []),
  },
  {
    program: 'openai',
    is: (doc) => doc.object === 'response' || list(doc.output),
    find: (doc) => partsOf(doc).flatMap((part) => chatOf(part.logprobs) ?? []),
  },
  {
    program: 'koboldcpp',
    is: (doc) => isObject(list(doc.results)?.[0]) || list(doc.logprobs?.token_ids),
    find: (doc) => nestedAll((list(doc.results)?.[0] ?? doc).logprobs?.content),
  },
  {
    program: 'openai',
    is: (doc) => list((choiceOf(doc) ?? doc).logprobs?.tokens),
    find: (doc) => columnsOf((choiceOf(doc) ?? doc).logprobs, doc.usage),
  },
  {
    program: 'openai',
    is: (doc) => list(doc.choices) || list(doc.content) || list(doc.logprobs?.content),
    find: (doc) => chatOf((choiceOf(doc) ?? doc).logprobs?.content ?? doc.content),
  },
  {
    program: 'ollama',
    is: (doc) => list(doc.logprobs) || 'done' in doc,
    find: (doc) => nestedAll(doc.logprobs),
  },
];

/** Tokens of the prompt that vLLM lists beside the answer. @param {any} doc @returns {Found[]} */
export const promptOf = (doc) =>
  (list(doc.prompt_logprobs) ?? list(choiceOf(doc)?.prompt_logprobs) ?? []).map(rankedOf);

/** Marks that tell servers of OpenAI's shape apart. @type {[string, (doc: any, first: any) => unknown][]} */
const MARKS = [
  ['koboldcpp', ({ model }) => /^koboldcpp\//.test(model)],
  ['llama-cpp', (doc) => 'timings' in doc || /^b\d+-/.test(doc.system_fingerprint)],
  ['ollama', ({ system_fingerprint }) => system_fingerprint === 'fp_ollama'],
  ['text-generation-webui', ({ id }) => /^conv-\d+$/.test(id)],
  ['llama-cpp-python', ({ id }) => /^(chat)?cmpl-[0-9a-f]{8}-[0-9a-f]{4}-/.test(id)],
  ['vllm', (doc) => ['prompt_logprobs', 'kv_transfer_params'].some((key) => key in doc)],
  [
    'vllm',
    (doc) =>
      ['stop_reason', 'token_ids', 'prompt_logprobs'].some((key) => key in Object(choiceOf(doc))),
  ],
  ['lm-studio', (doc) => 'model_info' in doc && 'stats' in doc],
  ['tabbyapi', (_, first) => first?.token_id !== undefined],
  ['llama-cpp', (_, first) => first?.id !== undefined && first.bytes !== undefined],
  ['mlx-lm', (_, first) => first?.id !== undefined],
];

/**
 * The program that wrote a document, as far as it tells.
 * @param {Shape} shape
 * @param {any} doc
 * @param {Found | undefined} found
 */
export function programOf({ program }, doc, found) {
  if (program !== 'openai') return program;
  const item = choiceOf(doc)?.logprobs?.content?.[0] ?? found?.drawn;
  return MARKS.find(([, is]) => is(doc, item))?.[0] ?? program;
}

/** The text of a document's answer, or null. @param {any} doc @returns {string | null} */
export function textOf(doc) {
  if (/^response\./.test(doc.type) && doc.type !== DELTA) return null;
  const choice = Object(choiceOf(doc));
  const parts = list(doc.candidates)?.[0]?.content?.parts;
  const texts = [
    choice.message?.content,
    choice.delta?.content,
    choice.text,
    doc.message?.content,
    doc.response,
    doc.generated_text,
    list(doc.results)?.[0]?.text,
    typeof doc.delta === 'string' ? doc.delta : null,
    list(parts)
      ?.map((part) => part?.text ?? '')
      .join(''),
    doc.object === 'response'
      ? partsOf(doc)
          .map((part) => part.text ?? '')
          .join('')
      : null,
    doc.text,
    doc.content,
    doc.token?.text,
  ];
  return texts.find((text) => typeof text === 'string') ?? null;
}
