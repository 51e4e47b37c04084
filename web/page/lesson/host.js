/**
 * A lesson inside a frame and the page around it: it tells 'logitscope:result' after each answer, and
 * takes 'logitscope:get' and 'logitscope:set' with a state that it told before, from the parent only.
 */
import { STATE_LIMIT } from '../../lessons/marks.js';
import { t } from '../../locale/locale.js';

/** @param {import('./lesson.js').LogitLesson} lesson */
export function answerHost(lesson) {
  const { parent } = window;
  /** @param {string} type @param {object} detail */
  const tell = (type, detail) => parent.postMessage({ type: `logitscope:${type}`, ...detail }, '*');
  lesson.addEventListener('logit-result', (event) =>
    tell('result', /** @type {CustomEvent} */ (event).detail),
  );
  addEventListener('message', ({ source, data }) => {
    if (source !== parent || typeof data?.type !== 'string') return;
    const kind = /^logitscope:(.*)$/.exec(data.type)?.[1];
    const id = ['string', 'number'].includes(typeof data.id) ? { id: data.id } : {};
    if (kind === undefined) return;
    const good = typeof data.state === 'string' && data.state.length <= STATE_LIMIT;
    if (kind === 'set' && good) lesson.restore(data.state);
    else if (kind !== 'get') {
      const message = t('lesson.host');
      return tell('error', { code: 'invalid_argument', message, ...id });
    }
    tell('result', { ...lesson.result, ...id });
  });
}
