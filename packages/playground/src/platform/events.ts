/**
 * The events that this repository's app subscribes to, with their bot scopes. To subscribe, an app needs one of them, or none if the list
 * is empty. (https://docs.slack.dev/reference/events and @slack/types 3.2, November 2026)
 */
export const EVENT_SCOPES: Readonly<Record<string, readonly string[]>> = {
  app_home_opened: [],
  app_mention: ['app_mentions:read'],
  app_uninstalled: [],
  channel_shared: ['channels:read', 'groups:read', 'im:read', 'mpim:read'],
  channel_unarchive: ['channels:read'],
  group_unarchive: ['groups:read'],
  member_joined_channel: ['channels:read', 'groups:read'],
  'message.im': ['im:history'],
  tokens_revoked: [],
  user_change: ['users:read'],
}
