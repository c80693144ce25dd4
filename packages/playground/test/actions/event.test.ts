import { describe, expect, it } from 'vitest'
import { startWorld } from '../app.ts'

const home = { type: 'home', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'Welcome' } }] }

describe('events', () => {
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
})

describe('views.publish', () => {
  it.each([
    {
      view: { ...home, title: { type: 'plain_text', text: 'x' } },
      user_id: 'U0MEMBER01',
      error: 'invalid_arguments',
    },
    { view: home, user_id: 'U0NOBODY', error: 'user_not_found' },
    { view: home, user_id: 'U0MEMBER01', hash: 'old', error: 'hash_conflict' },
  ])('rejects an invalid call: $error', async ({ error, ...args }) => {
    await using world = await startWorld()
    await world.api('views.publish', { user_id: 'U0MEMBER01', view: home })
    expect(await world.api('views.publish', args)).toMatchObject({ ok: false, error })
  })
})

describe('shortcuts', () => {
  it('shows an error notice if the app fails to acknowledge a shortcut', async () => {
    await using world = await startWorld(() => ({ status: 500 }))
    const message = await world.slack.member.say('look')
    const answer = await world.slack.member.shortcut('look-up', { message })
    expect(answer.notices).toHaveLength(1)
    const unknown = world.slack.member.shortcut('other', { message })
    await expect(unknown).rejects.toThrow('no shortcut "other"')
  })
})
