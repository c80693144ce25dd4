'use strict'
// Runs a file on the Node that this project brings, whatever Node started npm: `node bin/node.cjs [options] file …`.
// For development and tests; `signalman.cjs` is for everything else.
const { become, broughtNode, QUIET } = require('./nodes.cjs')

become(broughtNode(), [QUIET, ...process.argv.slice(2)])
