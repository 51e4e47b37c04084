/**
 * A contender of the bench: it repeats a unit of work and returns the time of one.
 *
 * @typedef {object} Settings  of the samplers, with the usual names
 * @property {number} [repetition_penalty]
 * @property {number} [temperature]
 * @property {number} [top_k]
 * @property {number} [top_p]
 *
 * @typedef {{ what: 'decode' | 'prefill', tokens: number }
 *   | { what: 'step', position: number, cache: boolean }
 *   | { what: 'draw' | 'trace', settings: Settings & Record<string, any> }
 *   | { what: 'load' }} Work  one unit is all tokens of a run
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
 * Opens a contender that runs on any host.
 * @param {keyof typeof kinds} kind
 * @param {any} options
 * @returns {Promise<Contender>}
 */
export function openContender(kind, options) {
  return kinds[kind].open(options);
}
