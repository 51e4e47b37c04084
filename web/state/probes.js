/** The hosts on which the user may ask a server. The build sets PROBE_HOSTS; without it there are none. */
const PROBES = new RegExp(/** @type {any} */ (globalThis).PROBE_HOSTS ?? '^$');

/** True if the page offers servers. A frame does not, because its host page may set the prompt. */
export const hasProbes = () => /\w/.test(PROBES.source) && window.parent === window;

/** True if the user may ask a server of this origin. @param {string} origin */
export const mayProbe = (origin) => PROBES.test(origin);

/** The server of the open model; null for another model. */
export const opened = {
  server: /** @type {() => import('../sources/server.js').Server | null} */ (() => null),
};
