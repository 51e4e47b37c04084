/**
 * A server for tests that answers as llama.cpp's, at its build of 2026-09-28 (v0.5.0), over a model of this repository.
 * `change` spoils an answer; `hold` delays it; `questions` lists the requests.
 */
import { createServer } from 'node:http';
import { closed } from './cleanup.js';

/** @import { Logitscope } from '../web/engine/index.js' */

/** llama.cpp writes this number for a probability of 0. */
const NEVER = -3.4028234663852886e38;

/** Log-probabilities in float32, as the server rounds them. @param {Float32Array} logits */
function logProbabilities(logits) {
  const most = logits.reduce((a, b) => Math.max(a, b));
  const sum = logits.reduce((total, l) => total + Math.exp(l - most), 0);
  return logits.map((l) => l - most - Math.log(sum));
}

/** @param {Logitscope} scope */
function answersOf(scope) {
  const { vocab_size, context_length } = /** @type {any} */ (scope.info);
  const special = (/** @type {number} */ id) => scope.piece(id).special;
  return /** @type {Record<string, (body: any) => any>} */ ({
    '/v1/models': () => ({
      object: 'list',
      data: [
        {
          id: 'stories',
          object: 'model',
          owned_by: 'llamacpp',
          meta: { vocab_type: 1, n_vocab: vocab_size, n_ctx: context_length },
        },
      ],
    }),
    '/props': () => ({ default_generation_settings: { n_ctx: context_length }, eos_token: '</s>' }),
    '/tokenize': ({ content, add_special = false, parse_special = true }) => ({
      tokens: [...scope.encode(content, { bos: add_special, special: parse_special })],
    }),
    '/detokenize': ({ tokens }) => ({
      content: tokens.map((/** @type {number} */ id) => scope.piece(id).text).join(''),
    }),
    // Ollama, at its version 0.13.0: the most probable tokens after a text.
    '/api/version': () => ({ version: '0.13.0' }),
    '/api/generate': ({ model, prompt, top_logprobs: n }) => {
      scope.feed(scope.encode(prompt));
      const logprobs = logProbabilities(scope.logits());
      const top = Array.from(logprobs, (logprob, id) => {
        const { text: token, bytes } = scope.piece(id);
        return { token, bytes: [...bytes], logprob };
      });
      top.sort((a, b) => b.logprob - a.logprob);
      const [first] = top;
      const logprobsOf = [{ ...first, top_logprobs: top.slice(0, n) }];
      return { model, response: first.token, done: true, logprobs: logprobsOf };
    },
    '/completion': ({ prompt, n_probs }) => {
      scope.feed(prompt);
      const logprobs = logProbabilities(scope.logits());
      const top_logprobs = Array.from(logprobs, (logprob, id) => ({
        id,
        token: special(id) ? '' : scope.piece(id).text,
        bytes: special(id) ? [] : [...scope.piece(id).bytes],
        logprob: logprob === -Infinity ? NEVER : logprob,
      }));
      top_logprobs.sort((a, b) => b.logprob - a.logprob);
      const [first] = top_logprobs;
      return {
        completion_probabilities: [{ ...first, top_logprobs: top_logprobs.slice(0, n_probs) }],
      };
    },
  });
}

/**
 * @param {Logitscope} scope
 */
export async function serveLlama(scope) {
  const answers = answersOf(scope);
  const state = {
    /** @type {{ path: string, body: any, headers: any }[]} */
    questions: [],
    /** @type {Promise<unknown>} */
    hold: Promise.resolve(),
    /** @type {((path: string, answer: any, response: import('node:http').ServerResponse) => unknown) | null} */
    change: null,
    /** False: pages of other origins may not read the answers. */
    open: true,
  };
  const server = closed(
    createServer(async (request, response) => {
      const { url: path = '', method, headers } = request;
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      if (state.open) {
        response.setHeader('access-control-allow-origin', headers.origin ?? '*');
        response.setHeader('access-control-allow-headers', '*, authorization');
      }
      if (method === 'OPTIONS') return response.end();
      const text = Buffer.concat(chunks).toString();
      const body = text ? JSON.parse(text) : undefined;
      state.questions.push({ path, body, headers });
      await state.hold;
      const answer = answers[path]?.(body);
      const given = state.change ? await state.change(path, answer, response) : answer;
      if (response.writableEnded || given === response) return undefined;
      const status = given === undefined ? 404 : (given.status ?? 200);
      response.writeHead(status, { 'content-type': 'application/json' });
      return response.end(
        typeof given?.text === 'string' ? given.text : JSON.stringify(given ?? {}),
      );
    }),
  );
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return Object.assign(state, { port, address: `http://127.0.0.1:${port}`, server });
}
