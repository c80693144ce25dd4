import { readText } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { ALLOWED_SHARED_CHANNELS } from '../../../src/bot/posts/may-post.ts'
import { UNTIL_FORM } from '../../acts/act-kind.ts'
import { WORKSPACE, type World } from '../../world.ts'
import { addOrder, modalShows, startOrders, waitForDirectMessage } from './order-helpers.ts'

/** A channel that is shared with another organization. */
const PARTNER = 'C0PARTNER1'

async function listCards({ slack }: World): Promise<string[]> {
  return (await slack.admin.messages(PARTNER)).map(readText).filter((text) => /order 1\b/i.test(text))
}

it('sends DMs instead of posting an order in a shared channel that no admin has allowed', async () => {
  await using world = await startOrders({ channelId: PARTNER })
  const { member, admin } = world.slack
  await addOrder(world, member)
  await waitForDirectMessage(admin, 'Approve order 1?')
  await waitForDirectMessage(member, 'Your order 1 is waiting for approval')
  expect(await listCards(world)).toEqual([])
})

it('rejects a shared channel for approvals until an admin allows it', async () => {
  await using world = await startOrders()
  const { admin } = world.slack
  await admin.command('/cert-order', 'settings', UNTIL_FORM)
  const refused = await admin.submit(
    { 'Approvals channel': PARTNER },
    { until: modalShows('another organization') },
  )
  expect(refused.text).toContain('This channel is shared with another organization')
  await admin.close({ all: true })
  await world.app.store.settings.set(WORKSPACE, ALLOWED_SHARED_CHANNELS, [PARTNER])
  await admin.command('/cert-order', 'settings', UNTIL_FORM)
  await admin.submit({ 'Approvals channel': PARTNER }, { until: modalShows('Settings saved') })
  await addOrder(world, admin)
  await admin.until('the card', ({ messages }) =>
    (messages[PARTNER] ?? []).some((message) => /order 1\b/i.test(readText(message))),
  )
})

it('stops updating an order’s card once an admin no longer allows the channel', async () => {
  await using world = await startOrders({ channelId: PARTNER })
  const { settings } = world.app.store
  const { member } = world.slack
  await settings.set(WORKSPACE, ALLOWED_SHARED_CHANNELS, [PARTNER])
  await addOrder(world, member)
  await expect.poll(() => listCards(world)).toHaveLength(1)
  const before = await listCards(world)
  await settings.set(WORKSPACE, ALLOWED_SHARED_CHANNELS, [])
  await member.command('/cert-order', 'withdraw 1')
  await waitForDirectMessage(member, 'Your order 1 was withdrawn')
  expect(await listCards(world)).toEqual(before)
})
