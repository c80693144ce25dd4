import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../src/app/store.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { eitherOf } from '../../long.ts'

/** An installation, as Slack reports it. */
const installation = {
  id: 'T1',
  kind: 'workspace' as const,
  botToken: 'xoxb-canary-one',
  installedBy: 'U1',
}
const organization = { ...installation, id: 'E1', kind: 'organization' as const, botToken: 'xoxb-canary-org' }

describe.each(eitherOf(SHARED_DATABASES))('installations on $name', ({ start }) => {
  let database: TestDatabase
  let store: Store

  beforeAll(async () => {
    database = await start()
    store = await openStore(database)
  })
  afterAll(async () => {
    await store?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  it('are returned as saved, without the token in JSON and copies', async () => {
    await store.installations.save(installation)
    const found = await store.installations.find({ workspaceId: 'T1' })
    const { botToken: _token, ...expected } = installation
    expect(found).toEqual(expected)
    expect(found?.botToken).toBe('xoxb-canary-one')
    expect(JSON.stringify([found, { ...found }])).not.toContain('canary')
  })

  it('are replaced entirely, including removed values', async () => {
    await store.installations.save({ ...installation, id: 'T2', enterpriseId: 'E2' })
    await store.installations.find({ workspaceId: 'T2' })
    await store.installations.save({ ...installation, id: 'T2', botToken: 'xoxb-new' })
    const found = await store.installations.find({ workspaceId: 'T2' })
    expect(found).toMatchObject({ id: 'T2', enterpriseId: undefined })
    expect(found?.botToken).toBe('xoxb-new')
  })

  it('apply to all workspaces of an organization that have no installation of their own', async () => {
    await store.installations.save(organization)
    await store.installations.save({ ...installation, id: 'T3', enterpriseId: 'E1' })
    const findToken = async (workspaceId: string, enterpriseId?: string) =>
      (await store.installations.find({ workspaceId, enterpriseId }))?.botToken
    expect(await findToken('T3', 'E1')).toBe('xoxb-canary-one')
    expect(await findToken('T4', 'E1')).toBe('xoxb-canary-org')
    expect(await findToken('T4')).toBeUndefined()
    expect(await findToken('T4', 'E9')).toBeUndefined()
    expect((await store.installations.find({ workspaceId: 'T4', enterpriseId: 'E1' }))?.enterpriseId).toBe(
      'E1',
    )
  })

  it('of a workspace and of an organization stay separate, even with the same ID', async () => {
    await store.installations.save({ ...organization, id: 'E5' })
    await store.installations.save({ ...installation, id: 'T5' })
    expect(await store.installations.find({ workspaceId: 'E5' })).toBeUndefined()
    expect(await store.installations.find({ workspaceId: 'T6', enterpriseId: 'T5' })).toBeUndefined()
  })

  it('are deleted only once', async () => {
    await store.installations.save({ ...installation, id: 'T7' })
    expect(await store.forgetWorkspace('T7')).toMatchObject({ installations: 1 })
    expect(await store.forgetWorkspace('T7')).toMatchObject({ installations: 0 })
    expect(await store.installations.find({ workspaceId: 'T7' })).toBeUndefined()
  })

  it('are listed by ID, without tokens', async () => {
    const listed = await store.installations.list()
    expect(listed.map(({ id }) => id)).toEqual(['E1', 'E5', 'T1', 'T2', 'T3', 'T5'])
    expect(listed.some((summary) => 'botToken' in summary)).toBe(false)
    for (const summary of listed) expect(await store.installations.summary(summary.id)).toEqual(summary)
    expect(await store.installations.summary('T0')).toBeUndefined()
  })

  it('are all listed, even if there are many', async () => {
    const ids = Array.from({ length: 520 }, (_, index) => `V${String(index).padStart(4, '0')}`)
    // Saved in batches, because 520 concurrent writes would wait too long for a connection.
    for (let offset = 0; offset < ids.length; offset += 50)
      await Promise.all(
        ids.slice(offset, offset + 50).map((id) => store.installations.save({ ...installation, id })),
      )
    const listed = await store.installations.list()
    expect(listed.map(({ id }) => id).filter((id) => id.startsWith('V'))).toEqual(ids)
  })

  it('require a token', async () => {
    const saving = store.installations.save({ ...installation, botToken: '' })
    await expect(saving).rejects.toMatchObject({ name: 'StoreError', kind: 'bad-value' })
  })
})

it.each(eitherOf(SHARED_DATABASES))(
  'decrypts an installation on $name only in its own row',
  async ({ start }) => {
    await using database = await start()
    await using store = await openStore(database)
    await store.installations.save(installation)
    await using rawDatabase = await openDatabase(database.url)
    await rawDatabase.rows.updateTable('installation').set({ id: 'T2' }).execute()
    const finding = store.installations.find({ workspaceId: 'T2' })
    await expect(finding).rejects.toMatchObject({ name: 'SealError', kind: 'rejected' })
  },
)
