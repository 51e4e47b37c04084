/** What is said where the engine refuses what a figure or a question asks of it. */
import { explain, reason } from '../../base/faults.js';
import { toFault } from '../../engine/errors.js';
import { t } from '../../locale/locale.js';

/**
 * One sentence, in the language of the place where it stands.
 * @param {unknown} error
 * @param {import('../../base/element.js').LogitElement} host
 */
export async function unread(error, host) {
  const fault = toFault(error);
  await explain(fault); // with which the words have come
  return host.speak(() => t('lesson.unread', { reason: reason(fault, host) }));
}
