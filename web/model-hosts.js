/**
 * The hosts from which a user may open a model, for the content security policy. By default: the Hugging Face hub and
 * the hosts to which it redirects.
 */
const HUB_HOSTS = 'https://huggingface.co https://*.huggingface.co https://*.hf.co';
const HOST = /^https?:\/\/(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d+)?$/;

/** @param {string} [text] host sources of the policy, separated by spaces; empty for none @returns {string[]} */
export function readHosts(text = HUB_HOSTS) {
  const hosts = text.split(/[\s,]+/).filter(Boolean);
  const wrong = hosts.find((host) => !HOST.test(host));
  if (wrong !== undefined)
    throw new Error(`MODEL_HOSTS must be like https://example.org, got ${JSON.stringify(wrong)}`);
  return hosts;
}

/**
 * Returns a regular expression (as text) for the origins of these hosts.
 * @param {string[]} hosts
 */
export function patternOf(hosts) {
  const escaped = hosts.map((host) => host.replaceAll('.', '\\.').replace('*\\.', '.+\\.'));
  return `^(${escaped.join('|')})$`;
}
