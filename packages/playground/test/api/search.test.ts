import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Fields } from '../../src/protocol/json.ts'
import { startWorld } from '../app.ts'

const manifestPath = join(import.meta.dirname, '../search-manifest.yml')
const METHOD = 'assistant.search.context'

/** The token in an event. */
const readToken = ({ assistant_thread: thread }: Fields): unknown =>
  (thread as Fields | undefined)?.action_token

it('searches what the person who mentioned the app can read, with the token of the mention', async () => {
  await using world = await startWorld(() => ({}), { manifestPath })
  const { member, admin } = world.slack
  await admin.say('The checkout is slow again', { channel: 'operations' })
  await member.say('checkout works for me')
  await admin.createChannel('boardroom')
  await admin.say('checkout will be sold', { channel: 'boardroom' })
  await member.say('@search what about the checkout?')
  const action_token = readToken(await world.waitForEvent('app_mention'))
  expect(action_token).toEqual(expect.any(String))
  const found = await world.api(METHOD, { query: 'checkout slow', action_token })
  expect(found).toMatchObject({
    ok: true,
    results: {
      messages: [
        {
          author_user_id: admin.id,
          channel_name: 'operations',
          content: 'The checkout is slow again',
          is_author_bot: false,
        },
      ],
    },
  })
  const all = await world.api(METHOD, { query: 'checkout', action_token, limit: 1 })
  expect(all).toMatchObject({
    results: { messages: [{ content: expect.stringContaining('what about') }] },
    response_metadata: { next_cursor: expect.stringMatching(/./) },
  })
  expect(JSON.stringify(await world.api(METHOD, { query: 'checkout', action_token }))).not.toContain('sold')
  for (const token of [undefined, 'x'])
    expect(await world.api(METHOD, { query: 'checkout', action_token: token })).toMatchObject({
      error: 'invalid_action_token',
    })
})

it('puts a token in direct messages to the app, but not in channel messages, and in none without the scope', async () => {
  await using world = await startWorld(() => ({}), { manifestPath })
  await world.slack.member.say('hello')
  expect(readToken(await world.waitForEvent('message'))).toBeUndefined()
  await world.slack.member.say('hello', { channel: 'dm' })
  const isDirect = ({ body }: (typeof world.sent)[number]) => (body.event as Fields).channel_type === 'im'
  await world.eventually('the direct message', () => world.sent.some(isDirect))
  expect(readToken(world.sent.find(isDirect)?.body.event as Fields)).toEqual(expect.any(String))
  await using other = await startWorld()
  await other.slack.member.say('<@U0PLAYGBOT> hello')
  expect(readToken(await other.waitForEvent('app_mention'))).toBeUndefined()
  expect(await other.api(METHOD, { query: 'x' })).toMatchObject({ error: 'missing_scope' })
})
