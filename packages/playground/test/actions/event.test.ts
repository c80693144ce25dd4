import { describe, expect, it } from 'vitest'
import { startWorld } from '../app.ts'

const home = { type: 'home', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'Welcome' } }] }

describe('events', () => {
  it('sends app_home_opened, and shows the Home that the app then publishes', async () => {
    await using world = await startWorld()
    const opening = world.slack.member.openHome()
    await world.eventually('the event', () => world.sent.length === 1)
    expect(world.sent[0]?.headers['content-type']).toBe('application/json')
    expect(world.sent[0]?.body).toMatchObject({
      type: 'event_callback',
      team_id: 'T0PLAYGRND',
      api_app_id: 'A0PLAYGRND',
      event: { type: 'app_home_opened', user: 'U0MEMBER01', tab: 'home' },
      authorizations: [{ team_id: 'T0PLAYGRND', user_id: 'U0PLAYGBOT', is_bot: true }],
    })
    expect(await world.api('views.publish', { user_id: 'U0MEMBER01', view: home })).toMatchObject({
      ok: true,
    })
    expect((await opening).text).toBe('Welcome')
    expect(await world.slack.admin.home()).toBeNull()
    await world.slack.member.openHome({ until: () => true })
    expect(world.sent[1]?.body).toMatchObject({ event: { view: { type: 'home' } } })
  })

  it('sends app_mention with the message’s thread', async () => {
    await using world = await startWorld()
    const { ts } = await world.slack.member.say('who knows <b> & co?')
    const sent = await world.slack.admin.say('ask @example, see https://example.com/?a=1&b=2', {
      threadTs: ts,
    })
    expect(sent.outcome.ok).toBe(true)
    expect(world.sent).toHaveLength(1)
    expect(world.sent[0]?.body.event).toMatchObject({
      type: 'app_mention',
      user: 'U0ADMIN001',
      channel: 'C0GENERAL1',
      thread_ts: ts,
      text: 'ask <@U0PLAYGBOT>, see <https://example.com/?a=1&amp;b=2>',
    })
    const [first] = await world.slack.member.messages()
    expect(first).toMatchObject({ text: 'who knows &lt;b&gt; &amp; co?', replyCount: 1 })
  })

  it('sends message.im for a direct message to the bot', async () => {
    await using world = await startWorld()
    await world.slack.member.say('hello', { channel: 'dm' })
    expect(world.sent[0]?.body.event).toMatchObject({ type: 'message', channel_type: 'im', text: 'hello' })
    await world.slack.member.say('@example here', { channel: 'random' })
    expect(world.sent).toHaveLength(1)
  })

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
  it('sends the app the message that a message shortcut is used on', async () => {
    await using world = await startWorld()
    const { ts } = await world.slack.member.say('look at 42')
    const message = { channel: 'C0GENERAL1', ts }
    const usingShortcut = world.slack.member.shortcut('look-up', { message })
    await world.eventually('the shortcut', () => world.sent.length === 1)
    expect(world.sent[0]?.body).toMatchObject({
      type: 'message_action',
      callback_id: 'look-up',
      message_ts: ts,
      message: { text: 'look at 42', user: 'U0MEMBER01' },
      channel: { id: 'C0GENERAL1', name: 'general' },
    })
    await world.respond(world.sent[0]?.body.response_url, { text: 'found' })
    expect((await usingShortcut).message).toMatchObject({ text: 'found', ephemeral: true })
  })

  it('shows an error notice if the app fails to acknowledge a shortcut', async () => {
    await using world = await startWorld(() => ({ status: 500 }))
    const answer = await world.slack.member.shortcut('new-one')
    expect(world.sent[0]?.body).toMatchObject({ type: 'shortcut', callback_id: 'new-one' })
    expect(answer.notices).toHaveLength(1)
    await expect(world.slack.member.shortcut('look-up')).rejects.toThrow('no global shortcut "look-up"')
  })
})
