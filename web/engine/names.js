/** What a model can be called: a name of the hub, a page or file of it, an address, part of several. */

/** Where the names of the hub lead. */
export const HUB = 'https://huggingface.co';

/** A name of the hub: hub:owner/name/path/to/file.gguf, with @revision after the name. */
const NAME = /^hub:([\w.-]+)\/([\w.-]+)(?:@([\w.-]+))?\/((?:[\w.+-]+\/)*[\w.+-]+)$/;
/** A page about a file, or the file, at the hub. */
const PAGE = /^\/([\w.-]+)\/([\w.-]+)\/(?:blob|resolve)\/([^/]+)\/(.+)$/;
const PART = /-(\d{5})-of-(\d{5})(?=\.gguf$)/;
/** No model that fits has as many parts. */
const PARTS_MAX = 256;

/**
 * The address of a name or of a page of the hub; of anything else what it is. Null for a name that
 * is none.
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
 * The shortest name of an address: that of the hub where it has one.
 * @param {string} address as addressOf gives it
 */
export function nameOf(address) {
  const [, owner, repository, revision, path] =
    (address.startsWith(`${HUB}/`) && PAGE.exec(new URL(address).pathname)) || [];
  const name = `hub:${owner}/${repository}${revision === 'main' ? '' : `@${revision}`}/${path}`;
  return path !== undefined && addressOf(name) === address ? name : address;
}

/**
 * The names of all parts of a split file, given that of any one; otherwise the name alone.
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
