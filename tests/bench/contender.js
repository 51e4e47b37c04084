/**
 * A contender of the bench: it repeats a unit of work and says how long one
 * took.
 *
 * @typedef {object} Settings  of the samplers, by the names of the field
 * @property {number} [repetition_penalty]
 * @property {number} [temperature]
 * @property {number} [top_k]
 * @property {number} [top_p]
 *
 * @typedef {{ what: 'decode' | 'prefill', tokens: number }
 *   | { what: 'step', position: number, cache: boolean }
 *   | { what: 'draw' | 'trace', settings: Settings & Record<string, any> }
 *   | { what: 'load' }} Work  milliseconds are of one whole unit: all tokens of a run
 *
 * @typedef {object} Contender
 * @property {(work: Work, least: number) => Promise<number>} sample  milliseconds of one unit of
 *   the work, over at least `least` milliseconds of it
 * @property {() => void | Promise<void>} close
 */
import { Engine } from './engine.js';
import { MemoryReader } from './memory.js';
import { JsSampler } from './sampler_peers.js';

const kinds = { engine: Engine, memory: MemoryReader, sampler: JsSampler };

/**
 * Those that run anywhere.
 * @param {keyof typeof kinds} kind
 * @param {any} options
 * @returns {Promise<Contender>}
 */
export function openContender(kind, options) {
  return kinds[kind].open(options);
}
