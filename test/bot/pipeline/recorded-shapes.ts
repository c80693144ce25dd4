import type { Surface } from '../../../packages/slack/src/receive/request-origin.ts'

type Fields = Record<string, unknown>

export const PERSON = 'U0RECORD01'
export const BOT = 'U0RECORBOT'
const TEAM = 'T0RECORD01'
const ORGANIZATION = 'E0RECORD01'
const CHANNEL = 'C0RECORD01'
const GROUP = 'C0RECORD02'
const DIRECT = 'D0RECORD01'
const TS = '1790000000.000100'
const REPLY_TS = '1790000000.000200'
const TOKEN = 'verification-token-of-old'
const TRIGGER = '1.2.trigger'
const RESPONSE_URL = 'https://hooks.slack.com/actions/T0RECORD01/1/secret'
const ON_MESSAGE = { kind: 'message', responseUrl: RESPONSE_URL, triggerId: TRIGGER } as const

interface RecordedPayload {
  name: string
  body: Fields
  /** The expected request. Undefined if the app ignores the payload. */
  request: Fields | undefined
  /** Its surface, which determines how the app can answer it. */
  surface?: Surface
}

const AUTHORIZATION = {
  enterprise_id: null,
  team_id: TEAM,
  user_id: BOT,
  is_bot: true,
  is_enterprise_install: false,
}

const event = (fields: Fields, envelope: Fields = {}): Fields => ({
  token: TOKEN,
  team_id: TEAM,
  context_team_id: TEAM,
  context_enterprise_id: null,
  api_app_id: 'A0RECORD01',
  event: { event_ts: TS, ...fields },
  type: 'event_callback',
  event_id: 'Ev0RECORD01',
  event_time: 1_790_000_000,
  authorizations: [AUTHORIZATION],
  is_ext_shared_channel: false,
  event_context: '4-recorded',
  ...envelope,
})

const command = (fields: Fields = {}): Fields => ({
  token: TOKEN,
  team_id: TEAM,
  team_domain: 'recorded',
  channel_id: CHANNEL,
  channel_name: 'general',
  user_id: PERSON,
  user_name: 'recorded',
  command: '/hc',
  text: 'list',
  api_app_id: 'A0RECORD01',
  is_enterprise_install: 'false',
  response_url: 'https://hooks.slack.com/commands/T0RECORD01/1/secret',
  trigger_id: TRIGGER,
  ...fields,
})

const interaction = (fields: Fields): Fields => ({
  user: { id: PERSON, username: 'recorded', name: 'recorded', team_id: TEAM },
  api_app_id: 'A0RECORD01',
  token: TOKEN,
  trigger_id: TRIGGER,
  team: { id: TEAM, domain: 'recorded' },
  enterprise: null,
  is_enterprise_install: false,
  ...fields,
})

const MESSAGE: Fields = {
  type: 'message',
  subtype: 'bot_message',
  text: 'web is down',
  user: BOT,
  ts: TS,
  bot_id: 'B0RECORD01',
  app_id: 'A0RECORD01',
  team: TEAM,
  bot_profile: { id: 'B0RECORD01', deleted: false, name: 'Signalman', app_id: 'A0RECORD01', team_id: TEAM },
  blocks: [{ type: 'section', block_id: 'b', text: { type: 'mrkdwn', text: 'web', verbatim: false } }],
}

const view = (fields: Fields = {}): Fields => ({
  id: 'V0RECORD01',
  team_id: TEAM,
  type: 'modal',
  blocks: [],
  private_metadata: '{}',
  callback_id: 'form',
  state: { values: {} },
  hash: '1790000000.hash',
  title: { type: 'plain_text', text: 'Watch', emoji: true },
  clear_on_close: false,
  notify_on_close: false,
  close: null,
  submit: null,
  previous_view_id: null,
  root_view_id: 'V0RECORD01',
  app_id: 'A0RECORD01',
  external_id: '',
  app_installed_team_id: TEAM,
  bot_id: 'B0RECORD01',
  ...fields,
})

const BUTTON: Fields = {
  action_id: 'run',
  block_id: 'b',
  text: { type: 'plain_text', text: 'Refresh', emoji: true },
  value: '/hc list',
  type: 'button',
  action_ts: TS,
}

const USER: Fields = {
  id: PERSON,
  team_id: TEAM,
  name: 'recorded',
  deleted: false,
  color: '9f69e7',
  real_name: 'Recorded',
  tz: 'Europe/Paris',
  tz_label: 'Central European Time',
  tz_offset: 3600,
  profile: {
    real_name: 'Recorded',
    real_name_normalized: 'Recorded',
    display_name: 'recorded',
    display_name_normalized: 'recorded',
    image_24: '',
    team: TEAM,
  },
  is_admin: false,
  is_owner: false,
  is_primary_owner: false,
  is_restricted: false,
  is_ultra_restricted: false,
  is_bot: false,
  is_app_user: false,
  is_email_confirmed: true,
  updated: 1_790_000_000,
  who_can_share_contact_card: 'EVERYONE',
}

const USER_MESSAGE: Fields = {
  client_msg_id: '00000000-0000-4000-8000-000000000000',
  type: 'message',
  text: 'list',
  user: PERSON,
  ts: TS,
  team: TEAM,
  blocks: [{ type: 'rich_text', block_id: 'r', elements: [] }],
}

/**
 * One payload of every kind that Slack sends the app. The keys and types are from recorded payloads (java-slack-sdk's `json-logs`,
 * the tests of bolt-python, and the types of @slack/types 3.2 and @slack/bolt 5.1; November 2026). The values are invented.
 */
export const RECORDED: readonly RecordedPayload[] = [
  {
    name: 'a slash command',
    body: command(),
    request: { kind: 'command', command: 'hc', text: 'list', origin: { userId: PERSON, channelId: CHANNEL } },
  },
  {
    name: 'a slash command of an organization’s installation',
    body: command({
      enterprise_id: ORGANIZATION,
      enterprise_name: 'Recorded',
      is_enterprise_install: 'true',
    }),
    request: { kind: 'command', origin: { enterpriseId: ORGANIZATION, workspaceId: TEAM } },
  },
  {
    name: 'a button of a message',
    body: interaction({
      type: 'block_actions',
      container: { type: 'message', message_ts: TS, channel_id: CHANNEL, is_ephemeral: false, thread_ts: TS },
      channel: { id: CHANNEL, name: 'general' },
      // It has replies, and isn't one.
      message: { ...MESSAGE, thread_ts: TS },
      state: { values: {} },
      response_url: RESPONSE_URL,
      actions: [BUTTON],
    }),
    request: { kind: 'action', actionId: 'run', value: '/hc list', origin: { channelId: CHANNEL } },
    surface: { ...ON_MESSAGE, isEphemeral: false },
  },
  {
    name: 'a menu in an ephemeral message of a thread',
    body: interaction({
      type: 'block_actions',
      container: {
        type: 'message',
        message_ts: REPLY_TS,
        channel_id: CHANNEL,
        is_ephemeral: true,
        thread_ts: TS,
      },
      channel: { id: CHANNEL, name: 'directmessage' },
      state: { values: {} },
      response_url: RESPONSE_URL,
      actions: [
        {
          type: 'static_select',
          action_id: 'run',
          block_id: 'b',
          selected_option: { text: { type: 'plain_text', text: 'Show', emoji: true }, value: '/hc show 1' },
          placeholder: { type: 'plain_text', text: 'More', emoji: true },
          action_ts: TS,
        },
      ],
    }),
    request: { kind: 'action', value: '/hc show 1' },
    surface: { ...ON_MESSAGE, threadTs: TS, isEphemeral: true },
  },
  {
    name: 'a button in a modal',
    body: interaction({
      type: 'block_actions',
      container: { type: 'view', view_id: 'V0RECORD01' },
      view: view(),
      actions: [BUTTON],
    }),
    request: { kind: 'action', actionId: 'run' },
    surface: { kind: 'window', modalId: 'V0RECORD01', triggerId: TRIGGER },
  },
  {
    name: 'a button in App Home',
    body: interaction({
      type: 'block_actions',
      container: { type: 'view', view_id: 'V0RECORD02' },
      view: view({ id: 'V0RECORD02', type: 'home', callback_id: '' }),
      actions: [BUTTON],
    }),
    request: { kind: 'action' },
    surface: { kind: 'home', triggerId: TRIGGER },
  },
  {
    name: 'text typed in a searchable menu',
    body: interaction({
      type: 'block_suggestion',
      container: { type: 'view', view_id: 'V0RECORD01' },
      action_id: 'check',
      block_id: 'checks',
      value: 'we',
      view: view(),
    }),
    request: { kind: 'options', actionId: 'check', typed: 'we', origin: { userId: PERSON } },
  },
  {
    name: 'a submitted modal',
    body: interaction({ type: 'view_submission', view: view(), response_urls: [] }),
    request: { kind: 'submission', origin: { userId: PERSON } },
  },
  {
    name: 'a submitted modal of an organization’s installation',
    body: interaction({
      type: 'view_submission',
      team: null,
      enterprise: { id: ORGANIZATION, name: 'Recorded' },
      is_enterprise_install: true,
      view: view({ app_installed_team_id: ORGANIZATION }),
      response_urls: [],
    }),
    request: { kind: 'submission', origin: { enterpriseId: ORGANIZATION, userId: PERSON } },
  },
  {
    name: 'a message shortcut',
    body: interaction({
      type: 'message_action',
      action_ts: TS,
      callback_id: 'threat.look-up',
      response_url: 'https://hooks.slack.com/app/T0RECORD01/1/secret',
      message_ts: TS,
      channel: { id: CHANNEL, name: 'general' },
      message: {
        ...USER_MESSAGE,
        reply_count: 1,
        reply_users: [PERSON],
        reply_users_count: 1,
        latest_reply: TS,
      },
    }),
    request: { kind: 'shortcut', callbackId: 'threat.look-up', origin: { channelId: CHANNEL } },
  },
  {
    name: 'an opened App Home',
    body: event({ type: 'app_home_opened', user: PERSON, channel: DIRECT, tab: 'home', view: view() }),
    request: { kind: 'home', origin: { userId: PERSON } },
    surface: { kind: 'home' },
  },
  {
    name: 'an opened messages tab',
    body: event({ type: 'app_home_opened', user: PERSON, channel: DIRECT, tab: 'messages' }),
    request: undefined,
  },
  {
    name: 'a mention in a thread',
    body: event({
      ...USER_MESSAGE,
      ts: REPLY_TS,
      type: 'app_mention',
      text: `<@${BOT}> list`,
      thread_ts: TS,
      parent_user_id: PERSON,
      channel: CHANNEL,
    }),
    request: { kind: 'mention', text: 'list', origin: { channelId: CHANNEL } },
    surface: { kind: 'mention', threadTs: TS },
  },
  {
    name: 'a mention in a channel that is shared with another organization',
    body: event(
      {
        ...USER_MESSAGE,
        type: 'app_mention',
        text: `<@${BOT}> list`,
        channel: CHANNEL,
        user_team: 'T0OTHER001',
        source_team: 'T0OTHER001',
        user_profile: { ...(USER.profile as Fields), is_restricted: false, is_ultra_restricted: false },
      },
      { is_ext_shared_channel: true },
    ),
    request: { kind: 'mention', origin: { workspaceId: TEAM, homeId: 'T0OTHER001' } },
    surface: { kind: 'mention' },
  },
  {
    name: 'a direct message in a thread',
    body: event({ ...USER_MESSAGE, thread_ts: TS, channel: DIRECT, channel_type: 'im' }),
    request: {
      kind: 'mention',
      text: 'list',
      origin: { channelId: DIRECT, userId: PERSON, workspaceId: TEAM },
    },
    surface: { kind: 'mention' },
  },
  {
    name: 'a file in a direct message',
    body: event({
      ...USER_MESSAGE,
      subtype: 'file_share',
      files: [
        { id: 'F0RECORD01', created: 1, timestamp: 1, name: 'a.csv', title: 'a.csv', mimetype: 'text/csv' },
      ],
      upload: false,
      display_as_bot: false,
      channel: DIRECT,
      channel_type: 'im',
    }),
    request: { kind: 'mention', hasFile: true },
  },
  {
    name: 'a changed person',
    body: event({ type: 'user_change', user: USER, cache_ts: 1_790_000_000 }),
    request: { kind: 'person-changed', origin: { userId: PERSON } },
  },
  {
    name: 'the app’s bot joining a channel',
    body: event({
      type: 'member_joined_channel',
      user: BOT,
      channel: CHANNEL,
      channel_type: 'C',
      team: TEAM,
      inviter: PERSON,
    }),
    request: { kind: 'channel-open', origin: { channelId: CHANNEL } },
  },
  {
    name: 'someone else joining a channel',
    body: event({
      type: 'member_joined_channel',
      user: PERSON,
      channel: CHANNEL,
      channel_type: 'C',
      team: TEAM,
    }),
    request: undefined,
  },
  {
    name: 'an unarchived public channel',
    body: event({ type: 'channel_unarchive', channel: CHANNEL, user: PERSON, actor_id: PERSON, is_moved: 0 }),
    request: { kind: 'channel-open', origin: { channelId: CHANNEL, userId: PERSON } },
  },
  {
    name: 'an unarchived private channel, with the person only in actor_id',
    body: event({ type: 'group_unarchive', channel: GROUP, actor_id: PERSON, is_moved: 0 }),
    request: { kind: 'channel-open', origin: { channelId: GROUP, userId: PERSON } },
  },
  {
    name: 'an unarchived private channel, without a person',
    body: event({ type: 'group_unarchive', channel: GROUP }),
    request: { kind: 'channel-open', origin: { channelId: GROUP, userId: '' } },
  },
  {
    name: 'a channel that another organization joined',
    body: event({ type: 'channel_shared', connected_team_id: ORGANIZATION, channel: CHANNEL }),
    request: { kind: 'channel-shared', origin: { channelId: CHANNEL } },
  },
  {
    name: 'an uninstall',
    body: event({ type: 'app_uninstalled' }, { authorizations: [] }),
    request: { kind: 'uninstalled', event: 'app_uninstalled' },
    surface: { kind: 'none' },
  },
  {
    name: 'a revoked bot token',
    body: event({ type: 'tokens_revoked', tokens: { bot: [BOT] } }, { authorizations: [] }),
    request: { kind: 'uninstalled', event: 'tokens_revoked' },
  },
  {
    name: 'a person’s revoked token',
    body: event({ type: 'tokens_revoked', tokens: { oauth: [PERSON] } }, { authorizations: [] }),
    request: undefined,
  },
  {
    name: 'a renamed channel, an event that the app doesn’t subscribe to',
    body: event({
      type: 'channel_rename',
      channel: { id: CHANNEL, name: 'general', created: 1_600_000_000 },
    }),
    request: undefined,
  },
]
