/**
 * The script of a page that is shown while a new build is fetched. It then reloads: with the new build if
 * it is complete, else with the kept build.
 */

/** The longest wait for the new build, in ms. */
const PATIENCE = 3000;

const { serviceWorker } = navigator;
const again = () => location.reload();
serviceWorker.addEventListener('controllerchange', again);
serviceWorker.addEventListener('message', again); // the worker's message: another page still uses the old build
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
