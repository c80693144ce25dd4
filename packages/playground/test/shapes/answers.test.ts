import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { isFields } from '../../src/json.ts'
import type { Fields, Json } from '../../src/protocol.ts'
import { collectAnswers } from './answers.ts'
import { collectInteractions } from './interactions.ts'

/**
 * What Slack was recorded to send: the names of fields and the types of their values, of every method, event and interaction. A field
 * is here when any recording had it, so that many are optional. (slackapi/java-slack-sdk, `json-logs/samples` and its tests;
 * slackapi/bolt-python's tests; August 2026.) `*` is any id; "list" and "object" are what is not looked into.
 */
type Shape = string | readonly Shape[] | { readonly [name: string]: Shape }
type Section = 'methods' | 'events' | 'interactions'
const RECORDED: Record<Section, Record<string, Shape>> = JSON.parse(
  readFileSync(new URL('recorded.json', import.meta.url), 'utf8'),
)

const typeOf = (value: Json): string =>
  value === null ? 'null' : Array.isArray(value) ? 'list' : isFields(value) ? 'object' : typeof value

const shapeType = (shape: Shape): string =>
  typeof shape === 'string' ? shape : Array.isArray(shape) ? 'list' : 'object'

/** Where values differ from a recorded shape: `path: got, recorded …`, and `path +` for a field that no recording has. */
function faults(value: Json, shape: Shape, path: string): string[] {
  const wanted = shapeType(shape)
  const got = typeOf(value)
  if (got !== wanted && got !== 'null' && wanted !== 'null') return [`${path}: ${got}, recorded ${wanted}`]
  if (typeof shape === 'string' || value === null) return []
  if (Array.isArray(value)) {
    const [item] = Array.isArray(shape) ? shape : []
    return item === undefined ? [] : value.flatMap((one) => faults(one, item, `${path}[]`))
  }
  if (!isFields(value) || Array.isArray(shape)) return []
  return Object.entries(value).flatMap(([name, one]) => {
    const field = fieldOf(shape, name)
    return field === undefined ? [`${path}.${name} +`] : faults(one, field, `${path}.${name}`)
  })
}

function fieldOf(shape: Shape, name: string): Shape | undefined {
  const fields = Object.entries(shape)
  return fields.find(([one]) => one === name)?.[1] ?? fields.find(([one]) => one === '*')?.[1]
}

/** Recorded fields that none of these values has: `path -`. What is below one that is missing isn't said again. */
function missing(values: readonly Json[], shape: Shape, path: string): string[] {
  if (typeof shape === 'string') return []
  if (Array.isArray(shape)) {
    const items = values.flatMap((one) => (Array.isArray(one) ? one : []))
    const [item] = shape
    return item === undefined || items.length === 0 ? [] : missing(items, item, `${path}[]`)
  }
  const all = values.filter(isFields)
  if (all.length === 0) return []
  return Object.entries(shape).flatMap(([name, field]) => {
    const found = all.flatMap((one): Json[] =>
      name === '*' ? Object.values(one) : name in one ? [one[name] ?? null] : [],
    )
    return found.length === 0 ? [`${path}.${name} -`] : missing(found, field, `${path}.${name}`)
  })
}

function differences(kind: Section, got: Record<string, Fields[]>): string[] {
  return Object.entries(RECORDED[kind]).flatMap(([name, shape]) => {
    const values = got[name] ?? []
    if (values.length === 0) return [`${name} isn't sent`]
    return [...values.flatMap((one) => faults(one, shape, name)), ...missing(values, shape, name)]
  })
}

/** Every difference, each with the reason why no app is misled. A row that no longer matches anything has to go. */
const KNOWN: [difference: RegExp, why: string][] = [
  // Recorded now and then, of things that aren't here.
  [/\.(?:image_original|image_1024|is_custom_image) -$/, 'nobody here has uploaded a picture'],
  [
    /profile\.(?:pronouns|start_date|fields|status_emoji_url|status_clear_on_focus_end) -$/,
    'fields that a workspace adds to profiles, and custom emoji',
  ],
  [/\.(?:huddle_state|huddle_state_expiration_ts|room) -$/, 'there are no huddles here'],
  [/\.guest_(?:invited_by|channels|expiration_ts) -$/, 'nobody has invited the guests here'],
  [/\.(?:has_2fa|two_factor_type|has_files|presence|is_invited_user) -$/, 'for tokens of people and admins'],
  [
    /\.(?:is_workflow_bot|is_connector_bot|is_stranger) -$/,
    'only of such bots, and of people who share no channel with the app',
  ],
  [/^users\.getPresence\.\w+ -$/, 'for the person themselves'],
  [
    /\benterprise(?:_\w+)? -$|\.teams -$|conversation_host_id -$|\.is_(?:org_\w+|global_shared) -$/,
    'in an organization',
  ],
  [
    /connected_(?:limited_)?team_ids -$|parent_conversation -$/,
    'in channels shared with several organizations',
  ],
  [/\.(?:user|source)_team -$/, 'in shared channels'],
  [
    /\.(?:always_active|bot_id|api_app_id|bot_profile|app_id|username|icons|subtype|inviter) -$/,
    'of a bot, or of another kind of message than the one in this place',
  ],
  [
    /\.(?:edited|thread_ts|parent_user_id|last_read|client_msg_id|files|attachments|metadata|event_payload|permalink|reply_users) -$/,
    'of a message in another state than the one in this place',
  ],
  [
    /\.(?:upload|display_as_bot|x_files|is_starred|subscribed|is_locked|hidden|no_notifications|root|channel) -$/,
    'as above',
  ],
  [/\.assistant_app_thread -$/, 'of the first message of an assistant’s thread'],
  [
    /icons\.image_(?:36|64|72) -$/,
    'Slack draws emoji as pictures; here the name of the emoji is all there is',
  ],
  [/response_metadata -$/, 'only with warnings'],
  [/\.paging -$|\.(?:arg|callstack|detail) -$/, 'an older kind of pages, and a refusal’s explanation'],
  [
    /\.(?:is_moved|priority|is_open|is_read_only|is_thread_only|is_non_threadable|properties) -$/,
    'of Slack’s own clients',
  ],
  [
    /^conversations\.open\.channel\.(?:latest|unread_count|unread_count_display) -$/,
    'of what somebody has read',
  ],
  [
    /^conversations\.history\.(?:channel_actions_\w+|oldest|latest) -$/,
    'of Slack’s own clients, and an echo of the arguments',
  ],
  [
    /^conversations\.close\.(?:already_closed|no_op) -$/,
    'only where it is closed already, which api/methods.test.ts looks at',
  ],
  [/\.user_profile -$|\.pinned_info -$|\.fallback -$/, 'an older copy of what users.info and pins.list say'],
  [
    /^api\.test\.|^auth\.test\.(?:app_\w+|expires_in) -$/,
    'an echo of the arguments; for app-level and expiring tokens',
  ],
  [/^auth\.teams\.list\.teams\[\]\.icon -$/, 'workspaces have their picture in team.info'],
  [/^emoji\.list\./, 'there are no custom emoji here'],
  [/^team\.info\.team\./, 'of a paying workspace'],
  [
    /^users\.list\.(?:offset|members\[\]\.locale) -$|\.user\.locale -$/,
    'only where it is asked for, as users.info is here',
  ],
  [
    /usergroups?(?:\[\])?\.(?:is_\w+|deleted_by) -$|^subteam_\w+\.subteam\.(?:is_section|deleted_by) -$/,
    'of groups of an organization or an identity provider',
  ],
  [/^files\.info\.(?:content|is_truncated|content_highlight_\w+|paging) -$/, 'of snippets'],
  [
    /^files\.info\.file\.(?:source_team|alt_txt|transcription|original_\w|edit_link|headers|media_progress|saved|title_blocks|favorites|initial_comment|comments_count) -$/,
    'of other kinds of files',
  ],
  [/^files\.info\.file\.shares\..*\.(?:latest_reply|access|date_last_shared) -$/, 'of Slack’s own clients'],
  [/^bookmarks\..*\.app_action_id -$/, 'of bookmarks that run a workflow'],
  [
    /^views\.\w+\.view\.(?:entity_url|external_ref|app_unfurl_url|message_ts) -$/,
    'of the views of a work object',
  ],
  [
    /^chat\.postMessage\.message\.bot_profile\.user_id -$/,
    'only in this answer, and not in other recordings of bots',
  ],
  [
    /^function_executed\..*parameters\[\]\.(?:hint|m(?:ax|in)\w+) -$|^function_executed\..*form_enabled -$/,
    'of parameters with a hint or a limit, and of forms that a workflow shows',
  ],
  [/^(?:action|state) .*\.emoji -$/, 'Slack fills in `emoji: true`, which is what it means when left out'],
  [/^event_callback\.authed_users -$/, 'replaced by `authorizations`: docs.slack.dev/apis/events-api'],
  [/^entity_details_requested\.app_unfurl_url -$/, 'of a work object that a link unfurled to'],
  // In documentation or types, and in no recording.
  [
    /^block_\w+ of .*\.(?:enterprise|is_enterprise_install) \+$/,
    'every interaction has them: docs.slack.dev/reference/interaction-payloads',
  ],
  [/metadata\.entities \+$/, 'a work object: docs.slack.dev/messaging/work-objects'],
  [/\.app_unfurl\.from_url \+$/, 'attachments in history have it'],
  [/\.message\.parent_user_id \+$|^action button\.url \+$/, 'of a reply, and of a button that opens a page'],
  [/^files\.info\.response_metadata \+$/, 'docs.slack.dev/reference/methods/files.info'],
  [/^dnd\..*snooze_enabled \+$/, 'docs.slack.dev/reference/methods/dnd.info'],
  [/\.(?:auto_type|user_count) \+$/, 'docs.slack.dev/reference/methods/usergroups.create'],
  [/event_payload\.id \+$/, 'what this test has put into metadata'],
  [
    /icons\.image_48 \+$/,
    'the address that the app has given: docs.slack.dev/reference/methods/chat.postMessage',
  ],
  [
    /\.(?:pinned_to|client_msg_id|old_name|name|metadata|edited|reactions|team|app_id|bot_profile|username|icons|files|subtype|attachments|blocks) \+$/,
    'a message has it wherever it is: @slack/types 3.2',
  ],
  [/\.(?:thread_ts|reply_\w+|latest_reply|event_payload) \+$/, 'the same of a thread'],
  [/^channel_unarchive\.actor_id \+$/, '@slack/types 3.2'],
  [
    /\.event_ts \+$|status_emoji_display_info \+$/,
    'an event has its ts, and a profile the emoji of its status: @slack/types 3.2',
  ],
  [
    /^channel_shared\.(?:user|source)_team \+$/,
    'every event of a shared channel has them: docs.slack.dev/apis/slack-connect',
  ],
  [/^app_home_opened\.view\.blocks \+$/, 'the recorded view was empty'],
  [/^conversations\.open\.channel\./, 'the recordings only have direct messages'],
  [/internal_team_ids \+$/, 'every other method has it'],
]

it('answers and sends what was recorded from Slack, except for the listed differences', async () => {
  const { methods, events } = await collectAnswers()
  const interactions = await collectInteractions()
  const found = [
    ...new Set([
      ...differences('methods', methods),
      ...differences('events', events),
      ...differences('interactions', interactions),
    ]),
  ]
  expect(Object.keys(RECORDED.methods).length).toBe(72)
  expect(Object.keys(RECORDED.events).length + Object.keys(RECORDED.interactions).length).toBe(68)
  expect(found.filter((one) => !KNOWN.some(([known]) => known.test(one)))).toEqual([])
  expect(KNOWN.filter(([known]) => !found.some((one) => known.test(one))).map(String)).toEqual([])
})
