'use strict'
// Whether `dist/` was made from the sources that are here, and making it. `node bin/dist.cjs` makes it in any case.
const { spawnSync } = require('node:child_process')
const { createHash } = require('node:crypto')
const { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } = require('node:fs')
const { join } = require('node:path')
const { broughtNode, QUIET } = require('./nodes.cjs')

const ROOT = join(__dirname, '..')
const DIST = join(ROOT, 'dist')
const PROGRAM = join(DIST, 'signalman.mjs')
const BUNDLER = join(__dirname, 'bundle.ts')

/** Makes `dist/` when there is none, or one of other sources. Without sources or bundler, what is there is run as it is. */
function needDist(node) {
  const isThere = existsSync(PROGRAM)
  const stamp = stampOfSources()
  if (isThere && (stamp === undefined || stamp === stampOfDist())) return
  if (stamp !== undefined && existsSync(join(ROOT, 'node_modules', 'rolldown'))) {
    say('Making dist/ from the sources, once until they change …')
    make(node, stamp)
  } else if (isThere) {
    say(
      'dist/ was not made from these sources; it is run as it is, because the bundler is not installed here.',
    )
  } else {
    say(
      'There is no dist/, and nothing to make it with: run "npm ci" without --omit=dev, or copy dist/ from where "npm run build" made it.',
    )
    process.exit(1)
  }
}

function make(node, stamp) {
  // Standard output belongs to the program that comes after.
  const { status, signal } = spawnSync(node, [QUIET, BUNDLER, '--stamp', stamp], { stdio: ['ignore', 2, 2] })
  if (status === 0) return
  say(`dist/ could not be made${signal ? ` (${signal})` : ''}.`)
  process.exit(1)
}

/** One line that changes with any source, dependency or setting of the bundle; undefined where there are no sources. */
function stampOfSources() {
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
  const settings = [BUNDLER, join(__dirname, 'provenance.ts'), join(ROOT, 'package.json')]
  for (const path of [...sources, ...settings, join(ROOT, 'package-lock.json')]) {
    const content = readFileSync(path)
    hash.update(`${path.slice(ROOT.length)} ${content.length}\n`).update(content)
  }
  return `Made by bin/bundle.ts from sources with the SHA-256 ${hash.digest('hex')}`
}

/** The stamp of the program, which is written last. */
function stampOfDist() {
  const file = openSync(PROGRAM)
  try {
    const start = Buffer.alloc(200)
    const length = readSync(file, start)
    return start.toString('latin1', 0, length).split('\n')[1]?.replace('// ', '')
  } finally {
    closeSync(file)
  }
}

const say = (line) => process.stderr.write(`${line}\n`)

module.exports = { DIST, PROGRAM, needDist }

if (require.main === module) {
  const stamp = stampOfSources()
  if (stamp === undefined) process.exit(1)
  make(broughtNode(), stamp)
}
