import { cpSync, symlinkSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { madeOnce, runNode } from './program.ts'

const ROOT = join(import.meta.dirname, '..')
const FILES = [
  ...['bin', 'src', 'packages', 'package.json', 'package-lock.json'],
  ...['.slack', 'CHANGELOG.md', 'Dockerfile', 'LICENSE', 'README.md', 'manifest.yml'],
]

const isOurs = (path: string): boolean => !/[/\\](node_modules|dist|test)$/.test(path)

/** In parallel: copying a thousand files one by one takes three times the CPU time. */
function copyProject(from: string, to: string): void {
  for (const name of FILES) cpSync(join(from, name), join(to, name), { recursive: true, filter: isOurs })
}

/** A copy of the project as it is after `npm ci`. */
export interface Installation extends AsyncDisposable {
  readonly root: string
  /** The program that `npm start` runs with `serve`. */
  readonly signalman: string
  /** Removes the dependencies, including the bundler. */
  removeDependencies(): Promise<void>
}

/** A copy of the project without `dist/`, or of another installation with its build; `deeper` puts it in a subfolder. */
export async function makeInstallation(like?: Installation, deeper = ''): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'signalman-installed-'))
  const root = join(folder, deeper)
  await mkdir(root, { recursive: true })
  copyProject(like?.root ?? ROOT, root)
  if (like) cpSync(join(like.root, 'dist'), join(root, 'dist'), { recursive: true })
  const dependencies = join(root, 'node_modules')
  await symlink(join(ROOT, 'node_modules'), dependencies)
  return {
    root,
    signalman: join(root, 'bin', 'signalman.cjs'),
    removeDependencies: () => rm(dependencies),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** The same after its first start, including the `dist/` that it built. Created once per run. */
export async function makeStarted(): Promise<Installation> {
  const installation = await makeInstallation()
  const shared = join(process.env.TEST_PROGRAMS ?? installation.root, 'started')
  madeOnce(shared, () => {
    copyProject(ROOT, shared)
    symlinkSync(join(ROOT, 'node_modules'), join(shared, 'node_modules'))
    runNode([join(shared, 'bin', 'signalman.cjs'), '--help'])
  })
  cpSync(join(shared, 'dist'), join(installation.root, 'dist'), { recursive: true })
  return installation
}
