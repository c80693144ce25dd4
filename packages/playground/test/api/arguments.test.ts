import { expect, it } from 'vitest'
import type { Fields } from '../../src/protocol/json.ts'
import { startWorld } from '../app.ts'

const WIDE_MANIFEST = new URL('../wide-manifest.yml', import.meta.url).pathname
const GENERAL = 'C0GENERAL1'
const MEMBER = 'U0MEMBER01'
const text = 'hello'

const startWideWorld = () => startWorld(undefined, { manifestPath: WIDE_MANIFEST, rate: 'off' })

it('accepts the name of a channel in the methods that post', async () => {
  await using world = await startWideWorld()
  const post_at = Math.floor(Date.now() / 1000) + 3600
  const destinations: [method: string, args: object][] = [
    ['chat.postMessage', { text }],
    ['chat.meMessage', { text }],
    ['chat.postEphemeral', { text, user: MEMBER }],
    ['chat.scheduleMessage', { text, post_at }],
  ]
  for (const [method, args] of destinations)
    for (const channel of [GENERAL, 'general', '#general'])
      expect({ method, channel, ...(await world.api(method, { ...args, channel })) }).toMatchObject({
        ok: true,
      })
})

it('accepts only IDs of channels in all other methods', async () => {
  await using world = await startWideWorld()
  const { ts } = await world.api('chat.postMessage', { channel: GENERAL, text })
  const direct = await world.api('chat.postMessage', { channel: MEMBER, text })
  const { ts: thread_ts } = await world.slack.member.say('thread', { channel: 'general' })
  const byId: [method: string, args: object][] = [
    ['chat.update', { ts, text }],
    ['chat.delete', { ts }],
    ['chat.getPermalink', { message_ts: ts }],
    ['chat.deleteScheduledMessage', { scheduled_message_id: 'Q1' }],
    ['chat.startStream', { thread_ts, recipient_user_id: MEMBER, recipient_team_id: 'T0PLAYGRND' }],
    ['chat.stopStream', { ts }],
    ['conversations.info', {}],
    ['conversations.history', {}],
    ['reactions.add', { timestamp: ts, name: 'wave' }],
    ['pins.add', { timestamp: ts }],
  ]
  for (const [method, args] of byId)
    for (const channel of ['general', '#general', MEMBER])
      expect({ method, channel, ...(await world.api(method, { ...args, channel })) }).toMatchObject({
        error: 'channel_not_found',
      })
  const inDirectMessage = { ts: direct.ts, text: 'edited' }
  expect(await world.api('chat.update', { ...inDirectMessage, channel: MEMBER })).toMatchObject({
    error: 'channel_not_found',
  })
  expect(await world.api('chat.update', { ...inDirectMessage, channel: direct.channel })).toMatchObject({
    ok: true,
  })
})

it('shares files by the IDs of channels and people, but not by names', async () => {
  await using world = await startWorld()
  const share = (args: object) =>
    world.api('files.completeUploadExternal', { files: [{ id: 'F0NOPE' }], ...args })
  for (const args of [{ channel_id: '#general' }, { channel_id: MEMBER }, { channels: `${GENERAL},#random` }])
    expect({ args, ...(await share(args)) }).toMatchObject({ error: 'channel_not_found' })
  expect(await share({ channels: `${GENERAL}, ${MEMBER}` })).toMatchObject({ error: 'file_not_found' })
})

it('shows in the inspector which keys of an object a method ignores, and keeps none of them', async () => {
  await using world = await startWorld()
  const metadata = { event_type: 'order', event_payload: { id: 7, any: 'key' }, event_name: 'x', id: 1 }
  const { ts } = await world.api('chat.postMessage', { channel: GENERAL, text, metadata })
  await world.api('files.completeUploadExternal', {
    files: [
      { id: 'F0NOPE', name: 'a' },
      { id: 'F1', name: 'b' },
    ],
  })
  const calls = (await world.slack.deliveries()).filter(({ direction }) => direction === 'from-app')
  expect(calls.map(({ notes }) => notes.at(-1))).toEqual([
    'The playground ignores `metadata.event_name`, `metadata.id`.',
    'The playground ignores `files[].name`.',
  ])
  const history = await world.api('conversations.history', { channel: GENERAL, include_all_metadata: true })
  const posted = (history.messages as Fields[]).find((message) => message.ts === ts)
  expect(posted?.metadata).toEqual({ event_type: 'order', event_payload: { id: 7, any: 'key' } })
})

it('shows in the inspector which arguments a method ignores', async () => {
  await using world = await startWorld()
  // Bolt adds the token's own workspace, which changes nothing.
  const ignored = { unfurl_links: false, as_user: true, team_id: 'T0PLAYGRND' }
  const posted = await world.api('chat.postMessage', { channel: GENERAL, text, ...ignored })
  expect(posted).toMatchObject({ ok: true })
  expect(posted).not.toHaveProperty('response_metadata')
  await world.api('chat.postMessage', { channel: GENERAL, text, team_id: 'T0OTHER001' })
  await world.api('chat.update', { channel: GENERAL, ts: '1.000001', as_user: true, mrkdwn: true })
  await world.api('oauth.v2.access', { client_id: 'other', client_secret: 'x', code: 'x', grant_type: 'x' })
  await world.api('api.test', { foo: 'bar' })
  const calls = (await world.slack.deliveries()).filter(({ direction }) => direction === 'from-app')
  expect(calls.map(({ kind, verdict, notes }) => ({ kind, verdict, notes }))).toEqual([
    {
      kind: 'chat.postMessage',
      verdict: 'ok',
      notes: ['The playground ignores `unfurl_links`, `as_user`.'],
    },
    { kind: 'chat.postMessage', verdict: 'ok', notes: ['The playground ignores `team_id`.'] },
    {
      kind: 'chat.update',
      verdict: 'message_not_found',
      notes: ['The playground ignores `as_user`, `mrkdwn`.'],
    },
    {
      kind: 'oauth.v2.access',
      verdict: 'invalid_client_id',
      notes: [
        'The playground ignores `grant_type`.',
        "Slack's reference lists no JSON for oauth.v2.access: send a form, because Slack may drop these arguments.",
      ],
    },
    { kind: 'api.test', verdict: 'ok', notes: [] },
  ])
})
