const HISTORY = ['channels:history', 'groups:history', 'im:history', 'mpim:history']
const CONVERSATIONS = ['channels:read', 'groups:read', 'im:read', 'mpim:read']

/**
 * Web API methods with the scopes that allow a bot token to call them. Any one of the scopes is enough. A method that isn't listed
 * needs none. If there are scopes for several kinds of conversation, the token needs the one for the conversation's kind.
 * (https://docs.slack.dev/reference/scopes and each method's page, November 2026)
 */
export const METHOD_SCOPES: Readonly<Record<string, readonly string[]>> = {
  'chat.delete': ['chat:write'],
  'chat.postEphemeral': ['chat:write'],
  'chat.postMessage': ['chat:write'],
  'chat.update': ['chat:write'],
  'conversations.history': HISTORY,
  'conversations.info': CONVERSATIONS,
  'conversations.members': CONVERSATIONS,
  'conversations.replies': HISTORY,
  'files.completeUploadExternal': ['files:write'],
  'files.getUploadURLExternal': ['files:write'],
  'files.info': ['files:read'],
  'usergroups.list': ['usergroups:read'],
  'usergroups.users.list': ['usergroups:read'],
  'users.conversations': CONVERSATIONS,
  'users.info': ['users:read'],
  'users.list': ['users:read'],
}

/** The scopes that allow a bot token to call this method. Any one of them is enough. Empty if it needs none. */
export const methodScopes = (method: string): readonly string[] =>
  (Object.hasOwn(METHOD_SCOPES, method) ? METHOD_SCOPES[method] : undefined) ?? []
