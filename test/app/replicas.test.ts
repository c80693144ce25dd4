import { expect, it } from 'vitest'
import { createHeartbeat, divideAmongReplicas } from '../../src/app/backends.ts'
import { openStore } from '../../src/app/store.ts'
import { startApp } from '../../src/app.ts'
import { createLog } from '../../src/log.ts'
import { startSqliteFile } from '../databases/databases.ts'
import { startWorld } from '../world.ts'
import { saveConnection } from '../write-store.ts'

/** Long enough that nothing times out during the test. */
const FOREVER_MS = 200_000

it.each([
  { count: 1, share: 32 },
  { count: 2, share: 16 },
  { count: 3, share: 10 },
  { count: 20, share: 4 },
])('allows each of $count replicas $share of 32 requests', ({ count, share }) => {
  expect(divideAmongReplicas({ count }, 32, 4)).toBe(share)
})

it('uses the last known number of replicas while the database is unavailable', async () => {
  const replicas = { count: 1 }
  const counts = [
    Promise.resolve(3),
    Promise.reject(new Error('The database is unavailable.')),
    Promise.resolve(0),
  ]
  const heartbeat = createHeartbeat(replicas, () => counts.shift() ?? Promise.resolve(1))
  await heartbeat()
  expect(replicas.count).toBe(3)
  await expect(heartbeat()).rejects.toThrow('The database is unavailable.')
  expect(replicas.count).toBe(3)
  await heartbeat()
  expect(replicas.count).toBe(1)
})

it('divides a workspace’s service connections among all replicas', async () => {
  await using world = await startWorld({
    serviceLimits: {
      timeouts: { connectMs: FOREVER_MS, headersMs: FOREVER_MS, bodyMs: FOREVER_MS, totalMs: FOREVER_MS },
    },
  })
  const { member } = world.slack
  await world.app.store.processes.heartbeat('another replica')
  await expect.poll(async () => (await fetch(`${world.app.url}/readyz`)).status).toBe(200)
  await world.service.faults({ path: '/', kind: 'hold' })
  const commands = Array.from({ length: 40 }, (_, nth) =>
    member.command('/hc', `list web-${nth}*`, { until: () => true }),
  )
  await Promise.all(commands)
  await expect.poll(async () => (await world.service.requests()).length).toBe(12)
  await member.command('/hc', 'help', { until: '/hc list' })
  expect(await world.service.requests()).toHaveLength(12)
  await world.service.faults()
})

it('warns that another process is using the same database file, and of what it holds for another workspace', async () => {
  await using database = await startSqliteFile()
  {
    await using store = await openStore(database)
    await store.processes.heartbeat('another copy')
    const connection = { environment: 'production', token: 't', userId: 'U1', now: new Date() } as const
    await saveConnection(store, { ...connection, workspaceId: 'T0OTHER001' })
  }
  const environment = { DATABASE_URL: database.url, ENCRYPTION_KEYS: database.keys }
  await using world = await startWorld({ environment })
  expect(world.log.join('')).toContain('Another copy of Signalman is using this database file')
  await expect.poll(() => world.log.join('')).toContain('has tokens of T0OTHER001, but the bot token is for')
})

it('warns of another deployment with the same Slack app, and not of its own replicas', async () => {
  await using own = await startSqliteFile()
  await using other = await startSqliteFile()
  const toEnvironment = ({ url, keys }: typeof own) => ({ DATABASE_URL: url, ENCRYPTION_KEYS: keys })
  const socketMode = { SLACK_APP_TOKEN: 'xapp-playground', SLACK_SIGNING_SECRET: '' }
  await using world = await startWorld({ environment: { ...socketMode, ...toEnvironment(own) } })
  await expect.poll(() => world.app.sockets?.counts().open).toBe(2)
  const startAnother = async ({ url, keys }: typeof own) => {
    const lines: string[] = []
    const app = await startApp({
      config: { ...world.config, databaseUrl: url, encryptionKeys: keys },
      log: createLog('info', { write: (line) => void lines.push(line) }),
      workTimes: { heartbeatMs: 50 },
    })
    await expect.poll(() => app.sockets?.counts().open).toBe(2)
    return Object.assign(app, { readLog: () => lines.join('') })
  }
  const warning = 'Another deployment seems to use the same Slack app'
  await using replica = await startAnother(own)
  await using another = await startAnother(other)
  await expect.poll(another.readLog).toContain(warning)
  expect(replica.readLog()).not.toContain(warning)
})
