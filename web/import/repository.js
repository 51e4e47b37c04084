/** A model of the hub that is no GGUF file: its checkpoint with the configuration and the vocabulary. */
import { LogitscopeError } from '../engine/errors.js';
import { loadFault } from '../engine/load-fault.js';
import { openParts } from '../engine/open-parts.js';
import { ofBlob } from './byte-file.js';
import { named } from './faults.js';
import { TEXT_BYTES } from './read-text.js';
import { readIndex } from './safetensors.js';

/** @import { ByteFile } from './byte-file.js' */
/** @typedef {(progress: { loaded: number, total: number, where: string }) => void} OnProgress */

export const WEIGHTS = 'model.safetensors';
const INDEX = 'model.safetensors.index.json';
/** Files with the tokens, by name: of each list all are fetched, and the first list that exists is used. */
const TOKENS = [['tokenizer.json'], ['tokenizer.model'], ['vocab.json', 'merges.txt']];
const SETTINGS = ['tokenizer_config.json', 'generation_config.json', 'chat_template.jinja'];
const MOST_PARTS = 256;

/** @param {unknown} error */
const isMissing = (error) =>
  error instanceof LogitscopeError && error.key === 'http_status' && error.values.n === 404;

/** Fetches files of one model. */
class Repository {
  /** Bytes of the parts that are here. */
  before = 0;

  /**
   * @param {string} name as wholeName of model-names.js returns it
   * @param {{ keep?: boolean, signal?: AbortSignal, onprogress?: OnProgress }} options
   */
  constructor(name, { keep, signal, onprogress }) {
    this.name = name;
    this.way = { keep, signal };
    this.onprogress = onprogress;
  }

  /** Fetches a file; null if the model has none of that name. @param {string} file @returns {Promise<ByteFile | null>} */
  async find(file) {
    try {
      return await this.#fetch(file);
    } catch (error) {
      if (isMissing(error)) return null;
      const fault = error instanceof LogitscopeError ? error.code : '';
      throw fault === 'too_long' ? error : loadFault('model', `${this.name}/${file}`, error);
    }
  }

  /** Only the fetch of weights takes long enough to be shown. @param {string} file */
  async #fetch(file) {
    const { chunks, total, way } = await openParts('model', `${this.name}/${file}`, this.way);
    const isWeights = file.endsWith('.safetensors');
    const pieces = [];
    let loaded = 0;
    for await (const chunk of chunks) {
      pieces.push(new Blob([/** @type {BlobPart} */ (chunk)]));
      loaded += chunk.length;
      if (!isWeights && loaded > TEXT_BYTES) {
        const values = { file, n: total ?? loaded, limit: TEXT_BYTES };
        throw new LogitscopeError('too_long', 'vocab_bytes', values);
      }
      const where = this.way.keep ? way?.told?.where : 'once';
      if (isWeights && total && where)
        this.onprogress?.({ loaded: this.before + loaded, total: this.before + total, where });
    }
    if (isWeights) this.before += loaded;
    return ofBlob(new Blob(pieces), file);
  }

  /** @param {string[]} files */
  async findAll(files) {
    /** @type {ByteFile[]} */
    const found = [];
    for (const file of files) {
      const each = await this.find(file);
      if (each) found.push(each);
    }
    return found;
  }

  /** Fetches the weights: one file, or all parts that the index lists. */
  async weights() {
    const whole = await this.find(WEIGHTS);
    if (whole) return [whole];
    const index = await this.find(INDEX);
    if (!index) throw new LogitscopeError('unsupported', 'hub_no_weights', { name: this.name });
    const parts = new Set((await readIndex(index)).values());
    for (const part of parts)
      if (parts.size > MOST_PARTS || !/^[\w-][\w.-]*\.safetensors$/.test(part))
        throw new LogitscopeError('bad_file', 'index_part', { file: INDEX, name: named(part) });
    const found = await this.findAll([...parts]);
    return [index, ...found]; // may lack parts; the reader of the index names a missing one
  }
}

/**
 * Fetches a model of the hub. The small files come first: without them the weights are of no use.
 * @param {string} name as wholeName of model-names.js returns it
 * @param {{ keep?: boolean, signal?: AbortSignal, onprogress?: OnProgress }} [options]
 * @returns {Promise<{ name: string, files: ByteFile[] }>} the name without its owner
 */
export async function fetchRepository(name, options = {}) {
  const repository = new Repository(name, options);
  const config = await repository.find('config.json');
  if (!config) throw new LogitscopeError('unsupported', 'hub_no_weights', { name });
  const files = [config, ...(await repository.findAll(SETTINGS))];
  for (const list of TOKENS) {
    const found = await repository.findAll(list);
    files.push(...found);
    if (found.length > 0) break;
  }
  files.push(...(await repository.weights()));
  return { name: name.replace(/^.*\//, '').replace(/@.*$/, ''), files };
}
