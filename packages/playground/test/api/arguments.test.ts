import { expect, it } from 'vitest'
import type { Fields } from '../../src/protocol/json.ts'
import { startWorld } from '../app.ts'

const GENERAL = 'C0GENERAL1'
const MEMBER = 'U0MEMBER01'
const text = 'hello'

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
