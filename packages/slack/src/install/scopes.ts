/** What the app asks a workspace for, each with its reason; `manifest.yml` lists the same, and a test compares them. */
export const SCOPES: Readonly<Record<string, string>> = {
  'app_mentions:read': 'to hear where it is mentioned in threads, where slash commands do not run',
  'channels:history':
    'to read the message that a thread hangs on, where somebody mentions it below that, and to find a card whose posting was cut short',
  'channels:read':
    'to see whether a channel is shared with another organization before anything is posted in it',
  'chat:write': 'to answer and to post what is shared',
  commands: 'to be asked',
  'files:read': 'to read a file that is given to a form',
  'files:write': 'to give lists as files',
  'groups:history': 'the same in private channels',
  'groups:read': 'to see the same of private channels',
  'im:history': 'to hear what is written to it directly, and to find a card there',
  'im:read': 'to see the same of direct messages',
  'mcp:connect': 'to be asked by Slackbot for somebody',
  'mpim:history': 'to read a thread, and to find a card, in direct messages of several people',
  'mpim:read': 'to see the same of direct messages of several people',
  'usergroups:read': 'to give rights to user groups',
  'users:read': 'to tell members, guests and people of other organizations apart',
  'users:read.email': "to pick people as an alert's recipients",
}

/** The events without which the app would go on holding what is no longer its to hold. */
export const NEEDED_EVENTS = [
  'app_home_opened',
  'app_uninstalled',
  'team_access_revoked',
  'tokens_revoked',
] as const

/**
 * By these a paused channel is tried at once instead of within the hour, and one that people of another organization read by now is
 * told nothing before somebody agrees; the scopes are needed anyway.
 */
export const CHANNEL_EVENTS = [
  'channel_shared',
  'channel_unarchive',
  'group_unarchive',
  'member_joined_channel',
] as const
