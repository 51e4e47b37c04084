/** `logitscope/remote`: the engine in a worker, with English sentences for its errors. */
import './sentences.js';

export * from './remote.js';
