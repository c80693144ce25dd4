import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Setting } from '../../packages/durable/src/settings.ts'
import type { Store } from '../../src/app/store.ts'
import { SHARED_DATABASES } from '../databases/databases.ts'
import { startStore } from '../databases/store.ts'

const DAYS: Setting<number> = {
  key: 'audit-days',
  read: (stored) => (typeof stored === 'number' ? stored : 365),
}
const ANYTHING: Setting<unknown> = { key: 'anything', read: (stored) => stored }

describe.each(SHARED_DATABASES)('settings on $name', ({ start }) => {
  let store: Store
  let workspaceCount = 0
  const newWorkspaceId = () => `T${++workspaceCount}`

  beforeAll(async () => {
    store = await startStore(start)
  })
  afterAll(() => store?.[Symbol.asyncDispose]())

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
})
