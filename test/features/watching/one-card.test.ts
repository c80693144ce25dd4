import type { Message } from '@signalman/playground'
import { expect, it } from 'vitest'
import type { World } from '../../world.ts'
import { CHANNEL, setStatus, startWatchedWorld, untilPolled, WAIT_TIMEOUT_MS } from './watched-world.ts'

const CHECKS = { checks: ['web-1', 'web-2'].map((name) => ({ name, status: 'HEALTHY' as const })) }
const isUp = ({ text }: Message): boolean => text.startsWith('🟢') && text.includes('again after')

/** What everyone in the channel sees, oldest first, with the replies in threads. */
const readAll = async ({ slack }: World) =>
  (await slack.member.messages(CHANNEL)).filter(
    ({ app, deleted, ephemeral }) => app && !deleted && !ephemeral,
  )

/** Waits until the first message has this text, and until this many messages say that something is up again. */
const until = (world: World, part: string, replies = 0) =>
  expect
    .poll(
      async () => {
        const all = await readAll(world)
        return all[0]?.text.includes(part) && all.filter(isUp).length >= replies
      },
      { timeout: WAIT_TIMEOUT_MS },
    )
    .toBe(true)

it('posts one card, edits it in place, and shows who is on it', async () => {
  const { world } = await startWatchedWorld(CHECKS)
  await using _ = world
  await untilPolled(world)
  await setStatus(world, 'web-1', 'UNHEALTHY')
  await until(world, 'web-1 is down')
  await setStatus(world, 'web-2', 'UNHEALTHY')
  await until(world, 'are down')
  const [card] = await readAll(world)
  if (!card) throw new Error('There is no card.')
  await world.slack.member.click(card, 'I’m on it', { until: 'You’re on it' })
  await until(world, 'is on it')
  for (const name of ['web-1', 'web-2']) await setStatus(world, name, 'HEALTHY')
  await until(world, 'are up again', 1)
  const all = await readAll(world)
  const [edited, ...others] = all.filter((message) => !isUp(message))
  expect([edited?.ts, others]).toEqual([card.ts, []])
  expect(JSON.stringify(edited?.blocks)).not.toMatch(/I’m on it|Take over/)
  // What somebody is on is said to be up at once, so there may be one reply for each.
  const replies = all.filter(isUp)
  expect(replies.map(({ text }) => text).join()).toMatch(/web-1.*<@U\w+> was on (?:it|them)/s)
  expect(replies.every(({ threadTs }) => threadTs === card.ts)).toBe(true)
})

it('posts one card although Slack limits the rate, and edits it once it may', async () => {
  const { world } = await startWatchedWorld(CHECKS)
  await using _ = world
  await untilPolled(world)
  const limit = { kind: 'status', status: 429, retryAfter: 1, times: 2 } as const
  await world.slack.faults({ ...limit, method: 'chat.postMessage' })
  await setStatus(world, 'web-1', 'UNHEALTHY')
  await until(world, 'web-1 is down')
  await world.slack.faults({ ...limit, method: 'chat.update' })
  await setStatus(world, 'web-1', 'HEALTHY')
  await until(world, 'web-1 is up again', 1)
  expect(await readAll(world)).toHaveLength(2)
})

it('says once that it can’t see the checks, and that it can again', async () => {
  const { world } = await startWatchedWorld(CHECKS)
  await using _ = world
  const path = '/healthcheck/v1/healthchecks'
  await world.service.faults({ path, kind: 'status', status: 401, times: 1000 })
  await until(world, 'I can’t see the health checks')
  await world.service.faults()
  await until(world, 'I can see the health checks again', 1)
  expect(await readAll(world)).toHaveLength(2)
})
