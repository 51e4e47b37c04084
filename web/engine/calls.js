/** Names of the methods that a message can carry to an engine in another thread. */

/** Methods of `Session`. */
export const SESSION_CALLS = /** @type {const} */ ([
  'feed',
  'timeline',
  'logits',
  'hidden',
  'second',
  'surprisal',
  'score',
  'read',
  'distribution',
  'draw',
  'landscape',
]);

/** Methods that only `Logitscope` has. */
export const SCOPE_CALLS = /** @type {const} */ ([
  'encode',
  'decode',
  'chat',
  'piece',
  'tokens',
  'random',
  'distinct',
  'marks',
  'warp',
  'warpRows',
  'ownInput',
  'readFrom',
  'drawFrom',
  'landscapeFrom',
  'law',
  'breakLoop',
]);
