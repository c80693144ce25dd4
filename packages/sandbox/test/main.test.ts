import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, vi } from 'vitest'
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

let runs = 0

/** Runs the program in this process until it exits. Returns its exit code and its output. */
async function runUntilExit(args: string[], environment: Record<string, string> = {}) {
  const exited = new Error('The program called process.exit.')
  let [output, code] = ['', -1]
  const write = (text: string | Uint8Array) => {
    output += text
    return true
  }
  const replaced = {
    argv: ['node', MAIN, ...args],
    env: environment,
    stdout: { write },
    stderr: { write },
    exit(status: number) {
      code = status
      throw exited
    },
  }
  vi.stubGlobal('process', Object.create(process, Object.getOwnPropertyDescriptors(replaced)))
  runs += 1
  // Each query makes Node run the file again.
  const failed = await import(`${MAIN}?run=${runs}`).catch((error: unknown) => error)
  vi.unstubAllGlobals()
  expect(failed).toBe(exited)
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

  it('explains what to do if the port is in use, and exits with 0 on SIGINT', async () => {
    await using folder = await makeFolder()
    await using child = runSandbox(folder.path, ['--port', '0'])
    const [production] = await readAddresses(child)
    const data = join(folder.path, 'other.db')
    expect(await runUntilExit(['--port', new URL(production).port, '--data', data])).toEqual({
      code: 1,
      output: expect.stringContaining(
        'Stop the program that uses the port, or choose another one with --port.',
      ),
    })
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it.each([
    [['--prot', '1'], {}, "Unknown option '--prot'. The flags are --port N, --data FILE, and --token T."],
    [['--port', 'x'], {}, '--port x isn’t a valid port. Use a number from 1 to 65534'],
    [['--port', '65535'], {}, '--port 65535 isn’t a valid port'],
    [['--port'], {}, 'The flags are --port N'],
    [['--token', 'a b'], {}, '--token is empty or contains spaces. Use a token'],
    [['--data', ''], {}, '--data is empty. Use a file path'],
    [['--data', '.'], {}, 'can’t be used as sandbox data'],
    [['extra'], {}, "Unexpected argument 'extra'"],
  ])('explains what is wrong with %j, and exits with code 1', async (args, environment, message) => {
    const { code, output } = await runUntilExit(args, environment)
    expect(code).toBe(1)
    expect(output).toContain(message)
    expect(output).toMatch(/^sandbox: .*\n$/)
  })

  it('lists the flags for --help without starting', async () => {
    const { code, output } = await runUntilExit(['--help'])
    expect(code).toBe(0)
    for (const option of ['--port N', '--data FILE', '--token T']) expect(output).toContain(option)
  })
})
