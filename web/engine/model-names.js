/** Names of a model: a name of the hub, a page or file of it, an address, one part of several. */

/** The address of the hub. */
export const HUB = 'https://huggingface.co';

/** A name of the hub: hub:owner/name/path/to/file.gguf, with @revision after the name if needed. */
const NAME = /^hub:([\w.-]+)\/([\w.-]+)(?:@([\w.-]+))?\/((?:[\w.+-]+\/)*[\w.+-]+)$/;
/** A file at the hub, or the page about it. */
const PAGE = /^\/([\w.-]+)\/([\w.-]+)\/(?:blob|resolve)\/([^/]+)\/(.+)$/;
const PART = /-(\d{5})-of-(\d{5})(?=\.gguf$)/;
/** More parts than any model that fits into memory has. */
const PARTS_MAX = 256;

/**
 * The address of a name or page of the hub; any other text unchanged. Null for a malformed name.
 * @param {string} name
 * @param {string} [hub]
 * @returns {string | null}
 */
export function addressOf(name, hub = HUB) {
  if (name.startsWith('hub:')) {
    const [, owner, repository, revision = 'main', path] = NAME.exec(name) ?? [];
    const parts = [owner, repository, revision, ...(path ?? '').split('/')];
    if (path === undefined || parts.some((part) => /^\.+$/.test(part))) return null;
    return `${hub}/${owner}/${repository}/resolve/${revision}/${path}`;
  }
  if (!name.startsWith(`${HUB}/`)) return name;
  const { pathname } = new URL(name);
  const [, owner, repository, revision, path] = PAGE.exec(pathname) ?? [];
  return path === undefined ? name : `${hub}/${owner}/${repository}/resolve/${revision}/${path}`;
}

/**
 * The shortest name of an address: the hub's, if it has one.
 * @param {string} address as addressOf gives it
 */
export function nameOf(address) {
  const [, owner, repository, revision, path] =
    (address.startsWith(`${HUB}/`) && PAGE.exec(new URL(address).pathname)) || [];
  const name = `hub:${owner}/${repository}${revision === 'main' ? '' : `@${revision}`}/${path}`;
  return path !== undefined && addressOf(name) === address ? name : address;
}

/**
 * The names of all parts of a split file, given any one of them; for another file its own name.
 * @param {string} name
 * @returns {string[]}
 */
export function partNames(name) {
  const [path, query = ''] = name.split(/(?=[?#])/, 2);
  const count = Number(PART.exec(path)?.[2] ?? 1);
  if (count < 2 || count > PARTS_MAX) return [name];
  const of = String(count).padStart(5, '0');
  return Array.from(
    { length: count },
    (_, i) => path.replace(PART, `-${String(i + 1).padStart(5, '0')}-of-${of}`) + query,
  );
}
