#!/usr/bin/env node
'use strict'
// Runs the program of `dist/` as it is meant to be run: `node bin/signalman.cjs VERB [flags]`, in whatever folder.
const { join } = require('node:path')
const { DIST, PROGRAM, needDist } = require('./dist.cjs')
const { become, hostNode, QUIET } = require('./nodes.cjs')

/** What is young stays small: a third less memory under load at the same processor time. The image says the same. */
const FLAGS = [QUIET, '--max-semi-space-size=8']
/**
 * What glibc starts with, which it doubles and more as large pieces are freed unless it is set: 7 MB of an idle process, given
 * back (https://man7.org/linux/man-pages/man3/mallopt.3.html). The image says the same.
 */
const MALLOC = { MALLOC_TRIM_THRESHOLD_: '131072' }

const node = hostNode()
needDist(node)
become(node, [...FLAGS, PROGRAM, ...process.argv.slice(2)], {
  NODE_COMPILE_CACHE: join(DIST, 'cache'),
  ...MALLOC,
  ...process.env,
})
