/** The page's own instrument: its address, and the page around it where it stands in a frame. */
import { followAddress } from './components/address.js';

const scope = /** @type {import('./components/scope.js').LogitScope | null} */ (
  document.querySelector('logit-scope')
);
if (scope) {
  const address = followAddress(scope);
  scope.shareable = true;
  scope.addEventListener('logit-share', async () => {
    await import('./components/share/share.js');
    const panel = /** @type {import('./components/share/share.js').LogitShare} */ (
      document.querySelector('logit-share') ?? document.body.appendChild(document.createElement('logit-share'))
    );
    await panel.show(address.href);
  });
  if (window.parent !== window)
    import('./components/host-messages.js').then(({ answerHost }) => answerHost(scope));
}
