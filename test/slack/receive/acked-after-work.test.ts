import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createDeliveries } from '../../../packages/slack/src/receive/deliveries.ts'
import { createLog } from '../../../src/log.ts'

const RESPONSE_DEADLINE_MS = 20

/** Delivers an event whose work takes longer than the deadline, and then fails or succeeds. */
function deliverSlowly(type: string, work: () => Promise<void>): Promise<unknown> {
  const deliveries = createDeliveries({
    log: createLog('silent'),
    requestDeadlines: { responseDeadlineMs: RESPONSE_DEADLINE_MS },
  })
  // Bolt acknowledges an event before its listeners run.
  deliveries.init({
    async processEvent({ ack }: { ack: () => Promise<void> }) {
      await ack()
      await pause(4 * RESPONSE_DEADLINE_MS)
      await work()
    },
  } as never)
  return deliveries.handle({ transport: 'http', body: { event_id: 'E1', event: { type } } as never, id: 'x' })
}

const fail = () => Promise.reject(new Error('The database is down.'))

it.each(['app_uninstalled', 'tokens_revoked', 'channel_shared', 'user_change'])(
  'makes Slack repeat %s if its work fails after the deadline',
  async (type) => {
    await expect(deliverSlowly(type, fail)).rejects.toThrow('could not be handled')
  },
)

it('acknowledges such an event whose work ends after the deadline', async () => {
  expect(await deliverSlowly('app_uninstalled', async () => undefined)).toBe('')
})

it('acknowledges any other event before its work, even if that fails', async () => {
  expect(await deliverSlowly('app_mention', fail)).toBe('')
})
