/**
 * The frame must have no origin: with one, what runs in it could read what the site keeps. Whoever
 * frames it without `sandbox`, or opens it by itself, is told so.
 */
export function refuseOrigin() {
  if (self.origin === 'null') return false;
  const why = 'this page runs code only in a frame with sandbox="allow-scripts"';
  addEventListener('DOMContentLoaded', () => document.body.append(why));
  if (parent !== self) parent.postMessage({ error: why }, '*');
  return true;
}
