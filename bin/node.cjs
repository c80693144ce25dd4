'use strict'
// Runs a file on the Node that this project brings, whatever Node started npm: `node bin/node.cjs [options] file …`.
// It finds that Node by itself, because some versions of npm leave no link to it (npm 10.8 with several packages that
// each have a program called `node`). Plain CommonJS, as old a Node as npm still runs on must read it.
const { spawn } = require('node:child_process')
const { dirname, join } = require('node:path')

const QUIET = '--disable-warning=ExperimentalWarning'
const NEEDED = 24

function bundledNode() {
  const { platform, arch } = process
  for (const name of [`node-${platform}-${arch}`, `node-bin-${platform}-${arch}`]) {
    try {
      const manifest = require.resolve(`${name}/package.json`)
      return join(dirname(manifest), require(manifest).bin.node)
    } catch {
      // Not the package for this machine, or installed without optional dependencies.
    }
  }
  if (Number(process.versions.node.split('.')[0]) >= NEEDED) return process.execPath
  process.stderr.write(
    `This project runs on Node ${NEEDED}, and npm has not installed one for ${platform} on ${arch}: run "npm ci" again without --omit=optional, or install Node ${NEEDED}.\n`,
  )
  process.exit(1)
}

const node = bundledNode()
const args = [QUIET, ...process.argv.slice(2)]
// What the program starts by the name `node` must be the same one.
const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` }

if (process.execve) process.execve(node, [node, ...args], env)
else {
  const child = spawn(node, args, { stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
