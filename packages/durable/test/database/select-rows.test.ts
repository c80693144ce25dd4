import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { expect, it } from 'vitest'
import { type Rows, selectRows } from '../../src/database/schema.ts'

const rows: Rows = new Kysely({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

it('selects matching rows, and ignores an undefined filter only if it is optional', () => {
  const query = selectRows(rows, 'setting', { key: 'rules' }, { workspace_id: undefined }).compile()
  expect(query.sql).toBe('select * from "setting" where "key" = $1')
  expect(
    selectRows(rows, 'audit_entry', { workspace_id: 'T1' }, { verb: 'parcel.label' }).compile().parameters,
  ).toEqual(expect.arrayContaining(['T1', 'parcel.label']))
})

it('doesn’t compile if a required filter may be undefined, which would match every workspace', () => {
  const key: { workspaceId?: string } = {}
  // @ts-expect-error
  selectRows(rows, 'setting', { workspace_id: key.workspaceId })
})
