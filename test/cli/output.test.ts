import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { makeFolder } from '../databases/databases.ts'
import { findFreePort } from '../free-port.ts'
import { everyNthOf } from '../long.ts'
import { killAfterTest } from '../process.ts'
import { SECRET, startProcessWorld } from '../process-world.ts'
import { bundleProgram, NODE_FLAGS } from '../program.ts'

const ROOT = join(import.meta.dirname, '../..')
const program = bundleProgram('src/cli/signalman.ts')
const START = `exec ${[process.execPath, ...program.args].map((word) => `"${word}"`).join(' ')} serve`

async function fillLog(url: string): Promise<void> {
  for (let round = 0; round < 30; round += 1)
    await Promise.all(
      Array.from({ length: 30 }, () => fetch(`${url}/slack/events`, { method: 'POST', body: 'x' })),
    )
}

it('runs to its end if the reader of its output has read enough', async () => {
  const { file, args } = { file: process.execPath, args: [...program.args, '--help'] }
  const child = spawn(file, args, {
    env: { ...process.env, ...program.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.destroy()
  const printed = text(child.stderr)
  expect(await once(child, 'close')).toEqual([0, null])
  expect(await printed).toBe('')
})

it('counts the lines that it dropped while nobody read its output, and says so as soon as somebody does', async () => {
  const args = [...NODE_FLAGS, join(import.meta.dirname, 'log-writer.ts')]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  const [written] = await once(child.stderr, 'data')
  const lines: { dropped?: number; msg: string }[] = []
  for await (const line of createInterface(child.stdout)) {
    lines.push(JSON.parse(line))
    if (lines.at(-1)?.dropped !== undefined) child.stdin.end('go on\n')
  }
  const dropped = lines.find((line) => line.dropped !== undefined)?.dropped ?? 0
  expect(dropped).toBeGreaterThan(0)
  // Besides the lines that were kept: the one that says so, and the one that was written afterwards.
  expect(lines.length - 2 + dropped).toBe(Number(written))
  expect(lines.at(-1)?.msg).toBe('after')
})

it.skipIf(process.platform === 'win32')(
  'goes on with a file once it can grow again, without another line of the log',
  async () => {
    using folder = makeFolder()
    const file = join(folder.path, 'app.log')
    const command = [process.execPath, ...NODE_FLAGS, join(import.meta.dirname, 'log-writer.ts')]
    // Like a disk that is full after 3 MB.
    const script = `ulimit -f 3072; exec ${command.map((word) => `"${word}"`).join(' ')} >> "${file}"`
    const child = killAfterTest(spawn('bash', ['-c', script], { stdio: ['pipe', 'ignore', 'pipe'] }))
    await once(child.stderr, 'data')
    let isSaid = false
    await expect
      .poll(() => {
        isSaid ||= readFileSync(file, 'utf8').includes('"dropped":')
        if (!isSaid && statSync(file).size === 3072 * 1024) truncateSync(file)
        return isSaid
      })
      .toBe(true)
  },
)

async function isAlive(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    (answer) => answer.ok,
    () => false,
  )
}

it.each(
  everyNthOf(2, [
    { output: 'a pipe that nobody reads', shell: `${START} | sleep 60` },
    { output: 'a pipe whose reader is gone', shell: `${START} | true` },
    { output: 'a full disk', shell: `${START} > /dev/full` },
    { output: 'closed', shell: `${START} >&-` },
  ]),
)('keeps running and stops normally if its output is $output', async ({ shell }) => {
  await using world = await startProcessWorld('unused')
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const env = {
    PATH: process.env.PATH ?? '',
    ...program.env,
    ...world.env,
    SLACK_SIGNING_SECRET: SECRET,
    PORT: String(port),
  }
  // The shell prints its process ID and then replaces itself with the app, which keeps that ID.
  const script = shell.includes(' |')
    ? `( echo $BASHPID >&2; ${shell.replace(' |', ') |')}`
    : `echo $BASHPID >&2; ${shell}`
  const shellProcess = spawn('bash', ['-c', script], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  try {
    const [pid] = await once(shellProcess.stderr, 'data')
    await expect.poll(() => isAlive(url)).toBe(true)
    await fillLog(url)
    expect(await isAlive(url)).toBe(true)
    process.kill(Number(String(pid).trim()), 'SIGTERM')
    await expect.poll(() => isAlive(url)).toBe(false)
    await expect.poll(() => isRunning(Number(String(pid).trim()))).toBe(false)
  } finally {
    if (shellProcess.pid !== undefined && isRunning(-shellProcess.pid))
      process.kill(-shellProcess.pid, 'SIGKILL')
  }
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
