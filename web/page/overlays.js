/** The elements over the panels and at the foot, fetched beside the first model. */
import './context.js';
import '../panels/distribution/glance.js';
import '../panels/text/alternatives.js';
import '../panels/text/branches.js';
import '../panels/text/token-menu.js';
import '../panels/text/verdict.js';
