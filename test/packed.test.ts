import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { startPlayground } from '@signalman/playground'
import { createDriver } from '@signalman/playground/driver'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { VERBS } from '../src/cli/verbs.ts'
import { collectOutput, runFile } from './process.ts'
import { makeBuiltProjectCopy, type ProjectCopy } from './project-copy.ts'
import { LONG_SLACK_TIMEOUTS } from './relaxed-limits.ts'

const execute = promisify(execFile)
const MEGABYTE = 1024 * 1024
const SANDBOX_TOKEN = 'packed-sandbox'

let installation: ProjectCopy
/** The folder with the packed files. */
let folder: string
/** A folder in which only the packed files are installed. */
let installed: string
/** Maps the name of each package to its packed file. */
const files = new Map<string, string>()
beforeAll(async () => {
  installation = await makeBuiltProjectCopy()
  folder = await mkdtemp(join(tmpdir(), 'signalman-packed-'))
  for (const [name, packageFolder] of [
    ['signalman', '.'],
    ['signalman-sandbox', 'packages/sandbox'],
  ] as const) {
    const args = ['bin/pack.ts', packageFolder, '--to', folder]
    await execute(process.execPath, args, { cwd: installation.root })
    const packed = (await readdir(folder)).find((file) => new RegExp(`^${name}-\\d.*\\.tgz$`).test(file))
    files.set(name, join(folder, packed ?? 'none'))
  }
  installed = join(folder, 'empty')
  await mkdir(installed)
  await execute('npm', ['install', '--offline', '--no-audit', '--no-fund', ...files.values()], {
    cwd: installed,
  })
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await installation[Symbol.asyncDispose]()
})

const findProgram = (name: string): string => join(installed, 'node_modules', '.bin', name)

/** This Node comes first, because the programs need a `node` in the PATH that is new enough. */
const PATH = `${dirname(process.execPath)}:${process.env.PATH}`

const runPacked = (name: string, args: string[], env: Record<string, string> = {}) =>
  execute(findProgram(name), args, { cwd: installed, env: { PATH, ...env } })

async function sumBytes(path: string): Promise<number> {
  const names = await readdir(path, { recursive: true })
  const stats = await Promise.all(names.map((name) => stat(join(path, name))))
  return stats.reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0)
}

it.each(['signalman', 'signalman-sandbox'])(
  'packs %s as one small package without dependencies',
  async (name) => {
    const packed = await stat(files.get(name) ?? '')
    expect(packed.size).toBeLessThan(3 * MEGABYTE)
    const packageName = { signalman: 'signalman', 'signalman-sandbox': '@signalman/sandbox' }[name] ?? ''
    const root = join(installed, 'node_modules', packageName)
    expect(await sumBytes(root)).toBeLessThan(15 * MEGABYTE)
    const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    for (const field of [
      'dependencies',
      'devDependencies',
      'optionalDependencies',
      'peerDependencies',
      'bundleDependencies',
    ])
      expect(manifest).not.toHaveProperty(field)
    expect(Object.keys(manifest.scripts).join()).not.toMatch(/install|prepare\b/)
    expect(manifest.scripts.prepack).toMatch(name === 'signalman' ? /^npm run --silent build$/ : /bundle\.ts/)
    const contents = await readdir(root, { recursive: true })
    expect(contents).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'dist/THIRD-PARTY-NOTICES.txt', 'dist/sbom.cdx.json']),
    )
    expect(contents.join('\n')).not.toMatch(/\.ts$|^src|^test/m)
    // The sources aren't in the package, so its package.json must not refer to them.
    expect(JSON.stringify([manifest.exports, manifest.main])).not.toContain('src')
    expect((await runPacked(name, ['--version'])).stdout).toMatch(
      new RegExp(`^${name} ${manifest.version}\\b`),
    )
  },
)

it('lists every operator command, and runs them in an empty folder', async () => {
  const npx = await execute('npx', ['--offline', 'signalman', '--help'], { cwd: installed, env: { PATH } })
  const overview = npx.stdout
  for (const { name } of VERBS) expect(overview).toContain(`  ${name} `)
  const { stdout } = await runPacked('signalman', ['manifest', '--socket'])
  expect(JSON.parse(stdout).settings.socket_mode_enabled).toBe(true)
  await expect(runPacked('signalman', ['doctor', '--json'])).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining('"part": "configuration"'),
  })
})

it.each(['signalman', 'signalman-sandbox'])(
  'says in one sentence which Node %s needs if Node is too old',
  async (name) => {
    // Pretends to be an old Node.
    const fakeVersion = "Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } })"
    const preload = `data:text/javascript,${encodeURIComponent(fakeVersion)}`
    await using program = runFile(findProgram(name), { env: { NODE_OPTIONS: `--import=${preload}` } })
    expect(await program.ended).toBe(1)
    expect(program.output()).toBe(
      `${name === 'signalman' ? 'Signalman' : name} needs Node 24 or newer, and this is Node 20.1.0: install one from https://nodejs.org.\n`,
    )
  },
)

/** Runs the packed sandbox. Returns its production URL. */
async function runSandbox() {
  const args = ['--port', '0', '--token', SANDBOX_TOKEN]
  const program = collectOutput(
    'sandbox',
    spawn(findProgram('signalman-sandbox'), args, { cwd: installed, env: { PATH } }),
  )
  const [, url = ''] = await program.waitFor(/production (http:\S+),/)
  return { url, [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() }
}

it('serves checks, threat events, and sentences about bad requests with the packed sandbox', async () => {
  await using sandbox = await runSandbox()
  const send = (path: string, body?: string) =>
    fetch(sandbox.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${SANDBOX_TOKEN}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    })
  const listing = await send('/healthcheck/v1/healthchecks?limit=1')
  expect({ status: listing.status, body: await listing.json() }).toMatchObject({
    status: 200,
    body: { message: 'OK', data: { total: 53, limit: 1 } },
  })
  expect((await send('/cti/v2/events/7e57ed00-0000-4000-8000-000000000001')).status).toBe(200)
  const refused = await send('/healthcheck/v1/healthchecks', '{')
  expect({ status: refused.status, body: await refused.json() }).toMatchObject({
    status: 400,
    body: { errors: [{ code: 'BAD_REQUEST' }] },
  })
})

it('responds to /hc when run from an empty folder with only the packed files, and says which version it is', async () => {
  const { stdout } = await runPacked('signalman', ['--version'])
  const [, version, sha256] = /^signalman (\S+) \(SHA-256 ([0-9a-f]{64})\)\n$/.exec(stdout) ?? []
  await using sandbox = await runSandbox()
  const manifestPath = join(folder, 'manifest.json')
  await writeFile(manifestPath, (await runPacked('signalman', ['manifest', '--socket'])).stdout)
  await using playground = await startPlayground({
    signingSecret: 'S',
    manifestPath,
    limits: LONG_SLACK_TIMEOUTS,
  })
  const env = { PATH, SLACK_API_URL: playground.apiUrl, PORT: '0', HOST: '127.0.0.1' }
  await using app = collectOutput('init', spawn(findProgram('signalman'), ['init'], { cwd: installed, env }))
  const pastedLines = [playground.botToken, 'xapp-playground', sandbox.url, SANDBOX_TOKEN]
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
  expect((await member.command('/hc', '')).text).toContain('health checks')
  app.child.kill('SIGTERM')
  expect(await app.ended).toBe(0)
})
