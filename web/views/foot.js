/** The views without a tab, fetched together: fewer entries share the first visit's code, which is cut into fewer files. */
import './cost/cost.js';
import './speculative/speculative.js';
