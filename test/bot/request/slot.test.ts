import { expect, it } from 'vitest'
import { createOpenSlot, NO_PLACEHOLDER } from '../../../src/bot/request/reply.ts'
import type { HandledRequest } from '../../../src/bot/routes/command-context.ts'
import { createLog } from '../../../src/log.ts'

/** Opens slots whose placeholders are due at once. `sent` lists to whom a message was sent. */
function createSlots() {
  const sent: string[] = []
  const delivery = {
    send: async ({ userId }: HandledRequest) => void sent.push(userId),
    open: async () => 'V1',
  }
  const openSlot = createOpenSlot({
    // Only the methods that this test needs.
    delivery: delivery as never,
    database: { unansweredMs: () => 0 },
    requestDeadlines: { modalDeadlineMs: 0, placeholderMs: 0 },
    log: createLog('silent'),
  })
  return { sent, openSlot }
}

const request = (userId: string, surface: object): HandledRequest =>
  ({ workspaceId: 'T1', channelId: 'C1', userId, reference: 'R', surface }) as HandledRequest

it('says that Signalman is working, unless something else does', async () => {
  const { sent, openSlot } = createSlots()
  const surface = { kind: 'command', responseUrl: 'https://slack.example/' }
  openSlot(request('U1', surface), NO_PLACEHOLDER)
  openSlot(request('U2', surface))
  await expect.poll(() => sent).toContain('U2')
  expect(sent).toEqual(['U2'])
})
