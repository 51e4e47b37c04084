/** The entry for `require`, which can load a module in Node 20.19, 22.12 and later. */
module.exports = require('../template.js');
