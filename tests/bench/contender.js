/**
 * A contender of the bench: an engine that repeats a unit of work and returns the mean time of a unit.
 *
 * @typedef {object} Settings  settings of the samplers
 * @property {number} [repetition_penalty]
 * @property {number} [temperature]
 * @property {number} [top_k]
 * @property {number} [top_p]
 *
 * @typedef {{ what: 'decode' | 'prefill', tokens: number }
 *   | { what: 'step', position: number, cache: boolean }
 *   | { what: 'draw' | 'trace', settings: Settings & Record<string, any> }
 *   | { what: 'load' }} Work  one unit of decode or prefill is all `tokens`
 *
 * @typedef {object} Contender
 * @property {(work: Work, least: number) => Promise<number>} sample  mean milliseconds of one
 *   unit of work; the units run for at least `least` milliseconds
 * @property {() => void | Promise<void>} close
 */
import { Engine } from './engine.js';
import { MemoryReader } from './memory.js';
import { JsSampler } from './sampler_peers.js';

const kinds = { engine: Engine, memory: MemoryReader, sampler: JsSampler };

/**
 * Opens a contender that can run in Node and in Chromium.
 * @param {keyof typeof kinds} kind
 * @param {any} options
 * @returns {Promise<Contender>}
 */
export function openContender(kind, options) {
  return kinds[kind].open(options);
}
