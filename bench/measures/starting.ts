import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Goal, RunOptions } from '../parts/benchmark.ts'
import { makeFolder } from '../parts/folder.ts'
import { listen } from '../parts/listen.ts'
import { BOT_TOKEN, SIGNING_SECRET } from '../parts/slack.ts'
import { takeTurns } from '../parts/turns.ts'

const ROOT = join(import.meta.dirname, '../..')
const CLOSED_ADDRESS = 'http://127.0.0.1:9'
const MAX_START_MS = 30_000

const START_REASON = 'Signalman also opens its database and loads its features.'
const MEMORY_REASON = 'The memory of both changes by a few MB from run to run.'

/** Measures how long the shipped program takes until its first response, and how much memory it uses when idle. */
export async function measureStart(run: RunOptions): Promise<readonly Goal[]> {
  execFileSync(process.execPath, [join(ROOT, 'bin/dist.cjs'), '--if-stale'])
  // Fills the compile cache. The program exits immediately, because it has no configuration.
  spawnSync(process.execPath, [join(ROOT, 'bin/signalman.cjs'), 'serve'], {
    env: { PATH: process.env.PATH },
  })
  await using folder = await makeFolder()
  const programs = {
    bolt: { args: [join(import.meta.dirname, '../servers/bolt-alone.mjs')], env: {} },
    ours: {
      args: [join(ROOT, 'dist/signalman.mjs'), 'serve'],
      env: {
        SLACK_SIGNING_SECRET: SIGNING_SECRET,
        SLACK_BOT_TOKEN: BOT_TOKEN,
        SLACK_API_URL: `${CLOSED_ADDRESS}/api/`,
        API_BASE_URL: CLOSED_ADDRESS,
        DATABASE_URL: `sqlite:${folder.file('signalman.db')}`,
        HOST: '127.0.0.1',
        NODE_COMPILE_CACHE: join(ROOT, 'dist/cache'),
        ...(await readImageVariables()),
      },
    },
  }
  const measure = (name: keyof typeof programs) => () => startOnce(programs[name], run.size(2000, 100))
  const { divide } = await takeTurns(run, 7, { bolt: measure('bolt'), ours: measure('ours') })
  return [
    {
      goal: 'Start to /healthz ÷ bare Bolt',
      atMost: 0.9,
      ...divide('startMs', 'bolt', 'ms'),
      reason: START_REASON,
    },
    {
      goal: 'Idle memory ÷ bare Bolt',
      atMost: 1.08,
      ...divide('idleMb', 'bolt', 'MB'),
      reason: MEMORY_REASON,
    },
  ]
}

/** Reads the flags for Node and glibc from the Dockerfile. Throws if one is missing. */
async function readImageVariables(): Promise<Record<string, string>> {
  const image = await readFile(join(ROOT, 'Dockerfile'), 'utf8')
  return Object.fromEntries(
    ['NODE_OPTIONS', 'MALLOC_TRIM_THRESHOLD_', 'MALLOC_ARENA_MAX'].map((name) => {
      const value = new RegExp(`\\b${name}="?([^"\\n]+)"?`).exec(image)?.[1]
      if (value === undefined) throw new Error(`The Dockerfile sets no ${name}.`)
      return [name, value]
    }),
  )
}

/** Starts a program that listens on PORT, waits for its first response and then until it's idle, and stops it. */
async function startOnce(
  { args, env }: { args: readonly string[]; env: Readonly<Record<string, string>> },
  idleMs: number,
): Promise<{ startMs: number; idleMb: number }> {
  const server = createServer()
  const { port } = new URL(await listen(server))
  server.close()
  await once(server, 'close')
  const startedAt = performance.now()
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH ?? '', PORT: port, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  child.stderr?.pipe(process.stderr, { end: false })
  const ended = once(child, 'exit')
  try {
    const url = `http://127.0.0.1:${port}/healthz`
    // Any status is a response.
    while (!(await fetch(url).catch(() => undefined))) {
      if (child.exitCode !== null || performance.now() - startedAt > MAX_START_MS)
        throw new Error(`${args.join(' ')} exited or didn’t answer in time.`)
      await pause(1)
    }
    const startMs = performance.now() - startedAt
    await pause(idleMs)
    // `ps` reports kilobytes.
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(child.pid)])
    return { startMs, idleMb: Number(stdout) / 1024 }
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}
