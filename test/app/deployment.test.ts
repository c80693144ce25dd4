import { describe, expect, it } from 'vitest'
import { findForeignData } from '../../src/app/deployment.ts'
import { openStore, type Store } from '../../src/app/store.ts'
import { REMOVAL } from '../../src/bot/workspaces/installations.ts'
import { EMPTY_DATABASES } from '../databases/databases.ts'
import { saveConnection } from '../write-store.ts'

const NOW = new Date('2026-12-01T00:00:00Z')
/** A deployment whose bot token is for a workspace. */
const single = (owner: string | undefined) => ({ owner, isInstalledByWorkspaces: false })
const MULTI = { owner: undefined, isInstalledByWorkspaces: true }

const TOKEN = { token: 't', userId: 'U1', now: NOW }
const INSTALLATION = { kind: 'workspace', installedBy: 'U1' } as const
const connect = (store: Store, workspaceId: string) =>
  saveConnection(store, { ...TOKEN, workspaceId, environment: 'production' })
const install = (store: Store, id: string) =>
  store.installations.save({ ...INSTALLATION, id, botToken: 'xoxb-none' })
const findMessages = async (...args: Parameters<typeof findForeignData>) =>
  (await findForeignData(...args)).map(({ message, fix }) => `${message} ${fix}`)

describe.each(EMPTY_DATABASES)('names what is stored for another one, on $name', ({ start }) => {
  it('workspace', async () => {
    await using address = await start()
    await using store = await openStore(address)
    expect(await findMessages(store, single('T1'))).toEqual([expect.stringContaining('check DATABASE_URL')])
    for (const id of ['T1', 'T2', 'T3']) await connect(store, id)
    expect(await findMessages(store, single(undefined))).toEqual([])
    expect(await findMessages(store, single('T1'))).toEqual([
      expect.stringMatching(
        /has tokens of T2, T3, but the bot token is for the workspace T1\. .*erase-workspace ID --yes/,
      ),
    ])
    for (const id of ['T2', 'T3', 'T4']) await install(store, id)
    expect(await findMessages(store, MULTI)).toEqual([
      expect.stringMatching(/has tokens of T1, where the app isn’t installed\. .*erase-workspace T1 --yes/),
    ])
    // Its data is being deleted.
    await store.settings.set('T1', REMOVAL, { id: 'r', isLogged: false })
    expect(await findMessages(store, MULTI)).toEqual([])
    await store.settings.set('T1', REMOVAL, null)
    await store.eraseWorkspace('T1', 'test')
    expect(await findMessages(store, MULTI)).toEqual([])
  })
})
