import { describe, expect, it } from 'vitest'
import { createClock, FULL_MANIFEST, startWorld, type World } from '../app.ts'

const start = () => startWorld(undefined, { manifestPath: FULL_MANIFEST })
const JSON_TYPE = 'application/json'

/** Posts to the webhook, and returns the response's status and text. */
async function post(
  world: World,
  body: string,
  { type = JSON_TYPE, path = '' } = {},
): Promise<[number, string]> {
  const url = path ? world.playground.url + path : (world.playground.webhookUrl ?? '')
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body })
  return [response.status, await response.text()]
}

describe('an incoming webhook', () => {
  it('posts to its channel without a token', async () => {
    await using world = await start()
    const divider = { type: 'divider' }
    expect(await post(world, JSON.stringify({ text: 'from outside', channel: '#random' }))).toEqual([
      200,
      'ok',
    ])
    const form = new URLSearchParams({ payload: JSON.stringify({ text: 'as a form', blocks: [divider] }) })
    expect(await post(world, form.toString(), { type: 'application/x-www-form-urlencoded' })).toEqual([
      200,
      'ok',
    ])
    expect(await world.slack.member.messages('general')).toMatchObject([
      { text: 'from outside', app: true, subtype: 'bot_message' },
      { text: 'as a form', blocks: [divider] },
    ])
    const { messages } = await world.api('conversations.history', { channel: 'C0GENERAL1' })
    expect(messages).toMatchObject([{}, { subtype: 'bot_message', username: 'Full', bot_id: 'B0PLAYGRND' }])
    expect(messages).toMatchObject([{}, expect.not.objectContaining({ user: expect.anything() })])
  })

  it.each([
    ['{', 400, 'invalid_payload'],
    ['{}', 400, 'invalid_payload'],
    ['{"text": ""}', 400, 'no_text'],
    ['{"blocks": {}}', 400, 'invalid_blocks_format'],
    ['{"text": "x", "blocks": [{"type": "nope"}]}', 400, 'invalid_blocks'],
  ])('responds to %s with status %i and %s', async (body, status, error) => {
    await using world = await start()
    expect(await post(world, body)).toEqual([status, error])
  })

  it('replies in a thread, but not in one that doesn’t exist', async () => {
    await using world = await start()
    const { ts: root } = await world.slack.member.say('root', { channel: 'general' })
    expect(await post(world, JSON.stringify({ text: 'reply', thread_ts: root }))).toEqual([200, 'ok'])
    for (const [thread_ts, error] of [
      ['123', 'invalid_thread_ts'],
      ['1700000000.000000', 'thread_not_found'],
    ])
      expect(await post(world, JSON.stringify({ text: 'lost', thread_ts }))).toEqual([400, error])
    const { messages } = await world.api('conversations.replies', { channel: 'C0GENERAL1', ts: root })
    expect(messages).toMatchObject([{ text: 'root' }, { text: 'reply', thread_ts: root }])
  })

  it('returns Slack’s errors for a wrong URL or content type, and after the app is uninstalled', async () => {
    await using world = await start()
    const body = '{"text": "x"}'
    const path = new URL(world.playground.webhookUrl ?? '').pathname
    expect(await post(world, body, { path: `${path}0` })).toEqual([403, 'invalid_token'])
    expect(await post(world, body, { path: '/services/T0NOPE/B0/x' })).toEqual([404, 'no_team'])
    expect(await post(world, body, { path: '/services/T0FACTORY1/B0/x' })).toEqual([404, 'no_service'])
    expect(await post(world, body, { type: 'application/x-www-form-urlencoded' })).toEqual([
      400,
      'invalid_payload',
    ])
    await world.slack.uninstall('T0PLAYGRND')
    expect(await post(world, body)).toEqual([404, 'no_service'])
  })

  it('allows a burst of 3 posts, then one a second, together with the app’s other posts in the channel', async () => {
    const clock = createClock()
    await using world = await startWorld(undefined, { manifestPath: FULL_MANIFEST, now: clock.now })
    await world.api('chat.postMessage', { channel: 'C0GENERAL1', text: 'first' })
    for (const text of ['second', 'third'])
      expect(await post(world, JSON.stringify({ text }))).toEqual([200, 'ok'])
    const response = await fetch(world.playground.webhookUrl ?? '', {
      method: 'POST',
      headers: { 'content-type': JSON_TYPE },
      body: '{"text": "fourth"}',
    })
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('1')
    expect(await response.json()).toEqual({ retry_after: 1, ok: false, error: 'rate_limited' })
    clock.advance(1000)
    expect(await post(world, '{"text": "fifth"}')).toEqual([200, 'ok'])
    const texts = (await world.slack.member.messages('general')).map(({ text }) => text)
    expect(texts).toEqual(['first', 'second', 'third', 'fifth'])
  })

  it('posts to the channel that the person chose when installing the app', async () => {
    await using world = await start()
    const query = { client_id: 'playground-client', scope: 'chat:write,incoming-webhook' }
    const form = { ...query, as: 'T0WORKSHOP U0WSADMIN1', decision: 'allow' }
    const authorize = (fields: Record<string, string>) =>
      fetch(`${world.playground.url}/oauth/v2/authorize`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
        redirect: 'manual',
      })
    const page = await fetch(`${world.playground.url}/oauth/v2/authorize?${new URLSearchParams(query)}`)
    expect(await page.text()).toContain('Post to <select name="channel">')
    expect((await authorize({ ...form, channel: 'C0NOPE' })).status).toBe(400)
    const redirectUrl = (await authorize({ ...form, channel: 'C0WSGENERL' })).headers.get('location') ?? ''
    const code = new URL(redirectUrl).searchParams.get('code')
    const client = { client_id: 'playground-client', client_secret: 'playground-client-secret' }
    const access = await world.api('oauth.v2.access', { ...client, code })
    expect(access).toMatchObject({ incoming_webhook: { channel: '#general', channel_id: 'C0WSGENERL' } })
    const { incoming_webhook } = access
    const path = new URL(JSON.parse(JSON.stringify(incoming_webhook)).url).pathname
    expect(await post(world, '{"text": "here"}', { path })).toEqual([200, 'ok'])
  })

  it('doesn’t exist if the manifest doesn’t have one', async () => {
    await using world = await startWorld()
    expect(world.playground.webhookUrl).toBeUndefined()
  })
})

describe('a response_url', () => {
  const CHANNEL = 'C0GENERAL1'

  it('has the same limit for public messages, none for private ones, and a refused post isn’t one of its 5 uses', async () => {
    const clock = createClock()
    await using world = await startWorld(undefined, { manifestPath: FULL_MANIFEST, now: clock.now })
    await world.slack.member.command('/hc', 'list', { until: () => true, channel: CHANNEL })
    const path = new URL(String(world.sent.at(-1)?.body.response_url)).pathname
    const respond = async (fields: object) => (await post(world, JSON.stringify(fields), { path }))[0]
    const reply = { text: 'for everyone', response_type: 'in_channel' }
    for (const _ of [1, 2, 3]) await world.api('chat.postMessage', { channel: CHANNEL, text: 'post' })
    expect(await respond({ text: 'private' })).toBe(200)
    for (const _ of [1, 2, 3]) expect(await respond(reply)).toBe(429)
    for (const _ of [1, 2, 3, 4]) {
      clock.advance(1000)
      expect(await respond(reply)).toBe(200)
    }
    clock.advance(1000)
    expect(await respond(reply)).toBe(404)
  })
})
