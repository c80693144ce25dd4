'use strict'
// Which Node to run on, and how to become it. Plain CommonJS, as old a Node as npm still runs on must read it.
const { spawn } = require('node:child_process')
const { existsSync } = require('node:fs')
const { dirname, join } = require('node:path')

const NEEDED = 24
const isNewEnough = (version) => Number(version.split('.')[0]) >= NEEDED

const isProject = existsSync(join(__dirname, '..', 'package-lock.json'))

/**
 * The Node that this project brings, else the one that runs this. It is looked for by name, because some versions of npm
 * leave no link to it (npm 10.8 with several packages that each have a program called `node`).
 */
function broughtNode() {
  const { platform, arch, versions, execPath } = process
  for (const name of [`node-${platform}-${arch}`, `node-bin-${platform}-${arch}`]) {
    try {
      const manifest = require.resolve(`${name}/package.json`)
      return join(dirname(manifest), require(manifest).bin.node)
    } catch {
      // Not the package for this machine, or installed without optional dependencies.
    }
  }
  if (isNewEnough(versions.node)) return execPath
  const mend = isProject
    ? `npm has installed none for ${platform} on ${arch}: run "npm ci" again without --omit=optional, or install one`
    : 'install one from https://nodejs.org'
  process.stderr.write(
    `Signalman needs Node ${NEEDED} or newer, and this is Node ${versions.node}: ${mend}.\n`,
  )
  return process.exit(1)
}

/**
 * The machine's own Node when that is new enough, else the one that this project brings. npm names the Node that it was
 * started with (`npm/11.4.2 node/v24.3.0 linux x64`), because it puts the brought one in front of it in PATH.
 */
function hostNode() {
  const { npm_node_execpath: ofNpm, npm_config_user_agent: agent = '' } = process.env
  const version = /\bnode\/v([\d.]+)/.exec(agent)
  if (ofNpm && version && isNewEnough(version[1])) return ofNpm
  if (!ofNpm && isNewEnough(process.versions.node)) return process.execPath
  return broughtNode()
}

/** Runs `node` with `args` in place of this process, signals and exit code included. */
function become(node, args, variables = process.env) {
  // What the program starts by the name `node` must be the same one.
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

module.exports = { broughtNode, hostNode, become, QUIET: '--disable-warning=ExperimentalWarning' }
