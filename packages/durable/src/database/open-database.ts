import type { Database } from './database.ts'
import type { Model } from './declared-table.ts'
import { StoreError } from './errors.ts'
import { createErasureGuard } from './refuse-erased.ts'
import { openSqlite } from './sqlite.ts'

const FORMS = 'use sqlite:./data/app.db, or postgres://user:password@host:5432/database'

/** Opens the database at a URL: `sqlite:<path>`, `sqlite::memory:`, `postgres://…`. Throws StoreError. */
export async function openDatabase(url: string, model: Model): Promise<Database> {
  const erasureGuard = createErasureGuard(model)
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url.trim())?.[1]?.toLowerCase()
  if (scheme === 'sqlite') {
    const path = sqlitePath(url.trim().slice('sqlite:'.length))
    return { ...(await openSqlite(path, erasureGuard.plugin)), model, erasureGuard }
  }
  if (scheme === 'postgres' || scheme === 'postgresql') {
    // With SQLite, the PostgreSQL driver is never loaded.
    const { openPostgres } = await import('./postgres.ts')
    return { ...openPostgres(url.trim(), model.name, erasureGuard.plugin), model, erasureGuard }
  }
  const fault = scheme === undefined ? 'has no scheme' : `has the scheme "${scheme}:"`
  throw new StoreError('bad-url', `The database address ${fault}: ${FORMS}.`)
}

function sqlitePath(path: string): string {
  if (path === '') throw new StoreError('bad-url', `The database address names no file: ${FORMS}.`)
  if (/^\/\/[^/]/.test(path)) {
    throw new StoreError(
      'bad-url',
      'The database address has two slashes after "sqlite:", as if a host followed. Use sqlite:./folder/file.db or sqlite:/folder/file.db.',
    )
  }
  if (/[?#\0]/.test(path)) {
    throw new StoreError('bad-url', `A SQLite address is only a path, without "?" or "#": ${FORMS}.`)
  }
  return path
}
