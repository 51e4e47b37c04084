/**
 * The package: the engine with English sentences for its errors and the compiler of schemas, and its
 * types.
 */
import './schema.js';
import './sentences.js';

export * from './logitscope.js';
export * from './types.js';
export { serve } from './engine-server.js';
export { Session } from './session.js';
export { detect } from './detect.js';
export { beamSearch, contrastiveSearch, searches } from './search.js';
