import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const resolveHere = (name: string) => join(import.meta.dirname, name)
const ROOT = resolveHere('../../..')
const PACKER = join(ROOT, 'bin', 'pack-playground.ts')
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')

const PROGRAM = 'node_modules/.bin/signalman-playground'
/** An environment in which `node` runs the same version as this test. */
const env = { ...process.env, PATH: `${join(process.execPath, '..')}:${process.env.PATH}` }

let packedBytes = 0
/** The folder of an unrelated project in which the packed playground is installed. */
let project = ''
function runInProject(program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: project, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
  return stdout
}

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'project-'))
  const packed = execFileSync(process.execPath, [PACKER, join(project, 'packed')], { encoding: 'utf8' })
  packedBytes = (await stat(packed.trim())).size
  await writeFile(join(project, 'package.json'), '{"type": "commonjs", "private": true}')
  // Needs `--include=dev`, because building the page in this process sets NODE_ENV to production.
  runInProject(
    'npm',
    'install',
    '--offline',
    '--no-audit',
    '--no-fund',
    '--include=dev',
    '--save-dev',
    packed.trim(),
  )
  await mkdir(join(project, 'node_modules', '@slack'))
  // Links Bolt instead of copying it, so that it finds its own dependencies.
  await symlink(join(ROOT, 'node_modules/@slack/bolt'), join(project, 'node_modules/@slack/bolt'))
})
afterAll(() => rm(project, { recursive: true, force: true }))

describe('the packed playground in an unrelated folder', () => {
  it('has no dependencies to install', async () => {
    expect(await readdir(join(project, 'node_modules/@signalman'))).toEqual(['playground'])
    const installed = await readdir(join(project, 'node_modules'))
    expect(installed.filter((name) => !name.startsWith('.')).toSorted()).toEqual(['@signalman', '@slack'])
  })

  it('takes at most 760 KB to download', () => {
    expect(packedBytes).toBeLessThan(760_000)
  })

  it('lists its third-party code with licenses', async () => {
    const packageFolder = join(project, 'node_modules/@signalman/playground')
    const [program, page] = await Promise.all(
      [join(packageFolder, 'dist'), join(packageFolder, 'web/dist')].map((folder) =>
        readFile(join(folder, 'THIRD-PARTY-NOTICES.txt'), 'utf8'),
      ),
    )
    expect(program).toMatch(/^fastify [\d.]+ \(MIT\)$/m)
    // What Fastify needs for schemas and mock requests is left out.
    expect(program).not.toMatch(/^(?:ajv|light-my-request|pino) /m)
    expect(page).toMatch(/^react-dom [\d.]+ \(MIT\)$/m)
  })

  it('contains the README’s example, and its test passes unchanged', async () => {
    const packageFolder = join(project, 'node_modules/@signalman/playground')
    const cwd = join(project, 'example')
    await cp(join(packageFolder, 'example'), cwd, { recursive: true })
    const [readme, test] = await Promise.all([
      readFile(join(packageFolder, 'README.md'), 'utf8'),
      readFile(join(cwd, 'app.test.js'), 'utf8'),
    ])
    expect(readme).toContain(`// app.test.js\n${test}\``)
    // Needs no `npm install`, because the parent folder has the dependencies.
    const { status, stdout } = spawnSync('npm', ['test'], { cwd, env, encoding: 'utf8' })
    expect([status, stdout]).toEqual([0, expect.stringMatching(/pass 1$/m)])
  })

  it('serves its page', async () => {
    const child = spawn(join(project, PROGRAM), ['--port', '0', '--signing-secret', 's'], {
      cwd: join(project, 'example'),
      env,
    })
    const [output] = await once(child.stdout, 'data')
    const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(String(output))?.[0] ?? ''
    const page = await (await fetch(url)).text()
    expect(page).toContain('<div id="root">')
    const [, script = ''] = /src="\/(assets\/[^"]+\.js)"/.exec(page) ?? []
    expect((await fetch(url + script)).headers.get('content-type')).toContain('javascript')
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('prints the required Node version if Node is too old', () => {
    // Fakes the version of an old Node.
    const fakeOldVersion = "Object.defineProperty(process, 'versions', { value: { node: '20.1.0' } })"
    const { status, stderr } = spawnSync(process.execPath, [
      `--import=data:text/javascript,${encodeURIComponent(fakeOldVersion)}`,
      join(project, PROGRAM),
    ])
    expect(status).toBe(1)
    expect(String(stderr)).toBe(
      'signalman-playground needs Node 24 or newer, and this is Node 20.1.0: install one from https://nodejs.org.\n',
    )
  })

  it('has types that compile in a strict TypeScript project', async () => {
    await cp(resolveHere('program/typed.mts'), join(project, 'typed.mts'))
    const flags = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--lib',
      'esnext,dom',
    ]
    expect(runInProject(process.execPath, TSC, ...flags, 'typed.mts')).toBe('')
  })
})
