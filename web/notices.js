/**
 * Writes the licences of bundled packages, which every copy must have, and a list of these packages (a bill of
 * materials).
 */
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const web = dirname(fileURLToPath(import.meta.url));
const root = dirname(web);
const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/** An esbuild plugin that collects the packages in bundles. */
export class Notices {
  /** Folders of the packages. @type {Set<string>} */
  #packages = new Set();

  /** @type {import('esbuild').Plugin} */
  plugin = {
    name: 'notices',
    setup: (build) => {
      build.initialOptions.metafile = true;
      build.onEnd(({ metafile }) => {
        for (const { inputs } of Object.values(metafile?.outputs ?? {}))
          for (const path of Object.keys(inputs)) {
            const [folder] = PACKAGE.exec(path) ?? [];
            if (folder) this.#packages.add(folder);
          }
      });
    },
  };

  /** Returns all licences in full. */
  async text() {
    const parts = await Promise.all(
      [...this.#packages].map(async (folder) => {
        const { name, version } = await readManifest(folder);
        const files = await readdir(join(root, folder));
        const license = files.find((file) => /^licen[cs]e/i.test(file));
        if (!license) throw new Error(`${folder} has no license to name`);
        return `${name} ${version}\n\n${(await read(join(folder, license))).trim()}`;
      }),
    );
    const own = [`Logitscope\n\n${await read('LICENSE')}`, await read('web/engine/LICENSES.txt')];
    const all = [...own.map((part) => part.trim()), ...parts.sort()];
    return `${all.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
  }

  /** Returns the packages as a CycloneDX 1.6 bill of materials. */
  async bill() {
    const { name, version, license } = await readManifest('.');
    const folders = [...this.#packages].sort();
    const components = await Promise.all(
      folders.map(async (it) => library(await readManifest(it))),
    );
    const component = {
      type: 'application',
      name,
      version,
      licenses: [{ license: { id: license } }],
    };
    const bill = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 };
    return `${JSON.stringify({ ...bill, metadata: { component }, components }, null, 2)}\n`;
  }
}

/** Reads a file of the repository. @param {string} path */
const read = (path) => readFile(join(root, path), 'utf8');

/** @param {string} folder @returns {Promise<{ name: string, version: string, license: string }>} */
const readManifest = async (folder) => JSON.parse(await read(join(folder, 'package.json')));

/** @param {{ name: string, version: string, license: string }} manifest */
function library({ name: full, version, license }) {
  const [, group, name] = /** @type {RegExpExecArray} */ (/^(?:(@[^/]+)\/)?(.+)$/.exec(full));
  return {
    type: 'library',
    ...(group && { group }),
    name,
    version,
    purl: `pkg:npm/${full.replace('@', '%40')}@${version}`,
    licenses: [{ license: { id: license } }],
  };
}
