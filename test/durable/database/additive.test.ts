import { createHash } from 'node:crypto'
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
import { findNonAdditive } from './additive.ts'

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

async function captureStatements({ up }: Migration, dialect: keyof typeof DIALECTS): Promise<string[]> {
  const sent: CompiledQuery[] = []
  const db = new Kysely<unknown>({ dialect: DIALECTS[dialect], log: ({ query }) => void sent.push(query) })
  await up(db)
  return sent.map(({ sql }) => sql)
}

describe.each(Object.keys(DIALECTS) as (keyof typeof DIALECTS)[])('each migration on %s', (dialect) => {
  it.each(MODEL.migrations)(
    'only adds, which keeps the previous version working: $name',
    async (migration) => {
      const statements = await captureStatements(migration, dialect)
      expect(statements.length).toBeGreaterThan(0)
      expect(findNonAdditive({ name: migration.name, statements })).toEqual([])
    },
  )
})

it.each([
  {
    name: '001-first',
    SQLite: 'b7f2716e4ab181d30aaa8f1ebb4c9f1b6af286362c477d1f8ecbcfcb8da90e4d',
    PostgreSQL: '22ea3c4252661196ff9891eeebe96bd79f2bb4ac0fef22a569a63c0a2af750e3',
  },
  {
    name: '002-waits',
    SQLite: '88f08759a1dff35954c446720005af616a7b9533ffabe4537b3f48ab090242c8',
    PostgreSQL: '88f08759a1dff35954c446720005af616a7b9533ffabe4537b3f48ab090242c8',
  },
] as const)('the migration $name is the one that databases have', async ({ name, ...released }) => {
  const migration = MODEL.migrations.find((one) => one.name === name)
  if (!migration) throw new Error(`There is no migration ${name}.`)
  for (const dialect of ['SQLite', 'PostgreSQL'] as const) {
    const statements = await captureStatements(migration, dialect)
    // If a table or column is new, name its migration (`since`). If one is unused, it stays declared.
    expect(createHash('sha256').update(statements.join('\n')).digest('hex'), dialect).toBe(released[dialect])
  }
})

it('parses the statements of real migrations', async () => {
  const [first, next] = NEXT_MODEL.migrations.filter(({ name }) => /^001|^999/.test(name))
  if (!first || !next) throw new Error('There is no first migration, or no next one.')
  expect(await captureStatements(next, 'SQLite')).toContain(
    `alter table "work" add column "next_note" text default 'new'`,
  )
  expect(await captureStatements(first, 'PostgreSQL')).toContainEqual(
    expect.stringMatching(/^create table "work" \(/),
  )
  const broken: Migration = {
    name: 'broken',
    up: (db) => db.schema.dropTable('work').execute(),
  }
  expect(
    findNonAdditive({ name: 'broken', statements: await captureStatements(broken, 'PostgreSQL') }),
  ).toEqual(['broken: drop table "work"'])
})

it.each([
  { statement: 'alter table "work" add column "x" text', isAdditive: true },
  { statement: 'alter table "work" add column "x" integer default 0 not null', isAdditive: true },
  { statement: 'alter table "work" add column "x" text not null', isAdditive: false },
  { statement: 'alter table "work" add column "x" text references "other" ("id")', isAdditive: false },
  { statement: 'alter table "work" drop column "x"', isAdditive: false },
  { statement: 'create unique index "i" on "work" ("x")', isAdditive: false },
  { statement: 'update "work" set "x" = 1', isAdditive: false },
  { statement: 'insert into "work" ("id") values (?)', isAdditive: false },
])('detects statements that would break the previous version: $statement', ({ statement, isAdditive }) => {
  expect(findNonAdditive({ name: 'm', statements: [statement] })).toHaveLength(isAdditive ? 0 : 1)
})

it('allows a migration to change tables that it created itself', () => {
  const statements = [
    'create table "t" ("a" text)',
    'insert into "t" ("a") values (?)',
    'create unique index "i" on "t" ("a")',
  ]
  expect(findNonAdditive({ name: 'm', statements })).toEqual([])
})
