/**
 * Messages between a lesson in a frame and its parent page. The lesson sends 'logitscope:ready' once, and
 * 'logitscope:result' after each answer and REST_MS after the last change of a figure. It accepts 'logitscope:get',
 * and 'logitscope:set' with an earlier state, but only from the parent page.
 */
import { STATE_LIMIT } from '../../lessons/marks.js';
import { Debounce } from '../../base/debounce.js';
import { t } from '../../locale/locale.js';

/** The result is sent after a figure has not changed for this time, in ms. */
const REST_MS = 250;

/** @param {import('../lesson/lesson.js').LogitLesson} lesson */
export function answerHost(lesson) {
  const { parent } = window;
  const debounce = new Debounce();
  /** Resolves when the last result is sent. The next one waits for it, so that results stay in order. */
  let last = Promise.resolve();
  /** @param {string} type @param {object} detail */
  const tell = (type, detail) => parent.postMessage({ type: `logitscope:${type}`, ...detail }, '*');
  /** @param {object} [id] of the message that the result answers */
  const tellResult = (id = {}) => {
    debounce.cancel();
    const { result } = lesson;
    const send = async () => tell('result', { ...result, ...(await lesson.reading()), ...id });
    last = last.then(send, send);
  };
  /** @param {string} state @param {object} id */
  async function restore(state, id) {
    await lesson.opened; // a state may arrive before the lesson has loaded
    lesson.restore(state);
    tellResult(id);
  }
  lesson.opened.then(() => tell('ready', lesson.result));
  lesson.addEventListener('logit-result', () => tellResult());
  lesson.addEventListener('logit-figure', () => debounce.schedule(REST_MS, tellResult));
  addEventListener('message', ({ source, data }) => {
    if (source !== parent || typeof data?.type !== 'string') return;
    const kind = /^logitscope:(.*)$/.exec(data.type)?.[1];
    const id = ['string', 'number'].includes(typeof data.id) ? { id: data.id } : {};
    if (kind === undefined) return;
    const good = typeof data.state === 'string' && data.state.length <= STATE_LIMIT;
    if (kind === 'set' && good) return void restore(data.state, id);
    if (kind !== 'get') {
      const message = t('lesson.host');
      return tell('error', { code: 'invalid_argument', message, ...id });
    }
    tellResult(id);
  });
}
