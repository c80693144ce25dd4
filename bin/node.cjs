'use strict'
// Runs a file with the Node that this project installs, even if another Node runs npm: `node bin/node.cjs [options] file …`.
// For development and tests. `signalman.cjs` is for everything else.
const { replaceProcess, findInstalledNode, QUIET } = require('./nodes.cjs')

replaceProcess(findInstalledNode(), [QUIET, ...process.argv.slice(2)])
