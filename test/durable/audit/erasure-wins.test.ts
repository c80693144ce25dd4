import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'

const EVENT = {
  at: new Date('2026-03-01T12:00:00.000Z'),
  actor: { userId: 'U0ANN', teamId: 'T0HOME' },
  channelId: 'C1',
  verb: '/hc tokens',
  object: 'a token',
  after: { by: 'U0ANN' },
} as const

describe.each(SHARED_DATABASES)('erasure of a workspace on $name', ({ start }) => {
  it('wins over an act in flight: what is appended afterwards names nobody', async () => {
    await using database = await start()
    await using store = await openStore(database)
    await using raw = await openDatabase(database.url)
    const appendMissing = (workspaceId: string, reference: string) =>
      raw.rows
        .transaction()
        .execute((transaction) =>
          store.audit.appendMissing(transaction, [{ ...EVENT, workspaceId, reference, outcome: 'done' }]),
        )
    const begin = (workspaceId: string, reference: string) =>
      store.audit.append({ ...EVENT, workspaceId, reference, outcome: 'begun' })
    await begin('T1', 'before')
    await store.eraseWorkspace('T1', 'erase')
    await appendMissing('T1', 'before')
    // An act of the workspace after the erasure, whose step is gone because the app was uninstalled.
    await begin('T1', 'after')
    await appendMissing('T1', 'after')
    // A workspace that was never erased.
    await begin('T2', 'before')
    await appendMissing('T2', 'before')

    const rows = await store.audit.search({ workspaceId: 'T1', limit: 9 })
    const late = rows.find(({ reference, outcome }) => reference === 'before' && outcome === 'done')
    expect(late).toMatchObject({ actor: { userId: 'erased' }, verb: 'erased' })
    expect(JSON.stringify(late)).not.toMatch(/U0ANN|T0HOME|C1|token/)
    expect(rows.find(({ reference, outcome }) => reference === 'after' && outcome === 'done')).toMatchObject(
      EVENT,
    )
    const [kept] = await store.audit.search({ workspaceId: 'T2', limit: 1 })
    expect(kept).toMatchObject({ ...EVENT, outcome: 'done' })
    expect(await store.audit.verify('T1')).toMatchObject({ faults: [] })
  })
})
