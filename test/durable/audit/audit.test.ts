import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditEntry, AuditEvent } from '../../../packages/durable/src/audit/row.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'

const DAY_MS = 86_400_000
const NOON = new Date('2026-03-01T12:00:00.000Z')
const minutesAfterNoon = (n: number) => new Date(NOON.getTime() + n * 60_000)

async function collect(entries: AsyncIterable<AuditEntry>): Promise<AuditEntry[]> {
  const found: AuditEntry[] = []
  for await (const entry of entries) found.push(entry)
  return found
}

describe.each(SHARED_DATABASES)('the audit log on $name', ({ start }) => {
  let database: TestDatabase
  let store: Store
  let workspaceCount = 0
  let clock = NOON
  /** Removes the rows older than this time, as a retention period of one day would. */
  const removeBefore = (workspaceId: string, time: Date) => {
    clock = new Date(time.getTime() + DAY_MS - 1)
    return store.audit.removeOlderThan(workspaceId, 1, (at) =>
      auditEvent(workspaceId, { at, verb: 'audit.retention' }),
    )
  }
  /** Returns the ID of a workspace that no other test uses. */
  const newWorkspaceId = () => `T${++workspaceCount}`

  beforeAll(async () => {
    database = await start()
    store = await openStore({ ...database, clock: () => clock })
  })
  afterAll(async () => {
    await store?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  const auditEvent = (workspaceId: string, overrides: Partial<AuditEvent> = {}): AuditEvent => ({
    workspaceId,
    at: NOON,
    actor: { userId: 'U1' },
    verb: 'health-check.edit',
    outcome: 'done',
    reference: 'r1',
    ...overrides,
  })

  it('adds the same outcome only once', async () => {
    const id = newWorkspaceId()
    const doneEvent = auditEvent(id, { object: 'web' })
    await using raw = await openDatabase(database.url)
    const appendMissing = (event: AuditEvent) =>
      raw.rows.transaction().execute((transaction) => store.audit.appendMissing(transaction, [event]))
    await store.audit.append({ ...doneEvent, outcome: 'begun' })
    await Promise.all([appendMissing(doneEvent), appendMissing(doneEvent)])
    await appendMissing(doneEvent)
    await appendMissing({ ...doneEvent, outcome: 'unknown' })
    await appendMissing({ ...doneEvent, reference: 'r2' })
    await appendMissing({ ...doneEvent, object: 'mail' })
    const rows = await store.audit.search({ workspaceId: id, limit: 9, withIntents: true })
    expect(rows.map(({ outcome, object, reference }) => [outcome, object, reference])).toEqual([
      ['done', 'mail', 'r1'],
      ['done', 'web', 'r2'],
      ['unknown', 'web', 'r1'],
      ['done', 'web', 'r1'],
      ['begun', 'web', 'r1'],
    ])
    expect(await store.audit.verify(id)).toMatchObject({ faults: [] })
  })

  it('reads back the appended rows, numbered from 1', async () => {
    const id = newWorkspaceId()
    const event = auditEvent(id, {
      actor: { userId: 'U1', teamId: 'T9' },
      channelId: 'C1',
      object: 'Example ä🙂',
      before: { port: 80, names: ['b', 'a'] },
      after: null,
      outcome: 'unknown',
    })
    const first = await store.audit.append(event)
    const second = await store.audit.append(auditEvent(id))
    expect([first.sequence, second.sequence]).toEqual([1, 2])
    const found = await collect(store.audit.readAll({ workspaceId: id }))
    expect(found).toEqual([
      { ...event, ...first },
      { ...auditEvent(id), ...second },
    ])
    expect(first.hash).toMatch(/^[A-Za-z0-9_-]{43}$/)
  })

  it('has a separate chain for each workspace', async () => {
    const [first, second] = [newWorkspaceId(), newWorkspaceId()]
    await store.audit.append(auditEvent(first))
    expect((await store.audit.append(auditEvent(second))).sequence).toBe(1)
    expect((await store.audit.append(auditEvent(first))).sequence).toBe(2)
    expect(await store.audit.listWorkspaces()).toEqual(expect.arrayContaining([first, second]))
    expect((await store.audit.verifyAll()).faults).toEqual([])
  })

  it('stores arbitrary text so that its hash can be verified', async () => {
    const id = newWorkspaceId()
    const texts = ['a\u0000b', '\ud800', '🙂'.repeat(1500), '"\\\n\u2028', '']
    for (const text of texts) {
      await store.audit.append(
        auditEvent(id, { object: text, reference: text, before: text, after: { [text]: text } }),
      )
    }
    expect(await store.audit.verify(id)).toMatchObject({ rows: texts.length, faults: [] })
    expect((await collect(store.audit.readAll({ workspaceId: id }))).map(({ object }) => object)).toEqual([
      'a\ufffdb',
      '\ufffd',
      `${'🙂'.repeat(1000)}… (clipped: 3000 characters)`,
      '"\\\n\u2028',
      '',
    ])
  })

  it.each([
    { fault: 'a secret', overrides: { after: { environment: 'ote', token: 'canary' } } },
    { fault: 'a cycle', overrides: { before: createCycle() } },
    { fault: 'invalid JSON', overrides: { before: () => 1 } },
    { fault: 'a missing time', overrides: { at: new Date(Number.NaN) } },
    { fault: 'a missing workspace', overrides: { workspaceId: '' } },
  ])('rejects $fault, and still accepts the next event', async ({ overrides }) => {
    const id = newWorkspaceId()
    const appending = store.audit.append(auditEvent(id, overrides))
    await expect(appending).rejects.toMatchObject({ name: 'StoreError', kind: 'bad-value' })
    await expect(appending).rejects.toThrow(/^(?!.*canary)/)
    expect(await store.audit.append(auditEvent(id))).toMatchObject({ sequence: 1 })
  })

  it('keeps one chain in order when many events are appended at once', async () => {
    const id = newWorkspaceId()
    const appended = await Promise.all(
      Array.from({ length: 100 }, (_, i) => store.audit.append(auditEvent(id, { reference: String(i) }))),
    )
    expect(appended.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
    const found = await collect(store.audit.readAll({ workspaceId: id }))
    expect(found.map(({ reference }) => Number(reference))).toEqual(Array.from({ length: 100 }, (_, i) => i))
    expect(found.map(({ hash }) => hash)).toEqual(appended.map(({ hash }) => hash))
    expect(await store.audit.verify(id)).toMatchObject({ rows: 100, faults: [] })
  })

  describe('a search of the audit log', () => {
    let id: string
    const search = async (query: object) =>
      (await store.audit.search({ workspaceId: id, limit: 100, ...query })).map(({ sequence }) => sequence)

    beforeAll(async () => {
      id = newWorkspaceId()
      await store.audit.append(
        auditEvent(id, { at: minutesAfterNoon(1), object: 'Shop 100%_x', verb: 'health-check.edit' }),
      )
      await store.audit.append(
        auditEvent(id, { at: minutesAfterNoon(2), object: 'Mail', actor: { userId: 'U2' } }),
      )
      await store.audit.append(auditEvent(id, { at: minutesAfterNoon(3), verb: 'threat.read' }))
      await store.audit.append(
        auditEvent(id, { at: minutesAfterNoon(4), verb: 'health.other', object: 'web SHOP' }),
      )
      await store.audit.append(auditEvent(newWorkspaceId()))
    })

    it.each([
      { query: {}, expected: [4, 3, 2, 1] },
      { query: { userId: 'U2' }, expected: [2] },
      { query: { verb: 'health-check.' }, expected: [2, 1] },
      { query: { verb: 'health' }, expected: [4, 2, 1] },
      { query: { verb: '%' }, expected: [] },
      { query: { object: 'shop' }, expected: [4, 1] },
      { query: { object: '%_' }, expected: [1] },
      { query: { object: 'a\u0000b', verb: '\u0000', userId: '\u0000' }, expected: [] },
      { query: { object: '' }, expected: [4, 2, 1] },
      { query: { from: minutesAfterNoon(2) }, expected: [4, 3, 2] },
      { query: { to: minutesAfterNoon(2) }, expected: [1] },
      { query: { from: minutesAfterNoon(2), to: minutesAfterNoon(4), verb: 'threat' }, expected: [3] },
      { query: { limit: 2 }, expected: [4, 3] },
      { query: { limit: 2, before: 3 }, expected: [2, 1] },
      { query: { limit: 0 }, expected: [4] },
    ])('returns $expected for $query, newest first', async ({ query, expected }) => {
      expect(await search(query)).toEqual(expected)
    })
  })

  it('returns every row when it reads in pages', async () => {
    const id = newWorkspaceId()
    await Promise.all(Array.from({ length: 1001 }, () => store.audit.append(auditEvent(id))))
    const sequences = (await collect(store.audit.readAll({ workspaceId: id }))).map(
      ({ sequence }) => sequence,
    )
    expect(sequences).toEqual(Array.from({ length: 1001 }, (_, i) => i + 1))
    expect(await store.audit.verify(id)).toMatchObject({ rows: 1001, faults: [] })
    expect(await removeBefore(id, minutesAfterNoon(1))).toBe(1001)
  })

  it('is still valid and accepts new rows after retention removed old ones', async () => {
    const id = newWorkspaceId()
    for (let i = 1; i <= 6; i++) await store.audit.append(auditEvent(id, { at: minutesAfterNoon(i) }))
    expect(await removeBefore(id, minutesAfterNoon(3))).toBe(2)
    expect(await removeBefore(id, minutesAfterNoon(3))).toBe(0)
    expect((await collect(store.audit.readAll({ workspaceId: id }))).map(({ sequence }) => sequence)).toEqual(
      [3, 4, 5, 6, 7],
    )
    // Row 7 records the removal. Later removals on that day move the start of the chain, and add no row.
    expect(await removeBefore(id, minutesAfterNoon(60))).toBe(4)
    expect(await store.audit.readHead(id)).toMatchObject({
      sequence: 7,
      keptFrom: 7,
      cuts: [{ why: 'retention', to: 6, by: 7 }],
    })
    expect(await store.audit.verify(id)).toMatchObject({ rows: 1, faults: [] })
    expect(await store.audit.append(auditEvent(id))).toMatchObject({ sequence: 8 })
    expect(await store.audit.verify(id)).toMatchObject({ rows: 2, faults: [] })
    expect(await store.audit.listWorkspaces()).toContain(id)
  })

  it('stays valid if an interrupted removal left rows behind, and deletes them next time', async () => {
    const id = newWorkspaceId()
    for (let i = 1; i <= 6; i++) await store.audit.append(auditEvent(id, { at: minutesAfterNoon(i) }))
    await using raw = await openDatabase(database.url)
    const rowsOfWorkspace = raw.rows.selectFrom('audit_entry').selectAll().where('workspace_id', '=', id)
    const removed = await rowsOfWorkspace.where('sequence', '<=', 3).orderBy('sequence').execute()
    expect(await removeBefore(id, minutesAfterNoon(4))).toBe(3)
    await raw.rows.insertInto('audit_entry').values(removed.slice(1)).execute()
    expect(await store.audit.verify(id)).toMatchObject({
      rows: 4,
      faults: [],
      notes: ['2 rows should already have been deleted. The next cleanup deletes them.'],
    })
    expect(await removeBefore(id, minutesAfterNoon(4))).toBe(2)
    expect(await store.audit.verify(id)).toMatchObject({ rows: 4, faults: [], notes: [] })
    // Removals delete the oldest rows first, so row 2 can't be left without row 3.
    await raw.rows.insertInto('audit_entry').values(removed.slice(1, 2)).execute()
    expect(await store.audit.verify(id)).toMatchObject({
      faults: [{ sequence: 2, description: 'was inserted before the oldest remaining row' }],
    })
  })

  it('keeps an old row that comes after a newer one when removing the oldest rows', async () => {
    const id = newWorkspaceId()
    for (const at of [1, 5, 2]) await store.audit.append(auditEvent(id, { at: minutesAfterNoon(at) }))
    expect(await removeBefore(id, minutesAfterNoon(3))).toBe(1)
    expect(await store.audit.verify(id)).toMatchObject({ rows: 3, faults: [] })
  })

  it('removes old rows even if one of them is dated in the future', async () => {
    const id = newWorkspaceId()
    const future = new Date(NOON.getTime() + 400 * DAY_MS)
    for (const at of [
      minutesAfterNoon(1),
      future,
      minutesAfterNoon(2),
      minutesAfterNoon(50),
      minutesAfterNoon(3),
    ])
      await store.audit.append(auditEvent(id, { at }))
    expect(await removeBefore(id, minutesAfterNoon(10))).toBe(3)
    expect((await collect(store.audit.readAll({ workspaceId: id }))).map(({ sequence }) => sequence)).toEqual(
      [4, 5, 6],
    )
    expect(await store.audit.verify(id)).toMatchObject({ faults: [] })
  })

  it('refuses to remove a row that was tampered with', async () => {
    const id = newWorkspaceId()
    for (let i = 1; i <= 4; i++) await store.audit.append(auditEvent(id, { at: minutesAfterNoon(i) }))
    await using raw = await openDatabase(database.url)
    const rows = raw.rows.updateTable('audit_entry').where('workspace_id', '=', id)
    await rows.where('sequence', '=', 2).set({ user_id: 'U9' }).execute()
    await expect(removeBefore(id, minutesAfterNoon(60))).rejects.toMatchObject({ kind: 'tampered' })
    expect(await store.audit.verify(id)).toMatchObject({ rows: 4, faults: [{ sequence: 2 }] })
  })

  it('is empty for a workspace without rows', async () => {
    expect(await store.audit.verify('TNONE')).toMatchObject({ rows: 0, faults: [] })
    expect(await removeBefore('TNONE', NOON)).toBe(0)
    expect(await collect(store.audit.readAll({ workspaceId: 'TNONE' }))).toEqual([])
  })

  it('can be verified while rows are added and removed', async () => {
    const id = newWorkspaceId()
    for (let i = 0; i < 600; i++) void store.audit.append(auditEvent(id, { at: minutesAfterNoon(i) }))
    await store.audit.append(auditEvent(id, { at: minutesAfterNoon(600) }))
    const appends = Array.from({ length: 200 }, () =>
      store.audit.append(auditEvent(id, { at: minutesAfterNoon(601) })),
    )
    const removal = removeBefore(id, minutesAfterNoon(550))
    const results = await Promise.all(Array.from({ length: 4 }, () => store.audit.verify(id)))
    expect(results.flatMap(({ faults }) => faults)).toEqual([])
    await Promise.all([...appends, removal])
    expect(await store.audit.verify(id)).toMatchObject({ rows: 252, faults: [] })
  })
})

function createCycle(): object {
  const ring: Record<string, unknown> = {}
  ring.ring = ring
  return ring
}

it.each(SHARED_DATABASES)('appends to one chain from several stores on $name', async ({ start }) => {
  await using database = await start()
  const stores = await Promise.all(Array.from({ length: 4 }, () => openStore(database)))
  await using disposal = new AsyncDisposableStack()
  for (const store of stores) disposal.use(store)
  const auditEvent = {
    at: NOON,
    actor: { userId: 'U1' },
    verb: 'v',
    outcome: 'done',
    reference: 'r',
  } as const
  const appends = Array.from({ length: 120 }, (_, i) =>
    stores[i % 4]?.audit.append({ ...auditEvent, workspaceId: `T${(i >> 2) % 2}` }),
  )
  await Promise.all(appends)
  const [store] = stores
  for (const id of ['T0', 'T1']) expect(await store?.audit.verify(id)).toMatchObject({ rows: 60, faults: [] })
  expect((await store?.audit.verifyAll())?.faults).toEqual([])
})
