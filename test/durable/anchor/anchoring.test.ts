import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashOf } from '../../../packages/durable/src/audit/row.ts'
import type { AuditEntryRow } from '../../../packages/durable/src/database/schema.ts'
import { openStore } from '../../../src/app/store.ts'
import { KEY_B, SHARED_DATABASES, type TestDatabase } from '../../databases/databases.ts'
import { rotateKeys } from '../../databases/open.ts'
import { runs } from '../../long.ts'
import { seeded, seedOf } from '../../random.ts'
import { append, ROWS, type Scene, sceneOf, type Tables } from './scene.ts'

const TAMPERINGS = runs('TAMPERINGS', { quick: 50, long: 5000 })

/** The log as somebody with the database, the write-ahead log and no key leaves it, and the row that has to be named. */
type Tampering = (scene: Scene, random: () => number) => { tables: Tables; names: RegExp }

const ofT1 = ({ entries }: Tables): AuditEntryRow[] =>
  entries.filter((row) => row.workspace_id === 'T1').toSorted((a, b) => a.sequence - b.sequence)
const ofT2 = ({ entries }: Tables): AuditEntryRow[] => entries.filter((row) => row.workspace_id === 'T2')

/** T1's rows as they are given, all else as it was. */
const withRows = ({ whole }: Scene, rows: AuditEntryRow[]): Tables => ({
  entries: [...rows, ...ofT2(whole)],
  chains: whole.chains,
})

/** With the head that was sealed behind that row. */
const withHead = (tables: Tables, { heads }: Scene, sequence: number): Tables => ({
  ...tables,
  chains: tables.chains.map((row) =>
    row.workspace_id === 'T1' ? { ...row, sealed_head: heads[sequence - 1] ?? '' } : row,
  ),
})

function rechained(rows: readonly AuditEntryRow[]): AuditEntryRow[] {
  let previous_hash = ''
  return rows.map((row, index) => {
    const linked = { ...row, sequence: index + 1, previous_hash }
    previous_hash = hashOf(linked)
    return { ...linked, hash: previous_hash }
  })
}

const pick = (random: () => number, from: number, to: number) => from + Math.floor(random() * (to - from + 1))
const named = (row: number) => new RegExp(`^T1 ${row} `)

const TAMPERINGS_OF: Record<string, Tampering> = {
  edit(scene, random) {
    const at = pick(random, 1, ROWS)
    const column =
      ['user_id', 'verb', 'object', 'before', 'at', 'reference', 'hash'][pick(random, 0, 6)] ?? 'verb'
    const rows = ofT1(scene.whole).map((row) => (row.sequence === at ? { ...row, [column]: 'other' } : row))
    return { tables: withRows(scene, rows), names: named(at) }
  },
  'delete one'(scene, random) {
    const at = pick(random, 1, ROWS)
    return {
      tables: withRows(
        scene,
        ofT1(scene.whole).filter(({ sequence }) => sequence !== at),
      ),
      names: named(at),
    }
  },
  'cut the tail'(scene, random) {
    const at = pick(random, 1, ROWS)
    return {
      tables: withRows(
        scene,
        ofT1(scene.whole).filter(({ sequence }) => sequence < at),
      ),
      names: named(at),
    }
  },
  'cut the head'(scene, random) {
    const at = pick(random, 1, ROWS)
    return {
      tables: withRows(
        scene,
        ofT1(scene.whole).filter(({ sequence }) => sequence > at),
      ),
      names: named(1),
    }
  },
  'swap two'(scene, random) {
    const at = pick(random, 1, ROWS - 1)
    const place = (sequence: number) => (sequence === at ? at + 1 : sequence === at + 1 ? at : sequence)
    const rows = ofT1(scene.whole).map((row) => ({ ...row, sequence: place(row.sequence) }))
    return { tables: withRows(scene, rows), names: named(at) }
  },
  'put one in at the end'(scene) {
    const last = ofT1(scene.whole).at(-1)
    if (!last) throw new Error('No row.')
    const row = { ...last, sequence: ROWS + 1, previous_hash: last.hash }
    return {
      tables: withRows(scene, [...ofT1(scene.whole), { ...row, hash: hashOf(row) }]),
      names: named(ROWS + 1),
    }
  },
  'write the chain anew'(scene, random) {
    const at = pick(random, 1, ROWS)
    const rows = ofT1(scene.whole).map((row) => (row.sequence === at ? { ...row, user_id: 'U99' } : row))
    return { tables: withRows(scene, rechained(rows)), names: named(ROWS) }
  },
  'leave one out and write the rest anew'(scene, random) {
    const at = pick(random, 1, ROWS)
    const rows = ofT1(scene.whole).filter(({ sequence }) => sequence !== at)
    return { tables: withRows(scene, rechained(rows)), names: named(ROWS) }
  },
  'roll back to an earlier head'(scene, random) {
    const at = pick(random, 1, ROWS - 1)
    const tables = withRows(
      scene,
      ofT1(scene.whole).filter(({ sequence }) => sequence <= at),
    )
    return { tables: withHead(tables, scene, at), names: named(at + 1) }
  },
  'wipe one workspace, its head and the count'(scene) {
    const chains = scene.whole.chains.filter((row) => row.workspace_id === 'T2')
    return { tables: { entries: ofT2(scene.whole), chains }, names: named(1) }
  },
  'wipe everything': () => ({ tables: { entries: [], chains: [] }, names: named(1) }),
  'take another workspace’s head'(scene) {
    const other = scene.whole.chains.find((row) => row.workspace_id === 'T2')?.sealed_head ?? ''
    const chains = scene.whole.chains.map((row) =>
      row.workspace_id === 'T1' ? { ...row, sealed_head: other } : row,
    )
    return { tables: { ...scene.whole, chains }, names: named(0) }
  },
  'take the head away'(scene) {
    const chains = scene.whole.chains.filter((row) => row.workspace_id !== 'T1')
    return { tables: { ...scene.whole, chains }, names: named(0) }
  },
}

describe.each(SHARED_DATABASES)('an anchored audit log on $name', ({ start }) => {
  let database: TestDatabase
  let scene: Scene & AsyncDisposable
  beforeAll(async () => {
    database = await start()
    scene = await sceneOf(database)
  })
  afterAll(async () => {
    await scene?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  it('is whole as it is', async () => {
    await scene.put(scene.whole)
    expect(await scene.found()).toEqual([])
    expect((await scene.store.anchoring.compare(scene.anchor)).records).toHaveLength(3)
  })

  it('that was rolled back and has gone on since is named at the row that was anchored', async () => {
    await scene.put(
      withHead(
        withRows(
          scene,
          ofT1(scene.whole).filter(({ sequence }) => sequence <= 7),
        ),
        scene,
        7,
      ),
    )
    for (let n = 8; n <= ROWS + 3; n++) await append(scene.store, 'T1', n + 100)
    expect((await scene.store.audit.verify('T1')).faults).toEqual([])
    expect(await scene.found()).toEqual([
      expect.stringMatching(/^T1 10 is another/),
      expect.stringMatching(/^T1 12 is another/),
    ])
    expect((await scene.store.anchoring.unanchored()).wentBack).toEqual([])
  })

  it('is told of when its end goes back, before it is anchored again', async () => {
    await scene.put(withHead(withRows(scene, ofT1(scene.whole).slice(0, 4)), scene, 4))
    const { heads, wentBack } = await scene.store.anchoring.unanchored()
    expect(heads).toEqual([])
    expect(wentBack).toMatchObject([{ head: { sequence: 4 }, anchored: { sequence: ROWS } }])
  })

  it('that was wiped is named without an anchor too, by what else is there', async () => {
    await scene.put(scene.whole)
    const order = {
      environment: 'production',
      state: 'awaiting',
      requesterId: 'U1',
      bodyHash: 'h',
      content: {},
    } as const
    await scene.store.orders.add(
      { ...order, workspaceId: 'T1', createdAt: new Date(ROWS * 60_000) },
      { kind: 'request', at: new Date(), reference: 'r' },
    )
    expect(await scene.store.audit.unlogged()).toEqual([])
    await scene.put({ entries: [], chains: [] })
    expect(await scene.store.audit.unlogged()).toEqual([
      expect.stringContaining('T1: the audit log is empty'),
    ])
    await append(scene.store, 'T1', ROWS + 60)
    expect(await scene.store.audit.unlogged()).toEqual([
      expect.stringContaining('T1: row 1 of the audit log'),
    ])
  })
})

it(`finds ${TAMPERINGS} random tamperings, each with its row`, async () => {
  const seed = seedOf()
  const random = seeded(seed).next
  const [sqlite] = SHARED_DATABASES
  if (!sqlite) throw new Error('No database.')
  await using database = await sqlite.start()
  await using scene = await sceneOf(database)
  const kinds = Object.entries(TAMPERINGS_OF)
  for (let n = 1; n <= TAMPERINGS; n++) {
    const [name, tamper] = kinds[Math.floor(random() * kinds.length)] ?? []
    const made = tamper?.(scene, random)
    if (!made) throw new Error('No tampering.')
    await scene.put(made.tables)
    const found = await scene.found()
    expect(
      found.some((line) => made.names.test(line)),
      `SEED=${seed}, tampering ${n}, ${name}: ${made.names} not in\n${found.join('\n')}`,
    ).toBe(true)
  }
})

it('vouches with a new key for what the former one has signed', async () => {
  const [sqlite] = SHARED_DATABASES
  if (!sqlite) throw new Error('No database.')
  await using database = await sqlite.start()
  const records: string[] = []
  const put = async (text: string) => void records.push(text)
  {
    await using store = await openStore(database)
    await append(store, 'T1', 1)
    await store.anchoring.anchor((await store.anchoring.unanchored()).heads, new Date(), put)
    expect(await store.anchoring.isOfFormerKey()).toBe(false)
  }
  await rotateKeys({ ...database, keys: `${KEY_B},${database.keys}` })
  await using store = await openStore({ ...database, keys: KEY_B })
  expect((await store.anchoring.compare(records.join(' '))).faults).toMatchObject([{ sequence: 1 }])
  expect(await store.anchoring.isOfFormerKey()).toBe(true)
  await store.anchoring.anchor([], new Date(), put)
  expect(await store.anchoring.isOfFormerKey()).toBe(false)
  const { records: found, faults } = await store.anchoring.compare(records.join(' '))
  expect(found).toHaveLength(2)
  expect(faults).toEqual([])
})

it('believes no record that was forged, and misses one that was taken out', async () => {
  const [sqlite] = SHARED_DATABASES
  if (!sqlite) throw new Error('No database.')
  await using database = await sqlite.start()
  await using scene = await sceneOf(database)
  const [first = '', second = '', third = ''] = scene.anchor.match(/signalman-audit\.\S+?(?=```)/g) ?? []
  const faultsOf = async (text: string) => (await scene.store.anchoring.compare(text)).faults
  expect(await faultsOf([first, third].join(' '))).toMatchObject([
    { sequence: 2, what: 'was taken out of the anchor' },
  ])
  const [form, version, key, , signature] = second.split('.')
  const told = { n: 2, at: '2026-01-01T00:00:00.000Z', previous: '', heads: [] }
  const forged = [
    form,
    version,
    key,
    Buffer.from(JSON.stringify(told)).toString('base64url'),
    signature,
  ].join('.')
  expect(await faultsOf([first, forged, third].join(' '))).toMatchObject([
    { sequence: 2, what: expect.stringContaining('it was forged') },
    { sequence: 2, what: 'was taken out of the anchor' },
  ])
})

/** A record as somebody without the key writes it: what it says is up to them. */
const forgedRecord = (content: string): string =>
  `signalman-audit.v1.a.${Buffer.from(content).toString('base64url')}.${'A'.repeat(86)}`

it.each([
  { n: '4294967290' },
  { n: '1e15' },
  { n: '-1e15' },
  { n: '-1' },
  { n: '0' },
  { n: '1.5' },
  { n: 'NaN' },
  { n: 'null' },
  { n: '"7"' },
  { n: '7', heads: 'null' },
  { n: '7', heads: '[null]' },
  { n: '7', heads: '[{"workspaceId":"T1","sequence":1e15,"hash":""}]' },
  { n: '7', at: '"never"' },
  { n: '7', heads: JSON.stringify(Array.from({ length: 400 }, () => 'x'.repeat(100))) },
])('names a forged record with $n, and passes it over', async ({ n, heads = '[]', at = '"2026-01-01"' }) => {
  const [sqlite] = SHARED_DATABASES
  if (!sqlite) throw new Error('No database.')
  await using database = await sqlite.start()
  await using scene = await sceneOf(database)
  const forged = forgedRecord(`{"n":${n},"at":${at},"previous":"","heads":${heads}}`)
  const { records, faults } = await scene.store.anchoring.compare(`${forged} ${scene.anchor}`)
  expect(records).toHaveLength(3)
  expect(faults).toEqual([
    { workspaceId: 'the anchor', sequence: 1, what: expect.stringContaining('is passed over') },
  ])
})

it('names a forged record of any number that records have, and no gap before it', async () => {
  const [sqlite] = SHARED_DATABASES
  if (!sqlite) throw new Error('No database.')
  await using database = await sqlite.start()
  await using scene = await sceneOf(database)
  const forged = forgedRecord('{"n":2147483647,"at":"2026-01-01","previous":"","heads":[]}')
  const { faults } = await scene.store.anchoring.compare(`${scene.anchor} ${forged}`)
  expect(faults).toEqual([
    { workspaceId: 'the anchor', sequence: 0x7fff_ffff, what: expect.stringContaining('it was forged') },
  ])
})

it('compares although a row about a restore was changed', async () => {
  const [sqlite] = SHARED_DATABASES
  if (!sqlite) throw new Error('No database.')
  await using database = await sqlite.start()
  await using scene = await sceneOf(database)
  for (const after of ['{"asOf":', 'null', '7', '"x"', '{"asOf":1,"restoredAt":[]}', null]) {
    await scene.raw.rows
      .updateTable('audit_entry')
      .set({ verb: 'store.restore', after })
      .where('workspace_id', '=', 'T1')
      .where('sequence', '=', 3)
      .execute()
    expect(await scene.found()).toEqual([expect.stringMatching(/^T1 3 was changed/)])
  }
})

it('names rows that were removed although they were to be kept, by when they were anchored', async () => {
  const [sqlite] = SHARED_DATABASES
  if (!sqlite) throw new Error('No database.')
  await using database = await sqlite.start()
  await using scene = await sceneOf(database)
  const { audit, settings } = scene.store
  await audit.retain('T1', new Date(8 * 60_000))
  const told = [
    expect.stringMatching(/^T1 7 and all before it were removed, although rows are kept for ever; .* row 5 /),
  ]
  expect(await scene.found()).toEqual(told)
  const days = { key: 'audit.kept-days', read: Number }
  await settings.set('T1', days, 90)
  expect(await scene.found()).toEqual([])
  // Further back than the rows were anchored.
  await settings.set('T1', days, 40_000)
  expect(await scene.found()).toEqual([expect.stringContaining('kept for 40000 days')])
})
