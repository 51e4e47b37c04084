/**
 * Shows in the page's place while a new build is fetched, then reloads: with the new build if it is
 * complete, else with the kept one.
 */

/** The longest wait for the new build, in ms. */
const PATIENCE = 3000;

const { serviceWorker } = navigator;
const again = () => location.reload();
serviceWorker.addEventListener('controllerchange', again);
serviceWorker.addEventListener('message', again); // another page still shows the old build
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
