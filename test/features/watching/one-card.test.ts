import type { Message } from '@signalman/playground'
import { expect, it } from 'vitest'
import type { World } from '../../world.ts'
import { CHANNEL, setStatus, startWatchedWorld, untilPolled, WAIT_TIMEOUT_MS } from './watched-world.ts'

const CHECKS = { checks: [{ name: 'web-1', status: 'HEALTHY' as const }] }
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
  const [card, reply, ...others] = await readAll(world)
  expect([reply?.threadTs, others]).toEqual([card?.ts, []])
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
