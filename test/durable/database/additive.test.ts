import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { describe, expect, it } from 'vitest'
import type { Migration } from '../../../packages/durable/src/database/declared-table.ts'
import { MODEL } from '../../../src/app/model.ts'
import { NEXT_MODEL } from '../../databases/open.ts'
import { notAdditive } from './additive.ts'

const DIALECTS = {
  SQLite: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
  PostgreSQL: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
}

/** Captures the statements of a migration without a database. */
async function statementsOf({ up }: Migration, dialect: keyof typeof DIALECTS): Promise<string[]> {
  const sent: CompiledQuery[] = []
  const db = new Kysely<unknown>({ dialect: DIALECTS[dialect], log: ({ query }) => void sent.push(query) })
  await up(db)
  return sent.map(({ sql }) => sql)
}

describe.each(Object.keys(DIALECTS) as (keyof typeof DIALECTS)[])('each migration on %s', (dialect) => {
  it.each(MODEL.migrations)('only adds, which keeps the previous version working: $name', async (one) => {
    const statements = await statementsOf(one, dialect)
    expect(statements.length).toBeGreaterThan(0)
    expect(notAdditive({ name: one.name, statements })).toEqual([])
  })
})

it('parses the statements of real migrations', async () => {
  const [first, next] = NEXT_MODEL.migrations.filter(({ name }) => /^001|^999/.test(name))
  if (!first || !next) throw new Error('There is no first migration, or no next one.')
  expect(await statementsOf(next, 'SQLite')).toContain(
    `alter table "work" add column "next_note" text default 'new'`,
  )
  expect(await statementsOf(first, 'PostgreSQL')).toContainEqual(
    expect.stringMatching(/^create table "work" \(/),
  )
  const broken: Migration = {
    name: 'broken',
    up: (db) => db.schema.dropTable('work').execute(),
  }
  expect(notAdditive({ name: 'broken', statements: await statementsOf(broken, 'PostgreSQL') })).toEqual([
    'broken: drop table "work"',
  ])
})

it.each([
  { statement: 'create table "t" ("a" text not null)', is: true },
  { statement: 'alter table "work" add column "x" text', is: true },
  { statement: 'alter table "work" add column "x" integer default 0 not null', is: true },
  { statement: 'create index "i" on "work" ("x")', is: true },
  { statement: 'alter table "work" add column "x" text not null', is: false },
  { statement: 'alter table "work" add column "x" text references "other" ("id")', is: false },
  { statement: 'alter table "work" drop column "x"', is: false },
  { statement: 'alter table "work" rename to "labour"', is: false },
  { statement: 'alter table "work" rename column "x" to "y"', is: false },
  { statement: 'alter table "work" alter column "x" set not null', is: false },
  { statement: 'alter table "work" add constraint "c" check (x > 0)', is: false },
  { statement: 'create unique index "i" on "work" ("x")', is: false },
  { statement: 'drop table "work"', is: false },
  { statement: 'drop trigger a on work', is: false },
  { statement: 'create trigger guard before update on work for each row execute function f()', is: false },
  { statement: 'update "work" set "x" = 1', is: false },
  { statement: 'delete from "work"', is: false },
  { statement: 'insert into "work" ("id") values (?)', is: false },
  { statement: 'truncate work', is: false },
])('finds statements that would break the previous version: $statement', ({ statement, is }) => {
  expect(notAdditive({ name: 'm', statements: [statement] })).toHaveLength(is ? 0 : 1)
})

it('lets a migration change what it created itself', () => {
  const statements = [
    'create table "t" ("a" text)',
    'insert into "t" ("a") values (?)',
    'create unique index "i" on "t" ("a")',
    'create trigger guard before update on t for each row execute function f()',
    'drop trigger old on t',
  ]
  expect(notAdditive({ name: 'm', statements })).toEqual([])
})
