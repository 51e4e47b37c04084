/**
 * If nobody does anything after the first load, moves the landscape's knob a little way and back, to show that it can
 * move.
 */
import { recall, remember } from '../state/memory.js';

/** Time without input until the movement begins, in ms. */
const IDLE_MS = 1500;
const INPUTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart', 'focusin'];

/** @import { LogitLandscape } from '../views/landscape/landscape.js' */

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
