/**
 * Refuses a frame with an origin, because code in it could read the site's storage. Without `sandbox`,
 * or opened directly, the frame shows the reason and sends it to its parent.
 */
export function refuseOrigin() {
  if (self.origin === 'null') return false;
  const why = 'this page runs code only in a frame with sandbox="allow-scripts"';
  addEventListener('DOMContentLoaded', () => document.body.append(why));
  if (parent !== self) parent.postMessage({ error: why }, '*');
  return true;
}
