/** `logitscope/sweep`: many texts, measured, with English sentences for its errors. */
import './sentences.js';

export * from './sweep.js';
