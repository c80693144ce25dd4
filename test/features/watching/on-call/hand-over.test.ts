import { readText } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { WORKSPACE } from '../../../world.ts'
import { waitForDirectMessage } from '../../cert-orders/order-helpers.ts'
import { startWatchedWorld, untilPolled, untilPosted } from '../watched-world.ts'

const ADMIN = 'U0ADMIN001'

/** A world in which the member is on an outage of web-1, or of several checks. */
async function startOnIt(channelId = 'C0GENERAL1', names: readonly string[] = ['web-1']) {
  const { world, watch } = await startWatchedWorld(
    { checks: names.map((name) => ({ name, status: 'HEALTHY' })) },
    { channelId },
  )
  const { member } = world.slack
  await untilPolled(world)
  for (const name of names) {
    const [check] = await world.service.checksNamed(name)
    await world.service.setStatus(check?.uuid ?? '', 'UNHEALTHY')
  }
  const listsAll = (text = '') => names.every((name) => text.includes(name))
  const [down] = await untilPosted(world, channelId, ([post]) => listsAll(post?.text))
  await member.click(down, 'I’m on it', { until: 'You’re on it' })
  const [card] = await untilPosted(
    world,
    channelId,
    ([post]) => post?.text.includes('Member is on it') ?? false,
  )
  const listOwned = async (userId: string) =>
    (await world.app.store.watching.acknowledgments.listAcknowledgedBy(WORKSPACE, userId, 9)).length
  const handOverTo = async (userId: string, until: string) => {
    await member.click(card, 'Hand over')
    const { text } = await member.submit({ 'Hand over to': [userId] }, { until })
    return text
  }
  return { world, watch, listOwned, handOverTo }
}

it('hands an outage over, and tells the new person in a DM', async () => {
  const { world, listOwned, handOverTo } = await startOnIt()
  await using _ = world
  expect(await handOverTo(ADMIN, 'Handed over')).toContain('Handed over 1 outage to Admin.')
  await waitForDirectMessage(world.slack.admin, 'Member handed over 1 outage to you in')
  const received = (await world.slack.admin.messages('dm')).map((sent) => readText(sent))
  expect(received.filter((text) => text.includes('handed over 1 outage'))).toEqual([
    expect.stringContaining('You’re on it now: web-1.'),
  ])
  expect([await listOwned('U0MEMBER01'), await listOwned(ADMIN)]).toEqual([0, 1])
  const { message } = await world.slack.admin.command('/hc', 'audit --verb watch-hand-over --ungrouped')
  expect(message?.text).toContain(`handed over the outages of a card to <@${ADMIN}>`)
  expect(message?.text).toContain(`sent a message to <@${ADMIN}> about handing over 1 outage`)
})

it('tells the new person only what they got, if somebody else took an outage over meanwhile', async () => {
  const { world, handOverTo } = await startOnIt('C0GENERAL1', ['web-1', 'web-2'])
  await using _ = world
  const { acknowledgments } = world.app.store.watching
  const { listPressedBy } = acknowledgments
  acknowledgments.listPressedBy = async (workspaceId, pressed, userId) => {
    const found = await listPressedBy(workspaceId, pressed, userId)
    const first = found?.incidents.find(({ check }) => check.name === 'web-1')
    const other = { userId: 'U0OTHER001', name: 'Other' }
    if (found && first) await acknowledgments.handOver(found.scope, [first.id], userId, other)
    return found
  }
  expect(await handOverTo(ADMIN, 'Handed over')).toContain('Handed over 1 outage to Admin.')
  await waitForDirectMessage(world.slack.admin, 'Member handed over 1 outage to you in')
  const received = (await world.slack.admin.messages('dm')).map((sent) => readText(sent)).join()
  expect(received).toContain('You’re on it now: web-2.')
})

it('refuses to hand an outage over to a guest, a stranger, or someone who isn’t in the channel, also in bulk', async () => {
  const { world, listOwned, handOverTo } = await startOnIt('C0OPERATNS')
  await using _ = world
  const { admin, member } = world.slack
  for (const [userId, reason] of [
    ['U0GUEST002', 'is a guest, and guests can’t press “I’m on it”'],
    ['U0FOREIGN1', 'isn’t in this workspace'],
  ] as const) {
    expect(await handOverTo(userId, 'Choose someone else')).toContain(reason)
    expect(await listOwned('U0MEMBER01')).toBe(1)
    await member.close({ all: true })
  }
  await admin.leave('C0OPERATNS')
  expect(await handOverTo(ADMIN, 'Choose someone else')).toContain('Admin isn’t in the channel.')
  await member.close({ all: true })
})

it('tells the new owner of a watch whom it can’t page', async () => {
  const { world, watch } = await startWatchedWorld()
  await using _ = world
  const { watches } = world.app.store.watching
  const steps = [{ afterMs: 600_000, responders: [{ name: '@left', id: 'U0LEFT0001' }] }]
  await watches.change(WORKSPACE, watch.id, { ...watch, escalation: steps }, new Date())
  // The previous owner already knows.
  await watches.setUnreachable(WORKSPACE, watch.id, ['@left is deactivated'])
  expect(await watches.setOwner(WORKSPACE, watch.id, { from: 'U0MEMBER01', to: ADMIN })).toBe(true)
  await waitForDirectMessage(world.slack.admin, 'can’t page everyone it should')
  const texts = (await world.slack.member.messages('dm')).map((sent) => readText(sent))
  expect(texts.filter((text) => text.includes('can’t page everyone'))).toEqual([])
})
