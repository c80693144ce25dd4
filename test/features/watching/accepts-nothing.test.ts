import { expect, it } from 'vitest'
import { WORKSPACE } from '../../world.ts'
import {
  bringDown,
  CHANNEL,
  listTexts,
  startWatchedWorld,
  untilPolled,
  untilPosted,
  untilText,
} from './watched-world.ts'

const CHECKS = { checks: [{ name: 'web-1' }, { name: 'web-2' }] } as const

it('tells a channel that refuses all blocks in plain text', async () => {
  const { world, channelId } = await startWatchedWorld(CHECKS)
  await using _ = world
  await untilPolled(world)
  await world.slack.faults({ method: 'chat.postMessage', kind: 'refuse-blocks', times: 1000 })
  await bringDown(world, 'web-1')
  const posts = await untilPosted(world, channelId, (all) => all.some(({ text }) => text.includes('is down')))
  const card = posts.find(({ text }) => text.includes('is down'))
  expect(card?.text).toContain('web-1 is down')
  expect(card?.blocks ?? []).toEqual([])
})

it('sends the owner what is down, and the pages of a channel that accepts nothing, which reads what it missed later', async () => {
  const page = [{ afterMs: 2000, responders: [{ name: '@admin', id: 'U0ADMIN001' }] }]
  const { world, channelId } = await startWatchedWorld(CHECKS, { page })
  await using _ = world
  await untilPolled(world)
  // Then it's tried again every hour.
  await world.slack.faults({ method: 'chat.postMessage', kind: 'error', error: 'is_archived', times: 1 })
  await bringDown(world, 'web-1')
  const readOwner = async () => {
    const { messages } = await world.slack.member.state()
    return Object.entries(messages)
      .filter(([id]) => id.startsWith('D'))
      .flatMap(([, all]) => all.map(({ text }) => text))
      .join('\n')
  }
  await expect.poll(readOwner).toContain('is paused: the channel is archived')
  await expect.poll(readOwner).toContain('Signalman would have paged')
  expect((await world.app.store.watching.channels.find(WORKSPACE, channelId)).paused?.reason).toBe('archived')
  expect(await listTexts(world, channelId)).toEqual([])
  // Its messages wait for the channel, not for Signalman.
  expect((await world.app.store.watching.readStats()).outbox).toEqual({ waiting: 0, oldestSeconds: 0 })
  await bringDown(world, 'web-2')
  const resume = { channel: CHANNEL, until: 'aren’t paused' } as const
  await world.slack.member.command('/hc', `watch-resume ${channelId}`, resume)
  await untilText(world, channelId, 'web-1 and web-2 are down')
  expect(await listTexts(world, channelId)).toHaveLength(1)
})
