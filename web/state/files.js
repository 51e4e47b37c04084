/**
 * Takes the files that a user chooses or drops, and keeps their handles, with which a later visit can open them
 * again.
 */

/** Endings that the file dialog accepts: models, and checkpoints with their configuration and vocabulary. */
export const ENDINGS =
  '.gguf,.pt,.pth,.bin,.safetensors,.npz,.npy,.json,.pkl,.txt,.model,.tiktoken';
/** Most files that are taken from a dropped folder. */
const MOST_IN_FOLDER = 256;

/** @type {WeakMap<File, Promise<unknown>>} */
const handles = new WeakMap();
/** True if the browser has refused showOpenFilePicker, as in a frame of another origin. */
let refused = false;

/** Returns the handle of a file; undefined if there is none. @param {File} file */
export async function handleOf(file) {
  return handles.get(file)?.catch?.(() => undefined);
}

/**
 * The user has pressed a file field: opens the browser's dialog that gives handles, if there is one.
 * @param {Event} event
 * @param {(files: File[]) => void} take
 */
export async function onPick(event, take) {
  const picker = /** @type {any} */ (globalThis).showOpenFilePicker;
  if (!picker || refused) return;
  event.preventDefault();
  const box = /** @type {HTMLInputElement} */ (event.currentTarget);
  const types = [{ accept: { 'application/octet-stream': box.accept.split(',') } }];
  try {
    const found = await picker({ multiple: box.multiple, types });
    const files = await Promise.all(found.map((/** @type {any} */ each) => each.getFile()));
    files.forEach((file, i) => handles.set(file, Promise.resolve(found[i])));
    take(files);
  } catch (error) {
    if (/** @type {Error} */ (error).name === 'AbortError') return; // the user has closed the dialog
    refused = true;
    box.click();
  }
}

/** Returns the dropped files, and the files of dropped folders. @param {DataTransfer} data */
export async function droppedFiles({ items, files }) {
  const of = [...items].filter(({ kind }) => kind === 'file');
  // Ask for all entries at once: the browser empties the list after this task.
  const asked = of.map((item) => /** @type {any} */ (item).getAsFileSystemHandle?.());
  const entries = of.map((item) => item.webkitGetAsEntry?.());
  const dropped = [...files];
  const all = dropped.map(async (file, i) => {
    const entry = entries[i];
    if (entry?.isDirectory) return filesIn(/** @type {FileSystemDirectoryEntry} */ (entry));
    if (asked[i]) handles.set(file, asked[i]);
    return [file];
  });
  return (await Promise.all(all)).flat();
}

/**
 * Returns the files in a folder, without its subfolders.
 * @param {FileSystemDirectoryEntry} folder @returns {Promise<File[]>}
 */
async function filesIn(folder) {
  const reader = folder.createReader();
  /** @type {FileSystemEntry[]} */
  const found = [];
  for (;;) {
    // The browser returns the entries in several lists. The last list is empty.
    const more = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (more.length === 0 || found.length > MOST_IN_FOLDER) break;
    found.push(...more);
  }
  const inside = found.slice(0, MOST_IN_FOLDER).filter(({ isFile }) => isFile);
  return Promise.all(
    inside.map(
      (entry) =>
        new Promise((resolve, reject) =>
          /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject),
        ),
    ),
  );
}

/**
 * Returns the model made of these files: one file, or a list of all parts; null without files.
 * @param {Iterable<File> | null} files
 */
export function modelOf(files) {
  const [file = null, ...others] = files ?? [];
  return file && others.length > 0 ? [file, ...others] : file;
}
