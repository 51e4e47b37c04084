/**
 * The package's main entry: the engine, English messages for its errors, the compiler of schemas, and
 * the types.
 */
import './schema.js';
import './sentences.js';

export * from './logitscope.js';
export * from './types.js';
export { serve } from './engine-server.js';
export { Session } from './session.js';
export { detect } from './detect.js';
export { beamSearch, contrastiveSearch, searches } from './search.js';
