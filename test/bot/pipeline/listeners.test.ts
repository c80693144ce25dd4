import type { Request } from '@signalman/slack'
import { describe, expect, it } from 'vitest'
import { deliver } from './deliver.ts'

const deliverOne = async (body: Record<string, unknown>): Promise<Request | undefined> =>
  (await deliver(body)).requests[0]

const user = { id: 'U1', team_id: 'T1' }
const organization = { id: 'E1', name: 'Example Group' }
const team = { id: 'T1', domain: 'one' }
const modal = { id: 'V1', type: 'modal', callback_id: 'a-form', private_metadata: 'a-draft' }
const actions = [{ action_id: 'command', value: 'a-draft.0' }]

/** An envelope of the Events API. */
const event = (inner: object, envelope: object = {}) => ({
  type: 'event_callback',
  team_id: 'T1',
  event_time: 1_760_000_000,
  event: inner,
  authorizations: [
    { enterprise_id: null, team_id: 'T1', user_id: 'U9', is_bot: true, is_enterprise_install: false },
  ],
  ...envelope,
})

/** The envelope's fields if an organization installed the app. They name no authorized workspace. */
const orgWide = {
  enterprise_id: 'E1',
  authorizations: [
    { enterprise_id: 'E1', team_id: null, user_id: 'U9', is_bot: true, is_enterprise_install: true },
  ],
}

const mention = { type: 'app_mention', user: 'U1', text: '<@U9> help', channel: 'C1', ts: '1.000001' }

/** The fields of an interaction if an organization installed the app. */
const fromOrganization = { team: null, user, enterprise: organization, is_enterprise_install: true }
const installedByOrganization = { ...modal, app_installed_team_id: 'E1' }
const submission = { type: 'view_submission', team, user, view: modal }
const visitor = { ...mention, user: 'U2', user_team: 'T2' }

const SHAPES: [shape: string, kind: string, origin: object, body: Record<string, unknown>][] = [
  [
    'an action of an organization’s installation',
    'action',
    { enterpriseId: 'E1', homeId: 'T1' },
    { type: 'block_actions', actions, ...fromOrganization },
  ],
  [
    'an action by a person of another organization',
    'action',
    { workspaceId: 'T1', userId: 'U2', homeId: 'T2' },
    { type: 'block_actions', team, user: { id: 'U2', team_id: 'T2' }, actions, enterprise: null },
  ],
  [
    'an action in a modal of an organization’s installation',
    'action',
    { enterpriseId: 'E1', surface: { kind: 'window', modalId: 'V1' } },
    {
      type: 'block_actions',
      actions,
      ...fromOrganization,
      view: { ...installedByOrganization, team_id: 'T1' },
    },
  ],
  [
    'a modal submitted by a person of another Enterprise Grid organization',
    'submission',
    { workspaceId: 'T1', homeId: 'T8' },
    {
      type: 'view_submission',
      team: { id: 'T8', domain: 'eight', enterprise_id: 'E8' },
      enterprise: { id: 'E8' },
      user: { id: 'U8', team_id: 'T8' },
      view: { ...modal, team_id: 'T8', app_installed_team_id: 'T1' },
    },
  ],
  [
    'an event from a channel of an Enterprise Grid organization, in a standalone workspace',
    'mention',
    { workspaceId: 'T1', homeId: 'E8' },
    event(
      { ...mention, user: 'U8', user_team: 'E8' },
      { team_id: 'T8', enterprise_id: 'E8', is_ext_shared_channel: true },
    ),
  ],
  [
    'a submitted modal whose view alone names the organization',
    'submission',
    { enterpriseId: 'E1' },
    { ...submission, team: null, view: installedByOrganization },
  ],
  [
    'a shortcut of an organization’s installation on a message of another workspace',
    'shortcut',
    { enterpriseId: 'E1' },
    { type: 'message_action', callback_id: 'a', message: { team: 'T9', ts: '1.1' }, ...fromOrganization },
  ],
  [
    'options of an organization’s installation',
    'options',
    { enterpriseId: 'E1' },
    { type: 'block_suggestion', action_id: 'answer', block_id: 'check', value: 'web', ...fromOrganization },
  ],
  [
    'an event of an organization’s installation',
    'mention',
    { workspaceId: 'T1', enterpriseId: 'E1' },
    event(mention, orgWide),
  ],
  [
    'an event from a channel that another organization owns',
    'mention',
    { workspaceId: 'T1', userId: 'U2', homeId: 'T2' },
    event(visitor, { team_id: 'T2' }),
  ],
  [
    'an event from such a channel, without the installation that received it',
    'mention',
    { userId: 'U2', homeId: 'T2' },
    event(visitor, { team_id: 'T2', authorizations: [], is_ext_shared_channel: true }),
  ],
  [
    'an uninstall from an organization',
    'uninstalled',
    { enterpriseId: 'E1' },
    event({ type: 'app_uninstalled' }, { ...orgWide, team_id: 'E1' }),
  ],
  [
    'an uninstall from an organization without authorizations',
    'uninstalled',
    { enterpriseId: 'E1' },
    event({ type: 'tokens_revoked', tokens: { bot: ['U9'] } }, { team_id: 'E1', authorizations: [] }),
  ],
  [
    'a submitted modal without a callback ID',
    'submission',
    { workspaceId: 'T1' },
    { ...submission, view: { ...modal, callback_id: null } },
  ],
]

describe('a payload from Slack', () => {
  it.each(SHAPES)('is handled by exactly one listener: %s (%s)', async (_, kind, origin, body) => {
    const { requests, listeners } = await deliver(body)
    expect(listeners).toBe(1)
    const [request] = requests
    expect(request?.kind).toBe(kind)
    expect(request?.origin).toMatchObject(origin)
    for (const name of ['workspaceId', 'enterpriseId'] as const)
      if (!(name in origin)) expect(request?.origin[name]).toBeUndefined()
  })

  it.each([
    { name: 'a payload without a person', body: { type: 'block_actions', team, user: {}, actions } },
    { name: 'an invalid list of tokens', body: event({ type: 'tokens_revoked', tokens: 'all' }) },
    { name: 'a closed modal', body: { type: 'view_closed', team, user, view: modal } },
    { name: 'a global shortcut', body: { type: 'shortcut', callback_id: 'a-shortcut', team, user } },
    { name: 'a message in a channel', body: event({ ...mention, type: 'message', channel_type: 'channel' }) },
  ])('is ignored if it is $name', async ({ body }) => {
    const { requests, listeners } = await deliver(body)
    expect(requests).toEqual([])
    expect(listeners).toBeLessThanOrEqual(1)
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

describe('the command in a mention', () => {
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
  ])('is “$command” in “$text”', async ({ text, command }) => {
    expect(await deliverOne(event({ ...mention, text }, { authorizations }))).toMatchObject({
      kind: 'mention',
      text: command,
    })
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

  it.each(['thread_broadcast', 'me_message'])('is handled if its subtype is %s', async (subtype) => {
    const request = await deliverOne(event({ ...direct, subtype }))
    expect(request).toMatchObject({ kind: 'mention', text: 'threat x', hasFile: false })
  })

  it.each([
    { bot_id: 'B1' },
    { subtype: 'message_changed' },
    { user: 'USLACKBOT' },
    { channel_type: 'channel' },
  ])('is ignored with %j', async (change) => {
    expect(await deliverOne(event({ ...direct, ...change }))).toBeUndefined()
  })
})
