'use strict'
// Runs a program of `dist/` as it is meant to be run: `node bin/start.cjs [main|rotate-keys|audit-verify] [arguments]`.
const { join } = require('node:path')
const { DIST, needDist } = require('./dist.cjs')
const { become, hostNode, QUIET } = require('./nodes.cjs')

/** What is young stays small: a third less memory under load at the same processor time. The image says the same. */
const FLAGS = [QUIET, '--max-semi-space-size=8']

const [program = 'main', ...args] = process.argv.slice(2)
const node = hostNode()
needDist(node)
become(node, [...FLAGS, join(DIST, `${program}.mjs`), ...args], {
  NODE_COMPILE_CACHE: join(DIST, 'cache'),
  ...process.env,
})
