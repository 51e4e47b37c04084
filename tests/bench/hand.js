/** Simulates drags on the page. The functions run in the page, make one move in each frame and return the moves. */

/**
 * Drags in the landscape, or in the first picture of the twin, from side to side, and vertically over `rise` of its
 * height (0 to 1).
 * @param {{ ms: number, rise?: number }} how
 */
export async function dragLandscape({ ms, rise = 0 }) {
  const scope = /** @type {any} */ (document.querySelector('logit-scope')).shadowRoot;
  const { renderRoot } = scope.querySelector('logit-landscape');
  const plot = renderRoot.querySelector('.twin .plot') ?? renderRoot.querySelector('.plot');
  const { left, top, width, height } = plot.getBoundingClientRect();
  const point = (/** @type {string} */ type, /** @type {number} */ across, down = 0.2) =>
    plot.dispatchEvent(
      new PointerEvent(type, {
        bubbles: true,
        composed: true,
        pointerId: 1,
        pointerType: 'mouse',
        isPrimary: true,
        buttons: 1,
        clientX: left + width * across,
        clientY: top + height * down,
      }),
    );
  plot.setPointerCapture = () => {}; // no pointer with this id exists, so the real function would throw
  point('pointerdown', 0.1);
  let moves = 0;
  for (const from = performance.now(); performance.now() - from < ms; moves++) {
    await new Promise(requestAnimationFrame);
    const down = 0.2 + (rise * (1 - Math.cos(moves / 70))) / 2;
    point('pointermove', 0.5 + 0.4 * Math.sin(moves / 30), down);
  }
  point('pointerup', 0.5);
  return moves;
}

/**
 * Moves the slider of a knob on the bench from end to end.
 * @param {{ name: string, ms: number }} how
 */
export async function turnKnob({ name, ms }) {
  const scope = /** @type {any} */ (document.querySelector('logit-scope')).shadowRoot;
  const bench = scope.querySelector('logit-bench').shadowRoot;
  const chain = bench.querySelector('logit-chain').shadowRoot;
  const knob = chain.querySelector(`[data-name=${name}]`).shadowRoot;
  const slider = knob.querySelector('input[type=range]');
  const [low, high] = [Number(slider.min), Number(slider.max)];
  const tell = (/** @type {string} */ type) =>
    slider.dispatchEvent(new Event(type, { bubbles: true, composed: true }));
  let moves = 0;
  for (const from = performance.now(); performance.now() - from < ms; moves++) {
    await new Promise(requestAnimationFrame);
    slider.value = String(low + (high - low) * (0.5 + 0.4 * Math.sin(moves / 30)));
    tell('input');
  }
  tell('change');
  return moves;
}

/**
 * Drags the title of a stage in the river of the chain: its value up and down, or the stage from place to place.
 * @param {{ name: string, ms: number, across: boolean }} how
 */
export async function dragStage({ name, ms, across }) {
  const scope = /** @type {any} */ (document.querySelector('logit-scope')).shadowRoot;
  const bench = scope.querySelector('logit-bench').shadowRoot;
  const stages = bench
    .querySelector('logit-distribution')
    .shadowRoot.querySelector('logit-stages').shadowRoot;
  const head = stages.querySelector(`.head[data-stage=${name}]`);
  const river = stages.querySelector('.river');
  const { left, width } = river.getBoundingClientRect();
  const own = head.querySelector('.plug').getBoundingClientRect();
  const from = { x: own.left + own.width / 2, y: own.top + own.height / 2 };
  river.setPointerCapture = () => {}; // no pointer with this id exists, so the real function would throw
  const point = (/** @type {any} */ target, /** @type {string} */ type, x = from.x, y = from.y) =>
    target.dispatchEvent(
      new PointerEvent(type, {
        bubbles: true,
        composed: true,
        pointerId: 1,
        pointerType: 'mouse',
        buttons: 1,
        clientX: x,
        clientY: y,
      }),
    );
  point(head.querySelector('.plug'), 'pointerdown');
  let moves = 0;
  for (const start = performance.now(); performance.now() - start < ms; moves++) {
    await new Promise(requestAnimationFrame);
    const swing = Math.sin(moves / 30);
    if (across) point(river, 'pointermove', left + width * (0.5 + 0.4 * swing), from.y);
    else point(river, 'pointermove', from.x, from.y - 10 - 60 * swing);
  }
  point(river, 'pointerup');
  return moves;
}

/**
 * Drags an element of its own over the page: the most frames that a drag can have on this machine.
 * @param {{ ms: number }} how
 */
export async function dragEmpty({ ms }) {
  const box = document.createElement('div');
  box.style.cssText =
    'position: fixed; inset: 20rem auto auto 10rem; width: 5rem; height: 2rem; background: gray';
  document.body.append(box);
  let moves = 0;
  for (const from = performance.now(); performance.now() - from < ms; moves++) {
    await new Promise(requestAnimationFrame);
    box.style.translate = `${100 * Math.sin(moves / 30)}px 0`;
  }
  box.remove();
  return moves;
}
