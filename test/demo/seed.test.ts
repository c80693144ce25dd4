import { expect, it } from 'vitest'
import { openStore } from '../../src/app/store.ts'
import { grantAllRoles, WORKSPACE } from '../../src/demo/seed.ts'
import { KEY_A } from '../databases/databases.ts'

it('grants the demo’s roles and saves its policy, with audit rows', async () => {
  await using store = await openStore({ url: 'sqlite::memory:', keys: KEY_A })
  await grantAllRoles(store)
  expect(await store.grants.list(WORKSPACE)).toHaveLength(2)
})
