'use strict'
// Chooses the Node to run, and replaces this process with it. Plain CommonJS, because every Node that npm supports must parse it.
const { spawn } = require('node:child_process')
const { existsSync } = require('node:fs')
const { dirname, join } = require('node:path')

const MIN_NODE_MAJOR = 24
const isNewEnough = (version) => Number(version.split('.')[0]) >= MIN_NODE_MAJOR

/** Whether this is the project's repository. The package on npm has no lock file. */
const isProject = existsSync(join(__dirname, '..', 'package-lock.json'))

/**
 * The Node that this project installs, or else the one that runs this. It is looked up by its package name, because some versions
 * of npm don't link to it (npm 10.8 with several packages that each have a program called `node`).
 */
function findInstalledNode() {
  const { platform, arch, versions, execPath } = process
  try {
    const manifest = require.resolve(`node-${platform}-${arch}/package.json`)
    return join(dirname(manifest), require(manifest).bin.node)
  } catch {
    // There is none for this machine (only for Linux), or optional dependencies weren't installed.
  }
  if (isNewEnough(versions.node)) return execPath
  const fix =
    isProject && platform === 'linux'
      ? `npm installed none for ${platform} on ${arch}: run "npm ci" again without --omit=optional, or install one`
      : 'install one from https://nodejs.org'
  process.stderr.write(
    `Signalman needs Node ${MIN_NODE_MAJOR} or newer, and this is Node ${versions.node}: ${fix}.\n`,
  )
  return process.exit(1)
}

/**
 * The machine's own Node if it is new enough, or else the one that this project installs. npm puts the installed one first in PATH,
 * so the machine's own is read from npm's user agent (`npm/11.4.2 node/v24.3.0 linux x64`).
 */
function findHostNode() {
  const { npm_node_execpath: npmNode, npm_config_user_agent: agent = '' } = process.env
  const version = /\bnode\/v([\d.]+)/.exec(agent)
  if (npmNode && version && isNewEnough(version[1])) return npmNode
  if (!npmNode && isNewEnough(process.versions.node)) return process.execPath
  return findInstalledNode()
}

/** Replaces this process with `node` and `args`, passing on signals and the exit code. */
function replaceProcess(node, args, variables = process.env) {
  // If the program itself starts `node`, it must be the same one.
  const env = { ...variables, PATH: `${dirname(node)}:${process.env.PATH}` }
  if (process.execve) {
    process.execve(node, [node, ...args], env)
    return
  }
  const child = spawn(node, args, { stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

module.exports = {
  findInstalledNode,
  findHostNode,
  replaceProcess,
  QUIET: '--disable-warning=ExperimentalWarning',
}
