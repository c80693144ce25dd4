/** The events that the playground sends, by their names in a manifest. */
export type EventName =
  | 'app_home_opened'
  | 'app_mention'
  | 'app_uninstalled'
  | 'channel_shared'
  | 'member_joined_channel'
  | 'message.im'
  | 'tokens_revoked'
  | 'user_change'
