/** Settings of other programs: recognised, read as ours, written for another. */
export { programs } from './programs.js';
export { readSettings } from './read.js';
export { recognise } from './recognise.js';
export { writeSettings } from './write.js';
