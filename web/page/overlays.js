/** What comes over the panels when it is asked for. */
import './context.js';
import '../panels/distribution/glance.js';
import '../panels/text/alternatives.js';
import '../panels/text/branches.js';
import '../panels/text/token-menu.js';
import '../panels/text/verdict.js';
