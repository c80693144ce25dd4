import { describe, expect, it } from 'vitest'
import { stillOnItView } from '../../../../src/features/watching/on-call/views/still-on-it.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { eitherOf } from '../../../long.ts'
import { createModel, type Model } from '../model/model.ts'
import { createFakeReachability } from '../reachable-people.ts'
import { startWatchedWorld, untilPolled, untilPosted, WAIT_TIMEOUT_MS } from '../watched-world.ts'

const MINUTES_PER_HOUR = 60
const readCard = ({ channels }: Model) => [...channels.messages.values()].map(({ model }) => model)[0]

it('counts only health checks', () => {
  const countOf = (...uuids: string[]): string =>
    stillOnItView(
      'production',
      uuids.map((uuid) => ({ check: { uuid, name: uuid } })),
    ).text
  expect(countOf('web', 'bank')).toContain('You’re marked as on 2 health checks.')
  expect(countOf('web', '')).toContain('You’re marked as on 1 health check and seeing the others.')
})

/** Watches the first check, which goes down. */
async function startOutage(model: Model): Promise<void> {
  await model.watch(0, 0, 1)
  await model.passMinute()
  model.setStatus(0, 'UNHEALTHY')
  await model.passWithoutFaults(1)
}

describe.each(eitherOf(SHARED_DATABASES))(
  'a person who has been on an outage for a day, with $name',
  ({ start }) => {
    it('is asked daily if they’re still on it, until the incident closes', async () => {
      await using database = await start()
      await using model = await createModel({ url: database.url, keys: database.keys })
      await startOutage(model)
      await model.press('take', 1)
      const { direct } = model.channels
      await model.jumpClock(23 * MINUTES_PER_HOUR)
      expect(direct).toEqual([])
      await model.jumpClock(2 * MINUTES_PER_HOUR)
      expect(direct).toEqual([
        {
          to: 'U2',
          text: expect.stringMatching(/^Still on it\? You’re marked as on check-a1\./),
        },
      ])
      await model.jumpClock(24 * MINUTES_PER_HOUR)
      expect(direct).toHaveLength(2)
      model.setStatus(0, 'HEALTHY')
      await model.passWithoutFaults(12)
      await model.jumpClock(48 * MINUTES_PER_HOUR)
      expect(direct).toHaveLength(2)
    })

    it('is no longer asked after handing over the outage, but the new person is', async () => {
      await using database = await start()
      await using model = await createModel({ url: database.url, keys: database.keys })
      await startOutage(model)
      await model.press('take', 0)
      await model.passWithoutFaults(1)
      await model.press('hand-over', 1)
      await model.jumpClock(25 * MINUTES_PER_HOUR)
      expect(model.channels.direct.map(({ to }) => to)).toEqual(['U2'])
    })

    it('is removed from the outage if Slack can’t notify them anymore, even if Slack’s event was missed', async () => {
      await using database = await start()
      await using model = await createModel({
        ...{ url: database.url, keys: database.keys },
        reachability: createFakeReachability(() => 'is deactivated'),
      })
      await startOutage(model)
      await model.press('take', 1)
      await model.passWithoutFaults(1)
      expect(readCard(model)).toMatchObject({ onIt: [{ by: 'U2' }] })
      await model.jumpClock(25 * MINUTES_PER_HOUR)
      await model.passWithoutFaults(1)
      expect(readCard(model)).toMatchObject({ onIt: [] })
      expect(model.channels.direct).toEqual([])
    })
  },
)

it('asks a person who takes an outage while an earlier question finds nothing to ask about', async () => {
  await using model = await createModel()
  await model.watch(0, 0, 1)
  await model.passMinute()
  model.setStatus(0, 'UNHEALTHY')
  await model.passWithoutFaults(1)
  await model.press('take', 1)
  await model.press('step-down', 1)
  await model.passWithoutFaults(7)
  const { acknowledgments } = model.store.watching
  const { findQuestion } = acknowledgments
  let hasTaken = false
  acknowledgments.findQuestion = async (...where) => {
    const found = await findQuestion.apply(acknowledgments, where)
    if (!hasTaken) await model.press('take', 1, 1)
    hasTaken = true
    return found
  }
  await model.jumpClock(25 * MINUTES_PER_HOUR)
  expect(hasTaken).toBe(true)
  await model.passWithoutFaults(1)
  expect(model.channels.direct).toEqual([])
  await model.jumpClock(30 * MINUTES_PER_HOUR)
  await model.passWithoutFaults(2)
  expect(model.channels.direct).toMatchObject([{ to: 'U2' }])
})

it('removes a deactivated person from their outages', async () => {
  const { world, channelId } = await startWatchedWorld({ checks: [{ name: 'web-1', status: 'HEALTHY' }] })
  await using _world = world
  const { member, admin } = world.slack
  await untilPolled(world)
  const [check] = await world.service.checksNamed('web-1')
  await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
  const [down] = await untilPosted(world, channelId, (posts) => posts.length === 1)
  await admin.click(down, 'I’m on it', { until: 'You’re on it' })
  await untilPosted(world, channelId, ([post]) => post?.text.includes('Admin is on it') ?? false)
  await admin.updateAccount({ deleted: true })
  const [released] = await untilPosted(world, channelId, ([post]) => !post?.text.includes('Admin is on it'))
  expect(released?.text).toContain('web-1')
  await expect
    .poll(async () => (await member.click(released, 'I’m on it')).text, { timeout: WAIT_TIMEOUT_MS })
    .toContain('You’re on it')
})
