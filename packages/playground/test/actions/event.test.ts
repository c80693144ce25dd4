import { expect, it } from 'vitest'
import { startWorld } from '../app.ts'

it.each([
  { problem: 'no answer', reply: 'silent' as const, reason: 'http_timeout' },
  { problem: 'status 500', reply: { status: 500 }, reason: 'http_error' },
])('retries an event three times after $problem', async ({ reply, reason }) => {
  await using world = await startWorld(() => reply, {
    limits: { ...(reply === 'silent' && { ackTimeoutMs: 500 }), eventRetryMs: [0, 1, 1] },
  })
  await world.slack.member.say('@example')
  await world.eventually('four requests', () => world.sent.length === 4)
  expect(world.sent.map(({ headers }) => headers['x-slack-retry-num'])).toEqual([undefined, '1', '2', '3'])
  expect(world.sent[1]?.headers['x-slack-retry-reason']).toBe(reason)
  expect(new Set(world.sent.map(({ body }) => body.event_id)).size).toBe(1)
})
