import { describe, expect, it } from 'vitest'
import { type DatabaseProxy, startDatabaseProxy } from '../../databases/database-proxy.ts'
import { startPostgresDatabase } from '../../databases/postgres.ts'
import { startWorld, WORKSPACE, type World } from '../../world.ts'

const KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`
const PLACEHOLDER_MS = 800
const SAYS = 'Signalman’s database isn’t responding.'

/** A world on PostgreSQL, with a way to hold back the server's responses. */
async function start(): Promise<{ world: World; proxy: DatabaseProxy } & AsyncDisposable> {
  await using started = new AsyncDisposableStack()
  const database = started.use(await startPostgresDatabase('migrated'))
  const proxy = started.use(await startDatabaseProxy(new URL(database.url)))
  const world = started.use(
    await startWorld({
      checks: [{ name: 'web' }],
      environment: { DATABASE_URL: proxy.url, ENCRYPTION_KEYS: KEYS },
      answerTimes: { modalDeadlineMs: 100, placeholderMs: PLACEHOLDER_MS, storeDeadlineMs: 1000 },
    }),
  )
  const resources = started.move()
  return { world, proxy, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Waits until the app has been waiting for a while, so that the next request meets a database known to be silent. */
async function silence({ world: { app }, proxy }: { world: World; proxy: DatabaseProxy }): Promise<void> {
  proxy.freeze()
  const asked = app.store.audit.search({ workspaceId: WORKSPACE, limit: 1 })
  asked.catch(() => undefined)
  await expect.poll(() => app.store.unansweredMs(), { interval: 10 }).toBeGreaterThan(PLACEHOLDER_MS / 2)
}

describe('a database that doesn’t answer', () => {
  it.each([
    { where: 'a command', channel: 'general', command: '/hc', text: 'list' },
    { where: 'a window', channel: 'general', command: '/hc', text: 'create' },
    { where: 'orders', channel: 'operations', command: '/cert-order', text: 'list' },
  ])('shows a waiting person a notice, and later an error: $where', async (asked) => {
    await using both = await start()
    const { world, proxy } = both
    const { member } = world.slack
    await member.command('/hc', 'whoami')
    await silence(both)
    const { text } = await member.command(asked.command, asked.text, { channel: asked.channel, until: SAYS })
    expect(text).toContain('isn’t responding. Still working')
    // Delayed responses lead to the same error as closed connections, only later.
    proxy.disconnect()
    const end = await member.see(/Reference: [0-9a-f]{10}/)
    expect(end).toMatch(new RegExp(`${SAYS}\n(?:Nothing was changed\\. )?Try again in a minute`))
    expect(end).not.toContain('Something went wrong')
    proxy.restore()
  })

  it('makes Signalman refuse an act with a reason, and never run it later', async () => {
    await using both = await start()
    const { world, proxy } = both
    const { member } = world.slack
    await member.command('/hc', 'env', { until: 'This channel uses' })
    proxy.freeze()
    const { text } = await member.command('/hc', 'env ote', { until: /Reference|Nothing was changed/ })
    expect(text).toContain('can’t write to its database right now, so nothing was started')
    expect(text).toContain('Nothing was changed.')
    proxy.restore()
    await expect
      .poll(async () => (await member.command('/hc', 'env', { until: 'uses' })).text)
      .toContain('This channel uses the production environment')
  })
})
