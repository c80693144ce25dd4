import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openDatabase } from '../../../src/store/database/database.ts'
import { createBrowser, startTenants } from '../../installing.ts'
import { makeFolder } from '../../store/databases.ts'

it('replaces an installation whose token does not open any more, and keeps its installer', async () => {
  using folder = makeFolder()
  const DATABASE_URL = `sqlite:${join(folder.path, 'signalman.db')}`
  await using world = await startTenants({ environment: { DATABASE_URL } })
  await createBrowser().install(world, 'T0WORKSHOP U0WSADMIN1')
  await using raw = await openDatabase(DATABASE_URL)
  await raw.rows
    .updateTable('workspace_key')
    .set({ retired_at: new Date().toISOString(), sealed_key: null })
    .execute()
  const { installations } = world.app.store
  await expect(installations.find({ workspaceId: 'T0WORKSHOP' })).rejects.toMatchObject({ name: 'SealError' })
  const answer = await createBrowser().install(world, 'T0WORKSHOP U0WSMEMBR1')
  expect(await answer.text()).toContain('Signalman is installed')
  const found = await installations.find({ workspaceId: 'T0WORKSHOP' })
  expect(found).toMatchObject({ installedBy: 'U0WSADMIN1' })
  expect(found?.botToken).toMatch(/^xoxb-T0WORKSHOP-/)
})
