import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quickOrLong } from '../long.ts'
import { collectOutput, runFile, runSignalman } from '../process.ts'
import { type ProcessWorld, startProcessWorld } from '../process-world.ts'
import { makeBuiltProjectCopy, type ProjectCopy } from '../project-copy.ts'

let installation: ProjectCopy
let world: ProcessWorld
beforeAll(async () => {
  installation = await makeBuiltProjectCopy()
  world = await startProcessWorld(installation.signalman)
  Object.assign(world.env, { API_TOKEN: world.sandbox.token })
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await installation[Symbol.asyncDispose]()
})

async function occupyPort() {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  // A server that listens has an address with a port.
  const { port } = server.address() as AddressInfo
  return { port: String(port), [Symbol.dispose]: () => void server.close() }
}

async function startSlowRequest(): Promise<void> {
  await world.service.clearRequests()
  await world.service.faults({ path: '/healthcheck', kind: 'hold' })
  world.slack.member.command('/hc', 'list', { until: 'nothing' }).catch(() => undefined)
  await expect.poll(() => world.service.requests('GET')).not.toEqual([])
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}

/** How many moments to try. They are spread over `START_MS`, which is longer than a start takes. */
const MOMENTS = quickOrLong('MOMENTS', { quick: 3, long: 100 })
const START_MS = 800

describe('a stop signal', () => {
  it.each(Array.from({ length: MOMENTS }, (_, moment) => moment))(
    'stops the process cleanly during startup, at moment %i of the start',
    async (moment) => {
      await using app = runFile(installation.signalman, { args: ['serve'], env: world.env })
      await Promise.race([pause((moment * START_MS) / MOMENTS), app.waitFor(/is listening/)])
      app.child.kill('SIGTERM')
      const ended = await app.ended
      // Until its first line runs, a program can't handle signals.
      if (ended === 'SIGTERM') expect(app.output()).toBe('')
      else expect(ended).toBe(0)
    },
  )

  it('stops the process gracefully, even if the whole process group receives it', async () => {
    const file = join(installation.root, 'as-on-node-20.cjs')
    await writeFile(file, `delete process.execve\nrequire('${installation.signalman}')\n`)
    await using app = runFile(file, { args: ['serve'], env: world.env, isGroup: true })
    await app.waitFor(/is listening/)
    process.kill(-(app.child.pid ?? 0), 'SIGINT')
    expect(await app.ended).toBe(0)
    expect(app.output()).toContain('Stopped.')
    expect(app.output()).not.toContain('Received a second signal')
  })

  it('to npx, which doesn’t pass it on, stops the process', async () => {
    // Like npx, whose program goes on as a child of process 1.
    const script = 'node "$0" serve & echo "program $!"; wait'
    const child = spawn('sh', ['-c', script, installation.signalman], {
      env: { PATH: process.env.PATH, ...world.env, npm_command: 'exec' },
      stdio: 'pipe',
    })
    await using npx = collectOutput('npx', child)
    const [, id] = await npx.waitFor(/program (\d+)/)
    await npx.waitFor(/is listening/)
    npx.child.kill('SIGKILL')
    await expect.poll(() => isRunning(Number(id))).toBe(false)
    expect(npx.output()).toContain('Stopped.')
  })

  it('stops the process without waiting for running work if it is sent twice', async () => {
    const { app } = await world.start()
    await startSlowRequest()
    app.child.kill('SIGTERM')
    await app.waitFor(/Stopping\./)
    await pause(1100)
    app.child.kill('SIGTERM')
    await app.waitFor(/Received a second signal/)
    expect(await app.ended).toBe(0)
    await world.service.faults()
  })
})

it.each(['PORT', 'METRICS_PORT'])(
  'stops the start with a clear error if the port %s is in use, before it opens a socket to Slack',
  async (name) => {
    using occupied = await occupyPort()
    await using app = runSignalman(['serve'], {
      env: { ...world.env, SLACK_APP_TOKEN: 'xapp-1-local', [name]: occupied.port },
    })
    expect(await app.ended).toBe(1)
    expect(app.output()).toContain(`Port ${occupied.port} is already in use (EADDRINUSE)`)
    expect(app.output()).not.toMatch(/ {4}at |socket/i)
  },
)
