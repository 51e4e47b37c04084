/** Where the randomness of a draw comes from, checked. */
import { checkBoolean, checkInteger, checkOptions } from './checks.js';
import { LogitscopeError, show } from './errors.js';
import { SEED_MAX } from './settings.js';

/**
 * @param {import('./types.js').DrawChoice | undefined} choice
 * @param {string} draw
 * @returns {[step: number, options: { u?: number, raw: boolean }]}
 */
export function resolveChoice(choice, draw) {
  checkOptions('options of draw', choice, ['step', 'u', 'rng', 'raw']);
  const { step = 0, u, rng, raw = true } = choice ?? {};
  checkInteger('step', step, 0, SEED_MAX);
  checkBoolean('raw', raw);
  if (u === undefined && rng === undefined) return [step, { raw }];
  if (draw === 'gumbel' || (u !== undefined && rng !== undefined)) {
    throw new LogitscopeError(
      'invalid_argument',
      draw === 'gumbel'
        ? 'u and rng cannot be used with draw "gumbel", whose noise comes from seed and step'
        : 'u and rng cannot both be given',
    );
  }
  if (rng !== undefined && typeof rng !== 'function') {
    throw new LogitscopeError('invalid_argument', `rng must be a function, got ${show(rng)}`);
  }
  const value = rng ? rng() : u;
  if (typeof value !== 'number' || !(value >= 0 && value < 1)) {
    const code = typeof value === 'number' ? 'out_of_range' : 'invalid_argument';
    throw new LogitscopeError(
      code,
      `${rng ? 'what rng returns' : 'u'} must be at least 0 and below 1, got ${show(value)}`,
    );
  }
  return [step, { u: value, raw }];
}
