/**
 * What a step shows by motion: the die falls on the strip, its token flies into the text, and the
 * bars and the strip that it was drawn from go before those of the next token come, so that nothing
 * overprints. It lies over the page and moves nothing in it; a further step ends it.
 */

/** How long all of it takes, in ms, and its parts as shares of that. */
const TOTAL = 440;
const FALLEN = 0.32;
const GONE = 0.5;
const ARRIVED = 0.85;
/** How far the die falls, in units of 1/16 rem. */
const FALL = '0 -1.25rem';

const reduced = matchMedia('(prefers-reduced-motion: reduce)');

/** What lies over the page now, and what moves. @type {{ node?: Element, motion: Animation }[]} */
let shown = [];
/** Bumped for each step. */
let turn = 0;

/** Ends what still moves. */
export function endStep() {
  turn++;
  for (const { node, motion } of shown) {
    motion.cancel();
    node?.remove();
  }
  shown = [];
}

/**
 * Shows a step from what stands on the bench before it.
 * @param {ParentNode & Node} root with the panels; what flies is put there
 */
export async function showStep(root) {
  endStep();
  if (reduced.matches || document.hidden) return;
  const mine = turn;
  const strip = part(root, 'logit-draw', '.strip');
  const chart = part(root, 'logit-distribution', '.chart');
  const drawn = [strip?.querySelector('.segment.next'), chart?.querySelector('.row.next .name')];
  const from = drawn.map((element) => element && inSight(element)).find(Boolean);
  for (const element of [strip, chart]) if (element && inSight(element)) replace(element);

  const before = lastToken(root);
  const began = performance.now();
  /** @type {Element | null} */
  let to = null;
  while (!to && mine === turn && performance.now() - began < TOTAL * FALLEN) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const last = lastToken(root);
    if (last !== before) to = last;
  }
  if (!to || !from || mine !== turn || !inSight(to)) return;
  hold(to, ARRIVED);
  const fallen = TOTAL * FALLEN - (performance.now() - began);
  await new Promise((resolve) => setTimeout(resolve, fallen));
  const place = inSight(to);
  if (mine !== turn || !place) return;
  const node = document.createElement('span');
  node.className = 'flying';
  node.ariaHidden = 'true';
  node.textContent = to.textContent;
  root.append(node);
  const own = node.getBoundingClientRect();
  const at = (/** @type {DOMRect} */ { x, y, width, height }) =>
    `${x + width / 2 - own.x - own.width / 2}px ${y + height / 2 - own.y - own.height / 2}px`;
  const left = TOTAL * (1 - FALLEN);
  play(node, { translate: [at(from), at(place)], scale: [0.8, 1], opacity: [1, 1, 0.2] }, left);
}

/** The last token of the text. @param {ParentNode} root */
function lastToken(root) {
  const tape = part(root, 'logit-text', 'logit-tape');
  return [...(tape?.shadowRoot?.querySelectorAll('.step .token') ?? [])].at(-1) ?? null;
}

/**
 * Lays what an element shows now over it, lets the die fall there, and brings in what comes next.
 * @param {Element} element
 */
function replace(element) {
  const now = /** @type {SVGElement | null} */ (element.querySelector(':scope > svg'));
  if (!now) return;
  const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = /** @type {HTMLElement} */ (element);
  const node = document.createElement('div');
  node.className = `${element.className} before`;
  node.inert = true;
  node.ariaHidden = 'true';
  node.append(now.cloneNode(true));
  const box = { left: offsetLeft, top: offsetTop, width: offsetWidth, height: offsetHeight };
  for (const [name, pixels] of Object.entries(box)) node.style.setProperty(name, `${pixels}px`);
  element.after(node);
  play(node, { opacity: [1, 1, 0, 0], offset: [0, FALLEN, GONE, 1] });
  hold(now, GONE);
  const die = node.querySelector('.needle');
  if (die) play(die, { translate: [FALL, '0 0', '0 0'], offset: [0, FALLEN, 1] }, TOTAL, false);
}

/**
 * Keeps an element out of sight for a share of the time, then brings it in.
 * @param {Element} element
 * @param {number} share
 */
function hold(element, share) {
  play(element, { opacity: [0, 0, 1], offset: [0, share, 1] }, TOTAL, false);
}

/**
 * @param {Element} node
 * @param {PropertyIndexedKeyframes} frames
 * @param {number} [duration]
 * @param {boolean} [passing] whether it is removed in the end
 */
function play(node, frames, duration = TOTAL, passing = true) {
  const motion = node.animate(frames, { duration, easing: 'ease-in-out' });
  shown.push(passing ? { node, motion } : { motion });
  if (passing) motion.onfinish = () => node.remove();
}

/** @param {ParentNode} root @param {string} panel @param {string} selector */
function part(root, panel, selector) {
  const found = root.querySelector(panel);
  return found?.shadowRoot?.querySelector(selector) ?? null;
}

/** Where an element is; null where nobody sees it. @param {Element} element */
function inSight(element) {
  const box = element.getBoundingClientRect();
  return box.width > 0 && box.bottom > 0 && box.top < innerHeight ? box : null;
}
