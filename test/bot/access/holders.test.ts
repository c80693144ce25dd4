import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { createFindHolders } from '../../../src/bot/access/holders.ts'

const NOW = new Date('2026-11-20T12:00:00Z')

it('lists everyone with a role, regardless of how many there are', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const userIds = Array.from({ length: 30 }, (_, index) => `U0APPROVER${index + 10}`)
  for (const id of userIds) await store.grants.add('T1', 'approver', { kind: 'user', id }, 'U1', NOW)
  const findHolders = createFindHolders({
    clients: { forWorkspace: () => Promise.reject(new Error('unused')), forget: () => undefined },
    grants: store.grants,
    tenancy: { findInstaller: async () => undefined },
  })
  expect(await findHolders({ workspaceId: 'T1' }, 'approver')).toEqual(userIds)
})
