import { execFile, spawnSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { STOP_LIMIT_MS } from '../src/app/stop.ts'
import { runFile } from './process.ts'
import { makeBuiltProjectCopy, type ProjectCopy } from './project-copy.ts'
import { readSource } from './source-files.ts'

/** Includes /usr/sbin, where Debian has chroot. */
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin'
const execute = promisify(execFile)
const isRoot = process.getuid?.() === 0
/** Some containers forbid mounting, even to root. */
const canMount = isRoot && spawnSync('unshare', ['-m', 'mount', '--bind', '/tmp', '/tmp']).status === 0

let built: ProjectCopy
let folder: string
beforeAll(async () => {
  built = await makeBuiltProjectCopy()
  await using program = runFile(built.signalman, { args: ['--help'] })
  expect(await program.ended).toBe(0)
  folder = join(built.root, 'image')
})
afterAll(() => built[Symbol.asyncDispose]())

it('the image contains only the program, the node binary, and its libraries, and the program runs in it', async () => {
  await execute('sh', [join(built.root, 'bin/image.sh'), process.execPath, folder], {
    cwd: built.root,
    env: { PATH: process.env.PATH },
  })
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  )
  const names = files.map(({ name, parentPath }) => join(parentPath, name).slice(folder.length))
  const otherNames = names.filter(
    (name) => !/^\/(app|etc)\/|^\/(usr\/)?lib(64|32)?\/.*\.so[.\d]*$/.test(name),
  )
  expect(otherNames.toSorted()).toEqual(['/usr/local/bin/node', '/usr/local/bin/signalman'])
  for (const name of ['/app/LICENSE', '/app/dist/THIRD-PARTY-NOTICES.txt']) expect(names).toContain(name)
  expect(names.join()).not.toMatch(/npm|node_modules|\/src\//)
  // Only root may use chroot. Other users only check the files.
  if (!isRoot) return
  // Like in compose.yaml: a read-only file system, and a compile cache that the image's user can read.
  const script =
    'mount --bind "$1" "$1"; mount -o remount,ro,bind "$1"; root="$1"; shift; exec chroot --userspec=1000:1000 "$root" /usr/local/bin/signalman "$@"'
  const runInImage = (args: string[], env: Record<string, string> = {}) =>
    canMount
      ? execute('unshare', ['-m', 'sh', '-c', script, 'sh', folder, ...args], { env: { PATH, ...env } })
      : execute('chroot', ['--userspec=1000:1000', folder, '/usr/local/bin/signalman', ...args], {
          env: { PATH, ...env },
        })
  const cacheVariables = { NODE_COMPILE_CACHE: '/app/dist/cache', NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }
  const { stdout, stderr } = await runInImage(['manifest', '--socket'], {
    ...cacheVariables,
    NODE_OPTIONS: '--max-semi-space-size=8',
  })
  expect(stdout).toContain('"socket_mode_enabled": true')
  expect(stdout + stderr).toMatch(/code cache for ESM \S+signalman\.mjs was accepted/)
})

it('the image has a pinned base, and runs as an unprivileged user', () => {
  const image = readSource('Dockerfile')
  const bases = [...image.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)
  expect(bases).toEqual([expect.stringMatching(/^node:24-slim@sha256:[0-9a-f]{64}$/), 'scratch'])
  expect(image).toMatch(/^USER 1000:1000$/m)
  expect(image).toContain('org.opencontainers.image.version')
})

it.each(['compose.yaml', 'docs/replicas/compose.yaml'])(
  '%s limits the container, and keeps the keys out of the volume',
  (file) => {
    const text = readSource(file)
    for (const line of [
      'read_only: true',
      'mem_limit:',
      'pids_limit:',
      'cap_drop:',
      'no-new-privileges:true',
    ])
      expect(text).toContain(line)
    expect(Number(/stop_grace_period: (\d+)s/.exec(text)?.[1]) * 1000).toBeGreaterThan(STOP_LIMIT_MS)
    // Compose refuses to start without keys.
    expect(text).toMatch(/\$\{ENCRYPTION_KEYS:\?set it in \.env/)
  },
)
