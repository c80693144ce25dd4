import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/app/store.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { startStore } from '../../databases/store.ts'
import { eitherOf } from '../../long.ts'

/** An installation, as Slack reports it. */
const installation = {
  id: 'T1',
  botToken: 'xoxb-canary-one',
  installedBy: 'U1',
}

describe.each(eitherOf(SHARED_DATABASES))('installations on $name', ({ start }) => {
  let store: Store

  beforeAll(async () => {
    store = await startStore(start)
  })
  afterAll(() => store?.[Symbol.asyncDispose]())

  it('are returned as saved, without the token in JSON and copies', async () => {
    await store.installations.save(installation)
    const found = await store.installations.find('T1')
    const { botToken: _token, ...expected } = installation
    expect(found).toEqual(expected)
    expect(found?.botToken).toBe('xoxb-canary-one')
    expect(JSON.stringify([found, { ...found }])).not.toContain('canary')
  })

  it('are replaced entirely, including removed values', async () => {
    await store.installations.save({ ...installation, id: 'T2', enterpriseId: 'E2' })
    await store.installations.find('T2')
    await store.installations.save({ ...installation, id: 'T2', botToken: 'xoxb-new' })
    const found = await store.installations.find('T2')
    expect(found).toMatchObject({ id: 'T2', enterpriseId: undefined })
    expect(found?.botToken).toBe('xoxb-new')
  })

  it('are listed by ID, without tokens', async () => {
    const listed = await store.installations.list()
    expect(listed.map(({ id }) => id)).toEqual(['T1', 'T2'])
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
    await using store = await startStore(start)
    await store.installations.save(installation)
    await using rawDatabase = await openDatabase(store.url)
    await rawDatabase.rows.updateTable('installation').set({ id: 'T2' }).execute()
    const finding = store.installations.find('T2')
    await expect(finding).rejects.toMatchObject({ name: 'SealError', kind: 'rejected' })
  },
)
