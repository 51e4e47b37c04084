/** Connects the page's instrument with the address, with dialogs, and in a frame with the host page. */
import { PageAddress } from './address.js';
import { t } from '../locale/locale.js';

const scope = /** @type {import('./scope.js').LogitScope | null} */ (
  document.querySelector('logit-scope')
);
if (scope) {
  const address = new PageAddress(scope);
  scope.shareable = true;
  scope.addEventListener('logit-share', async () => {
    await import('./send.js');
    const panel = /** @type {import('./send.js').LogitSend} */ (
      document.querySelector('logit-send') ??
        document.body.appendChild(document.createElement('logit-send'))
    );
    const { renderRoot, view } = scope;
    const shown = /** @type {any} */ (renderRoot.querySelector(`#view > logit-${view}`));
    const opener = renderRoot.querySelector('[data-command=share]');
    await panel.show(address, shown?.picture ? shown : null, opener);
  });
  const complete = () => import('./complete.js').then(({ completePage }) => completePage(scope));
  scope.addEventListener('logit-ready', complete, { once: true });
  document.addEventListener('logit-shortcuts', async () =>
    (await import('./shortcuts.js')).showShortcuts(),
  );
  const present = () =>
    import('./present.js').then(({ beginPresentation }) => beginPresentation(scope));
  if (scope.present) present();
  document.addEventListener('logit-present', present);
  addEventListener('beforeprint', () => (document.body.dataset.address = address.href));
  // A module that is fetched on demand fails without the network. The text of this error differs between browsers.
  addEventListener('unhandledrejection', (event) => {
    if (!/import/i.test(event.reason?.message)) return;
    event.preventDefault();
    scope.notice = t('state.unfetched');
  });
  const source = scope.getAttribute('source');
  if (source === 'server') import('./server.js').then(({ enterServers }) => enterServers(scope));
  else if (source) import('./asking.js').then(({ enterSource }) => enterSource(scope, source));
  if (window.parent !== window)
    import('./host-messages.js').then(({ answerHost }) => answerHost(scope));
}
