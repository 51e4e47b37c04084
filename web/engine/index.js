/** The package: the engine, whose errors say their English sentence; and the types of what it takes and gives. */
import './sentences.js';

export * from './logitscope.js';
export * from './types.js';
export { detect } from './detect.js';
export { beamSearch, contrastiveSearch, searches } from './search.js';
