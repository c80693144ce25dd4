/** What an app can subscribe to here, by the names that a manifest has for it. */
export const EVENTS = [
  'app_home_opened',
  'app_mention',
  'app_uninstalled',
  'assistant_thread_context_changed',
  'assistant_thread_started',
  'channel_archive',
  'channel_created',
  'channel_left',
  'channel_rename',
  'channel_shared',
  'channel_unarchive',
  'channel_unshared',
  'entity_details_requested',
  'file_created',
  'file_deleted',
  'file_public',
  'file_shared',
  'function_executed',
  'group_archive',
  'group_left',
  'group_rename',
  'group_unarchive',
  'link_shared',
  'member_joined_channel',
  'member_left_channel',
  'message.channels',
  'message.groups',
  'message.im',
  'message.mpim',
  'pin_added',
  'pin_removed',
  'reaction_added',
  'reaction_removed',
  'subteam_created',
  'subteam_members_changed',
  'subteam_updated',
  'team_access_granted',
  'team_access_revoked',
  'team_join',
  'tokens_revoked',
  'user_change',
  'user_profile_changed',
  'user_status_changed',
] as const

export type EventName = (typeof EVENTS)[number]

/** Events of Slack's that never happen here, as @slack/types 3.2 and https://docs.slack.dev/reference/events name them (November 2026). */
export const MISSING_EVENTS: ReadonlySet<string> = new Set(
  `agent_session_stopped agent_session_title_changed app_context_changed app_deleted app_installed app_rate_limited
app_requested app_uninstalled_team call_rejected
channel_deleted channel_history_changed channel_id_changed dnd_updated dnd_updated_user email_domain_changed emoji_changed
file_change file_comment_deleted file_unshared grid_migration_finished grid_migration_started group_close group_deleted
group_history_changed group_open im_close im_created im_history_changed im_open
invite_requested message.app_home message_metadata_deleted
message_metadata_posted message_metadata_updated shared_channel_invite_accepted shared_channel_invite_approved
shared_channel_invite_declined shared_channel_invite_received shared_channel_invite_requested star_added star_removed
team_domain_change team_rename user_huddle_changed workflow_deleted workflow_published
workflow_step_deleted workflow_step_execute workflow_unpublished`.split(/\s+/),
)

/**
 * Events of people's own subscriptions (`user_events`), which no bot can have; nobody's own token is given out here.
 * (https://api.slack.com/events/subteam_self_added and subteam_self_removed, November 2026)
 */
export const USERS_EVENTS: ReadonlySet<string> = new Set(['subteam_self_added', 'subteam_self_removed'])

/** Why an app that subscribes to an event as a bot never hears it here; undefined when it may. */
export function unheard(name: string): string | undefined {
  if (USERS_EVENTS.has(name))
    return `Slack sends ${name} to people's subscriptions (user_events) alone, never to a bot's.`
  if (MISSING_EVENTS.has(name)) return `${name} is never sent here: docs/coverage.md says what is.`
  return EVENTS.some((one) => one === name) ? undefined : `Slack's own library knows no event ${name}.`
}
