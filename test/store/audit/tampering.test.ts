import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hashOf } from '../../../src/store/audit/row.ts'
import { type Database, openDatabase } from '../../../src/store/database/database.ts'
import type { AuditEntryRow } from '../../../src/store/database/schema.ts'
import { openStore, type Store } from '../../../src/store/store.ts'
import { SHARED_DATABASES, type TestDatabase } from '../databases.ts'

const ROWS = 6

/** What somebody with the database, but not the keys, can do to the rows of one workspace. */
interface Hand {
  rows(): Promise<AuditEntryRow[]>
  set(sequence: number, change: Partial<AuditEntryRow>): Promise<void>
  drop(...sequences: number[]): Promise<void>
  put(row: AuditEntryRow): Promise<void>
  /** The table of heads. */
  heads: Database['rows']
}

function handOf({ rows }: Database): Hand {
  const row = (sequence: number) =>
    rows.updateTable('audit_entry').where('workspace_id', '=', 'T1').where('sequence', '=', sequence)
  return {
    rows: () =>
      rows
        .selectFrom('audit_entry')
        .selectAll()
        .where('workspace_id', '=', 'T1')
        .orderBy('sequence')
        .execute(),
    set: async (sequence, change) => {
      await row(sequence).set(change).execute()
    },
    drop: async (...sequences) => {
      await rows
        .deleteFrom('audit_entry')
        .where('workspace_id', '=', 'T1')
        .where('sequence', 'in', sequences)
        .execute()
    },
    put: async (row) => {
      await rows.insertInto('audit_entry').values(row).execute()
    },
    heads: rows,
  }
}

/** Chains the rows anew from the given one on, as one without the key can. */
async function rechain(hand: Hand, from: number): Promise<void> {
  let previous = ''
  for (const row of await hand.rows()) {
    const linked = row.sequence < from ? row : { ...row, previous_hash: previous }
    const hash = row.sequence < from ? row.hash : hashOf(linked)
    await hand.set(row.sequence, { previous_hash: linked.previous_hash, hash })
    previous = hash
  }
}

const at = <T>(list: readonly T[], index: number): T => {
  const item = list.at(index)
  if (item === undefined) throw new Error(`No item ${index}`)
  return item
}

const COLUMNS: Partial<AuditEntryRow>[] = [
  { at: '2020-01-01T00:00:00.000Z' },
  { user_id: 'U9' },
  { team_id: 'T9' },
  { channel_id: null },
  { verb: 'other' },
  { object: 'other' },
  { before: '{}' },
  { after: null },
  { outcome: 'refused' },
  { reference: 'other' },
  { hash: 'A'.repeat(43) },
  { previous_hash: 'A'.repeat(43) },
]

const TAMPERINGS: { name: string; act: (hand: Hand) => Promise<unknown>; finds: [number, RegExp][] }[] = [
  ...COLUMNS.map((change) => ({
    name: `an edit of ${Object.keys(change).join()}`,
    act: (hand: Hand) => hand.set(3, change),
    finds: [[3, /was changed/]] as [number, RegExp][],
  })),
  {
    name: 'an edit that fits the row to its hash',
    act: async (hand) => {
      const row = { ...at(await hand.rows(), 2), user_id: 'U9' }
      await hand.set(3, { ...row, hash: hashOf(row) })
    },
    finds: [[4, /does not follow/]],
  },
  {
    name: 'an edit with all hashes after it made anew',
    act: async (hand) => {
      await hand.set(3, { user_id: 'U9' })
      await rechain(hand, 3)
    },
    finds: [[6, /rewritten/]],
  },
  { name: 'a deletion', act: (hand) => hand.drop(3), finds: [[3, /^was deleted$/]] },
  {
    name: 'several deletions',
    act: (hand) => hand.drop(2, 3, 5),
    finds: [
      [2, /up to 3/],
      [5, /deleted/],
    ],
  },
  { name: 'a deletion of the first', act: (hand) => hand.drop(1), finds: [[1, /deleted/]] },
  { name: 'a cut at the end', act: (hand) => hand.drop(5, 6), finds: [[5, /up to 6/]] },
  { name: 'a cut of all', act: (hand) => hand.drop(1, 2, 3, 4, 5, 6), finds: [[1, /up to 6/]] },
  {
    name: 'a deletion that closes the gap',
    act: async (hand) => {
      await hand.drop(3)
      for (const sequence of [4, 5, 6]) await hand.set(sequence, { sequence: sequence - 1 })
      await rechain(hand, 3)
    },
    finds: [[6, /deleted/]],
  },
  {
    name: 'a row put in at the end',
    act: async (hand) => {
      const last = at(await hand.rows(), -1)
      const row = { ...last, sequence: 7, previous_hash: last.hash }
      await hand.put({ ...row, hash: hashOf(row) })
    },
    finds: [[7, /put in after the last/]],
  },
  {
    name: 'a row put in between',
    act: async (hand) => {
      for (const sequence of [6, 5, 4]) await hand.set(sequence, { sequence: sequence + 1 })
      await hand.put({ ...at(await hand.rows(), 2), sequence: 4 })
      await rechain(hand, 4)
    },
    finds: [
      [6, /rewritten/],
      [7, /put in after/],
    ],
  },
  {
    name: 'a row put in before the start',
    act: async (hand) => hand.put({ ...at(await hand.rows(), 0), sequence: 0 }),
    finds: [[0, /before the first/]],
  },
  {
    name: 'two rows in each other’s place',
    act: async (hand) => {
      for (const [from, to] of [
        [3, 99],
        [4, 3],
        [99, 4],
      ]) {
        if (from !== undefined && to !== undefined) await hand.set(from, { sequence: to })
      }
    },
    finds: [
      [3, /does not follow/],
      [3, /another row’s place/],
      [4, /does not follow/],
      [4, /another row’s place/],
      [5, /does not follow/],
    ],
  },
  {
    name: 'a row brought from another workspace',
    act: async (hand) => {
      await hand.drop(6)
      await hand.heads
        .updateTable('audit_entry')
        .set({ workspace_id: 'T1' })
        .where('sequence', '=', 6)
        .execute()
    },
    finds: [
      [6, /does not follow/],
      [6, /was changed/],
      [6, /rewritten/],
    ],
  },
  {
    name: 'a head deleted',
    act: (hand) => hand.heads.deleteFrom('audit_chain').where('workspace_id', '=', 'T1').execute(),
    finds: [[0, /head of the chain was deleted/]],
  },
  {
    name: 'a head replaced by another workspace’s',
    act: async (hand) => {
      const other = await hand.heads
        .selectFrom('audit_chain')
        .select('sealed_head')
        .where('workspace_id', '=', 'T2')
        .executeTakeFirstOrThrow()
      await hand.heads.updateTable('audit_chain').set(other).where('workspace_id', '=', 'T1').execute()
    },
    finds: [[0, /does not open/]],
  },
]

describe.each(SHARED_DATABASES)('tampering with the audit log on $name', ({ start }) => {
  let database: TestDatabase
  let store: Store
  let raw: Database

  beforeEach(async () => {
    database = await start()
    store = await openStore(database)
    raw = await openDatabase(database.url)
    for (const workspaceId of ['T1', 'T2']) {
      for (let i = 1; i <= ROWS; i++) {
        await store.audit.append({
          workspaceId,
          at: new Date(i * 60_000),
          actor: { userId: `U${i}` },
          channelId: 'C1',
          verb: 'health-check.edit',
          object: `check ${i}`,
          before: { i },
          after: { i: i + 1 },
          outcome: 'done',
          reference: `r${i}`,
        })
      }
    }
  })
  afterEach(async () => {
    await raw?.[Symbol.asyncDispose]()
    await store?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  it.each(TAMPERINGS)('is found: $name', async ({ act, finds }) => {
    expect((await store.audit.verify('T1')).faults).toEqual([])
    await act(handOf(raw))
    const { faults } = await store.audit.verify('T1')
    for (const [sequence, what] of finds) {
      expect(faults).toContainEqual({ sequence, what: expect.stringMatching(what) })
    }
    expect(await store.audit.workspaces()).toEqual(['T1', 'T2'])
  })

  it('is not covered by retention', async () => {
    await handOf(raw).set(2, { user_id: 'U9' })
    await expect(store.audit.retain('T1', new Date('2026-01-01'))).rejects.toMatchObject({ kind: 'unusable' })
    expect(await store.audit.verify('T1')).toMatchObject({ rows: ROWS, faults: [{ sequence: 2 }] })
  })

  it('is found after retention, at both ends', async () => {
    await store.audit.retain('T1', new Date(3 * 60_000))
    const hand = handOf(raw)
    await hand.drop(3)
    const { faults } = await store.audit.verify('T1')
    expect(faults).toEqual([{ sequence: 3, what: 'was deleted' }])
  })

  it('that takes the head is not written over', async () => {
    await raw.rows.deleteFrom('audit_chain').where('workspace_id', '=', 'T1').execute()
    const auditEvent = {
      at: new Date(0),
      actor: { userId: 'U' },
      verb: 'v',
      outcome: 'done',
      reference: 'r',
    } as const
    const appending = store.audit.append({ ...auditEvent, workspaceId: 'T1' })
    await expect(appending).rejects.toMatchObject({ name: 'StoreError', kind: 'unusable' })
    expect((await store.audit.verify('T1')).rows).toBe(ROWS)
  })

  it.each([
    { name: 'a whole chain deleted', act: dropChain, says: 'Whole chains are missing: 1.' },
    {
      name: 'a whole chain deleted and the count too',
      act: async (rows: Database['rows']) => {
        await dropChain(rows)
        await rows.deleteFrom('audit_chain').where('workspace_id', '=', '').execute()
      },
      says: 'The sealed count of the workspaces’ chains was deleted.',
    },
    {
      name: 'the count replaced by a head',
      act: async (rows: Database['rows']) => {
        const head = rows.selectFrom('audit_chain').select('sealed_head').where('workspace_id', '=', 'T1')
        const { sealed_head } = await head.executeTakeFirstOrThrow()
        await rows.updateTable('audit_chain').set({ sealed_head }).where('workspace_id', '=', '').execute()
      },
      says: 'The sealed count of the workspaces’ chains was changed.',
    },
  ])('is found: $name', async ({ act, says }) => {
    expect(await store.audit.missingChains()).toBeUndefined()
    await act(raw.rows)
    expect(await store.audit.missingChains()).toBe(says)
  })
})

async function dropChain(rows: Database['rows']): Promise<void> {
  await rows.deleteFrom('audit_entry').where('workspace_id', '=', 'T1').execute()
  await rows.deleteFrom('audit_chain').where('workspace_id', '=', 'T1').execute()
}
