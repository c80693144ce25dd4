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

/** All at once: a thousand files one after the other, each with a turn of its own, take three times the processor time. */
function copyProject(from: string, to: string): void {
  for (const name of FILES) cpSync(join(from, name), join(to, name), { recursive: true, filter: isOurs })
}

/** The project as somebody has it who has just run `npm ci`. */
export interface Installation extends AsyncDisposable {
  readonly root: string
  /** The program: `npm start` runs it with `serve`. */
  readonly signalman: string
  /** Takes the dependencies away, the bundler with them. */
  removeDependencies(): Promise<void>
}

/** A copy of the project without `dist/`, or one of another installation with what it has made; `deeper` in a folder of its own. */
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

/** The same after its first start, with the `dist/` that it has made: made once in a run. */
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
