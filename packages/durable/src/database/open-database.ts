import type { Database } from './database.ts'
import type { Model } from './declared-table.ts'
import { StoreError } from './errors.ts'
import { createErasureGuard } from './refuse-erased.ts'
import { openSqlite } from './sqlite.ts'

const FORMS = 'use sqlite:./data/app.db, or postgres://user:password@host:5432/database'

/** Opens the database at a URL: `sqlite:<path>`, `sqlite::memory:`, `postgres://…`. Throws StoreError. */
export async function openDatabase(url: string, model: Model): Promise<Database> {
  const erasureGuard = createErasureGuard(model)
  const file = findSqliteFile(url)
  if (file !== undefined) return { ...(await openSqlite(file, erasureGuard.plugin)), model, erasureGuard }
  // With SQLite, the PostgreSQL driver is never loaded.
  const { openPostgres } = await import('./postgres.ts')
  return { ...openPostgres(url.trim(), model.name, erasureGuard.plugin), model, erasureGuard }
}

/** The path in a SQLite address, which is `:memory:` without a file; undefined for PostgreSQL. Throws StoreError for a wrong address. */
export function findSqliteFile(url: string): string | undefined {
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(url.trim()) ?? []
  if (/\$\{\w+\}/.test(url)) throw badAddress('contains a variable, which only a shell replaces')
  switch (scheme?.toLowerCase()) {
    case 'sqlite':
      refuseBadPath(rest)
      return rest
    case 'postgres':
    case 'postgresql':
      refuseUnparsable(url.trim())
      return undefined
    default:
      throw badAddress(scheme === undefined ? 'has no scheme' : `has the scheme "${scheme}:"`)
  }
}

const badAddress = (problem: string): StoreError =>
  new StoreError('bad-url', `The database address ${problem}: ${FORMS}.`)

function refuseBadPath(path: string): void {
  if (path === '') throw badAddress('names no file')
  if (/^\/\/[^/]/.test(path)) throw badAddress('has two slashes after "sqlite:", as if a host followed')
  if (/[?#\0]/.test(path)) throw badAddress('has a "?" or "#", but one of SQLite is only a path')
  if (/^~|\$\w|%\w+%/.test(path))
    throw badAddress('has a ~ or a variable in its path, which only a shell replaces')
}

/** Parses the URL here, because pg parses it only at the first query, and its error names neither the wrong part nor a fix. */
function refuseUnparsable(url: string): void {
  const { username, password, pathname } = URL.parse(url) ?? {}
  try {
    if (username === undefined) throw new URIError()
    for (const part of [username, password ?? '', pathname ?? '']) decodeURIComponent(part)
  } catch {
    throw new StoreError(
      'bad-url',
      'The PostgreSQL address can’t be parsed. Use postgres://user:password@host:5432/database, and write %, @, :, /, and # in the password as %25, %40, %3A, %2F, and %23.',
    )
  }
}
