import { type Kysely, sql } from 'kysely'
import { expect, it } from 'vitest'
import {
  columns,
  date,
  flag,
  json,
  maybe,
  named,
  number,
  text,
} from '../../../packages/durable/src/database/columns.ts'
import { table } from '../../../packages/durable/src/database/declared-table.ts'
import { makeTables } from '../../../packages/durable/src/database/make-tables.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'

const SCOPE = columns({ workspaceId: text(), environment: text<'a' | 'b'>() })
const THING = columns({
  ...SCOPE.columns,
  id: text(),
  afterBadPolls: number(),
  isBaseline: flag(),
  madeAt: date(),
  until: named('until_at', maybe(date())),
  about: json<{ kind: string }>(),
  period: maybe(json<readonly number[]>()),
})
const EXAMPLE = {
  workspaceId: 'T1',
  environment: 'a',
  id: 'x',
  afterBadPolls: 2,
  isBaseline: true,
  madeAt: new Date(0),
  about: { kind: "it's" },
} as const

it('converts objects to rows and back', () => {
  const row = THING.toRow(EXAMPLE)
  expect(row).toEqual({
    workspace_id: 'T1',
    environment: 'a',
    id: 'x',
    after_bad_polls: 2,
    is_baseline: 1,
    made_at: '1970-01-01T00:00:00.000Z',
    until_at: null,
    about: '{"kind":"it\'s"}',
    period: null,
  })
  expect(Object.keys(row)).toEqual(THING.names)
  expect(THING.parse(row)).toEqual({ ...EXAMPLE, until: undefined, period: undefined })
  expect(SCOPE.parse(row)).toEqual({ workspaceId: 'T1', environment: 'a' })
})

const THING_TABLE = table('thing', {
  columns: THING,
  key: ['id'],
  row: 'a thing',
  bound: 'one',
  since: 'things',
})

it.each(SHARED_DATABASES)('creates a table from its columns, on $name', async ({ start }) => {
  await using database = await start()
  await using opened = await openDatabase(database.url)
  const { rows } = opened
  await makeTables(rows as unknown as Kysely<unknown>, [THING_TABLE], 'things')
  const row = THING.toRow({ ...EXAMPLE, until: new Date(5) })
  const [names, values] = [THING.names.map((name) => sql.ref(name)), THING.names.map((name) => row[name])]
  await sql`insert into thing (${sql.join(names)}) values (${sql.join(values)})`.execute(rows)
  const { rows: found } = await sql<typeof row>`select * from thing`.execute(rows)
  expect(found.map(THING.parse)).toEqual([{ ...EXAMPLE, until: new Date(5), period: undefined }])
})
