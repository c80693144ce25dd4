import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { startPlayground } from '@signalman/playground'
import { createDriver } from '@signalman/playground/driver'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { collectOutput, runFile } from './process.ts'
import { makeBuiltProjectCopy, type ProjectCopy } from './project-copy.ts'
import { LONG_SLACK_TIMEOUTS } from './relaxed-limits.ts'

const execute = promisify(execFile)
const MEGABYTE = 1024 * 1024

let installation: ProjectCopy
/** The folder with the packed file. */
let folder: string
/** A folder in which only the packed file is installed. */
let installed: string
let packedFile: string
let program: string
beforeAll(async () => {
  installation = await makeBuiltProjectCopy()
  folder = await mkdtemp(join(tmpdir(), 'signalman-packed-'))
  await execute(process.execPath, ['bin/pack.ts', '--to', folder], { cwd: installation.root })
  const names = await readdir(folder)
  packedFile = join(folder, names.find((name) => /^signalman-\d.*\.tgz$/.test(name)) ?? 'none')
  installed = join(folder, 'empty')
  await mkdir(installed)
  await execute('npm', ['install', '--offline', '--no-audit', '--no-fund', packedFile], { cwd: installed })
  program = join(installed, 'node_modules', '.bin', 'signalman')
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await installation[Symbol.asyncDispose]()
})

/** This Node comes first, because the program needs a `node` in the PATH that is new enough. */
const PATH = `${dirname(process.execPath)}:${process.env.PATH}`

const runPacked = (...args: string[]) => execute(program, args, { cwd: installed, env: { PATH } })

async function sumBytes(path: string): Promise<number> {
  const names = await readdir(path, { recursive: true })
  const stats = await Promise.all(names.map((name) => stat(join(path, name))))
  return stats.reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0)
}

it('is packed as one small package without dependencies', async () => {
  expect((await stat(packedFile)).size).toBeLessThan(3 * MEGABYTE)
  const root = join(installed, 'node_modules', 'signalman')
  expect(await sumBytes(root)).toBeLessThan(15 * MEGABYTE)
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  for (const field of [
    'dependencies',
    'devDependencies',
    'optionalDependencies',
    'peerDependencies',
    'bundleDependencies',
    'scripts',
  ])
    expect(manifest).not.toHaveProperty(field)
  const contents = await readdir(root, { recursive: true })
  expect(contents).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist/THIRD-PARTY-NOTICES.txt']))
  expect(contents.join('\n')).not.toMatch(/\.ts$|^src|^test/m)
  // The sources aren't in the package, so its package.json must not refer to them.
  expect(JSON.stringify([manifest.exports, manifest.main])).not.toContain('src')
  expect((await runPacked('--version')).stdout).toMatch(new RegExp(`^signalman ${manifest.version}\\b`))
})

it('runs operator commands in an empty folder', async () => {
  const { stdout } = await runPacked('manifest', '--socket')
  expect(JSON.parse(stdout).settings.socket_mode_enabled).toBe(true)
  await expect(runPacked('doctor', '--json')).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining('"part": "configuration"'),
  })
})

it('says in one sentence which Node it needs if Node is too old', async () => {
  // Pretends to be an old Node.
  const fakeVersion = "Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } })"
  const preload = `data:text/javascript,${encodeURIComponent(fakeVersion)}`
  await using run = runFile(program, { env: { NODE_OPTIONS: `--import=${preload}` } })
  expect(await run.ended).toBe(1)
  expect(run.output()).toBe(
    'Signalman needs Node 24 or newer, and this is Node 20.1.0: install one from https://nodejs.org.\n',
  )
})

it('responds to /hc when run from an empty folder with only the packed file, and says which version it is', async () => {
  const { stdout } = await runPacked('--version')
  const [, version, sha256] = /^signalman (\S+) \(SHA-256 ([0-9a-f]{64})\)\n$/.exec(stdout) ?? []
  await using sandbox = await startSandbox({ seed: false, checking: false })
  const manifestPath = join(folder, 'manifest.json')
  await writeFile(manifestPath, (await runPacked('manifest', '--socket')).stdout)
  await using playground = await startPlayground({
    signingSecret: 'S',
    manifestPath,
    limits: LONG_SLACK_TIMEOUTS,
  })
  const env = { PATH, SLACK_API_URL: playground.apiUrl, PORT: '0', HOST: '127.0.0.1' }
  await using app = collectOutput('init', spawn(program, ['init'], { cwd: installed, env }))
  const pastedLines = [playground.botToken, 'xapp-playground', sandbox.productionUrl, sandbox.token]
  app.child.stdin?.end(['1', '1', '1', ...pastedLines].map((line) => `${line}\n`).join(''))
  const [line] = await app.waitFor(/^.*Signalman is listening.*$/m)
  const listening = JSON.parse(line)
  expect(listening).toMatchObject({ version, sha256 })
  const { url } = listening
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200)
  expect(await (await fetch(`${url}/metrics`)).text()).toContain(
    `signalman_build_info{version="${version}"} 1`,
  )
  const { member } = createDriver(playground.url)
  await member.command('/hc', '', { until: 'health checks' })
  app.child.kill('SIGTERM')
  expect(await app.ended).toBe(0)
})
