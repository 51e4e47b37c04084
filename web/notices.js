/** The licenses of whatever a bundle takes from packages, which ask to be named in every copy. */
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const web = dirname(fileURLToPath(import.meta.url));
const root = dirname(web);
const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Notes, as a plugin of its bundles, which packages they take from; `text` gives the notices. */
export class Notices {
  /** The folders of packages. @type {Set<string>} */
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

  async text() {
    const read = (/** @type {string} */ path) => readFile(join(root, path), 'utf8');
    const parts = await Promise.all(
      [...this.#packages].map(async (folder) => {
        const { name, version } = JSON.parse(await read(join(folder, 'package.json')));
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
}
