import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { DATA_PAGE, generateDataPage } from '../../../docs/data-page.ts'
import type { Database } from '../../../packages/durable/src/database/database.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { sweep } from '../../../src/bot/retention/sweeping.ts'
import { MAX_SILENCES, MAX_WATCHES, WatchLimitReached } from '../../../src/features/watching/rules/watch.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { changeWatching } from '../../decide.ts'

const PAGE = readFileSync(DATA_PAGE, 'utf8')
const BOUNDS = new Map(
  PAGE.split('\n').flatMap((line) => {
    const [, table, , bound] = /^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$/.exec(line) ?? []
    return table && bound ? [[table, bound] as const] : []
  }),
)

const DAY_MS = 86_400_000
const NOW = new Date()
const ago = (days: number): string => new Date(NOW.getTime() - days * DAY_MS).toISOString()

type Row = Readonly<Record<string, string | number | null>>

/**
 * For each table that the sweep deletes from: rows that have expired, and rows that haven't. Their keys start with `o` (old) and `k`
 * (kept) where possible. A table with references comes after the tables that it refers to.
 */
const SWEPT: readonly (readonly [table: string, expired: readonly Row[], live: readonly Row[]])[] = [
  [
    'ephemeral_state',
    [{ id: 'o', sealed_body: 'x', expires_at: ago(0.05) }],
    [{ id: 'k', sealed_body: 'x', expires_at: ago(-0.1) }],
  ],
  [
    'work',
    [
      { id: 'act', kind: 'act', key: 'o', state: 'done', touched_at: ago(1.1) },
      { id: 'job', kind: 'job', key: 'o', state: 'stopped', touched_at: ago(7.1) },
    ],
    [
      { id: 'act2', kind: 'act', key: 'k', state: 'done', touched_at: ago(0.9) },
      { id: 'job2', kind: 'job', key: 'k', state: 'done', touched_at: ago(6.9) },
      { id: 'due', kind: 'due', key: 'k', state: 'waiting', touched_at: ago(99) },
    ],
  ],
  [
    'work_step',
    [{ id: 'act.1', work_id: 'act', line: 1, state: 'done' }],
    [{ id: 'act2.1', work_id: 'act2', line: 1, state: 'done' }],
  ],
  [
    'watch_observed',
    ...expiredAndLive(['o', ago(91)], ['k', ago(89)], (_, at) => ({ from_at: at, to_at: at })),
  ],
  [
    'watch_post',
    ...expiredAndLive(['o', ago(91)], ['k', ago(89)], (id, closed_at) => ({ id, closed_at, kind: 'card' })),
  ],
  [
    'incident',
    ...expiredAndLive(['o', ago(91)], ['k', ago(89)], (id, closed_at) => ({
      id,
      uuid: id,
      closed_at,
      ending: 'recovered',
    })),
  ],
  ['incident_line', [{ incident_id: 'o', card_id: 'o' }], [{ incident_id: 'k', card_id: 'k' }]],
  [
    'watch_silence',
    [
      { id: 'o', to_at: ago(91) },
      { id: 'o2', to_at: ago(99), every: 'week', ended_at: ago(91) },
    ],
    [
      { id: 'k', to_at: ago(89) },
      { id: 'k2', to_at: ago(99), every: 'week' },
    ],
  ],
  [
    'cert_order',
    [{ id: 'o', updated_at: ago(3651), number: 1, state: 'received' }],
    [
      { id: 'k', updated_at: ago(3649), number: 3, state: 'received' },
      { id: 'k2', updated_at: ago(3651), number: 2, state: 'awaiting' },
      // The newest one of its workspace.
      { id: 'k3', updated_at: ago(3651), number: 1, state: 'received', workspace_id: 'T2' },
    ],
  ],
  [
    'cert_order_event',
    [{ order_id: 'o', version: 1, at: ago(4000), kind: 'request' }],
    [{ order_id: 'k', version: 1, at: ago(4000), kind: 'request' }],
  ],
  [
    'threat_case',
    [
      { id: 'o1', event_id: 'o1', state: 'down', changed_at: ago(366) },
      { id: 'o2', event_id: 'o2', state: 'open', changed_at: ago(1096) },
    ],
    [
      { id: 'k1', event_id: 'k1', state: 'down', changed_at: ago(364) },
      { id: 'k2', event_id: 'k2', state: 'open', changed_at: ago(1094) },
    ],
  ],
  [
    'claim',
    ...expiredAndLive(['o', ago(1.1)], ['k', ago(0.9)], (key, claimed_at) => ({
      key,
      claimed_at,
      holder: 'm',
    })),
  ],
  ['process', [{ id: 'o', seen_at: ago(0.01) }], [{ id: 'k', seen_at: ago(0) }]],
]

/** Builds an expired row and a live one, each from its key and its time. */
function expiredAndLive(
  expired: readonly [string, string],
  live: readonly [string, string],
  createRow: (name: string, at: string) => Row,
): readonly [Row[], Row[]] {
  return [[createRow(...expired)], [createRow(...live)]]
}

/** Inserts a row. Columns that it doesn't name, and that need a value, get one that any text column takes. */
async function insert({ rows }: Database, table: string, row: Row): Promise<void> {
  const { columns = [] } = (await rows.introspection.getTables()).find(({ name }) => name === table) ?? {}
  const needed = columns.filter(({ isNullable, hasDefaultValue }) => !isNullable && !hasDefaultValue)
  const values = needed.map(({ name, dataType }) => [name, /int/i.test(dataType) ? 1 : 'production'] as const)
  const filled: Row = { ...Object.fromEntries(values), ...row }
  const names = sql.join(Object.keys(filled).map((name) => sql.ref(name)))
  await sql`insert into ${sql.table(table)} (${names}) values (${sql.join(Object.values(filled))})`.execute(
    rows,
  )
}

async function countRows({ rows }: Database, table: string): Promise<number> {
  const { rows: found } = await sql<{ count: number }>`
    select cast(count(*) as integer) as "count" from ${sql.table(table)}`.execute(rows)
  return found[0]?.count ?? 0
}

const place = {
  workspaceId: 'T1',
  channelId: 'C1',
  environment: 'production',
} as const

/** The columns that identify a row. Each copy of the row gets its own value. */
const IDS = ['id']

/** For each table with a maximum number of rows: the maximum, and how to add a row. */
const LIMITED: Readonly<
  Record<string, { max: number; add: (store: Store, index: number) => Promise<unknown> }>
> = {
  watch: {
    max: MAX_WATCHES,
    add: (store, index) =>
      changeWatching(store, 'T1', ({ watches }) =>
        watches.add({
          ...place,
          // A channel has room for fewer.
          channelId: `C${index % 5}`,
          id: `w${index}`,
          // The same settings would be the same watch.
          filter: { include: [{ field: 'name', pattern: `w${index}*` }], exclude: [] },
          afterBadPolls: 1,
          ownerId: 'U1',
        }),
      ),
  },
  watch_silence: {
    max: MAX_SILENCES,
    add: (store, index) =>
      changeWatching(store, 'T1', ({ silences }) =>
        silences.add([
          {
            ...place,
            id: `s${index}`,
            subject: { kind: 'name', pattern: `s${index}*` },
            isMaintenance: false,
            from: NOW,
            to: new Date(NOW.getTime() + DAY_MS),
            timeZone: 'UTC',
            reason: '',
            ownerId: 'U1',
            ownerName: 'Ann',
            madeAt: NOW,
          },
        ]),
      ),
  },
}

describe.each(SHARED_DATABASES)('the tables of $name', ({ start }) => {
  it('are all listed on the docs page, with what limits their rows', async () => {
    await using testDatabase = await start()
    await using _store = await openStore(testDatabase)
    await using database = await openDatabase(testDatabase.url)
    const tables = (await database.rows.introspection.getTables()).map(({ name }) => name)
    expect(tables.toSorted()).toEqual([...BOUNDS.keys()].toSorted())
    expect(generateDataPage(PAGE) === PAGE, 'docs/data.md is out of date: run npm run generate').toBe(true)
  })

  it('lose only expired rows', async () => {
    await using testDatabase = await start()
    await using store = await openStore(testDatabase)
    await using database = await openDatabase(testDatabase.url)
    for (const [table, expired, live] of SWEPT)
      for (const row of [...expired, ...live]) await insert(database, table, row)
    await store.processes.heartbeat('k')
    await sweep(store)
    const remaining: Record<string, number> = {}
    for (const [table] of SWEPT) remaining[table] = await countRows(database, table)
    expect(remaining).toEqual(Object.fromEntries(SWEPT.map(([table, , live]) => [table, live.length])))
  })

  it('have a limit per workspace, with an error when it is reached', async () => {
    await using testDatabase = await start()
    await using store = await openStore(testDatabase)
    await using database = await openDatabase(testDatabase.url)
    for (const [table, { max, add }] of Object.entries(LIMITED)) {
      await add(store, 0)
      const { rows } = await sql<Row>`select * from ${sql.table(table)}`.execute(database.rows)
      const columns = Object.keys(rows[0] ?? {})
      const copied = columns.map((name) => (IDS.includes(name) ? sql`n.i || ''` : sql.ref(`t.${name}`)))
      await sql`insert into ${sql.table(table)} (${sql.join(columns.map((name) => sql.ref(name)))})
        with recursive n(i) as (select 2 union all select i + 1 from n where i < ${sql.lit(max)})
        select ${sql.join(copied)} from n, ${sql.table(table)} t`.execute(database.rows)
      expect(await countRows(database, table)).toBe(max)
      await expect(add(store, max)).rejects.toThrow(WatchLimitReached)
    }
  })
})

it('covers every limit on the docs page', () => {
  const findTables = (word: RegExp) =>
    [...BOUNDS].flatMap(([table, bound]) => (word.test(bound) ? [table] : []))
  // sweeping.test.ts tests audit retention.
  const swept = findTables(/\bdeleted\b/).filter((table) => table !== 'audit_entry')
  expect(swept.toSorted()).toEqual(SWEPT.map(([table]) => table).toSorted())
  expect(findTables(/\bat most\b/)).toEqual(Object.keys(LIMITED))
  for (const [, bound] of BOUNDS) expect(bound).toMatch(/deleted|at most|one for each|fixed|two in use/)
})
