import { describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../src/app/store.ts'
import { createMultiTenancy, createSingleTenancy } from '../../../src/bot/install/tenancy.ts'

function install(store: Store, id: string, enterpriseId?: string): Promise<void> {
  return store.installations.save({ id, enterpriseId, botToken: `xoxb-${id}`, installedBy: `by-${id}` })
}

describe('workspaces with the app installed', () => {
  it('use their own bot token, whatever organization they are in', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const tenancy = createMultiTenancy(store)
    await install(store, 'T1', 'E1')
    for (const enterpriseId of ['E1', undefined]) {
      const [installed, other] = ['T1', 'T2'].map((workspaceId) => ({ workspaceId, enterpriseId }))
      expect(await tenancy.findBotToken(installed ?? { workspaceId: '' })).toBe('xoxb-T1')
      expect(await tenancy.findOrganization(installed ?? { workspaceId: '' })).toBe('E1')
      expect(await tenancy.findBotToken(other ?? { workspaceId: '' })).toBeUndefined()
    }
    await expect(tenancy.throwUnlessInstalled({ workspaceId: 'T2' })).rejects.toThrow('isn’t installed')
    expect(await tenancy.findInstaller('T1')).toBe('by-T1')
  })

  it('remember the organization that requests name, if the bot token is configured', async () => {
    await using store = await openStore({ url: 'sqlite::memory:' })
    const tenancy = createSingleTenancy('xoxb-1', store)
    expect(await tenancy.findOrganization({ workspaceId: 'T1' })).toBeUndefined()
    await tenancy.recordOrganization({ workspaceId: 'T1', enterpriseId: 'E1' })
    await tenancy.recordOrganization({ workspaceId: 'T1' })
    // Another process finds it too.
    expect(await createSingleTenancy('xoxb-1', store).findOrganization({ workspaceId: 'T1' })).toBe('E1')
  })
})
