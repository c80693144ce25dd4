/** Groups of events, each with the scopes that allow them. Any one of the scopes is enough. */
const GROUPS: readonly (readonly [scopes: string, events: string])[] = [
  [
    '',
    `agent_session_stopped agent_session_title_changed app_context_changed app_deleted app_home_opened app_installed app_rate_limited
    app_requested app_uninstalled app_uninstalled_team call_rejected entity_details_requested function_executed
    grid_migration_finished grid_migration_started invite_requested message.app_home team_access_granted
    team_access_revoked tokens_revoked`,
  ],
  ['app_mentions:read', 'app_mention'],
  ['assistant:write', 'assistant_thread_context_changed assistant_thread_started'],
  [
    'channels:read',
    'channel_archive channel_created channel_deleted channel_id_changed channel_left channel_rename channel_unarchive',
  ],
  ['channels:read groups:read im:read mpim:read', 'channel_shared channel_unshared'],
  ['channels:read groups:read', 'member_joined_channel member_left_channel'],
  ['channels:history', 'channel_history_changed message.channels'],
  [
    'groups:read',
    'group_archive group_close group_deleted group_left group_open group_rename group_unarchive',
  ],
  ['groups:history', 'group_history_changed message.groups'],
  ['im:read', 'im_close im_created im_open'],
  ['im:history', 'im_history_changed message.im'],
  ['mpim:history', 'message.mpim'],
  ['dnd:read', 'dnd_updated dnd_updated_user'],
  ['team:read', 'email_domain_changed team_domain_change team_rename'],
  ['emoji:read', 'emoji_changed'],
  [
    'files:read',
    'file_change file_comment_deleted file_created file_deleted file_public file_shared file_unshared',
  ],
  ['links:read', 'link_shared'],
  ['metadata.message:read', 'message_metadata_deleted message_metadata_posted message_metadata_updated'],
  ['pins:read', 'pin_added pin_removed'],
  ['reactions:read', 'reaction_added reaction_removed'],
  [
    'conversations.connect:read conversations.connect:manage',
    `shared_channel_invite_accepted shared_channel_invite_approved shared_channel_invite_declined
    shared_channel_invite_received shared_channel_invite_requested`,
  ],
  ['usergroups:read', 'subteam_created subteam_members_changed subteam_updated'],
  ['users:read', 'team_join user_change user_huddle_changed'],
  ['users:read users.profile:read', 'user_profile_changed user_status_changed'],
  [
    'workflow.steps:execute',
    'workflow_deleted workflow_published workflow_step_deleted workflow_step_execute workflow_unpublished',
  ],
]

const splitWords = (text: string): string[] => text.split(/\s+/).filter(Boolean)

/**
 * Every event that a bot can subscribe to, with its bot scopes. To subscribe, an app needs one of them, or none if the list is
 * empty. (https://docs.slack.dev/reference/events and @slack/types 3.2, November 2026)
 */
export const EVENT_SCOPES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  GROUPS.flatMap(([scopes, events]) => splitWords(events).map((event) => [event, splitWords(scopes)])),
)

/**
 * Events that Slack only sends to people's own subscriptions (`user_events`), never to a bot's.
 * (https://docs.slack.dev/reference/events/subteam_self_added, star_added and star_removed, November 2026)
 */
export const USER_EVENTS: ReadonlySet<string> = new Set([
  'star_added',
  'star_removed',
  'subteam_self_added',
  'subteam_self_removed',
])
