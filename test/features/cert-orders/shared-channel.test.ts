import { readText } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { UNTIL_FORM } from '../../acts/act-kind.ts'
import type { World } from '../../world.ts'
import { addOrder, modalShows, startOrders, waitForDirectMessage } from './order-helpers.ts'

/** A channel that is shared with another organization. */
const PARTNER = 'C0PARTNER1'

async function listCards({ slack }: World): Promise<string[]> {
  return (await slack.admin.messages(PARTNER)).map(readText).filter((text) => /order 1\b/i.test(text))
}

it('sends DMs instead of posting an order in a channel that is shared with another organization', async () => {
  await using world = await startOrders({ channelId: PARTNER })
  const { member, admin } = world.slack
  await addOrder(world, member)
  await waitForDirectMessage(admin, 'Approve order 1?')
  await waitForDirectMessage(member, 'Your order 1 is waiting for approval')
  expect(await listCards(world)).toEqual([])
})

it('rejects a shared channel for approvals', async () => {
  await using world = await startOrders()
  const { admin } = world.slack
  await admin.command('/cert-order', 'settings', UNTIL_FORM)
  const refused = await admin.submit(
    { 'Approvals channel': PARTNER },
    { until: modalShows('another organization') },
  )
  expect(refused.text).toContain('This channel is shared with another organization')
})
