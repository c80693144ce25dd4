import { copyFileSync, cpSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSignalman } from './program.ts'

const ROOT = join(import.meta.dirname, '..')
const FILES = [
  'bin',
  'src',
  'packages',
  'package.json',
  'package-lock.json',
  'CHANGELOG.md',
  'Dockerfile',
  'LICENSE',
  'README.md',
  'manifest.yml',
]
/** What `npm run build` writes. */
const DIST_FILES = ['signalman.mjs', 'signalman.mjs.map', 'THIRD-PARTY-NOTICES.txt']

const isProjectFile = (path: string): boolean => !/[/\\](node_modules|dist|test)$/.test(path)

/** Copies synchronously, because that takes a third of the CPU time of an asynchronous copy. */
function copyFiles(from: string, to: string): void {
  for (const name of FILES)
    cpSync(join(from, name), join(to, name), { recursive: true, filter: isProjectFile })
}

/** A copy of the project, as it is after `npm ci`. */
export interface ProjectCopy extends AsyncDisposable {
  readonly root: string
  /** The program that `npm start` runs with `serve`. */
  readonly signalman: string
  removeDependencies(): Promise<void>
}

/**
 * Copies the project without `dist/`. If `original` is given, copies that instead, with its `dist/`. `subfolder` puts the copy into a
 * subfolder of its temporary folder.
 */
export async function makeProjectCopy(original?: ProjectCopy, subfolder = ''): Promise<ProjectCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'signalman-installed-'))
  const root = join(folder, subfolder)
  await mkdir(root, { recursive: true })
  copyFiles(original?.root ?? ROOT, root)
  if (original) cpSync(join(original.root, 'dist'), join(root, 'dist'), { recursive: true })
  const dependencies = join(root, 'node_modules')
  await symlink(join(ROOT, 'node_modules'), dependencies)
  return {
    root,
    signalman: join(root, 'bin', 'signalman.cjs'),
    removeDependencies: () => rm(dependencies),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Copies the project with a complete `dist/`, which is built only once per test run. */
export async function makeBuiltProjectCopy(): Promise<ProjectCopy> {
  const installation = await makeProjectCopy()
  const built = buildSignalman(process.env.TEST_PROGRAMS ?? installation.root)
  const dist = join(installation.root, 'dist')
  await mkdir(dist)
  for (const name of DIST_FILES) copyFileSync(join(built, name), join(dist, name))
  return installation
}
