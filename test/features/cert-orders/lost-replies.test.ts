import { readText } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { ORDER_WORK } from '../../../src/features/cert-orders/rows/order-writer.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { eitherOf } from '../../long.ts'
import { WORKSPACE, type World } from '../../world.ts'
import {
  APPROVALS_CHANNEL,
  listDirectMessages,
  modalShows,
  requestOrder,
  startOrders,
  waitForDirectMessage,
} from './order-helpers.ts'

/** Waits until all messages about orders are sent. */
const waitUntilAllSent = ({ app }: World) =>
  expect.poll(async () => (await app.store.work.listOpen(WORKSPACE, [ORDER_WORK.notice])).length).toBe(0)

it.each(eitherOf(SHARED_DATABASES))(
  'posts each notification of an order once, in the channel and by DM, even if Slack’s responses are lost, on $name',
  { timeout: 90_000 },
  async ({ start }) => {
    await using database = await start()
    await using world = await startOrders(
      { channelId: APPROVALS_CHANNEL },
      {
        environment: { DATABASE_URL: database.url, ENCRYPTION_KEYS: database.keys },
        workTimes: { pollMs: 50 },
      },
    )
    const { member, admin } = world.slack
    await world.slack.faults({ method: 'chat.postMessage', kind: 'drop-reply', times: 2 })
    await requestOrder(member)
    await waitForDirectMessage(member, 'Your order 1 is waiting for approval')
    await waitUntilAllSent(world)
    const listCards = async () => (await admin.messages()).filter(({ text }) => /order 1\b/i.test(text))
    expect(await listCards()).toHaveLength(1)
    expect((await listDirectMessages(member)).filter((text) => text.includes('Your order 1'))).toHaveLength(1)
    await admin.command('/cert-order', 'reject 1', { until: modalShows('Reason') })
    await world.slack.faults({ method: 'chat.postMessage', kind: 'drop-reply' })
    await admin.submit({ Reason: 'Not now' }, { until: modalShows('was rejected') })
    await waitForDirectMessage(member, 'Not now')
    await waitUntilAllSent(world)
    // The card was found in the channel, so it can be edited.
    expect((await listCards()).map(readText)).toEqual([expect.stringContaining('was rejected')])
    // The requester's message, and the reply in its thread.
    expect((await listDirectMessages(member)).filter((text) => text.includes('Not now'))).toHaveLength(2)
  },
)
