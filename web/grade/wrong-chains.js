/** Chains of four samplers with one fault each; wrong-samplers.js explains them. */
import { CHAIN, RIGHT, WRONG_SAMPLERS, codeOf, softmax } from './wrong-samplers.js';

/** @import { WrongForm } from './wrong-samplers.js' */

/**
 * @param {string[]} order
 * @param {Record<string, WrongForm>} [stages]
 * @returns {WrongForm}
 */
export const inOrder =
  (order, stages = RIGHT) =>
  ({ logits, ...beside }) =>
    order.reduce((list, name) => stages[name]({ logits: list, ...beside }), logits);

const without = (/** @type {string} */ gone) => inOrder(CHAIN.filter((name) => name !== gone));
const twice = (/** @type {string} */ again) =>
  inOrder(CHAIN.flatMap((name) => (name === again ? [name, name] : [name])));

/** Faults that have one code in a sampler alone and another code in a chain. */
const RENAMED = ['idle', 'returns_shares', 'returns_logs', 'on_shares', 'penalty_twice'];

/**
 * For each fault of each stage: the four stages, of which one has the fault.
 * @type {{ code: string, stages: Record<string, WrongForm> }[]}
 */
export const WRONG_STAGES = CHAIN.flatMap((name) =>
  Object.entries(WRONG_SAMPLERS[name])
    .filter(([code]) => !RENAMED.includes(codeOf(code)))
    .map(([code, form]) => ({ code, stages: { ...RIGHT, [name]: form } })),
);

/** @type {Record<string, WrongForm>} */
export const WRONG_CHAINS = {
  shares_first: ({ logits, settings, history }) =>
    inOrder(CHAIN)({ logits: softmax(logits), settings, history }),
  shares_last: (given) => softmax(inOrder(CHAIN)(given)),
  logs_last: (given) => softmax(inOrder(CHAIN)(given)).map(Math.log),
  without_penalty: without('repetition_penalty'),
  without_temperature: without('temperature'),
  without_top_k: without('top_k'),
  without_top_p: without('top_p'),
  order_reversed: inOrder([...CHAIN].reverse()),
  temperature_twice: twice('temperature'),
  'temperature_twice 2': inOrder([...CHAIN, 'temperature']),
  'temperature_twice 3': inOrder(['temperature', ...CHAIN]),
  penalty_twice: twice('repetition_penalty'),
  top_p_twice: twice('top_p'),
  idle: ({ logits }) => logits,
  ...Object.fromEntries(
    WRONG_STAGES.map(({ code, stages }) => [`${code} in a chain`, inOrder(CHAIN, stages)]),
  ),
};
