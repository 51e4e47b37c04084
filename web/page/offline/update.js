/**
 * The script of a page that is shown while a newer build is fetched. Then it reloads, with the newer build or, if
 * that is incomplete, the old one.
 */

/** Longest time to wait for the newer build, in ms. */
const PATIENCE = 3000;

const { serviceWorker } = navigator;
const again = () => location.reload();
serviceWorker.addEventListener('controllerchange', again);
serviceWorker.addEventListener('message', again); // reloads anyway: another page uses the old build
serviceWorker.startMessages();
const timer = setTimeout(again, PATIENCE);

const registration = await serviceWorker.getRegistration();
await registration?.update().catch(() => {});
const { installing } = registration ?? {};
if (installing)
  await new Promise((resolve) =>
    installing.addEventListener('statechange', resolve, { once: true }),
  );
clearTimeout(timer);
serviceWorker.controller?.postMessage('switch');

export {};
