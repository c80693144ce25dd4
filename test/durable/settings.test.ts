import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Setting } from '../../packages/durable/src/settings.ts'
import { openStore, type Store } from '../../src/app/store.ts'
import { SHARED_DATABASES, type TestDatabase } from '../databases/databases.ts'

const DAYS: Setting<number> = {
  key: 'audit-days',
  read: (stored) => (typeof stored === 'number' ? stored : 365),
}
const CHANNELS: Setting<readonly string[]> = {
  key: 'shared-channels',
  read: (stored) => (Array.isArray(stored) ? stored.map(String) : []),
}
const ANYTHING: Setting<unknown> = { key: 'anything', read: (stored) => stored }

describe.each(SHARED_DATABASES)('settings on $name', ({ start }) => {
  let database: TestDatabase
  let store: Store
  let workspaceCount = 0
  /** Returns the ID of a workspace that no other test uses. */
  const newWorkspaceId = () => `T${++workspaceCount}`

  beforeAll(async () => {
    database = await start()
    store = await openStore(database)
  })
  afterAll(async () => {
    await store?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  it('have default values until a workspace sets them', async () => {
    const [id, other] = [newWorkspaceId(), newWorkspaceId()]
    expect(await store.settings.get(id, DAYS)).toBe(365)
    await store.settings.set(id, DAYS, 30)
    await store.settings.set(id, DAYS, 31)
    expect(await store.settings.get(id, DAYS)).toBe(31)
    expect(await store.settings.get(other, DAYS)).toBe(365)
  })

  it.each([null, false, 0, '', 'ä🙂\u0000', [1, [2]], { deep: { list: [] } }])(
    'return the JSON that was set: case %#',
    async (value) => {
      const id = newWorkspaceId()
      await store.settings.set(id, ANYTHING, value)
      expect(await store.settings.get(id, ANYTHING)).toEqual(value)
    },
  )

  it.each([undefined, () => 1, 1n])('reject a value that isn’t JSON: case %#', async (value) => {
    const saving = store.settings.set(newWorkspaceId(), ANYTHING, value)
    await expect(saving).rejects.toMatchObject({ name: 'StoreError', kind: 'bad-value' })
  })

  it('have the default value if the stored value, from an older version, can’t be parsed', async () => {
    const id = newWorkspaceId()
    await store.settings.set(id, { key: DAYS.key, read: String }, 'thirty')
    expect(await store.settings.get(id, DAYS)).toBe(365)
  })

  it('can list the workspaces that set a value, ordered by ID', async () => {
    const setting: Setting<number> = { key: 'kept', read: Number }
    const ids = Array.from({ length: 201 }, (_, index) => `W${String(index).padStart(4, '0')}`)
    // In batches of ten, because hundreds of concurrent writes could time out waiting for a connection on a busy machine.
    for (let from = 0; from < ids.length; from += 10)
      await Promise.all(
        ids.slice(from, from + 10).map((id) => store.settings.set(id, setting, Number(id.slice(1)))),
      )
    const pages: (readonly { workspaceId: string; value: number }[])[] = []
    for await (const page of store.settings.listStored(setting)) pages.push(page)
    expect(pages.map(({ length }) => length)).toEqual([100, 100, 1])
    expect(pages.flat()).toEqual(ids.map((id, value) => ({ workspaceId: id, value })))
  })

  it('apply all concurrent changes', async () => {
    const id = newWorkspaceId()
    const names = Array.from({ length: 20 }, (_, i) => `C${i}`)
    await Promise.all(
      names.map((name) => store.settings.change(id, CHANNELS, (channels) => [...channels, name])),
    )
    expect([...(await store.settings.get(id, CHANNELS))].sort()).toEqual(names.sort())
  })
})
