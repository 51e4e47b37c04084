/**
 * The part of `bench` that runs in a notebook. The frame shows the address of the kernel's server.
 * If the browser cannot reach this server, because the kernel runs on another computer, the frame
 * shows the single-file page instead, and the page's questions go to the kernel as messages. A
 * notebook runs this file as text, so it imports and exports nothing; bench_page.py adds the call of
 * `showClassic` or the export of `render`.
 */

/** For each question: the type of the numbers in its answer. */
const KINDS = { pieces: Uint8Array, encode: Uint32Array, logits: Float32Array };
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Returns true if the server at an address of this computer answers. @param {string} address */
async function isReachable(address) {
  if (!LOOPBACK.includes(location.hostname)) return false; // the browser could ask the user for permission
  try {
    // The server refuses it. A stored answer to the frame's request would be blocked.
    await fetch(address, { mode: 'no-cors', cache: 'no-store' });
    return true;
  } catch {
    return false;
  }
}

/** Returns the text of the single-file page. @param {ArrayBuffer} packed gzip */
function unpack(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).text();
}

/** Returns the bytes of a question's body. @param {string | Uint32Array | undefined} body */
function bytesOf(body) {
  if (typeof body === 'string') return new TextEncoder().encode(body).buffer;
  return body ? new Uint32Array(body).buffer : new ArrayBuffer(0);
}

/** Copies a buffer: numbers of four bytes must begin at a multiple of four. @param {DataView | ArrayBuffer} buffer */
const copyOf = (buffer) =>
  buffer instanceof ArrayBuffer
    ? buffer.slice(0)
    : buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength);

/**
 * Shows the single-file page and sends its questions to the kernel. Returns a function that takes
 * the kernel's answers, { ask, result?, fault? } with a buffer.
 * @param {HTMLIFrameElement} frame
 * @param {Record<string, string>} query further parts of the page's query
 * @param {(question: { ask: number, what: string }, body: ArrayBuffer) => void} send
 */
function answerFrame(frame, query, send) {
  /**
   * For each question that is not answered: its kind, by number. Number 0 asks for the page itself.
   * @type {Map<number, string>}
   */
  const open = new Map([[0, 'page']]);
  frame.removeAttribute('src');
  frame.setAttribute('sandbox', 'allow-scripts allow-downloads');
  addEventListener('message', function hear({ source, data }) {
    if (!frame.isConnected) removeEventListener('message', hear);
    if (source !== frame.contentWindow || data?.type !== 'logitscope:ask') return;
    const { ask, what, body } = data;
    if (!Number.isInteger(ask) || ask < 1 || !(what === 'info' || what in KINDS)) return;
    open.set(ask, what);
    send({ ask, what }, bytesOf(body));
  });
  send({ ask: 0, what: 'page' }, new ArrayBuffer(0));
  return async ({ ask, result, fault }, buffer) => {
    const what = open.get(ask);
    if (!what) return;
    open.delete(ask);
    if (what === 'page') {
      const page = fault ? fault.message : await unpack(copyOf(buffer));
      const address = new URLSearchParams({ source: 'host', ...query });
      frame.srcdoc = page.replace('<html', `<html data-query="?${address}"`);
      return;
    }
    const answer = fault ? { fault } : { result: result ?? new KINDS[what](copyOf(buffer)) };
    frame.contentWindow?.postMessage({ type: 'logitscope:answer', ask, ...answer }, '*');
  };
}

/**
 * Shows the bench in Jupyter Notebook before version 7. The cell's output has the frame already.
 * @param {{ frame: string, token: string, query: Record<string, string> }} facts
 */
async function showClassic({ frame: id, token, query }) {
  const frame = document.getElementById(id);
  const manager = globalThis.Jupyter?.notebook?.kernel?.comm_manager;
  if (!frame || !manager || (await isReachable(frame.src))) return;
  const comm = manager.new_comm('logitscope', { token });
  const take = answerFrame(frame, query, (question, body) => comm.send(question, {}, {}, [body]));
  comm.on_msg(({ content, buffers }) => take(content.data, buffers[0]));
}

/** Shows a bench as an anywidget. @param {{ model: any, el: HTMLElement }} place */
async function render({ model, el }) {
  const frame = document.createElement('iframe');
  frame.title = 'Logitscope';
  frame.width = '100%';
  frame.height = String(model.get('height'));
  frame.style.border = '0';
  frame.allow = 'clipboard-write; fullscreen';
  el.append(frame);
  if (await isReachable(model.get('url'))) {
    frame.src = model.get('url');
    return;
  }
  const take = answerFrame(frame, model.get('query'), (question, body) =>
    model.send(question, undefined, [body]),
  );
  model.on('msg:custom', (data, buffers) => take(data, buffers[0]));
}
