/**
 * Shows a lesson in a notebook (JupyterLab, Notebook, marimo, MyST) as a widget of anywidget: a frame. Its marks
 * become values of the widget. This file imports nothing, because a notebook may load only its text.
 */

/**
 * @typedef {object} Model the widget's values, which notebook and lesson share
 * @property {(name: string) => any} get
 * @property {(name: string, value: unknown) => void} set
 * @property {() => void} save_changes
 * @property {(event: string, listener: () => void) => void} on
 * @property {(event: string, listener: () => void) => void} off
 */

/** The parts of a lesson's result that the notebook gets. */
const TOLD = [
  'score',
  'complete',
  'attempts',
  'verdict',
  'kept',
  'entropy',
  'distribution',
  'state',
];
const HEIGHT = 900;

/** Address of this file's folder; '' if the notebook has loaded only its text. */
const here = import.meta.url.startsWith('http') ? new URL('.', import.meta.url).href : '';

/** @param {{ model: Model, el: HTMLElement }} place */
function render({ model, el }) {
  const frame = document.createElement('iframe');
  frame.title = 'Logitscope';
  frame.width = '100%';
  frame.height = String(model.get('height') || HEIGHT);
  frame.style.border = '0';
  /** The last state from the lesson; '' before one. */
  let told = '';

  function open() {
    const address = new URL(model.get('site') || here || '.', document.baseURI);
    address.searchParams.set('lesson', model.get('lesson') ?? '');
    if (model.get('lang')) address.searchParams.set('lang', model.get('lang'));
    frame.src = address.href;
  }
  function restore() {
    const state = model.get('state');
    if (state && state !== told)
      frame.contentWindow?.postMessage({ type: 'logitscope:set', state }, '*');
  }
  /** @param {MessageEvent} event */
  function hear({ source, data }) {
    if (source !== frame.contentWindow) return;
    if (data?.type === 'logitscope:ready') restore();
    if (data?.type !== 'logitscope:result') return;
    told = data.state;
    for (const name of TOLD) model.set(name, data[name]);
    model.save_changes();
  }

  addEventListener('message', hear);
  model.on('change:lesson', open);
  model.on('change:lang', open);
  model.on('change:state', restore);
  open();
  el.append(frame);
  return () => {
    removeEventListener('message', hear);
    model.off('change:lesson', open);
    model.off('change:lang', open);
    model.off('change:state', restore);
    frame.remove();
  };
}

export default { render };
