/** `logitscope/grammar`: sentences judged by a grammar file, with English sentences for its errors. */
import './sentences.js';

export * from './grammar.js';
