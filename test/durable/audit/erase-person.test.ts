import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { hashRow } from '../../../packages/durable/src/audit/row.ts'
import { listTables } from '../../../packages/durable/src/database/stored-tables.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { createMemoryPlace } from '../../audit/memory-place.ts'
import { KEY_B, SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase, rotateKeys } from '../../databases/open.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')

async function addRows(store: Store, workspaceId: string): Promise<void> {
  for (const [n, userId] of ['U1', 'U2', 'U1', 'U3', 'U2'].entries()) {
    await store.audit.append({
      workspaceId,
      at: new Date(NOW.getTime() + n * 1000),
      actor: { userId, teamId: workspaceId },
      verb: 'alert.edit',
      object: `alert of check ${n}`,
      after: { recipients: n === 3 ? ['Jane.Roe@example.com'] : ['ops@example.com'] },
      outcome: 'done',
      reference: `r${n}`,
    })
  }
  await store.connections.save({ workspaceId, environment: 'production', token: 't', userId: 'U1', now: NOW })
  await store.grants.add(workspaceId, 'admin', { kind: 'user', id: 'U1' }, 'U1', NOW)
  const order = {
    environment: 'production',
    state: 'awaiting',
    requesterId: 'U1',
    bodyHash: 'h',
    content: {},
  } as const
  await store.orders.add(
    { ...order, workspaceId, createdAt: NOW },
    { kind: 'request', at: NOW, reference: 'r' },
  )
}

describe.each(SHARED_DATABASES)('erasure on $name', ({ start }) => {
  it('removes a person from the log and keeps the chain intact, but doesn’t hide tampering', async () => {
    await using database = await start()
    {
      await using store = await openStore(database)
      await using raw = await openDatabase(database.url)
      await addRows(store, 'T1')
      // The hash depends on the salt of the row.
      const firstRow = await raw.rows
        .selectFrom('audit_entry')
        .selectAll()
        .orderBy('sequence')
        .executeTakeFirstOrThrow()
      expect(hashRow({ ...firstRow, salt: null })).not.toBe(firstRow.hash)
      expect(await store.audit.erasePerson('T1', { userId: 'U1', alsoKnownAs: ['jane.roe@'] })).toBe(4)
      expect(await store.audit.verify('T1')).toMatchObject({ rows: 6, faults: [] })
      const rows = await store.audit.search({ workspaceId: 'T1', verb: 'alert.edit', limit: 10 })
      expect(rows.map(({ actor, object }) => [actor.userId, object])).toEqual([
        ['U2', 'alert of check 4'],
        ['U3', undefined],
        ['erased', undefined],
        ['U2', 'alert of check 1'],
        ['erased', undefined],
      ])
      const stored = JSON.stringify(await raw.rows.selectFrom('audit_entry').selectAll().execute())
      expect(stored).not.toMatch(/"U1"|jane\.roe/i)
      // Erasing again finds nothing, and the erased rows are still valid.
      expect(await store.audit.erasePerson('T1', { userId: 'U1', alsoKnownAs: [] })).toBe(0)
      // An erasure without the key, and a change to an erased row, are both detected.
      const updateRow = (sequence: number) =>
        raw.rows.updateTable('audit_entry').where('workspace_id', '=', 'T1').where('sequence', '=', sequence)
      await updateRow(1).set({ user_id: 'U9' }).execute()
      await updateRow(2).set({ user_id: 'erased', object: null, sealed_erasure: 'v1.a.AAAA' }).execute()
      // The fault with the sequence 0 is one of the log as a whole: its number of erased rows is wrong.
      expect((await store.audit.verify('T1')).faults.map(({ sequence }) => sequence)).toEqual([1, 2, 0])
      await expect(store.audit.erasePerson('T1', { userId: 'U9', alsoKnownAs: [] })).rejects.toThrow(
        'tampered',
      )
      await updateRow(1).set({ user_id: 'erased' }).execute()
      await updateRow(2).set({ sealed_erasure: null }).execute()
      expect((await store.audit.verify('T1')).faults.map(({ sequence }) => sequence)).toEqual([2])
    }
    const keys = `${KEY_B},${database.keys}`
    await rotateKeys({ ...database, keys })
    await using store = await openStore({ ...database, keys: KEY_B })
    expect((await store.audit.verify('T1')).faults.map(({ sequence }) => sequence)).toEqual([2])
  })

  it('says that the log was tampered with, not that nobody was found, if its chain is gone', async () => {
    await using database = await start()
    await using store = await openStore(database)
    await using raw = await openDatabase(database.url)
    await addRows(store, 'T1')
    await raw.rows.deleteFrom('audit_chain').where('workspace_id', '=', 'T1').execute()
    await expect(store.audit.erasePerson('T1', { userId: 'U1', alsoKnownAs: [] })).rejects.toThrow(
      'Its chain is missing',
    )
  })

  it('deletes a workspace from every table, and leaves one row that records the deletion', async () => {
    await using database = await start()
    await using store = await openStore(database)
    for (const workspaceId of ['T1', 'T2']) await addRows(store, workspaceId)
    const records: string[] = []
    await store.anchoring.anchor(createMemoryPlace(records), NOW)
    const erased = await store.eraseWorkspace('T1', 'ref')
    expect(Object.fromEntries(erased)).toMatchObject({ audit_entry: 6, cert_order: 1, role_grant: 1 })
    await store.eraseWorkspace('T1', 'again')
    await using raw = await openDatabase(database.url)
    const remaining: string[] = []
    for (const { name, columns } of await listTables(raw.rows, raw.kind)) {
      if (!columns.includes('workspace_id')) continue
      const { rows } = await sql`select 1 from ${sql.table(name)} where workspace_id = 'T1'`.execute(raw.rows)
      if (rows.length > 0) remaining.push(name)
    }
    expect(remaining).toEqual(['audit_chain', 'audit_entry', 'workspace_key'])
    const keys = raw.rows.selectFrom('workspace_key').select('sealed_key').where('workspace_id', '=', 'T1')
    expect((await keys.execute()).filter(({ sealed_key }) => sealed_key !== null)).toEqual([])
    expect(await store.audit.verify('T1')).toMatchObject({ rows: 1, faults: [] })
    expect(await store.audit.search({ workspaceId: 'T1', limit: 9 })).toMatchObject([
      { sequence: 8, verb: 'workspace.erase', after: { auditRows: 1 } },
    ])
    expect(await store.audit.verify('T2')).toMatchObject({ rows: 6, faults: [] })
    expect((await store.orders.find('T2', 1))?.state).toBe('awaiting')
    const { faults, anchor } = await store.audit.verifyAll({ text: records.join('\n'), place: 'file:a' })
    expect([faults, anchor?.faults, anchor?.faultsByWorkspace.size]).toEqual([[], [], 0])
  })
})
