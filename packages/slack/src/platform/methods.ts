const CONVERSATIONS = ['channels:read', 'groups:read', 'im:read', 'mpim:read']
const MANAGE = ['channels:manage', 'groups:write', 'im:write', 'mpim:write']
/** Narrower write scopes, such as `channels:write.invites`, for each kind of conversation. */
const just = (what: string, kinds: string): string[] =>
  kinds.split(' ').map((kind) => `${kind}:write.${what}`)
const HISTORY = ['channels:history', 'groups:history', 'im:history', 'mpim:history']
const ASSISTANT = ['assistant:write', 'chat:write']

/** Gives every name in a list the same scopes. */
const each = (scopes: readonly string[], names: string): Record<string, readonly string[]> =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, scopes]),
  )

/**
 * Web API methods with the scopes of which a bot token needs one. A method that isn't listed needs none. If there are scopes for
 * several kinds of conversation, the token needs the one for the conversation's kind. (https://docs.slack.dev/reference/scopes and
 * each method's page, November 2026)
 */
export const METHOD_SCOPES: Readonly<Record<string, readonly string[]>> = {
  ...each(
    ['chat:write'],
    `chat.appendStream chat.delete chat.deleteScheduledMessage chat.meMessage chat.postEphemeral
    chat.postMessage chat.scheduleMessage chat.startStream chat.stopStream chat.update`,
  ),
  ...each(['users:read'], 'bots.info users.getPresence users.info users.list'),
  ...each(['users:read.email'], 'users.lookupByEmail'),
  ...each(['usergroups:read'], 'usergroups.list usergroups.users.list'),
  ...each(
    ['usergroups:write'],
    `usergroups.create usergroups.disable usergroups.enable usergroups.update usergroups.users.update`,
  ),
  ...each(CONVERSATIONS, `conversations.info conversations.list conversations.members users.conversations`),
  ...each(['im:write', 'mpim:write'], 'conversations.open'),
  ...each(
    MANAGE,
    `conversations.archive conversations.close conversations.create conversations.kick
    conversations.leave conversations.mark conversations.rename conversations.unarchive`,
  ),
  ...each(HISTORY, 'conversations.history conversations.replies'),
  ...each(['channels:join'], 'conversations.join'),
  ...each([...MANAGE, ...just('invites', 'channels groups')], 'conversations.invite'),
  ...each(
    [...MANAGE, ...just('topic', 'channels groups im mpim')],
    'conversations.setPurpose conversations.setTopic',
  ),
  ...each(['users.profile:read'], 'team.profile.get users.profile.get'),
  ...each(['team:read'], 'team.info'),
  ...each(['dnd:read'], 'dnd.info dnd.teamInfo'),
  ...each(['emoji:read'], 'emoji.list'),
  ...each(['reactions:write'], 'reactions.add reactions.remove'),
  ...each(['reactions:read'], 'reactions.get reactions.list'),
  ...each(['pins:write'], 'pins.add pins.remove'),
  ...each(['pins:read'], 'pins.list'),
  ...each(['links:write'], 'chat.unfurl'),
  ...each(
    ASSISTANT,
    `assistant.threads.setStatus assistant.threads.setSuggestedPrompts assistant.threads.setTitle`,
  ),
  ...each(['files:write'], 'files.completeUploadExternal files.delete files.getUploadURLExternal'),
  ...each(['files:read'], 'files.info files.list'),
  ...each(['bookmarks:write'], 'bookmarks.add bookmarks.edit bookmarks.remove'),
  ...each(['bookmarks:read'], 'bookmarks.list'),
}

/** The scopes of which a bot token needs one to call this method. Empty if it needs none. */
export const methodScopes = (method: string): readonly string[] =>
  (Object.hasOwn(METHOD_SCOPES, method) ? METHOD_SCOPES[method] : undefined) ?? []
