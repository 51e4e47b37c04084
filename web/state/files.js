/** Receives files that the user picks or drops, and keeps their file handles for later visits. */

/** @type {WeakMap<File, Promise<unknown>>} */
const handles = new WeakMap();
/** True if the browser has refused showOpenFilePicker, as it does in a frame of another origin. */
let refused = false;

/** Returns the handle of a file; undefined if it has none. @param {File} file */
export async function handleOf(file) {
  return handles.get(file)?.catch?.(() => undefined);
}

/**
 * Handles a press on a file input: opens showOpenFilePicker, which gives handles, if the browser has it.
 * @param {Event} event
 * @param {(files: File[]) => void} take
 */
export async function onPick(event, take) {
  const picker = /** @type {any} */ (globalThis).showOpenFilePicker;
  if (!picker || refused) return;
  event.preventDefault();
  const box = /** @type {HTMLInputElement} */ (event.currentTarget);
  const types = [{ accept: { 'application/octet-stream': [box.accept] } }];
  try {
    const found = await picker({ multiple: box.multiple, types });
    const files = await Promise.all(found.map((/** @type {any} */ each) => each.getFile()));
    files.forEach((file, i) => handles.set(file, Promise.resolve(found[i])));
    take(files);
  } catch (error) {
    if (/** @type {Error} */ (error).name === 'AbortError') return; // the user picked no file
    refused = true;
    box.click();
  }
}

/** Returns the files of a drop. @param {DataTransfer} data */
export function droppedFiles({ items, files }) {
  const of = [...items].filter(({ kind }) => kind === 'file');
  const asked = of.map((item) => /** @type {any} */ (item).getAsFileSystemHandle?.());
  const dropped = [...files];
  dropped.forEach((file, i) => asked[i] && handles.set(file, asked[i]));
  return dropped;
}

/**
 * Returns the model that the files contain: one file, or all parts of a split file; null without files.
 * @param {Iterable<File> | null} files
 */
export function modelOf(files) {
  const [file = null, ...others] = files ?? [];
  return file && others.length > 0 ? [file, ...others] : file;
}
