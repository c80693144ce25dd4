import { EVENT_SCOPES } from '../platform/events.ts'

/** The events that the playground sends, by their names in a manifest. */
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
  'message_metadata_deleted',
  'message_metadata_posted',
  'message_metadata_updated',
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

/** Slack's events that the playground never sends. */
export const MISSING_EVENTS: ReadonlySet<string> = new Set(
  Object.keys(EVENT_SCOPES).filter((name) => !EVENTS.some((sentName) => sentName === name)),
)
