/**
 * Computes the mask of a constraint in two ways: by the engine, and by a function that tests each token separately.
 */
import assert from 'node:assert/strict';

/** Returns the ids that the engine allows next: of logits that are all 0, it removes the others. */
export function maskOf(scope, constraint, history) {
  try {
    const { logits } = scope.warp(
      new Float32Array(scope.info.vocab_size),
      { constraint, constraint_start: 0, top: 0 },
      { history },
    );
    return [...logits.keys()].filter((id) => logits[id] === 0);
  } catch (error) {
    assert.equal(error.code, 'nothing_left');
    return [];
  }
}

export const bytesOf = (scope, ids) => Buffer.concat([...ids].map((id) => scope.piece(id).bytes));

/** Returns the ids that `judge` allows; it is asked about each token separately. */
export function naiveMask(scope, judge, history) {
  const prefix = bytesOf(scope, history);
  const { vocab_size, eos_token_id } = scope.info;
  return Array.from({ length: vocab_size }, (_, id) => id).filter((id) => {
    if (id === eos_token_id) return judge(prefix) === 'complete';
    const { bytes, special } = scope.piece(id);
    return !special && bytes.length > 0 && judge(Buffer.concat([prefix, bytes])) !== 'wrong';
  });
}
