/**
 * The adapter for JSInput of Open edX. The course system calls three functions of this window. From another origin
 * (sop="false") it calls them by messages in the format of the library JSChannel.
 */

const SCOPE = 'JSInput::';

/** Reads a call from JSChannel; null for any other message. @param {string} text */
function readMessage(text) {
  try {
    const { method, params, id } = JSON.parse(text);
    if (typeof method !== 'string' || !method.startsWith(SCOPE)) return null;
    return { method: method.slice(SCOPE.length), params, id };
  } catch {
    return null;
  }
}

/** @param {import('./delivery.js').Host} host @returns {import('./delivery.js').Adapter} */
export function jsinput({ lesson, take }) {
  const { parent } = window;
  /**
   * The last result, for Open edX to fetch.
   * @type {{ score: number | null, complete: boolean, attempts: number, state: string }}
   */
  let now = { score: null, complete: false, attempts: 0, state: '' };
  /** @type {Record<string, (text: string) => unknown>} */
  const methods = {
    getGrade() {
      const { score, complete, attempts } = now;
      return JSON.stringify({ lesson: lesson.result.lesson, score, complete, attempts });
    },
    getState: () => JSON.stringify({ state: now.state, score: now.score }),
    setState(text) {
      take(text);
      return true;
    },
  };
  Object.assign(window, methods);

  let ready = false;
  /** @param {object} message */
  const send = (message) => parent.postMessage(JSON.stringify(message), '*');
  addEventListener('message', ({ source, data }) => {
    if (source !== parent || typeof data !== 'string') return;
    const { method, params, id } = readMessage(data) ?? {};
    if (method === '__ready') {
      if (params === 'ping' && !ready) send({ method: `${SCOPE}__ready`, params: 'pong' });
      ready = true;
    } else if (method !== undefined && Object.hasOwn(methods, method))
      send({ id, result: methods[method](params) });
  });
  send({ method: `${SCOPE}__ready`, params: 'ping' });

  return {
    recall: async () => {},
    tell: (result) => (now = result),
  };
}
