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
import { MIGRATION_NAMES } from '../../../src/store/database/migrate.ts'
import { notAdditive } from './additive.ts'

/** Those before were never released beside each other: docs/upgrading.md holds from here on. */
const SINCE = '018'

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

/** What a migration would send, without a database to send it to. */
async function statementsOf(name: string, dialect: keyof typeof DIALECTS): Promise<string[]> {
  const sent: CompiledQuery[] = []
  const db = new Kysely<unknown>({ dialect: DIALECTS[dialect], log: ({ query }) => void sent.push(query) })
  // Every migration has one function, `up`, by this name.
  const { up } = (await import(`../../../src/store/database/migrations/${name}.ts`)) as {
    up: (db: Kysely<unknown>) => Promise<void>
  }
  await up(db)
  return sent.map(({ sql }) => sql)
}

const since = MIGRATION_NAMES.filter((name) => name >= SINCE)

describe.each(Object.keys(DIALECTS) as (keyof typeof DIALECTS)[])('each migration on %s', (dialect) => {
  it.each(since)('only adds, so that the version before goes on serving: %s', async (name) => {
    const statements = await statementsOf(name, dialect)
    expect(notAdditive({ name, statements })).toEqual([])
  })
})

it('reads what migrations really send', async () => {
  expect(since.length).toBeGreaterThan(1)
  const statements = await statementsOf('016-grants-with-an-end', 'SQLite')
  expect(statements).toEqual(['alter table "role_grant" add column "ends_at" text'])
  // One of the time before the rule, which breaks it.
  const name = '008-work'
  const broken = notAdditive({ name, statements: await statementsOf(name, 'PostgreSQL') })
  expect(broken.join()).toMatch(/drop table "job_step".*rename to "idempotency_key"/)
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
])('the rule knows: $statement', ({ statement, is }) => {
  expect(notAdditive({ name: 'm', statements: [statement] })).toHaveLength(is ? 0 : 1)
})

it('lets a migration do as it likes with what it has made itself', () => {
  const statements = [
    'create table "t" ("a" text)',
    'insert into "t" ("a") values (?)',
    'create unique index "i" on "t" ("a")',
    'create trigger guard before update on t for each row execute function f()',
    'drop trigger old on t',
  ]
  expect(notAdditive({ name: 'm', statements })).toEqual([])
})
