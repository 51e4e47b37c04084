/** The entry `logitscope/grammar`: judges sentences by a grammar file; errors have English messages. */
import './sentences.js';

export * from './grammar.js';
