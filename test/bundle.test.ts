import { appendFile, chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { formatNotices } from '../bin/notices.ts'
import { UNTIL_FORM } from './acts/act-kind.ts'
import { EXAMPLE_CSR } from './e2e/csr.ts'
import { runFile } from './process.ts'
import { connect, startProcessWorld } from './process-world.ts'
import { makeBuiltProjectCopy, makeProjectCopy, type ProjectCopy } from './project-copy.ts'
import { ROOT } from './source-files.ts'

/** Runs a program until it exits, by default without any configuration. Returns its exit code and output. */
async function runProgram(file: string, args: string[] = ['serve'], env: Record<string, string> = {}) {
  await using program = runFile(file, { args, env })
  return { code: await program.ended, output: program.output() }
}

/** Removes the digest of the sources, of which one has another comment. */
const withoutSourceStamp = (text = ''): string => text.replace(/[0-9a-f]{64}/g, '')

let built: ProjectCopy
beforeAll(async () => {
  built = await makeBuiltProjectCopy()
})
afterAll(() => built[Symbol.asyncDispose]())

/** What `npm ci` runs at its end. */
const prepare = (root: string) => runProgram(join(root, 'bin', 'dist.cjs'), ['--if-stale'])

it('is built by an installation if the sources have changed, and is identical in every folder', async () => {
  await using installation = await makeProjectCopy(built, 'a/b')
  const { root } = installation
  expect(await prepare(root)).toEqual({ code: 0, output: '' })
  await appendFile(join(root, 'src', 'app.ts'), '\n// changed\n')
  const before = await readFile(join(root, 'dist', 'signalman.mjs'), 'utf8')
  // Two at the same time, each file is replaced as a whole.
  for (const { code } of await Promise.all([prepare(root), prepare(root)])) expect(code).toBe(0)
  expect(await readFile(join(root, 'dist', 'signalman.mjs'), 'utf8')).not.toBe(before)
  for (const name of ['signalman.mjs', 'signalman.mjs.map', 'THIRD-PARTY-NOTICES.txt']) {
    const [first, second] = await Promise.all(
      [built.root, root].map((folder) => readFile(join(folder, 'dist', name), 'utf8')),
    )
    expect(withoutSourceStamp(second) === withoutSourceStamp(first), name).toBe(true)
  }
})

it('is never built by a start, which may be by somebody who can’t write there', async () => {
  await using installation = await makeProjectCopy(built)
  const { root, signalman } = installation
  expect((await runProgram(signalman)).output).not.toContain('dist/')
  await appendFile(join(root, 'src', 'app.ts'), '\n// changed\n')
  const stale = await runProgram(signalman)
  expect(stale.output).toContain('is used anyway. Run "npm run build" in this folder, as its owner')
  expect(stale.output).toContain('SLACK_SIGNING_SECRET isn’t set')
  // Without the bundler, nothing is built, and the installation goes on.
  await installation.removeDependencies()
  expect(await prepare(root)).toEqual({ code: 0, output: expect.stringContaining('without --omit=dev') })
  await rm(join(root, 'src'), { recursive: true })
  expect((await runProgram(signalman)).output).not.toContain('dist/')
  await rm(join(root, 'dist'), { recursive: true })
  expect(await runProgram(signalman)).toEqual({
    code: 1,
    output: expect.stringContaining('There is no dist/'),
  })
})

it('uses the machine’s Node if that is new enough', async () => {
  const node = join(built.root, 'node')
  await writeFile(node, '#!/bin/sh\necho "the Node of the machine: $@"\n')
  await chmod(node, 0o755)
  for (const [userAgent, expected] of [
    ['npm/11.4.2 node/v24.3.0 linux x64', 'the Node of the machine'],
    ['npm/10.8.2 node/v20.20.2 linux x64', 'SLACK_SIGNING_SECRET isn’t set'],
  ] as const) {
    const env = { npm_node_execpath: node, npm_config_user_agent: userAgent }
    expect((await runProgram(built.signalman, ['serve'], env)).output).toContain(expected)
  }
})

it('parses CSRs, shows the audit log, and runs operator commands from a single file', async () => {
  const folder = join(built.root, 'shipped')
  await mkdir(folder)
  const bundle = join(folder, 'signalman.mjs')
  await copyFile(join(built.root, 'dist', 'signalman.mjs'), bundle)
  await using world = await startProcessWorld(bundle)
  const { app } = await world.start()
  await connect(world)
  await world.slack.member.command('/cert-order', '', UNTIL_FORM)
  await world.slack.member.submit(
    { 'Certificate signing request (CSR)': EXAMPLE_CSR, Product: '101', Duration: '1 year' },
    { until: '· shop.example.com' },
  )
  await world.slack.admin.command('/hc', 'audit', { until: 'newest first' })
  app.child.kill('SIGTERM')
  expect(await app.ended).toBe(0)
  expect(await runProgram(bundle, ['rotate-keys'], world.env)).toEqual({
    code: 0,
    output: expect.stringContaining('Done. Everything is encrypted with the key'),
  })
  const backup = join(folder, 'backup.db')
  expect(await runProgram(bundle, ['backup', backup], world.env)).toMatchObject({ code: 0 })
  expect(await readFile(backup)).not.toHaveLength(0)
})

it('lists its third-party code with full license texts', async () => {
  const dist = join(built.root, 'dist')
  const notices = await readFile(join(dist, 'THIRD-PARTY-NOTICES.txt'), 'utf8')
  const { sources } = JSON.parse(await readFile(join(dist, 'signalman.mjs.map'), 'utf8')) as {
    sources: string[]
  }
  const packages = new Set(
    sources.flatMap(
      (source) => /node_modules\/(?:.*\/node_modules\/)?((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? [],
    ),
  )
  expect(packages.size).toBeGreaterThan(50)
  const packageNotices = notices.split(/^={80}$/m).slice(1)
  const names = packageNotices.map((notice) => /^\n(\S+) [\d.]+ \([\w.-]+\)\n/.exec(notice)?.[1])
  expect([...packages].filter((name) => !names.includes(name))).toEqual([])
  for (const notice of packageNotices) {
    expect(notice).toMatch(/^[\s\S]*\)\n\n[\s\S]*(copyright|permission|license)/i)
    expect(notice.length).toBeGreaterThan(400)
  }
  expect(names.join()).not.toMatch(/rolldown|vitest|express/)
  for (const folder of [built.root, ROOT]) expect(notices).not.toContain(folder)
})

it('fails to build with a package whose license nobody has reviewed', async () => {
  const folder = join(built.root, 'odd', 'node_modules', 'odd')
  await mkdir(folder, { recursive: true })
  const manifest = { name: 'odd', version: '1.0.0', license: 'Odd-1.0' }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(folder, 'LICENSE'), 'Copy it on Fridays.')
  await expect(formatNotices([join(folder, 'index.js')])).rejects.toThrow(
    'odd 1.0.0: its license (Odd-1.0) isn’t in the list of bin/notices.ts, or its license text is missing',
  )
})

it('has a source map that points to the right source lines', async () => {
  const message = 'Signalman is listening.'
  const lines = (await readFile(join(built.root, 'dist', 'signalman.mjs'), 'utf8')).split('\n')
  const line = lines.findIndex((text) => text.includes(message))
  const map = new SourceMap(JSON.parse(await readFile(join(built.root, 'dist', 'signalman.mjs.map'), 'utf8')))
  const source = (await readFile(join(built.root, 'src', 'cli', 'serve.ts'), 'utf8')).split('\n')
  expect(map.findEntry(line, lines[line]?.indexOf(message) ?? 0)).toMatchObject({
    originalSource: expect.stringMatching(/src\/cli\/serve\.ts$/),
    originalLine: source.findIndex((text) => text.includes(message)),
  })
})

it('sets the same flags and variables in the Docker image as in npm start', async () => {
  const [launcher = '', image = ''] = await Promise.all(
    ['bin/signalman.cjs', 'Dockerfile'].map((name) =>
      readFile(join(import.meta.dirname, '..', name), 'utf8'),
    ),
  )
  const flag = /'(--max-semi-space-size=\d+)'/.exec(launcher)?.[1] ?? 'a flag that is missing'
  expect(/NODE_OPTIONS="([^"]+)"/.exec(image)?.[1]?.split(' ')).toContain(flag)
  expect(image).toContain('NODE_COMPILE_CACHE=')
  const variables = Array.from(
    launcher.matchAll(/(MALLOC_\w+): '(\d+)'/g),
    ([, name, value]) => `${name}=${value}`,
  )
  expect(variables).toHaveLength(2)
  expect(image).toContain(`${variables.join(' ')}\n`)
})
