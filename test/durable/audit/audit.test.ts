import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { auditStore } from '../../../packages/durable/src/audit/audit.ts'
import type { AuditEntry, AuditEvent } from '../../../packages/durable/src/audit/row.ts'
import { parseKeys } from '../../../packages/durable/src/secrets/keys.ts'
import { createSealer } from '../../../packages/durable/src/secrets/seal.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'

const NOON = new Date('2026-03-01T12:00:00.000Z')
const minute = (n: number) => new Date(NOON.getTime() + n * 60_000)

async function all(entries: AsyncIterable<AuditEntry>): Promise<AuditEntry[]> {
  const found: AuditEntry[] = []
  for await (const entry of entries) found.push(entry)
  return found
}

describe.each(SHARED_DATABASES)('the audit log on $name', ({ start }) => {
  let database: TestDatabase
  let store: Store
  let count = 0
  /** A workspace that no other test uses. */
  const workspace = () => `T${++count}`

  beforeAll(async () => {
    database = await start()
    store = await openStore(database)
  })
  afterAll(async () => {
    await store?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  const auditEvent = (workspaceId: string, more: Partial<AuditEvent> = {}): AuditEvent => ({
    workspaceId,
    at: NOON,
    actor: { userId: 'U1' },
    verb: 'health-check.edit',
    outcome: 'done',
    reference: 'r1',
    ...more,
  })

  it('has one outcome of what was begun, and looks for its beginning among the newest rows alone', async () => {
    const id = workspace()
    const begun = auditEvent(id, { verb: 'uninstall', outcome: 'begun' })
    const done = auditEvent(id, { verb: 'uninstall' })
    expect(await store.audit.appendOutcome(done)).toBe(false)
    const others = async (rows: number) =>
      Promise.all(Array.from({ length: rows }, () => store.audit.append(auditEvent(id))))
    await store.audit.append(begun)
    await others(999)
    const both = [store.audit.appendOutcome(done), store.audit.appendOutcome(done)]
    expect((await Promise.all(both)).toSorted()).toEqual([false, true])
    await store.audit.append(begun)
    await others(1000)
    expect(await store.audit.appendOutcome(done)).toBe(false)
    expect(await store.audit.verify(id)).toMatchObject({ faults: [] })
  })

  it('gives back what was appended, numbered from 1, and no more than was said', async () => {
    const id = workspace()
    const whole = auditEvent(id, {
      actor: { userId: 'U1', teamId: 'T9' },
      channelId: 'C1',
      object: 'Example ä🙂',
      before: { port: 80, names: ['b', 'a'] },
      after: null,
      outcome: 'unknown',
    })
    const first = await store.audit.append(whole)
    const second = await store.audit.append(auditEvent(id))
    expect([first.sequence, second.sequence]).toEqual([1, 2])
    const found = await all(store.audit.read({ workspaceId: id }))
    expect(found).toEqual([
      { ...whole, ...first },
      { ...auditEvent(id), ...second },
    ])
    expect(first.hash).toMatch(/^[A-Za-z0-9_-]{43}$/)
  })

  it('chains each workspace for itself', async () => {
    const [one, two] = [workspace(), workspace()]
    await store.audit.append(auditEvent(one))
    expect((await store.audit.append(auditEvent(two))).sequence).toBe(1)
    expect((await store.audit.append(auditEvent(one))).sequence).toBe(2)
    expect(await store.audit.workspaces()).toEqual(expect.arrayContaining([one, two]))
    expect(await store.audit.missingChains()).toBeUndefined()
  })

  it('keeps any text in a form that verifies', async () => {
    const id = workspace()
    const texts = ['a\u0000b', '\ud800', '🙂'.repeat(1500), '"\\\n\u2028', '']
    for (const text of texts) {
      await store.audit.append(
        auditEvent(id, { object: text, reference: text, before: text, after: { [text]: text } }),
      )
    }
    expect(await store.audit.verify(id)).toEqual({ rows: texts.length, faults: [] })
    expect((await all(store.audit.read({ workspaceId: id }))).map(({ object }) => object)).toEqual([
      'a\ufffdb',
      '\ufffd',
      `${'🙂'.repeat(1000)}… (clipped: 3000 characters)`,
      '"\\\n\u2028',
      '',
    ])
  })

  it.each([
    { fault: 'a secret', more: { after: { environment: 'ote', token: 'canary' } } },
    { fault: 'a cycle', more: { before: cycle() } },
    { fault: 'no JSON', more: { before: () => 1 } },
    { fault: 'no time', more: { at: new Date(Number.NaN) } },
    { fault: 'no workspace', more: { workspaceId: '' } },
  ])('refuses $fault, and goes on', async ({ more }) => {
    const id = workspace()
    const appending = store.audit.append(auditEvent(id, more))
    await expect(appending).rejects.toMatchObject({ name: 'StoreError', kind: 'bad-value' })
    await expect(appending).rejects.toThrow(/^(?!.*canary)/)
    expect(await store.audit.append(auditEvent(id))).toMatchObject({ sequence: 1 })
  })

  it('keeps one unbroken chain of many at once, in the order in which they came', async () => {
    const id = workspace()
    const done = await Promise.all(
      Array.from({ length: 100 }, (_, i) => store.audit.append(auditEvent(id, { reference: String(i) }))),
    )
    expect(done.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
    const found = await all(store.audit.read({ workspaceId: id }))
    expect(found.map(({ reference }) => Number(reference))).toEqual(Array.from({ length: 100 }, (_, i) => i))
    expect(found.map(({ hash }) => hash)).toEqual(done.map(({ hash }) => hash))
    expect(await store.audit.verify(id)).toEqual({ rows: 100, faults: [] })
  })

  describe('searched', () => {
    let id: string
    const found = async (query: object) =>
      (await store.audit.search({ workspaceId: id, limit: 100, ...query })).map(({ sequence }) => sequence)

    beforeAll(async () => {
      id = workspace()
      await store.audit.append(
        auditEvent(id, { at: minute(1), object: 'Shop 100%_x', verb: 'health-check.edit' }),
      )
      await store.audit.append(auditEvent(id, { at: minute(2), object: 'Mail', actor: { userId: 'U2' } }))
      await store.audit.append(auditEvent(id, { at: minute(3), verb: 'threat.read' }))
      await store.audit.append(auditEvent(id, { at: minute(4), verb: 'health.other', object: 'web SHOP' }))
      await store.audit.append(auditEvent(workspace()))
    })

    it.each([
      { query: {}, gives: [4, 3, 2, 1] },
      { query: { userId: 'U2' }, gives: [2] },
      { query: { verb: 'health-check.' }, gives: [2, 1] },
      { query: { verb: 'health' }, gives: [4, 2, 1] },
      { query: { verb: '%' }, gives: [] },
      { query: { object: 'shop' }, gives: [4, 1] },
      { query: { object: '%_' }, gives: [1] },
      { query: { object: 'a\u0000b', verb: '\u0000', userId: '\u0000' }, gives: [] },
      { query: { object: '' }, gives: [4, 2, 1] },
      { query: { from: minute(2) }, gives: [4, 3, 2] },
      { query: { to: minute(2) }, gives: [1] },
      { query: { from: minute(2), to: minute(4), verb: 'threat' }, gives: [3] },
      { query: { limit: 2 }, gives: [4, 3] },
      { query: { limit: 2, before: 3 }, gives: [2, 1] },
      { query: { limit: 0 }, gives: [4] },
    ])('for $query gives $gives, newest first', async ({ query, gives }) => {
      expect(await found(query)).toEqual(gives)
    })
  })

  it('read in pages leaves none out', async () => {
    const id = workspace()
    await Promise.all(Array.from({ length: 1001 }, () => store.audit.append(auditEvent(id))))
    const sequences = (await all(store.audit.read({ workspaceId: id }))).map(({ sequence }) => sequence)
    expect(sequences).toEqual(Array.from({ length: 1001 }, (_, i) => i + 1))
    expect(await store.audit.verify(id)).toEqual({ rows: 1001, faults: [] })
    expect(await store.audit.retain(id, minute(1))).toBe(1001)
  })

  it('keeps what is younger, and still verifies and grows', async () => {
    const id = workspace()
    for (let i = 1; i <= 6; i++) await store.audit.append(auditEvent(id, { at: minute(i) }))
    expect(await store.audit.retain(id, minute(3))).toBe(2)
    expect(await store.audit.retain(id, minute(3))).toBe(0)
    expect(await store.audit.verify(id)).toEqual({ rows: 4, faults: [] })
    expect((await all(store.audit.read({ workspaceId: id }))).map(({ sequence }) => sequence)).toEqual([
      3, 4, 5, 6,
    ])
    expect(await store.audit.retain(id, minute(60))).toBe(4)
    expect(await store.audit.verify(id)).toEqual({ rows: 0, faults: [] })
    expect(await store.audit.append(auditEvent(id))).toMatchObject({ sequence: 7 })
    expect(await store.audit.verify(id)).toEqual({ rows: 1, faults: [] })
    expect(await store.audit.workspaces()).toContain(id)
  })

  it('says when the oldest row of each workspace was written', async () => {
    const [one, emptied] = [workspace(), workspace()]
    for (const at of [1, 2, 3]) await store.audit.append(auditEvent(one, { at: minute(at) }))
    await store.audit.append(auditEvent(emptied, { at: minute(1) }))
    await store.audit.retain(one, minute(2))
    await store.audit.retain(emptied, minute(2))
    expect(await store.audit.oldest([one, emptied, 'TNONE'])).toEqual(new Map([[one, minute(2)]]))
    expect(await store.audit.oldest([])).toEqual(new Map())
  })

  it('keeps an old row behind a younger one, because a chain is shortened from its start', async () => {
    const id = workspace()
    for (const at of [1, 5, 2]) await store.audit.append(auditEvent(id, { at: minute(at) }))
    expect(await store.audit.retain(id, minute(3))).toBe(1)
    expect(await store.audit.verify(id)).toEqual({ rows: 2, faults: [] })
  })

  it('knows nothing of a workspace that did nothing', async () => {
    expect(await store.audit.verify('TNONE')).toEqual({ rows: 0, faults: [] })
    expect(await store.audit.retain('TNONE', NOON)).toBe(0)
    expect(await all(store.audit.read({ workspaceId: 'TNONE' }))).toEqual([])
  })

  it('verifies while it grows and is shortened', async () => {
    const id = workspace()
    for (let i = 0; i < 600; i++) void store.audit.append(auditEvent(id, { at: minute(i) }))
    await store.audit.append(auditEvent(id, { at: minute(600) }))
    const growing = Array.from({ length: 200 }, () => store.audit.append(auditEvent(id, { at: minute(601) })))
    const shortening = store.audit.retain(id, minute(550))
    const verdicts = await Promise.all(Array.from({ length: 4 }, () => store.audit.verify(id)))
    expect(verdicts.flatMap(({ faults }) => faults)).toEqual([])
    await Promise.all([...growing, shortening])
    expect(await store.audit.verify(id)).toEqual({ rows: 251, faults: [] })
  })
})

function cycle(): object {
  const ring: Record<string, unknown> = {}
  ring.ring = ring
  return ring
}

it.each(SHARED_DATABASES)('several stores on $name keep one chain between them', async ({ start }) => {
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
  for (const id of ['T0', 'T1']) expect(await store?.audit.verify(id)).toEqual({ rows: 60, faults: [] })
  expect(await store?.audit.missingChains()).toBeUndefined()
})

it.each(SHARED_DATABASES)('verifies on $name although rows go whenever it looks', async ({ start }) => {
  await using server = await start()
  await using store = await openStore(server)
  await using database = await openDatabase(server.url)
  const event = {
    workspaceId: 'T1',
    actor: { userId: 'U1' },
    verb: 'v',
    outcome: 'done',
    reference: 'r',
  } as const
  await Promise.all(
    Array.from({ length: 200 }, (_, nth) => store.audit.append({ ...event, at: minute(nth) })),
  )
  let gone = 0
  const rows = database.rows.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      gone += await store.audit.retain('T1', minute(gone + 10))
      return result
    },
  })
  const { verify } = auditStore({ ...database, rows }, createSealer(parseKeys(server.keys)))
  expect(await verify('T1')).toEqual({ rows: 200 - gone, faults: [] })
})
