import { expect, it } from 'vitest'
import { ALL_CHECKS, type NewWatch } from '../../../src/features/watching/rules/watch.ts'
import { startWorld, WORKSPACE } from '../../world.ts'
import { createModel, type Model } from './model/model.ts'
import { untilPolled } from './watched-world.ts'

const OPERATIONS = { channel: 'operations' }

// A watch says what is already down, and that it posts when that is up again. Before the environment's first poll, only the watch
// itself has seen it, and the check can recover before the poll does.

const down = (...uuids: string[]) => uuids.map((uuid) => ({ uuid, name: `check-${uuid}` }))

async function addWatch(model: Model, watch: Partial<NewWatch> & Pick<NewWatch, 'channelId'>) {
  const added = await model.store.watching.watches.add({
    ...{ workspaceId: 'T1', environment: 'production', filter: ALL_CHECKS },
    ...{ afterBadPolls: 1, notify: 'once', reminderHours: 0, ownerId: 'U1', madeAt: model.now() },
    ...watch,
  })
  const found = await model.store.watching.watches.findAlreadyDown(added)
  return found.adopted.map(({ check }) => check.uuid)
}

/** What each message in each channel lists, oldest first. */
const readChannels = ({ channels }: Model): string[] =>
  [...channels.messages.values()].flatMap(({ channelId, model }) =>
    'rows' in model
      ? [
          `${channelId}: ${model.rows
            .toSorted((left, right) => left.check.uuid.localeCompare(right.check.uuid))
            .map(({ check, isDown }) => `${check.uuid} ${isDown ? 'down' : 'up'}`)
            .join(', ')}`,
        ]
      : [],
  )

it('posts the recovery of a check that was up again before the first poll', async () => {
  await using model = await createModel()
  expect(await addWatch(model, { channelId: 'C1', downChecks: down('a1') })).toEqual(['a1'])
  await model.passMinutes(2)
  expect(readChannels(model)).toEqual(['C1: a1 up'])
})

it('posts nothing while it stays down, then its recovery, and the next fall', async () => {
  await using model = await createModel()
  model.setStatus(0, 'UNHEALTHY')
  await addWatch(model, { channelId: 'C1', afterBadPolls: 3, downChecks: down('a1') })
  await model.passMinutes(5)
  expect(readChannels(model)).toEqual([])
  model.setStatus(0, 'HEALTHY')
  await model.passMinutes(20)
  expect(readChannels(model)).toEqual(['C1: a1 up'])
  model.setStatus(0, 'UNHEALTHY')
  await model.passMinutes(4)
  expect(readChannels(model)).toEqual(['C1: a1 up', 'C1: a1 down'])
})

it('adopts for each channel what its own watch matches, and once for a second watch', async () => {
  await using model = await createModel()
  const onlyA2 = { include: [{ field: 'uuid', pattern: 'a2' }], exclude: [] } as const
  await addWatch(model, { channelId: 'C1', downChecks: down('a1', 'a2') })
  expect(await addWatch(model, { channelId: 'C1', filter: onlyA2, downChecks: down('a2') })).toEqual(['a2'])
  expect(await addWatch(model, { channelId: 'C2', filter: onlyA2, downChecks: down('a2') })).toEqual(['a2'])
  await model.passMinutes(2)
  expect(readChannels(model).toSorted()).toEqual(['C1: a1 up, a2 up', 'C2: a2 up'])
})

it('also adopts what only the first poll sees, and doesn’t name it before', async () => {
  await using model = await createModel()
  model.setStatus(0, 'UNHEALTHY')
  expect(await addWatch(model, { channelId: 'C1' })).toEqual([])
  await model.passMinutes(2)
  model.setStatus(0, 'HEALTHY')
  await model.passMinutes(1)
  expect(readChannels(model)).toEqual(['C1: a1 up'])
})

it('leaves it to the polls once there was one', async () => {
  await using model = await createModel()
  await addWatch(model, { channelId: 'C1' })
  await model.passMinutes(2)
  model.setStatus(0, 'UNHEALTHY')
  // The service says that it’s down, but no poll has seen that yet.
  expect(await addWatch(model, { channelId: 'C2', downChecks: down('a1') })).toEqual([])
  await model.passMinutes(1)
  expect(readChannels(model).toSorted()).toEqual(['C1: a1 down', 'C2: a1 down'])
})

it('begins again when the last watch ended before the first poll', async () => {
  await using model = await createModel()
  await addWatch(model, { id: 'first', channelId: 'C1', downChecks: down('a1') })
  await model.store.watching.watches.remove('T1', 'first', model.now())
  expect(await addWatch(model, { channelId: 'C1', downChecks: down('a1') })).toEqual(['a1'])
  await model.passMinutes(2)
  expect(readChannels(model)).toEqual(['C1: a1 up'])
})

it('refuses to wait for the recovery of more than 100 health checks, and saves nothing', async () => {
  const checks = Array.from({ length: 101 }, (_, index) => ({
    name: `web-${index}`,
    status: 'UNHEALTHY' as const,
  }))
  await using world = await startWorld({ checks })
  const { member } = world.slack
  expect((await member.command('/hc', 'watch web-* --me --recovery', OPERATIONS)).text).toContain(
    'More than 100 of these health checks are down, and --recovery waits for at most 100. Nothing was saved.',
  )
  expect(await world.app.store.watching.watches.list(WORKSPACE)).toEqual([])
  expect((await member.command('/hc', 'watch web-1* --me --recovery', OPERATIONS)).text).toContain(
    'I’ll send you a DM',
  )
})

it('doesn’t promise the recovery of what the direct messages list already, and waits for the rest', async () => {
  await using world = await startWorld({
    checks: [{ name: 'web' }, { name: 'mail', status: 'UNHEALTHY' }],
    workTimes: { pollMs: 50 },
    watchEveryMs: 100,
  })
  const { member } = world.slack
  await member.command('/hc', 'watch web --me')
  await untilPolled(world)
  const [web] = await world.service.checksNamed('web')
  await world.service.setStatus(web?.uuid ?? '', 'UNHEALTHY')
  await expect
    .poll(async () => (await member.messages('dm')).map(({ text }) => text).join())
    .toContain('web is down')
  const listRecoveries = async () =>
    (await world.app.store.watching.watches.list(WORKSPACE)).flatMap(({ recoveryOf }) => recoveryOf ?? [])
  // The card may be edited while a command is being answered.
  const refused = await member.command('/hc', 'watch web --me --recovery', { until: 'Already posted' })
  expect(refused.text).toContain(
    'Already posted in your direct messages: web. That message shows when it’s up again. Nothing was saved.',
  )
  expect(await listRecoveries()).toEqual([])
  const { text } = await member.command('/hc', 'watch all --me --recovery', {
    until: 'when it’s up again: mail',
  })
  expect(text).toContain('I’ll send you a DM when it’s up again: mail.')
  expect(text).toContain('Already posted here: web.')
  expect(await listRecoveries()).toHaveLength(1)
})

it('doesn’t say that anything was done if the watch ended before its button was pressed', async () => {
  await using world = await startWorld({ checks: [{ name: 'web', status: 'UNHEALTHY' }] })
  const { member } = world.slack
  const saved = await member.command('/hc', 'watch web', { ...OPERATIONS, until: 'Post these now' })
  await member.command('/hc', 'unwatch all', { ...OPERATIONS, until: 'Ended 1 watch' })
  const { text } = await member.click(saved.message, 'Post these now')
  expect(text).toContain('This watch has ended. Nothing was posted.')
  expect(text).not.toContain('The earlier steps were already done')
  const [entry] = await world.app.store.audit.search({
    ...{ workspaceId: WORKSPACE, verb: '/hc watch-post', limit: 1 },
  })
  expect(entry?.outcome).not.toBe('done')
})
