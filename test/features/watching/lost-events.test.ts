import { expect, it } from 'vitest'
import { startDatabaseProxy } from '../../databases/database-proxy.ts'
import { KEY_A, SHARED_DATABASES } from '../../databases/databases.ts'
import { WORKSPACE, type World } from '../../world.ts'
import { bringDown, CHANNEL, startWatchedWorld, untilText } from './watched-world.ts'

const postgres = SHARED_DATABASES.filter(({ name }) => name === 'PostgreSQL')

/** Lets something happen in Slack while the database is away, which comes back once the app has refused the event. */
async function happenWithoutDatabase(
  proxy: Awaited<ReturnType<typeof startDatabaseProxy>>,
  { slack }: World,
  { event, happen }: { event: string; happen: () => Promise<unknown> },
): Promise<void> {
  proxy.disconnect()
  await happen()
  const hasFailed = async () =>
    (await slack.deliveries(`event:${event}`)).some(({ response }) => (response?.status ?? 0) >= 500)
  await expect.poll(hasFailed).toBe(true)
  proxy.restore()
}

it.each(postgres)(
  'protects people also if $name is away when Slack says what happened',
  async ({ start }) => {
    await using database = await start()
    await using proxy = await startDatabaseProxy(new URL(database.url))
    const { world, channelId } = await startWatchedWorld({
      checks: [{ name: 'web-1' }],
      environment: { DATABASE_URL: proxy.url, ENCRYPTION_KEYS: KEY_A },
    })
    await using _ = world
    const { watching } = world.app.store
    const { admin, member } = world.slack
    await bringDown(world, 'web-1')
    await member.click(await untilText(world, channelId, 'web-1 is down'), 'I’m on it', {
      until: 'You’re on it',
    })
    const listTaken = () => watching.onIt.listTaken(WORKSPACE, 'U0MEMBER01')
    expect(await listTaken()).toHaveLength(1)
    await happenWithoutDatabase(proxy, world, {
      event: 'user_change',
      happen: () => member.updateAccount({ deleted: true }),
    })
    await expect.poll(listTaken).toEqual([])

    await happenWithoutDatabase(proxy, world, {
      event: 'channel_shared',
      happen: () => admin.shareChannel(CHANNEL, 'Other Inc'),
    })
    const readReason = async () => (await watching.channels.find(WORKSPACE, channelId)).paused?.reason
    await expect.poll(readReason).toBe('shared-outside')
  },
)
