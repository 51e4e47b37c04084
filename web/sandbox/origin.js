/**
 * Returns true, to refuse the user's code, if the frame's origin is not opaque: the code could read the
 * site's storage. This happens without `sandbox`, or if the file is opened directly. The frame then shows
 * the reason and sends it to its parent.
 */
export function refuseOrigin() {
  if (self.origin === 'null') return false;
  const why = 'this page runs code only in a frame with sandbox="allow-scripts"';
  addEventListener('DOMContentLoaded', () => document.body.append(why));
  if (parent !== self) parent.postMessage({ error: why }, '*');
  return true;
}
