/** The entry `logitscope/sweep`: runs and measures sweeps; errors have English messages. */
import './sentences.js';

export * from './sweep.js';
