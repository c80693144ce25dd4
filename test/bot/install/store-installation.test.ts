import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createSlackClient } from '../../../packages/slack/src/client/slack-client.ts'
import { createStoreInstallation } from '../../../src/bot/install/store-installation.ts'
import { createLog } from '../../../src/log.ts'
import { startSqliteFile } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'
import { createBrowser, startUninstalledWorld } from '../../slack-installation.ts'

it('replaces an installation with an undecryptable token, and keeps its installer', async () => {
  await using sqlite = await startSqliteFile()
  await using world = await startUninstalledWorld({ environment: { DATABASE_URL: sqlite.url } })
  await createBrowser().install(world, 'T0WORKSHOP U0WSADMIN1')
  await using raw = await openDatabase(sqlite.url)
  await raw.rows.updateTable('installation').set({ sealed_token: 'v1.lost.AAAA' }).execute()
  const { installations } = world.app.store
  await expect(installations.find('T0WORKSHOP')).rejects.toMatchObject({ name: 'SealError' })
  const answer = await createBrowser().install(world, 'T0WORKSHOP U0WSMEMBR1')
  expect(await answer.text()).toContain('Signalman is installed')
  const found = await installations.find('T0WORKSHOP')
  expect(found).toMatchObject({ installedBy: 'U0WSADMIN1' })
  expect(found?.botToken).toMatch(/^xoxb-T0WORKSHOP-/)
})

const INSTALLER = 'T0WORKSHOP U0WSADMIN1'

it.each([
  { missing: 'its audit row', table: 'audit_entry', condition: '1' },
  { missing: 'its installer', table: 'setting', condition: "new.key = 'installer'" },
])('doesn’t store an installation if it can’t store $missing', async ({ table, condition }) => {
  await using sqlite = await startSqliteFile()
  await using world = await startUninstalledWorld({ environment: { DATABASE_URL: sqlite.url } })
  await using raw = await openDatabase(sqlite.url)
  await sql`create trigger no_rows before insert on ${sql.table(table)} when ${sql.raw(condition)}
    begin select raise(abort, 'No.'); end`.execute(raw.rows)
  const answer = await createBrowser().install(world, INSTALLER)
  expect(await answer.text()).toContain('stored nothing')
  expect(await world.app.store.installations.summary('T0WORKSHOP')).toBeUndefined()
  await sql`drop trigger no_rows`.execute(raw.rows)
  expect(await (await createBrowser().install(world, INSTALLER)).text()).toContain('Signalman is installed')
})

it('doesn’t make a member an admin if they reinstall the app', async () => {
  await using world = await startUninstalledWorld()
  const findInstaller = async () => (await world.app.store.installations.find('T0WORKSHOP'))?.installedBy
  await createBrowser().install(world, INSTALLER)
  await world.slack.uninstall('T0WORKSHOP')
  await createBrowser().install(world, 'T0WORKSHOP U0WSMEMBR1')
  expect(await findInstaller()).toBe('U0WSADMIN1')
  const [row] = await world.app.store.audit.search({ workspaceId: 'T0WORKSHOP', text: 'install', limit: 1 })
  expect(row).toMatchObject({
    actor: { userId: 'U0WSMEMBR1' },
    before: { installedBy: 'U0WSADMIN1' },
    after: { installedBy: 'U0WSADMIN1' },
  })
  const member = world.slack.user('U0WSMEMBR1')
  expect((await member.command('/hc', 'connect')).text).toContain('This needs the admin role')
  const [welcome] = await member.messages('dm')
  expect(welcome?.text).toContain(
    'except for the person who first installed Signalman and the admins of the workspace',
  )
  expect(JSON.stringify(welcome)).not.toContain('Store a token')
})

it.each([
  { person: 'an admin of a sister workspace', userId: 'U0FCADMIN1', installedBy: 'U0WSMEMBR1' },
  { person: 'an admin of the workspace', userId: 'U0WSADMIN1', installedBy: 'U0WSADMIN1' },
])(
  'records $installedBy as the installer if $person reinstalls after a member',
  async ({ userId, installedBy }) => {
    await using world = await startUninstalledWorld()
    await createBrowser().install(world, 'T0WORKSHOP U0WSMEMBR1')
    const { store } = world.app
    const found = await store.installations.find('T0WORKSHOP')
    if (!found) throw new Error('The app isn’t installed.')
    const { apiUrl } = world.playground
    const slack = createSlackClient(found.botToken, apiUrl)
    const storeInstallation = createStoreInstallation({
      apiUrl,
      store,
      clients: { forWorkspace: async () => slack, forget: () => undefined },
      log: createLog('silent'),
      now: () => new Date(),
    })
    await storeInstallation({
      team: { id: 'T0WORKSHOP', name: 'Workshop' },
      enterprise: { id: 'E0EXAMPLE1' },
      user: { id: userId, token: undefined, scopes: undefined },
      bot: { token: found.botToken, userId: 'U0WORKSBOT', id: 'B1', scopes: [] },
      isEnterpriseInstall: false,
      tokenType: 'bot',
    })
    expect((await store.installations.find('T0WORKSHOP'))?.installedBy).toBe(installedBy)
  },
)
