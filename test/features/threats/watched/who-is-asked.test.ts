import { readText } from '@signalman/playground/driver'
import { describe, expect, it } from 'vitest'
import { EVERYONE } from '../../../../src/domain/roles.ts'
import { WORKSPACE } from '../../../world.ts'
import { ID, type ThreatWorld } from '../world.ts'
import { findCase, QUESTION, startQuickWorld, startWatch, waitForDirectMessage } from './watch-world.ts'

const ADMIN = 'U0ADMIN001'

/** The texts in the thread of the case's card. */
async function readThread(world: ThreatWorld): Promise<string[]> {
  const { card } = (await findCase(world)) ?? {}
  const messages = await world.slack.admin.messages()
  return messages.filter(({ threadTs }) => threadTs === card?.messageTs).map(readText)
}

const findQuestions = async (world: ThreatWorld): Promise<string[]> =>
  (await readThread(world)).filter((text) => text.includes(QUESTION))

const countDirectQuestions = async ({ slack }: ThreatWorld): Promise<number> => {
  const messages = [...(await slack.member.messages('dm')), ...(await slack.admin.messages('dm'))]
  return messages.filter(({ text }) => text.includes(QUESTION)).length
}

describe('the question of a case', { timeout: 90_000 }, () => {
  it('moves to the thread of its card if the holder leaves, and mentions the last active person', async () => {
    await using world = await startQuickWorld()
    const { member, admin } = world.slack
    const uuid = await startWatch(world)
    await admin.command('/threat', `note ${ID} Called the registrar`, { until: 'Note added.' })
    await world.service.setStatus(uuid, 'UNHEALTHY')
    const asked = await waitForDirectMessage(world, QUESTION)
    expect(await findQuestions(world)).toEqual([])
    await member.updateAccount({ deleted: true })
    await expect.poll(() => findQuestions(world)).toHaveLength(1)
    const [question] = await findQuestions(world)
    expect(question).toContain(`<@${ADMIN}> exa[.]mple ${QUESTION}`)
    expect((await findCase(world))?.asked).toMatchObject({ channelId: 'C0GENERAL1' })
    const old = (await member.messages('dm')).find(({ ts }) => ts === asked?.ts)
    expect(old?.text).toContain('Signalman asks about exa[.]mple in the case’s thread now')
    // Anyone who may work on the case can answer in the thread.
    const inThread = (await admin.messages()).find((message) => readText(message).includes(QUESTION))
    await admin.click(inThread, 'It’s down', { until: 'The case is closed.' })
    await expect.poll(() => findQuestions(world)).toEqual([])
    expect(await countDirectQuestions(world)).toBe(0)
  })

  it('is asked in the thread if nobody has the case, without a mention if everyone who worked on it has left', async () => {
    await using world = await startQuickWorld()
    const { member } = world.slack
    const uuid = await startWatch(world)
    await member.command('/threat', `release ${ID}`, { until: 'You gave this case back' })
    await member.updateAccount({ deleted: true })
    await world.service.setStatus(uuid, 'UNHEALTHY')
    await expect.poll(() => findQuestions(world)).toHaveLength(1)
    expect(await findQuestions(world)).toEqual([expect.not.stringContaining('<@')])
    expect(await countDirectQuestions(world)).toBe(0)
  })

  it('mentions whoever gave the case back', async () => {
    await using world = await startQuickWorld()
    const { member } = world.slack
    const uuid = await startWatch(world)
    await member.command('/threat', `release ${ID}`, { until: 'You gave this case back' })
    await world.service.setStatus(uuid, 'UNHEALTHY')
    await expect.poll(() => findQuestions(world)).toEqual([expect.stringContaining(`<@${member.id}>`)])
  })

  it('moves from the thread to whoever takes the case over from someone who has left', async () => {
    await using world = await startQuickWorld()
    const { member, admin } = world.slack
    const uuid = await startWatch(world)
    await world.service.setStatus(uuid, 'UNHEALTHY')
    await waitForDirectMessage(world, QUESTION)
    await member.updateAccount({ deleted: true })
    await expect.poll(() => findQuestions(world)).toHaveLength(1)
    const taken = await admin.command('/threat', `take ${ID}`, { until: 'take it over' })
    await admin.click(taken.message, 'Take over', { until: 'You took this case over' })
    await expect.poll(() => countDirectQuestions(world)).toBe(1)
    expect((await findCase(world))?.asked?.askedFor).toBe(ADMIN)
    await expect.poll(() => findQuestions(world)).toEqual([])
    expect((await readThread(world)).join()).toContain('Signalman asks someone else')
  })

  it('goes to an admin if the case has no card and everyone who worked on it has left', async () => {
    await using world = await startQuickWorld()
    const { member, admin } = world.slack
    const uuid = await startWatch(world, { channel: 'dm' })
    await world.service.setStatus(uuid, 'UNHEALTHY')
    await waitForDirectMessage(world, QUESTION)
    await member.updateAccount({ deleted: true })
    const findAsked = async () => (await admin.messages('dm')).filter(({ text }) => text.includes(QUESTION))
    await expect.poll(findAsked).toHaveLength(1)
    expect(await countDirectQuestions(world)).toBe(1)
  })
})

it('says that there’s a newer question if the same person is asked something else', {
  timeout: 90_000,
}, async () => {
  let offsetMs = 0
  await using world = await startQuickWorld(undefined, { now: () => new Date(Date.now() + offsetMs) })
  const { member } = world.slack
  const uuid = await startWatch(world)
  await world.service.setStatus(uuid, 'HEALTHY')
  offsetMs += 3 * 86_400_000 + 60_000
  await world.slack.clock({ advanceMs: offsetMs })
  const earlier = await waitForDirectMessage(world, 'What’s next?')
  await world.service.setStatus(uuid, 'UNHEALTHY')
  await waitForDirectMessage(world, QUESTION)
  const old = (await member.messages('dm')).find(({ ts }) => ts === earlier?.ts)
  expect(old?.text).toContain('There’s a newer question about exa[.]mple.')
})

describe('the question of a case whose holder can’t answer it', { timeout: 90_000 }, () => {
  it('moves to the thread if the person who is asked is erased, and their DM no longer shows it', async () => {
    await using world = await startQuickWorld()
    const { member } = world.slack
    const uuid = await startWatch(world)
    await world.service.setStatus(uuid, 'UNHEALTHY')
    const asked = await waitForDirectMessage(world, QUESTION)
    await world.app.store.threatCases.erasePerson(WORKSPACE, member.id)
    await expect.poll(() => findQuestions(world)).toHaveLength(1)
    expect(await countDirectQuestions(world)).toBe(0)
    const old = (await member.messages('dm')).find(({ ts }) => ts === asked?.ts)
    expect(old?.text).toContain('Signalman asks about exa[.]mple in the case’s thread now')
    expect((await findCase(world))?.asked).toMatchObject({ channelId: 'C0GENERAL1' })
  })

  it('isn’t for a holder without the operator role', async () => {
    await using world = await startQuickWorld()
    const { member } = world.slack
    const uuid = await startWatch(world)
    const { grants } = world.app.store
    for (const role of ['operator', 'approver', 'admin'] as const)
      await grants.remove(WORKSPACE, role, EVERYONE)
    await world.service.setStatus(uuid, 'UNHEALTHY')
    await expect.poll(() => findQuestions(world)).toEqual([expect.not.stringContaining(member.id)])
    expect(await countDirectQuestions(world)).toBe(0)
  })

  it('moves within an hour after the holder’s role ended', async () => {
    let offsetMs = 0
    await using world = await startQuickWorld(undefined, { now: () => new Date(Date.now() + offsetMs) })
    const uuid = await startWatch(world)
    await world.service.setStatus(uuid, 'UNHEALTHY')
    await waitForDirectMessage(world, QUESTION)
    const { grants } = world.app.store
    for (const role of ['operator', 'approver', 'admin'] as const)
      await grants.remove(WORKSPACE, role, EVERYONE)
    offsetMs += 3_600_000
    await world.slack.clock({ advanceMs: offsetMs })
    await expect.poll(() => findQuestions(world), { timeout: 20_000 }).toHaveLength(1)
    expect(await countDirectQuestions(world)).toBe(0)
  })
})

describe('the card of a watched case', { timeout: 90_000 }, () => {
  it('says when the health check was read, and doesn’t say that it’s watched while it can’t be read', async () => {
    let offsetMs = 0
    await using world = await startQuickWorld(undefined, { now: () => new Date(Date.now() + offsetMs) })
    const { member } = world.slack
    const readCard = async () => {
      const { card } = (await findCase(world)) ?? {}
      return readText((await member.messages()).find(({ ts }) => ts === card?.messageTs))
    }
    await startWatch(world)
    await expect.poll(readCard).toContain('watched until it’s down, read ')
    await world.service.faults({ path: '/', method: 'GET', kind: 'status', status: 500, times: 100_000 })
    offsetMs += 20 * 60_000
    await world.slack.clock({ advanceMs: offsetMs })
    await expect.poll(readCard).toContain('health check not read since ')
    expect(await readCard()).not.toContain('watched until')
    await world.service.faults()
    await expect.poll(readCard).toContain('watched until it’s down, read ')
    await member.command('/threat', `unwatch ${ID}`, { until: 'Stopped watching' })
    await expect.poll(readCard).not.toMatch(/watched until|health check/)
  })
})
