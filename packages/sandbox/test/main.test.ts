import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { CHECKS, createCheck, createClient } from './client.ts'

const MAIN = join(import.meta.dirname, '../src/main.ts')

async function makeFolder() {
  const path = await mkdtemp(join(tmpdir(), 'sandbox-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) }
}

function runSandbox(cwd: string, args: string[]) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, ...args], {
    cwd,
    env: process.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return Object.assign(child, {
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
    },
  })
}

const READY = /^sandbox ready: production (http:\/\/127\.0\.0\.1:\d+), OTE (http:\/\/127\.0\.0\.1:\d+)$/

async function readAddresses({ stdout }: ChildProcess): Promise<[string, string]> {
  if (stdout)
    for await (const line of createInterface({ input: stdout })) {
      const [, production = '', ote = ''] = READY.exec(line) ?? []
      return [production, ote]
    }
  throw new Error('The sandbox exited without printing its addresses.')
}

/** Runs the program until it exits. Returns its exit code and its output. */
async function runUntilExit(cwd: string, args: string[]) {
  await using child = runSandbox(cwd, args)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  const [code] = await once(child, 'close')
  return { code, output }
}

describe('npm run sandbox', () => {
  it('prints one line when it is ready, persists every acknowledged write even if it’s killed, and exits with 0 on SIGTERM', async () => {
    await using folder = await makeFolder()
    const args = ['--port', '0', '--token', 'mine']
    const uuids: string[] = []
    {
      await using killed = runSandbox(folder.path, args)
      const call = createClient((await readAddresses(killed))[0], 'mine')
      for (let index = 0; index < 5; index++) uuids.push(await createCheck(call, { name: `check-${index}` }))
      killed.kill('SIGKILL')
      await once(killed, 'exit')
    }
    await using child = runSandbox(folder.path, args)
    const [production, ote] = await readAddresses(child)
    for (const url of [production, ote])
      expect((await createClient(url, 'mine')('GET', CHECKS)).status).toBe(200)
    for (const uuid of uuids)
      expect((await createClient(production, 'mine')('GET', `${CHECKS}/${uuid}`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('explains what is wrong with a flag, lists the flags, and starts nothing', async () => {
    await using folder = await makeFolder()
    for (const [args, message, exitCode] of [
      [['--prot', '1'], "sandbox: Unknown option '--prot'", 1],
      [['--data', '.'], 'can’t be used as sandbox data', 1],
      [['--help'], 'npm run sandbox -- [--port N] [--data FILE] [--token T]', 0],
    ] as const) {
      const { code, output } = await runUntilExit(folder.path, [...args])
      expect(code).toBe(exitCode)
      expect(output).toContain(message)
      expect(output).toContain('--token T    a token')
    }
  })
})
