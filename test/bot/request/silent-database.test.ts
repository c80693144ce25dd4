import { expect, it } from 'vitest'
import { type DatabaseProxy, startDatabaseProxy } from '../../databases/database-proxy.ts'
import { startPostgresDatabase } from '../../databases/postgres.ts'
import { startWorld, type World } from '../../world.ts'

const KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`
const PLACEHOLDER_MS = 800
const NOT_RESPONDING = 'Signalman’s database isn’t responding.'

/** Starts a world on PostgreSQL, behind a proxy that can hold back the server's responses. */
async function start(): Promise<{ world: World; proxy: DatabaseProxy } & AsyncDisposable> {
  await using disposables = new AsyncDisposableStack()
  const database = disposables.use(await startPostgresDatabase('migrated'))
  const proxy = disposables.use(await startDatabaseProxy(new URL(database.url)))
  const world = disposables.use(
    await startWorld({
      checks: [{ name: 'web' }],
      environment: { DATABASE_URL: proxy.url, ENCRYPTION_KEYS: KEYS },
      requestDeadlines: { modalDeadlineMs: 100, placeholderMs: PLACEHOLDER_MS },
    }),
  )
  const resources = disposables.move()
  return { world, proxy, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

it.each([
  { name: 'a command', text: 'list' },
  { name: 'a modal', text: 'create' },
])(
  'shows a person that Signalman is working while its database doesn’t answer, and later an error: $name',
  async ({ text }) => {
    await using setup = await start()
    const { world, proxy } = setup
    const { member } = world.slack
    await member.command('/hc', 'access')
    proxy.freeze()
    await member.command('/hc', text, { until: /Still working|One moment/ })
    // Closed connections cause the same error as a timeout, but sooner.
    proxy.disconnect()
    const end = await member.see(/Reference: [0-9a-f]{10}/)
    expect(end).toMatch(new RegExp(`${NOT_RESPONDING}\n(?:Nothing was changed\\. )?Try again in a minute`))
    expect(end).not.toContain('Something went wrong')
    proxy.restore()
  },
)
