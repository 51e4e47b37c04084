/** The package: the engine, whose errors say their English sentence and which compiles schemas; and the types of what it takes and gives. */
import './schema.js';
import './sentences.js';

export * from './logitscope.js';
export * from './types.js';
export { detect } from './detect.js';
export { beamSearch, contrastiveSearch, searches } from './search.js';
