const CONVERSATIONS = ['channels:read', 'groups:read', 'im:read', 'mpim:read']
const MANAGE = ['channels:manage', 'groups:write', 'im:write', 'mpim:write']
/** Narrower write scopes, such as `channels:write.invites`, for each kind of conversation. */
const narrowWriteScopes = (suffix: string, kinds: string): string[] =>
  kinds.split(' ').map((kind) => `${kind}:write.${suffix}`)
const HISTORY = ['channels:history', 'groups:history', 'im:history', 'mpim:history']
const ASSISTANT = ['assistant:write', 'chat:write']

/** Gives every name in a list the same scopes. */
const withScopes = (scopes: readonly string[], names: string): Record<string, readonly string[]> =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, scopes]),
  )

/**
 * Web API methods with the scopes that allow a bot token to call them. Any one of the scopes is enough. A method that isn't listed
 * needs none. If there are scopes for several kinds of conversation, the token needs the one for the conversation's kind.
 * (https://docs.slack.dev/reference/scopes and each method's page, November 2026)
 */
export const METHOD_SCOPES: Readonly<Record<string, readonly string[]>> = {
  ...withScopes(
    ['chat:write'],
    `chat.appendStream chat.delete chat.deleteScheduledMessage chat.meMessage chat.postEphemeral
    chat.postMessage chat.scheduleMessage chat.startStream chat.stopStream chat.update`,
  ),
  ...withScopes(['users:read'], 'bots.info users.getPresence users.info users.list'),
  ...withScopes(['users:read.email'], 'users.lookupByEmail'),
  ...withScopes(['usergroups:read'], 'usergroups.list usergroups.users.list'),
  ...withScopes(
    ['usergroups:write'],
    `usergroups.create usergroups.disable usergroups.enable usergroups.update usergroups.users.update`,
  ),
  ...withScopes(
    CONVERSATIONS,
    `conversations.info conversations.list conversations.members users.conversations`,
  ),
  ...withScopes(['im:write', 'mpim:write'], 'conversations.open'),
  ...withScopes(
    MANAGE,
    `conversations.archive conversations.close conversations.create conversations.kick
    conversations.leave conversations.mark conversations.rename conversations.unarchive`,
  ),
  ...withScopes(HISTORY, 'conversations.history conversations.replies'),
  ...withScopes(['channels:join'], 'conversations.join'),
  ...withScopes([...MANAGE, ...narrowWriteScopes('invites', 'channels groups')], 'conversations.invite'),
  ...withScopes(
    [...MANAGE, ...narrowWriteScopes('topic', 'channels groups im mpim')],
    'conversations.setPurpose conversations.setTopic',
  ),
  ...withScopes(['users.profile:read'], 'team.profile.get users.profile.get'),
  ...withScopes(['team:read'], 'team.info'),
  ...withScopes(['dnd:read'], 'dnd.info dnd.teamInfo'),
  ...withScopes(['emoji:read'], 'emoji.list'),
  ...withScopes(['reactions:write'], 'reactions.add reactions.remove'),
  ...withScopes(['reactions:read'], 'reactions.get reactions.list'),
  ...withScopes(['pins:write'], 'pins.add pins.remove'),
  ...withScopes(['pins:read'], 'pins.list'),
  ...withScopes(['links:write'], 'chat.unfurl'),
  ...withScopes(
    ASSISTANT,
    `assistant.threads.setStatus assistant.threads.setSuggestedPrompts assistant.threads.setTitle`,
  ),
  ...withScopes(['search:read.public'], 'assistant.search.context'),
  ...withScopes(['files:write'], 'files.completeUploadExternal files.delete files.getUploadURLExternal'),
  ...withScopes(['files:read'], 'files.info files.list'),
  ...withScopes(['bookmarks:write'], 'bookmarks.add bookmarks.edit bookmarks.remove'),
  ...withScopes(['bookmarks:read'], 'bookmarks.list'),
}

/** The scopes that allow a bot token to call this method. Any one of them is enough. Empty if it needs none. */
export const methodScopes = (method: string): readonly string[] =>
  (Object.hasOwn(METHOD_SCOPES, method) ? METHOD_SCOPES[method] : undefined) ?? []
