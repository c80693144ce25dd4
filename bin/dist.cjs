'use strict'
// Builds `dist/`: `node bin/dist.cjs [--folder F]`. With `--if-stale`, as `npm ci` runs it, only if it wasn't built from these sources.
const { spawnSync } = require('node:child_process')
const { createHash } = require('node:crypto')
const { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } = require('node:fs')
const { join } = require('node:path')
const { findInstalledNode, QUIET } = require('./nodes.cjs')

const ROOT = join(__dirname, '..')
const DIST = join(ROOT, 'dist')
const PROGRAM = join(DIST, 'signalman.mjs')
const BUNDLER = join(__dirname, 'bundle.ts')

/** Exits if there is no program. Never builds one: whoever starts it may not write here, and would wait for the build. */
function requireDist() {
  if (!existsSync(PROGRAM)) {
    printError('There is no dist/. Run "npm run build" in this folder, as its owner.')
    process.exit(1)
  }
  if (isStale())
    printError(
      'dist/ was built from other sources, and is used anyway. Run "npm run build" in this folder, as its owner.',
    )
}

/** Whether there are sources that `dist/` wasn't built from. */
function isStale(stamp = createSourceStamp()) {
  return stamp !== undefined && (!existsSync(PROGRAM) || stamp !== readDistStamp())
}

function build(node, stamp, options = []) {
  // The build writes to standard error, because standard output is for the program that runs afterwards.
  const { status, signal } = spawnSync(node, [QUIET, BUNDLER, '--stamp', stamp, ...options], {
    stdio: ['ignore', 2, 2],
  })
  if (status === 0) return
  printError(`dist/ could not be built${signal ? ` (${signal})` : ''}.`)
  process.exit(1)
}

/** A line that changes with every source, dependency, and setting of the bundle. Undefined if there are no sources. */
function createSourceStamp() {
  const folders = ['src', 'packages/runtime/src', 'packages/slack/src', 'packages/durable/src'].map(
    (folder) => join(ROOT, folder),
  )
  if (!folders.every(existsSync)) return undefined
  const sources = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true })
      .filter((name) => name.endsWith('.ts'))
      .sort()
      .map((name) => join(folder, name)),
  )
  const hash = createHash('sha256')
  const settings = [BUNDLER, join(__dirname, 'notices.ts'), join(ROOT, 'package.json')]
  for (const path of [...sources, ...settings, join(ROOT, 'package-lock.json')]) {
    const content = readFileSync(path)
    hash.update(`${path.slice(ROOT.length)} ${content.length}\n`).update(content)
  }
  return `Made by bin/bundle.ts from sources with the SHA-256 ${hash.digest('hex')}`
}

/** Reads the stamp of the built program, which is the file that a build writes last. */
function readDistStamp() {
  const file = openSync(PROGRAM)
  try {
    const start = Buffer.alloc(200)
    const length = readSync(file, start)
    return start.toString('latin1', 0, length).split('\n')[1]?.replace('// ', '')
  } finally {
    closeSync(file)
  }
}

const printError = (line) => process.stderr.write(`${line}\n`)

module.exports = { DIST, PROGRAM, requireDist }

if (require.main === module) {
  const options = process.argv.slice(2)
  const stamp = createSourceStamp()
  if (!options.includes('--if-stale')) {
    if (stamp === undefined) process.exit(1)
    build(findInstalledNode(), stamp, options)
  } else if (isStale(stamp)) {
    if (existsSync(join(ROOT, 'node_modules', 'rolldown'))) build(findInstalledNode(), stamp)
    else
      printError('dist/ isn’t built, because the bundler isn’t installed. Run "npm ci" without --omit=dev.')
  }
}
