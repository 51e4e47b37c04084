/** What is said where the engine refuses what a figure or a question asks of it. */
import { reason } from '../../base/faults.js';
import { t } from '../../locale/locale.js';

/**
 * One sentence; empty where nothing was refused, and until the words have come.
 * @param {import('../../engine/errors.js').Fault | null | undefined} fault
 * @param {import('lit').ReactiveControllerHost} host is rendered again once they have
 */
export function unread(fault, host) {
  const why = reason(fault, host);
  return why && t('lesson.unread', { reason: why });
}
