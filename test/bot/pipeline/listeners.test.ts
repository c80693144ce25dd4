import type { Request, SlackEvent } from '@signalman/slack'
import { describe, expect, it } from 'vitest'
import { createPrintedManifest } from '../../manifest.ts'
import { deliver } from './deliver.ts'

const deliverOne = async (body: Record<string, unknown>): Promise<Request | SlackEvent | undefined> =>
  (await deliver(body)).requests[0]

const BOT = 'U9'
const ts = '1.000001'
const user = { id: 'U1', team_id: 'T1' }
const team = { id: 'T1', domain: 'one' }
const modal = { id: 'V1', type: 'modal', callback_id: 'a-form', private_metadata: 'a-draft' }
const actions = [{ type: 'button', action_id: 'command', value: 'a-draft.0' }]

/** The parts of every payload that only Slack may know. */
const secrets = { token: 'verification-token', bot_access_token: 'xwfp-token' }

const event = (inner: object, envelope: object = {}) => ({
  type: 'event_callback',
  ...secrets,
  team_id: 'T1',
  event_time: 1_760_000_000,
  event: inner,
  authorizations: [
    { enterprise_id: null, team_id: 'T1', user_id: BOT, is_bot: true, is_enterprise_install: false },
  ],
  ...envelope,
})
const interaction = (type: string, fields: object) => ({
  ...{ type, ...secrets, team, user, enterprise: null, is_enterprise_install: false },
  ...{ trigger_id: 'trigger', response_url: 'https://hooks.example' },
  ...fields,
})

const mention = { type: 'app_mention', user: 'U1', text: '<@U9> help', channel: 'C1', ts }
const visitor = { ...mention, user: 'U2', user_team: 'T2' }
const ON_MESSAGE = { kind: 'message', responseUrl: 'https://hooks.example', triggerId: 'trigger' } as const
const fromSlack = { authorizations: [] }

interface Shape {
  name: string
  body: Record<string, unknown>
  /** The kind of request. Undefined if the app ignores the payload. */
  kind?: (Request | SlackEvent)['kind']
  /** Other fields of the request. */
  fields?: object
  origin?: object
}

/**
 * Payloads that the playground never sends, or whose every field matters here. The playground’s own tests compare those that it sends
 * with recordings of Slack.
 */
const SHAPES: readonly Shape[] = [
  {
    name: 'a command in a workspace of an organization',
    body: { command: '/hc', ...secrets, team_id: 'T1', enterprise_id: 'E1', user_id: 'U1' },
    kind: 'command',
    origin: { workspaceId: 'T1', enterpriseId: 'E1', userId: 'U1' },
  },
  {
    name: 'a button of a message that has replies, and isn’t one',
    body: interaction('block_actions', {
      container: { channel_id: 'C1', message_ts: ts, thread_ts: ts, is_ephemeral: false },
      message: { ts, thread_ts: ts },
      actions,
    }),
    kind: 'action',
    fields: { actionId: 'command', value: 'a-draft.0' },
    origin: {
      workspaceId: 'T1',
      channelId: 'C1',
      surface: { ...ON_MESSAGE, threadTs: undefined, isEphemeral: false },
    },
  },
  {
    name: 'a menu in an ephemeral message of a thread',
    body: interaction('block_actions', {
      container: { channel_id: 'C1', message_ts: '2.000001', thread_ts: ts, is_ephemeral: true },
      actions: [{ type: 'static_select', action_id: 'command', selected_option: { value: 'a-draft.0' } }],
    }),
    kind: 'action',
    fields: { actionId: 'command', value: 'a-draft.0' },
    origin: {
      workspaceId: 'T1',
      channelId: 'C1',
      surface: { ...ON_MESSAGE, threadTs: ts, isEphemeral: true },
    },
  },
  {
    name: 'a button in a modal',
    body: interaction('block_actions', { view: modal, actions }),
    kind: 'action',
    origin: { workspaceId: 'T1', surface: { kind: 'window', modalId: 'V1', triggerId: 'trigger' } },
  },
  {
    name: 'a button in App Home',
    body: interaction('block_actions', { view: { id: 'V2', type: 'home' }, actions }),
    kind: 'action',
    origin: { workspaceId: 'T1', surface: { kind: 'home', triggerId: 'trigger' } },
  },
  {
    name: 'text typed into a searchable menu',
    body: interaction('block_suggestion', { action_id: 'check', block_id: 'b', value: 'we', view: modal }),
    kind: 'options',
    fields: { actionId: 'check', typed: 'we' },
    origin: { workspaceId: 'T1', userId: 'U1' },
  },
  {
    name: 'a mention in a thread',
    body: event({ ...mention, thread_ts: '0.000001' }),
    kind: 'mention',
    fields: { text: 'help' },
    origin: { workspaceId: 'T1', channelId: 'C1', surface: { kind: 'mention', threadTs: '0.000001' } },
  },
  {
    name: 'a button in a workspace of an organization',
    body: interaction('block_actions', { team: { ...team, enterprise_id: 'E1' }, actions }),
    kind: 'action',
    origin: { workspaceId: 'T1', enterpriseId: 'E1' },
  },
  {
    name: 'a button of the app’s message in T1, pressed by a person whose team is their organization',
    body: interaction('block_actions', {
      team: { id: 'E1', enterprise_id: 'E1' },
      message: { ts, team: 'T1' },
      actions,
    }),
    kind: 'action',
    origin: { workspaceId: 'T1', enterpriseId: 'E1' },
  },
  {
    name: 'an action by a person of another organization',
    body: interaction('block_actions', { user: { id: 'U2', team_id: 'T2' }, actions }),
    kind: 'action',
    origin: { workspaceId: 'T1', userId: 'U2', homeId: 'T2' },
  },
  {
    name: 'a modal submitted by a person of another Enterprise Grid organization',
    body: interaction('view_submission', {
      team: { id: 'T8', domain: 'eight', enterprise_id: 'E8' },
      enterprise: { id: 'E8' },
      user: { id: 'U8', team_id: 'T8' },
      view: { ...modal, team_id: 'T8', app_installed_team_id: 'T1' },
    }),
    kind: 'submission',
    origin: { workspaceId: 'T1', homeId: 'T8' },
  },
  {
    name: 'a submitted modal without a callback ID',
    body: interaction('view_submission', { view: { ...modal, callback_id: null } }),
    kind: 'submission',
    origin: { workspaceId: 'T1' },
  },
  {
    name: 'an event from a channel of an Enterprise Grid organization, in a standalone workspace',
    body: event(
      { ...mention, user: 'U8', user_team: 'E8' },
      { team_id: 'T8', enterprise_id: 'E8', is_ext_shared_channel: true },
    ),
    kind: 'mention',
    origin: { workspaceId: 'T1', homeId: 'E8' },
  },
  {
    name: 'an event from a channel that another organization owns',
    body: event(visitor, { team_id: 'T2' }),
    kind: 'mention',
    origin: { workspaceId: 'T1', userId: 'U2', homeId: 'T2' },
  },
  {
    name: 'an event from such a channel, without the installation that received it',
    body: event(visitor, { ...fromSlack, team_id: 'T2', enterprise_id: 'E8', is_ext_shared_channel: true }),
    kind: 'mention',
    origin: { userId: 'U2', homeId: 'T2' },
  },
  {
    name: 'an event that names its installation only as its context',
    body: event(visitor, { ...fromSlack, context_team_id: 'T1', is_ext_shared_channel: true }),
    kind: 'mention',
    origin: { workspaceId: 'T1', homeId: 'T2' },
  },
  {
    name: 'an event from a channel of another organization, in a workspace of one',
    body: event(mention, {
      ...{ team_id: 'T8', enterprise_id: 'E8' },
      authorizations: [{ enterprise_id: 'E1', team_id: 'T1', user_id: BOT }],
    }),
    kind: 'mention',
    origin: { workspaceId: 'T1', enterpriseId: 'E1' },
  },
  {
    name: 'a channel that another organization joined',
    body: event({ type: 'channel_shared', connected_team_id: 'E1', channel: 'C1' }),
    kind: 'channel-shared',
    origin: { workspaceId: 'T1', channelId: 'C1' },
  },
  {
    name: 'a shortcut on a message of another workspace, without the workspace that it was used in',
    body: interaction('message_action', { team: null, callback_id: 'a', message: { team: 'T9', ts } }),
    kind: 'shortcut',
    fields: { callbackId: 'a' },
    origin: { userId: 'U1', homeId: 'T1' },
  },
  {
    name: 'an uninstall from an organization',
    body: event({ type: 'tokens_revoked', tokens: { bot: [BOT] } }, { ...fromSlack, team_id: 'E1' }),
    kind: 'uninstalled',
    origin: { enterpriseId: 'E1', surface: { kind: 'none' } },
  },
  { name: 'a payload without a person', body: interaction('block_actions', { user: {}, actions }) },
  { name: 'an invalid list of tokens', body: event({ type: 'tokens_revoked', tokens: 'all' }) },
  { name: 'a person’s revoked token', body: event({ type: 'tokens_revoked', tokens: { oauth: ['U1'] } }) },
  { name: 'a closed modal', body: interaction('view_closed', { view: modal }) },
  { name: 'a global shortcut', body: interaction('shortcut', { callback_id: 'a-shortcut' }) },
  {
    name: 'a message in a channel',
    body: event({ ...mention, type: 'message', channel_type: 'channel' }),
  },
  {
    name: 'an opened messages tab',
    body: event({ type: 'app_home_opened', user: 'U1', channel: 'D1', tab: 'messages' }),
  },
]

describe('a payload from Slack', () => {
  it.each(SHAPES)('goes to one listener or none, without Slack’s secrets: $name', async (shape) => {
    const { body, kind, fields = {}, origin } = shape
    const { requests, listeners } = await deliver(body)
    expect(listeners).toBeLessThanOrEqual(1)
    expect(requests.map((request) => request.kind)).toEqual(kind === undefined ? [] : [kind])
    expect(JSON.stringify(requests)).not.toMatch(/verification-token|xwfp-/)
    if (!origin) return
    expect(requests[0]).toMatchObject(fields)
    expect(requests[0]?.origin).toMatchObject(origin)
    for (const name of ['workspaceId', 'enterpriseId'] as const)
      if (!(name in origin)) expect(requests[0]?.origin[name]).toBeUndefined()
  })

  it('goes to exactly one listener for every event that the app subscribes to', async () => {
    const { bot_events: names } = createPrintedManifest().settings.event_subscriptions
    for (const name of names) {
      const type = name.replace(/^message\..*/, 'message')
      expect([name, (await deliver(event({ type }))).listeners]).toEqual([name, 1])
    }
  })
})

it.each([
  { text: `<@UA|${'<@UA|'.repeat(20_000)}`, length: 100_005 },
  { text: '<@'.repeat(50_000), length: 100_000 },
  { text: `<@U9|signalman> ${'x'.repeat(39_000)}`, length: 39_000 },
])('removes the mention from a long text without slowing down', async ({ text, length }) => {
  for (let index = 0; index < 20; index += 1) {
    const request = await deliverOne(event({ ...mention, text }))
    expect(request?.kind === 'mention' && request.text.length).toBe(length)
  }
})

const authorizations = [{ team_id: 'T1', user_id: 'U9' }]

it.each([
  { text: '<@U9> threat x', command: 'threat x' },
  { text: '<@U9>: threat x', command: 'threat x' },
  { text: '<@U9|signalman>, threat x', command: 'threat x' },
  { text: 'threat x <@U9>', command: 'threat x' },
  { text: 'threat x <@U9>!', command: 'threat x' },
  { text: '<@U2> <@U9> threat x', command: 'threat x' },
  { text: '<@U9> <@U2> threat x', command: 'threat x' },
  { text: '<@U2>, threat x <@U9>', command: 'threat x' },
  { text: 'could you look, <@U9>: threat x', command: 'threat x' },
  { text: '<@U9> hc list --name=-x', command: 'hc list --name=-x' },
  { text: '<@U9>', command: '' },
])('the command in a mention is “$command” in “$text”', async ({ text, command }) => {
  expect(await deliverOne(event({ ...mention, text }, { authorizations }))).toMatchObject({
    kind: 'mention',
    text: command,
  })
})

describe('a direct message', () => {
  const direct = {
    type: 'message',
    channel_type: 'im',
    user: 'U1',
    text: 'threat x',
    channel: 'D1',
    ts: '1.000001',
  }

  it.each(['thread_broadcast', 'me_message'])(
    'is handled outside its thread if its subtype is %s',
    async (subtype) => {
      const request = await deliverOne(event({ ...direct, subtype, thread_ts: '0.000001' }))
      expect(request).toMatchObject({ kind: 'mention', text: 'threat x', hasFile: false })
      expect(request?.origin.surface).toEqual({ kind: 'mention' })
    },
  )

  it.each([
    { bot_id: 'B1' },
    { subtype: 'message_changed' },
    { user: 'USLACKBOT' },
    { channel_type: 'channel' },
  ])('is ignored with %j', async (change) => {
    expect(await deliverOne(event({ ...direct, ...change }))).toBeUndefined()
  })
})
