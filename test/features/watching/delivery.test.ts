import { expect, it } from 'vitest'
import { WORKSPACE, type World } from '../../world.ts'
import { CHANNEL, readPosts, startWatchedWorld, untilPolled, untilPosted } from './watched-world.ts'

const CHECKS = { checks: [{ name: 'web-1' }, { name: 'web-2' }] } as const

async function setStatus({ service }: World, name: string, status: 'HEALTHY' | 'UNHEALTHY'): Promise<void> {
  const [check] = await service.checksNamed(name)
  await service.setStatus(check?.uuid ?? '', status)
}

const readTexts = async (world: World, channelId: string) =>
  (await readPosts(world, channelId)).filter(({ ephemeral }) => !ephemeral).map(({ text }) => text)

it('posts one card although Slack limits the rate, and edits it once it may', async () => {
  const { world, channelId } = await startWatchedWorld(CHECKS)
  await using _ = world
  await untilPolled(world)
  await world.slack.faults({
    method: 'chat.postMessage',
    kind: 'status',
    status: 429,
    retryAfter: 1,
    times: 2,
  })
  await setStatus(world, 'web-1', 'UNHEALTHY')
  await untilPosted(world, channelId, (posts) => posts.some(({ text }) => text.includes('web-1 is down')))
  await world.slack.faults({ method: 'chat.update', kind: 'status', status: 429, retryAfter: 1, times: 2 })
  await setStatus(world, 'web-1', 'HEALTHY')
  await untilPosted(world, channelId, (posts) => posts.some(({ text }) => text.includes('web-1 is up again')))
  expect(await readTexts(world, channelId)).toHaveLength(1)
})

it('says what a watch matches when its window saves it', async () => {
  const { world } = await startWatchedWorld(CHECKS)
  await using _ = world
  const { admin } = world.slack
  const { watches } = world.app.store.watching
  await admin.command('/hc', 'watch', { channel: CHANNEL, until: 'recover' })
  const saved = await admin.submit({ Names: 'web-*', 'Leave out': 'web-2' }, { until: 'now watches' })
  expect(await watches.list(WORKSPACE)).toHaveLength(2)
  expect(saved.text).toContain('Matches 1 health check now')
})
