/** The views without a tab, as one entry: fewer entries split the code of the first visit into fewer files. */
import './cost/cost.js';
import './speculative/speculative.js';
