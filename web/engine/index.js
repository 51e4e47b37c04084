/** The package: the engine, whose errors say their English sentence. */
import './sentences.js';

export * from './logitscope.js';
export { detect } from './detect.js';
export { beamSearch, contrastiveSearch, searches } from './search.js';
