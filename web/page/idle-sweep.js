/**
 * Moves the landscape's knob out and back once, if nobody does anything after a first load: the picture
 * shows that it moves.
 */
import { recall, remember } from '../state/memory.js';

/** The time without input before the sweep, in ms. */
const IDLE_MS = 1500;
const INPUTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart', 'focusin'];

/** @typedef {import('../views/landscape/landscape.js').LogitLandscape} LogitLandscape */

/** @param {import('./scope.js').LogitScope} scope */
export function sweepWhenIdle(scope) {
  if (recall('swept') !== null || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  const view = () =>
    /** @type {LogitLandscape | null} */ (scope.renderRoot.querySelector('logit-landscape'));
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const begin = () => {
    remember('swept', '');
    if (scope.view === 'landscape' && !document.hidden) view()?.lines.sweep();
  };
  /** @param {Event} event */
  const onInput = ({ type }) => {
    clearTimeout(timer);
    const lines = view()?.lines;
    const waits = !lines?.playing && recall('swept') === null;
    if (waits && type === 'pointermove') {
      timer = setTimeout(begin, IDLE_MS);
      return;
    }
    for (const each of INPUTS) removeEventListener(each, onInput, true);
    if (!lines?.run.sweeps) return;
    lines.goHome();
    view()?.moved();
  };
  for (const each of INPUTS) addEventListener(each, onInput, true);
  timer = setTimeout(begin, IDLE_MS);
}
