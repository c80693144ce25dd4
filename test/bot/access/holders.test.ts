import { expect, it } from 'vitest'
import { openStore } from '../../../src/app/store.ts'
import { createFindHolders, createListAdmins } from '../../../src/bot/access/holders.ts'
import { EVERYONE } from '../../../src/domain/roles.ts'

const NOW = new Date('2026-11-20T12:00:00Z')

it('lists everyone with a role of their own, regardless of how many there are', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  const userIds = Array.from({ length: 30 }, (_, index) => `U0APPROVER${index + 10}`)
  for (const id of userIds) await store.grants.add('T1', 'approver', { kind: 'user', id }, 'U1', NOW)
  await store.grants.add('T1', 'approver', EVERYONE, 'U1', NOW)
  const findHolders = createFindHolders({
    clients: { forWorkspace: () => Promise.reject(new Error('unused')), forget: () => undefined },
    grants: store.grants,
    tenancy: { findInstaller: async () => undefined },
  })
  expect(await findHolders({ workspaceId: 'T1' }, 'approver')).toEqual(userIds)
})

it('lists Signalman’s admins first, then the installer and Slack’s admins', async () => {
  await using store = await openStore({ url: 'sqlite::memory:' })
  await store.grants.add('T1', 'admin', { kind: 'user', id: 'UGRANTED' }, 'U1', NOW)
  await store.grants.add('T1', 'admin', { kind: 'group', id: 'S1' }, 'U1', NOW)
  await store.grants.add('T1', 'operator', { kind: 'user', id: 'UOPERATOR' }, 'U1', NOW)
  const ended = { endsAt: new Date(NOW.getTime() - 1) }
  await store.grants.add('T1', 'admin', { kind: 'user', id: 'UENDED' }, 'U1', NOW, ended)
  const slack = { groupMembers: async () => ['UMEMBER'], admins: async () => ['USLACKADMIN'] }
  const listAdmins = createListAdmins({
    clients: { forWorkspace: async () => slack as never, forget: () => undefined },
    grants: store.grants,
    tenancy: { findInstaller: async () => 'UINSTALLER' },
  })
  expect(await Array.fromAsync(listAdmins({ workspaceId: 'T1' }))).toEqual([
    'UMEMBER',
    'UGRANTED',
    'UINSTALLER',
    'USLACKADMIN',
  ])
})
