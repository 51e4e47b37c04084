/** The entry `logitscope/remote`: the engine in a worker; errors have English messages. */
import './sentences.js';

export * from './remote.js';
