import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { CHECKS, createCheck, createClient } from './client.ts'

const MAIN = join(import.meta.dirname, '../src/main.ts')

async function makeFolder() {
  const path = await mkdtemp(join(tmpdir(), 'sandbox-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) }
}

function runSandbox(cwd: string, args: string[], environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, ...args], {
    cwd,
    env: { ...process.env, SMTP_URL: '', ...environment },
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

describe('npm run sandbox', () => {
  it.each([['SIGTERM'], ['SIGINT']] as const)(
    'prints one line when it is ready, and exits with 0 on %s',
    async (signal) => {
      await using folder = await makeFolder()
      await using child = runSandbox(folder.path, ['--port', '0', '--token', 'mine'])
      const [production, ote] = await readAddresses(child)
      for (const url of [production, ote])
        expect((await createClient(url, 'mine')('GET', CHECKS)).status).toBe(200)
      child.kill(signal)
      expect(await once(child, 'exit')).toEqual([0, null])
    },
  )

  it('persists every acknowledged write in ./data/sandbox.db, even if it’s killed right afterwards', async () => {
    await using folder = await makeFolder()
    const uuids: string[] = []
    for (let round = 0; round < 3; round++) {
      await using child = runSandbox(folder.path, ['--port', '0'])
      const call = createClient((await readAddresses(child))[0])
      for (const uuid of uuids) expect((await call('GET', `${CHECKS}/${uuid}`)).status).toBe(200)
      for (let index = 0; index < 5; index++)
        uuids.push(await createCheck(call, { name: `${round}-${index}` }))
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    expect(uuids).toHaveLength(15)
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
    [[], { SMTP_URL: 'mail.example.com' }, 'SMTP_URL isn’t an smtp:// or smtps:// URL. Fix or unset it.'],
  ])('explains what is wrong with %j, and exits with code 1', async (args, environment, message) => {
    await using folder = await makeFolder()
    await using child = runSandbox(folder.path, args, environment)
    const [[code], output] = await Promise.all([once(child, 'exit'), text(child.stderr)])
    expect(code).toBe(1)
    expect(output).toContain(message)
    expect(output).toMatch(/^sandbox: .*\n$/)
  })

  it('lists the flags for --help without starting', async () => {
    await using folder = await makeFolder()
    await using child = runSandbox(folder.path, ['--help'])
    const [[code], output] = await Promise.all([once(child, 'exit'), text(child.stdout)])
    expect(code).toBe(0)
    for (const option of ['--port N', '--data FILE', '--token T', 'SMTP_URL'])
      expect(output).toContain(option)
  })

  it('explains what to do if the port is in use', async () => {
    await using folder = await makeFolder()
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    await using child = runSandbox(folder.path, ['--port', String(port)])
    expect(await text(child.stderr)).toContain(
      'Stop the program that uses the port, or choose another one with --port.',
    )
    await new Promise((resolve) => server.close(resolve))
  })
})
