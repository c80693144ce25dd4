const CONVERSATIONS = ['channels:read', 'groups:read', 'im:read', 'mpim:read']
const MANAGE = ['channels:manage', 'groups:write', 'im:write', 'mpim:write']
const ASSISTANT = ['assistant:write', 'chat:write']
const HISTORY = ['channels:history', 'groups:history', 'im:history', 'mpim:history']

/**
 * Method → the scopes of which a token needs one; a method that is not here needs none.
 * (https://docs.slack.dev/reference/scopes, November 2026)
 */
const METHOD_SCOPES: Readonly<Record<string, readonly string[]>> = {
  'chat.postMessage': ['chat:write'],
  'chat.postEphemeral': ['chat:write'],
  'chat.update': ['chat:write'],
  'chat.delete': ['chat:write'],
  'users.info': ['users:read'],
  'users.list': ['users:read'],
  'users.lookupByEmail': ['users:read.email'],
  'usergroups.list': ['usergroups:read'],
  'usergroups.users.list': ['usergroups:read'],
  'usergroups.create': ['usergroups:write'],
  'usergroups.update': ['usergroups:write'],
  'usergroups.enable': ['usergroups:write'],
  'usergroups.disable': ['usergroups:write'],
  'usergroups.users.update': ['usergroups:write'],
  'conversations.info': CONVERSATIONS,
  'conversations.list': CONVERSATIONS,
  'conversations.members': CONVERSATIONS,
  'conversations.open': ['im:write', 'mpim:write'],
  'conversations.close': MANAGE,
  'conversations.mark': MANAGE,
  'conversations.history': HISTORY,
  'conversations.replies': HISTORY,
  'conversations.join': ['channels:join'],
  'conversations.create': MANAGE,
  'conversations.leave': MANAGE,
  'conversations.invite': [...MANAGE, 'channels:write.invites'],
  'conversations.kick': MANAGE,
  'conversations.archive': MANAGE,
  'conversations.unarchive': MANAGE,
  'conversations.rename': MANAGE,
  'conversations.setTopic': [...MANAGE, 'channels:write.topic'],
  'conversations.setPurpose': [...MANAGE, 'channels:write.topic'],
  'users.conversations': CONVERSATIONS,
  'users.profile.get': ['users.profile:read'],
  'users.getPresence': ['users:read'],
  'team.info': ['team:read'],
  'emoji.list': ['emoji:read'],
  'reactions.add': ['reactions:write'],
  'reactions.remove': ['reactions:write'],
  'reactions.get': ['reactions:read'],
  'reactions.list': ['reactions:read'],
  'pins.add': ['pins:write'],
  'pins.remove': ['pins:write'],
  'pins.list': ['pins:read'],
  'chat.unfurl': ['links:write'],
  'chat.scheduleMessage': ['chat:write'],
  'chat.deleteScheduledMessage': ['chat:write'],
  'chat.startStream': ['chat:write'],
  'chat.appendStream': ['chat:write'],
  'chat.stopStream': ['chat:write'],
  'assistant.threads.setStatus': ASSISTANT,
  'assistant.threads.setTitle': ASSISTANT,
  'assistant.threads.setSuggestedPrompts': ASSISTANT,
  'bots.info': ['users:read'],
  'files.getUploadURLExternal': ['files:write'],
  'files.completeUploadExternal': ['files:write'],
  'files.info': ['files:read'],
  'files.list': ['files:read'],
  'files.delete': ['files:write'],
  'bookmarks.add': ['bookmarks:write'],
  'bookmarks.edit': ['bookmarks:write'],
  'bookmarks.remove': ['bookmarks:write'],
  'bookmarks.list': ['bookmarks:read'],
  'chat.meMessage': ['chat:write'],
}

/** The scopes of which a token needs one for this method; none for a method that needs none, or is none. */
export const scopesOf = (method: string): readonly string[] =>
  (Object.hasOwn(METHOD_SCOPES, method) ? METHOD_SCOPES[method] : undefined) ?? []
