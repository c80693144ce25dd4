import { describe, expect, it } from 'vitest'
import { WORKSPACE, type World } from '../../../world.ts'
import { auditOf, ID, worldWithThreat } from '../world.ts'
import { sampleWatch } from './sample.ts'

const CHANNEL = 'C0GENERAL1'
const NAME = 'Takedown exa[.]mple [7e57ed00]'
const EVENT = { workspaceId: WORKSPACE, environment: 'production', eventId: ID } as const

const watchedWorld = (change?: Parameters<typeof worldWithThreat>[0]) =>
  worldWithThreat(change, { workTimes: { pollMs: 50 }, environment: { WATCH_INTERVAL_SECONDS: '1' } })

/** What the app has written into threads of the channel. */
async function threadOf({ slack }: World): Promise<string[]> {
  const { messages } = await slack.member.state()
  return (messages[CHANNEL] ?? [])
    .filter(
      ({ app, ephemeral, deleted, threadTs, ts }) =>
        app && !ephemeral && !deleted && threadTs && threadTs !== ts,
    )
    .map(({ text }) => text)
}

async function untilThread(world: World, text: string): Promise<string[]> {
  await expect.poll(async () => (await threadOf(world)).join('\n')).toContain(text)
  return threadOf(world)
}

const stateOf = async ({ app }: World) => (await app.store.threatCases.find(EVENT))?.state

/** Taken, and watched until it is down. */
async function begun(world: World): Promise<string> {
  const { member } = world.slack
  await member.command('/threat', `take ${ID}`, { until: 'You have this case now.' })
  const { text } = await member.command('/threat', `watch ${ID}`, { until: 'Watching until it is down.' })
  expect(text).toContain(`The health check ${NAME} was made and looks at hxxp://exa[.]mple/`)
  const [check, ...others] = await world.service.checksNamed(NAME)
  expect(others).toEqual([])
  return check?.uuid ?? ''
}

async function seenUp(world: World, uuid: string): Promise<void> {
  await world.service.hold(uuid, 'HEALTHY')
  const upAt = async () => (await world.app.store.takedownWatches.find(EVENT))?.state.upAt
  await expect.poll(upAt).toBeInstanceOf(Date)
}

describe('a watch until something is down', () => {
  it('makes it Down and opens it again, told in the thread of its case, with a word to who has it', {
    timeout: 90_000,
  }, async () => {
    await using world = await watchedWorld()
    const { member } = world.slack
    const uuid = await begun(world)
    expect(await world.service.check(uuid)).toMatchObject({ protocol: 'HTTP', target: 'http://exa.mple/' })
    await member.command('/threat', `takedown-sent ${ID}`, { until: 'Noted: the takedown was sent.' })
    await seenUp(world, uuid)
    await world.service.hold(uuid, 'UNHEALTHY')
    const good = await untilThread(world, 'Taken down after')
    expect(good.at(-1)).toMatch(/^Taken down after \d+ (s|min) of watching · /)
    expect(await stateOf(world)).toBe('down')
    await world.service.hold(uuid, 'HEALTHY')
    const bad = await untilThread(world, 'Back again')
    expect(bad.at(-1)).toMatch(
      /^Back again, after \d+ (s|min) down: opened again · .*\n<@U0MEMBER01> has this case\.$/,
    )
    expect(await stateOf(world)).toBe('takedown-sent')
    const { entries } = await auditedBySystem(world)
    expect(entries).toEqual([
      { before: { state: 'takedown-sent' }, after: { case: 'down', saw: 'down' } },
      { before: { state: 'down' }, after: { case: 'reopen', saw: 'back' } },
    ])
    await world.service.remove(uuid)
    await untilThread(world, 'The watch has ended: somebody deleted its health check')
    await expect.poll(() => world.app.store.takedownWatches.find(EVENT)).toBeUndefined()
  })

  it('is one check and one watch however often it is pressed, and leaves the check when it is stopped', {
    timeout: 90_000,
  }, async () => {
    await using world = await watchedWorld()
    const { member, admin } = world.slack
    await member.command('/threat', `take ${ID}`, { until: 'You have this case now.' })
    await Promise.all([
      member.command('/threat', `watch ${ID}`, { until: /Watching until|just starting/ }),
      admin.command('/threat', `watch ${ID}`, { until: /Watching until|just starting/ }),
    ])
    const watched = await admin.command('/threat', `watch ${ID}`, { until: 'Nothing was changed.' })
    expect(watched.text).toContain('Watched for')
    expect(await world.service.checksNamed(NAME)).toHaveLength(1)
    const stopped = await member.command('/threat', `unwatch ${ID}`, { until: 'Stopped watching' })
    expect(stopped.text).toContain(`The health check ${NAME} is still at the service`)
    expectUnchangedOnce(await member.command('/threat', `unwatch ${ID}`, { until: 'is not watched.' }))
    await member.command('/threat', `watch ${ID}`, { until: 'was there already and looks' })
    expect(await world.service.checksNamed(NAME)).toHaveLength(1)
  })

  it('speaks of no check, and offers none, while somebody is only starting it', async () => {
    await using world = await worldWithThreat()
    const { member } = world.slack
    await member.command('/threat', `take ${ID}`, { until: 'You have this case now.' })
    const starting = { ...sampleWatch('exa.mple'), ...EVENT, madeAt: new Date() }
    await world.app.store.takedownWatches.reserve(starting)
    const begun = await member.command('/threat', `watch ${ID}`, { until: 'just starting' })
    expect(JSON.stringify(begun.message)).not.toContain('/hc show')
    const stopped = await member.click(begun.message, 'Stop watching', { until: 'Stopped watching' })
    expect(stopped.text).not.toContain('still at the service')
    expect(JSON.stringify(stopped.message)).not.toContain('/hc delete')
    await member.click(stopped.message, 'Watch again', { until: 'Watching until it is down.' })
  })

  it('leaves to a person what was never seen up from here, and says where nothing can be seen', {
    timeout: 90_000,
  }, async () => {
    await using world = await watchedWorld()
    const uuid = await begun(world)
    loseOneAnswer(world)
    await world.service.hold(uuid, 'UNHEALTHY')
    const asked = await untilThread(world, 'Not reachable from here since the watch began: look yourself')
    expect(asked.at(-1)).toMatch(/\n<@U0MEMBER01> has this case\.$/)
    expect(await stateOf(world)).toBe('taken')
    const { member } = world.slack
    const card = await member.command('/threat', ID)
    expect(card.text.split('\n')[1]).toBe('⚪ Not reachable from here since the watch began: look yourself')
    const queue = await member.command('/threat', 'queue')
    expect(queue.text).toContain('⚪ Not reachable from here')
    const up = await member.click(card.message, 'It is up', { until: 'Noted: it is still up.' })
    expect(up.text).not.toContain('⚪')
    await untilThread(world, 'Still up, says')
    expect(await stateOf(world)).toBe('taken')
    await world.service.faults({
      method: 'GET',
      path: `/healthcheck/v1/healthchecks/${uuid}`,
      kind: 'status',
      status: 401,
    })
    await untilThread(world, 'The watch sees nothing: the service refuses the token')
    await world.service.faults()
    const told = await untilThread(world, 'The watch sees again')
    expect(told.filter((text) => text.includes('Not reachable from here'))).toHaveLength(1)
  })

  it('is refused where there are too many, with the oldest to be stopped', { timeout: 60_000 }, async () => {
    await using world = await worldWithThreat()
    const { member } = world.slack
    const { takedownWatches } = world.app.store
    for (let index = 10; index < 60; index += 1) await watchedSince(world, index)
    await member.command('/threat', `take ${ID}`, { until: 'You have this case now.' })
    const refused = await member.command('/threat', `watch ${ID}`, { until: 'as many as one workspace' })
    expect(refused.text).toContain(
      'Takedown old10[.]example [1057ed00], watched for 1 h 30 min; Takedown old11',
    )
    expect(refused.text).not.toContain('old15')
    expectUnchangedOnce(refused)
    await member.click(refused.message, 'Stop Takedown old10[.]example [1057ed00]', {
      until: 'Stopped watching',
    })
    expect(await takedownWatches.count(WORKSPACE)).toBe(49)
    await member.command('/threat', `watch ${ID}`, { until: 'Watching until it is down.' })
  })

  it('looks in no other environment for an event that has its case here', async () => {
    await using world = await worldWithThreat()
    const { member } = world.slack
    const { eventId } = oldWatch(10)
    await watchedSince(world, 10)
    await member.command('/threat', `unwatch ${eventId}`, { until: 'Stopped watching' })
    const refused = await member.command('/threat', `watch ${eventId}`, { until: 'has no threat event' })
    expect(JSON.stringify(refused.message)).not.toContain('Look in')
    expectUnchangedOnce(refused)
  })

  it('needs a case, and something to look at', { timeout: 60_000 }, async () => {
    await using world = await watchedWorld((event) => {
      event.domain = 'no domain'
    })
    const { member } = world.slack
    const refused = await member.command('/threat', `watch ${ID}`, { until: 'Nobody has taken this' })
    expectUnchangedOnce(refused)
    await member.click(refused.message, 'Take', { until: 'You have this case now.' })
    expectUnchangedOnce(
      await member.command('/threat', `watch ${ID}`, { until: 'names no domain and no address' }),
    )
    await member.command('/threat', `watch ${ID} --customer none`, {
      until: 'takes the number of a customer',
    })
    expect(await world.app.store.takedownWatches.find(EVENT)).toBeUndefined()
    expect((await auditOf(world)).filter((row) => row.includes('health-check'))).toEqual([])
  })
})

/** Every refusal ends so by itself. */
const expectUnchangedOnce = ({ text }: { text: string }): void =>
  expect(text.split('Nothing was changed')).toHaveLength(2)

const oldWatch = (index: number) => ({
  ...sampleWatch('old.example'),
  workspaceId: WORKSPACE,
  id: `w${index}`,
  eventId: `${index}57ed00-0000-4000-8000-00000000000a`,
  checkName: `Takedown old${index}[.]example [${index}57ed00]`,
  madeAt: new Date(Date.now() - (100 - index) * 60_000),
})

/** A watch with its case and its check, begun so many minutes less than 100 ago. */
async function watchedSince({ app, service }: World, index: number): Promise<void> {
  const { threatCases, takedownWatches } = app.store
  const watch = oldWatch(index)
  const { workspaceId, environment, eventId, enterpriseId } = watch
  const by = { userId: 'U0MEMBER01', name: 'member' }
  const newCase = { about: {}, severity: 1 }
  const taken = { workspaceId, environment, eventId, enterpriseId, by, kind: 'take', newCase } as const
  await threatCases.step({ ...taken, now: new Date(), reference: watch.id })
  const uuid = await service.addCheck({ name: watch.checkName })
  await takedownWatches.begin(await takedownWatches.reserve(watch), uuid)
}

/** The next step that is seen by itself is taken, and whoever takes it hears that it was not. */
function loseOneAnswer({ app }: World): void {
  const { threatCases } = app.store
  const { step } = threatCases
  Object.assign(threatCases, {
    async step(asked: Parameters<typeof step>[0]) {
      const outcome = await step(asked)
      if (asked.by) return outcome
      Object.assign(threatCases, { step })
      throw new Error('The answer was lost.')
    },
  })
}

async function auditedBySystem({ app }: World) {
  const found = await app.store.audit.search({ workspaceId: WORKSPACE, limit: 1000 })
  const entries = found
    .filter(({ actor, verb }) => actor.userId === 'system' && verb === '/threat watch')
    .toReversed()
    .map(({ before, after }) => ({ before, after }))
  return { entries }
}
