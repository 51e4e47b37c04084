/**
 * The hosts from which a user may open a model, and those on which a user may ask a server, for the content security
 * policy. By default: the Hugging Face hub with the hosts to which it redirects, and this machine.
 */
const DEFAULTS = {
  MODEL_HOSTS: 'https://huggingface.co https://*.huggingface.co https://*.hf.co',
  PROBE_HOSTS: 'http://127.0.0.1:* http://localhost:*',
};
const HOST = /^https?:\/\/(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:(\d+|\*))?$/;

/**
 * @param {keyof typeof DEFAULTS} name of the variable
 * @param {string} [text] host sources of the policy, separated by spaces; empty for none
 * @returns {string[]}
 */
export function readHosts(name, text = DEFAULTS[name]) {
  const hosts = text.split(/[\s,]+/).filter(Boolean);
  const wrong = hosts.find((host) => !HOST.test(host));
  if (wrong !== undefined)
    throw new Error(`${name} must be like https://example.org, got ${JSON.stringify(wrong)}`);
  return hosts;
}

/**
 * Returns a regular expression (as text) for the origins of these hosts.
 * @param {string[]} hosts
 */
export function patternOf(hosts) {
  const escaped = hosts.map((host) =>
    host.replaceAll('.', '\\.').replace('*\\.', '.+\\.').replace(':*', '(:\\d+)?'),
  );
  return `^(${escaped.join('|')})$`;
}
