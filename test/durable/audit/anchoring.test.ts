import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { createMemoryPlace } from '../../audit/memory-place.ts'

it('says since when rows wait to be anchored, also in a log that never was', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const { audit, anchoring } = store
  const append = (workspaceId: string, minute: number) =>
    audit.append({
      workspaceId,
      at: new Date(Date.UTC(2026, 10, 20, 9, minute)),
      actor: { userId: 'U1' },
      verb: 'v',
      outcome: 'done',
      reference: 'r',
    })
  expect(await anchoring.findOldestUnanchoredAt()).toBeUndefined()
  await append('T1', 20)
  await append('T1', 10)
  await append('T2', 30)
  // The first row of each log counts: a log is in the order in which its rows were written.
  expect(await anchoring.findOldestUnanchoredAt()).toEqual(new Date(Date.UTC(2026, 10, 20, 9, 20)))
})

it('anchors a log with a single row', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const at = new Date(Date.UTC(2026, 10, 20, 9, 20))
  await store.audit.append({
    workspaceId: 'T1',
    at,
    actor: { userId: 'U1' },
    verb: 'v',
    outcome: 'done',
    reference: 'r',
  })
  expect(await store.anchoring.findOldestUnanchoredAt()).toEqual(at)
  const records: string[] = []
  await store.anchoring.anchor(createMemoryPlace(records), at)
  expect(records).toHaveLength(1)
  expect(await store.anchoring.findOldestUnanchoredAt()).toBeUndefined()
})
