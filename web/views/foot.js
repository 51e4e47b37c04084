/** The views without a tab, in one module: with fewer entry points, bundlers split the first visit's code less. */
import './cost/cost.js';
import './speculative/speculative.js';
