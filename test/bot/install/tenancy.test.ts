import { describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../src/app/store.ts'
import { createMultiTenancy } from '../../../src/bot/install/tenancy.ts'

const NOW = new Date('2026-11-20T12:00:00Z')

function install(store: Store, id: string, kind: 'workspace' | 'organization'): Promise<void> {
  return store.installations.save({ id, kind, botToken: `xoxb-${id}`, installedBy: `by-${id}` })
}

const inWorkspace = (workspaceId: string, enterpriseId?: string) => ({ workspaceId, enterpriseId })

describe('workspaces with the app installed', () => {
  it('use their own bot token, or else their organization’s, even if a later request doesn’t name the organization', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const tenancy = createMultiTenancy(store)
    await install(store, 'T1', 'workspace')
    await install(store, 'E1', 'organization')
    expect(await tenancy.findBotToken(inWorkspace('T1', 'E1'))).toBe('xoxb-T1')
    expect(await tenancy.findBotToken(inWorkspace('T2', 'E1'))).toBe('xoxb-E1')
    expect(await tenancy.findBotToken(inWorkspace('T2'))).toBeUndefined()
    await expect(tenancy.throwUnlessInstalled(inWorkspace('T2'))).rejects.toThrow('isn’t installed')
    // If Slack names no workspace, the organization's ID is used instead, so that refusals are in its audit log.
    await tenancy.throwUnlessInstalled(inWorkspace('E1'))
    await tenancy.recordOrganization(inWorkspace('T2', 'E1'))
    expect(await tenancy.findBotToken(inWorkspace('T2'))).toBe('xoxb-E1')
    expect(await tenancy.findInstaller('T2')).toBe('by-E1')
    // Another process finds it too.
    expect(await createMultiTenancy(store).findBotToken(inWorkspace('T2'))).toBe('xoxb-E1')
  })

  it('are added to their organization only once', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const joins: string[] = []
    const organizations = {
      ...store.organizations,
      async join(workspaceId: string, organizationId: string) {
        joins.push(workspaceId)
        await store.organizations.join(workspaceId, organizationId)
      },
    }
    for (const _process of [1, 2, 3]) {
      const tenancy = createMultiTenancy({ ...store, organizations })
      await tenancy.recordOrganization(inWorkspace('T2', 'E1'))
      await tenancy.recordOrganization(inWorkspace('T2', 'E1'))
    }
    expect(joins).toEqual(['T2'])
    await createMultiTenancy({ ...store, organizations }).recordOrganization(inWorkspace('T2', 'E2'))
    expect(joins).toEqual(['T2', 'T2'])
  })

  it('can’t store a connection token once the app is uninstalled', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const tenancy = createMultiTenancy(store)
    const connections = tenancy.guardConnections(store.connections)
    const connection = {
      workspaceId: 'T1',
      environment: 'production',
      token: 'late',
      userId: 'U1',
      now: NOW,
    } as const
    await expect(connections.save(connection)).rejects.toThrow('isn’t installed')
    expect(await store.connections.list('T1')).toEqual([])
    await install(store, 'T1', 'workspace')
    await connections.save(connection)
    expect(await store.connections.list('T1')).toHaveLength(1)
  })

  it('keep the saved connection token if the check for an installation fails', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    await install(store, 'T1', 'workspace')
    const token = { workspaceId: 'T1', token: 'own', userId: 'U1', now: NOW }
    await createMultiTenancy(store)
      .guardConnections(store.connections)
      .save({ ...token, environment: 'production' })
    const installations = {
      ...store.installations,
      find: () => Promise.reject(new Error('The database is down.')),
    }
    const connections = createMultiTenancy({ ...store, installations }).guardConnections(store.connections)
    await expect(connections.save({ ...token, environment: 'ote' })).rejects.toThrow('The database is down.')
    expect(await store.connections.list('T1')).toHaveLength(2)
  })
})
