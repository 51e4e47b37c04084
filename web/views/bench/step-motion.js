/**
 * The animation of a step. The die falls on the strip, the drawn token flies into the text, the old bars and strip
 * fade out, and the new ones fade in. The moving parts are copies above the page, so nothing else moves. The next
 * step ends the animation.
 */

/** Duration in ms, and the time at which each phase ends, as a share of the duration. */
const TOTAL = 440;
const FALLEN = 0.32;
const GONE = 0.5;
const ARRIVED = 0.85;
const FALL = '0 -1.25rem';

const reduced = matchMedia('(prefers-reduced-motion: reduce)');

/** The copies above the page and the running animations. @type {{ node?: Element, motion: Animation }[]} */
let shown = [];
/** Number of the running animation; an animation with an older number stops. */
let turn = 0;

function endStep() {
  turn++;
  for (const { node, motion } of shown) {
    motion.cancel();
    node?.remove();
  }
  shown = [];
}

/**
 * Animates a step: a copy of the drawn token flies to the end of the text. Call it before the panels show the step.
 * @param {ParentNode & Node} root contains the panels; the flying token is added to it
 */
export async function showStep(root) {
  endStep();
  if (reduced.matches || document.hidden) return;
  const mine = turn;
  const strip = partOf(root, 'logit-draw', '.strip');
  const chart = partOf(root, 'logit-distribution', '.chart');
  const drawn = [strip?.querySelector('.segment.next'), chart?.querySelector('.row.next .name')];
  const from = drawn.map((element) => element && inSight(element)).find(Boolean);
  for (const element of [strip, chart]) if (element && inSight(element)) crossFade(element);

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
  fadeInAt(to, ARRIVED);
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
  playMotion(
    node,
    { translate: [at(from), at(place)], scale: [0.8, 1], opacity: [1, 1, 0.2] },
    left,
  );
}

/** Returns the element of the text's last token. @param {ParentNode} root */
function lastToken(root) {
  const tape = partOf(root, 'logit-text', 'logit-tape');
  return [...(tape?.shadowRoot?.querySelectorAll('.step .token') ?? [])].at(-1) ?? null;
}

/**
 * Lays a copy of an element's chart over it, lets the die fall onto the copy, and fades in the new chart.
 * @param {Element} element
 */
function crossFade(element) {
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
  playMotion(node, { opacity: [1, 1, 0, 0], offset: [0, FALLEN, GONE, 1] });
  fadeInAt(now, GONE);
  const die = node.querySelector('.needle');
  if (die)
    playMotion(die, { translate: [FALL, '0 0', '0 0'], offset: [0, FALLEN, 1] }, TOTAL, false);
}

/**
 * Hides an element until a share of the duration has passed, then fades it in.
 * @param {Element} element
 * @param {number} share
 */
function fadeInAt(element, share) {
  playMotion(element, { opacity: [0, 0, 1], offset: [0, share, 1] }, TOTAL, false);
}

/**
 * @param {Element} node
 * @param {PropertyIndexedKeyframes} frames
 * @param {number} [duration]
 * @param {boolean} [passing] true to remove the element at the end
 */
function playMotion(node, frames, duration = TOTAL, passing = true) {
  const motion = node.animate(frames, { duration, easing: 'ease-in-out' });
  shown.push(passing ? { node, motion } : { motion });
  if (passing) motion.onfinish = () => node.remove();
}

/** @param {ParentNode} root @param {string} panel @param {string} selector */
function partOf(root, panel, selector) {
  const found = root.querySelector(panel);
  return found?.shadowRoot?.querySelector(selector) ?? null;
}

/** Returns the box of an element; null if the element is outside the window. @param {Element} element */
function inSight(element) {
  const box = element.getBoundingClientRect();
  return box.width > 0 && box.bottom > 0 && box.top < innerHeight ? box : null;
}
