import { DAY_MS } from '@signalman/runtime'
import { describe, expect, it } from 'vitest'
import { describeDeployment, findForeignData, rememberDeployment } from '../../src/app/deployment.ts'
import { openStore, type Store } from '../../src/app/store.ts'
import { REMOVAL } from '../../src/bot/workspaces/installations.ts'
import type { Config } from '../../src/config.ts'
import { EMPTY_DATABASES } from '../databases/databases.ts'
import { saveConnection } from '../write-store.ts'

const NOW = new Date('2026-12-01T00:00:00Z')
const later = (days: number) => new Date(NOW.getTime() + days * DAY_MS)
const ADDRESSES = { baseUrl: 'https://api.example.com', oteBaseUrl: 'https://ote.example.com/' }
/** What identifies a deployment whose bot token is for a workspace, and of one that workspaces install. */
const single = (workspaceId: string | undefined, botId = 'U1', addresses = ADDRESSES) =>
  describeDeployment(toConfig({ botToken: 'xoxb' }, addresses), { workspaceId, botId })
const multi = (clientId: string, addresses = ADDRESSES) =>
  describeDeployment(toConfig({ oauth: { clientId, clientSecret: '', stateSecret: '' } }, addresses))
// Cast, because nothing else is read.
const toConfig = (tenants: unknown, service: object) => ({ slack: { tenants }, service }) as unknown as Config

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
    expect(await findMessages(store, single('T1'), NOW)).toEqual([
      expect.stringContaining('check DATABASE_URL'),
    ])
    for (const id of ['T1', 'T2', 'T3']) await connect(store, id)
    expect(await findMessages(store, single(undefined), NOW)).toEqual([])
    expect(await findMessages(store, single('T1'), NOW)).toEqual([
      expect.stringMatching(
        /has tokens of T2, T3, but the bot token is for the workspace T1\. .*erase-workspace ID --yes/,
      ),
    ])
    for (const id of ['T2', 'T3', 'T4']) await install(store, id)
    expect(await findMessages(store, multi('1.1'), NOW)).toEqual([
      expect.stringMatching(/has tokens of T1, where the app isn’t installed\. .*erase-workspace T1 --yes/),
    ])
    // Its data is being deleted.
    await store.settings.set('T1', REMOVAL, { id: 'r', isLogged: false })
    expect(await findMessages(store, multi('1.1'), NOW)).toEqual([])
    await store.settings.set('T1', REMOVAL, null)
    await store.eraseWorkspace('T1', 'test')
    expect(await findMessages(store, multi('1.1'), NOW)).toEqual([])
  })

  it.each([
    ['the same', single('T1'), []],
    ['another Slack app', single('T1', 'U2'), [/another Slack app than before \(U1\)/]],
    [
      'other addresses',
      single('T1', 'U1', { baseUrl: 'https://b.example.com', oteBaseUrl: 'https://c.example.com' }),
      [
        /API_BASE_URL was https:\/\/api\.example\.com before/,
        /API_OTE_BASE_URL was https:\/\/ote\.example\.com before/,
      ],
    ],
    ['the same address', single('T1', 'U1', { ...ADDRESSES, baseUrl: 'https://API.example.com:443/' }), []],
    [
      'another Slack app that workspaces install',
      multi('1.2'),
      [/SLACK_CLIENT_ID is of another Slack app than before \(1\.1\)/],
    ],
    ['the same one that workspaces install', multi('1.1'), []],
    // Slack doesn't answer.
    ['an unknown Slack app', single(undefined), []],
  ] as const)('Slack app or service: %s', async (_name, current, expected) => {
    await using address = await start()
    await using store = await openStore(address)
    await connect(store, 'T1')
    await install(store, 'T1')
    for (const before of [single('T1'), multi('1.1')]) await rememberDeployment(store, before, NOW)
    const patterns = expected.map((pattern) => expect.stringMatching(pattern))
    expect(await findMessages(store, current, later(30))).toEqual(patterns)
    // Also after a start, for a week, and after one without an answer of Slack: the doctor runs when something is odd already.
    await rememberDeployment(store, current, later(30))
    const { API_BASE_URL = '' } = current.uses
    await rememberDeployment(store, { ...current, uses: { API_BASE_URL } }, later(31))
    expect(await findMessages(store, current, later(36))).toEqual(patterns)
    // Whoever puts the former one back, as it says, reads nothing more of it.
    for (const before of [single('T1'), multi('1.1')])
      expect(await findMessages(store, before, later(36))).toEqual([])
    expect(await findMessages(store, current, later(38))).toEqual([])
  })
})
