/** Resolves names of models: hub names, addresses of hub pages or files, parts of a split file. */

/** The address of the Hugging Face hub. */
export const HUB = 'https://huggingface.co';

/** A name of the hub: hub:owner/name/path/to/file.gguf, with @revision after the name if needed. */
const NAME = /^hub:([\w.-]+)\/([\w.-]+)(?:@([\w.-]+))?\/((?:[\w.+-]+\/)*[\w.+-]+)$/;
/** A name of the hub without a file: the checkpoint of a model. */
const WHOLE = /^hub:([\w.-]+)\/([\w.-]+)(?:@([\w.-]+))?$/;
/** The path of a model's page at the hub. */
const WHOLE_PAGE = /^\/([\w.-]+)\/([\w.-]+)\/?(?:tree\/([\w.-]+)\/?)?$/;
/** The path of a file at the hub, or of the page about the file. */
const PAGE = /^\/([\w.-]+)\/([\w.-]+)\/(?:blob|resolve)\/([^/]+)\/(.+)$/;
const PART = /-(\d{5})-of-(\d{5})(?=\.gguf$)/;
/** Maximum number of parts of a split file. A model that fits into memory has fewer. */
const PARTS_MAX = 256;

/**
 * The address of the file that a hub name or hub page refers to; null for a malformed name. Returns
 * any other text unchanged.
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
 * The hub name of an address, if it is at the hub; else the address.
 * @param {string} address result of addressOf
 */
export function nameOf(address) {
  const [, owner, repository, revision, path] =
    (address.startsWith(`${HUB}/`) && PAGE.exec(new URL(address).pathname)) || [];
  const name = `hub:${owner}/${repository}${revision === 'main' ? '' : `@${revision}`}/${path}`;
  return path !== undefined && addressOf(name) === address ? name : address;
}

/**
 * The hub name of a model without a file, given that name or the address of the model's page; null for any other.
 * @param {string} name
 */
export function wholeName(name) {
  const page = name.startsWith(`${HUB}/`) ? WHOLE_PAGE.exec(new URL(name).pathname) : null;
  const [, owner, repository, revision = 'main'] = page ?? WHOLE.exec(name) ?? [];
  if (owner === undefined || [owner, repository, revision].some((part) => /^\.+$/.test(part)))
    return null;
  return `hub:${owner}/${repository}${revision === 'main' ? '' : `@${revision}`}`;
}

/**
 * The names of all parts of a split file, given the name of any part. For any other file, only its
 * name.
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
