/** The package: the engine, whose errors say their English sentence. */
import './sentences.js';

export * from './logitscope.js';
