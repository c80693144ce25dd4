/**
 * The values of the `rate` option: no rate limits, only Slack's limit on posts, or also the limits of Slack's tiers.
 */
export const RATE_LIMIT_MODES = ['off', 'slack', 'tiers'] as const
export type RateLimitMode = (typeof RATE_LIMIT_MODES)[number]

/** One post per second in each channel, with bursts of up to 3. Slack allows short bursts, but doesn't document their size. */
const POST_LIMIT = { burst: 3, perSecond: 1 }

/**
 * The calls per minute that Slack guarantees per method and workspace. Methods that aren't listed have a special limit, or none.
 * (https://docs.slack.dev/apis/web-api/rate-limits and the page of each method, November 2026)
 */
const CALLS_PER_MINUTE: Readonly<Record<string, number>> = {
  ...forMethods(
    20,
    `auth.teams.list bookmarks.add bookmarks.edit bookmarks.remove conversations.archive conversations.close
    conversations.create conversations.list conversations.rename conversations.setPurpose conversations.setTopic
    conversations.unarchive emoji.list pins.add pins.list pins.remove reactions.list reactions.remove usergroups.create
    usergroups.disable usergroups.enable usergroups.list usergroups.update usergroups.users.list usergroups.users.update
    users.list users.setPresence chat.startStream chat.stopStream`,
  ),
  ...forMethods(
    50,
    `auth.revoke bookmarks.list bots.info chat.delete chat.deleteScheduledMessage chat.meMessage chat.scheduleMessage chat.scheduledMessages.list
    chat.unfurl chat.update conversations.history conversations.info conversations.invite conversations.join conversations.kick
    conversations.leave conversations.mark conversations.open conversations.replies entity.presentDetails files.delete files.list
    functions.completeError functions.completeSuccess reactions.add reactions.get team.info users.conversations
    users.getPresence users.lookupByEmail users.profile.set`,
  ),
  ...forMethods(
    100,
    `assistant.threads.setSuggestedPrompts assistant.threads.setTitle chat.appendStream chat.postEphemeral conversations.members
    files.completeUploadExternal files.getUploadURLExternal files.info users.info users.profile.get views.open views.publish
    views.push views.update`,
  ),
}

/** Maps a list of methods, separated by spaces, to the same value. */
function forMethods<T>(value: T, methods: string): Record<string, T> {
  return Object.fromEntries(methods.split(/\s+/).map((method) => [method, value]))
}

export type RateLimiter = ReturnType<typeof createRateLimiter>

/**
 * Limits the app's calls with token buckets. `countPost` and `countCall` count a call and return 0, or return the seconds to wait if the
 * call is over the limit.
 */
export function createRateLimiter(rate: RateLimitMode, now: () => Date) {
  const buckets = new Map<string, { tokens: number; atMs: number }>()

  function spendToken(key: string, { burst, perSecond }: typeof POST_LIMIT): number {
    const nowMs = now().getTime()
    const bucket = buckets.get(key) ?? { tokens: burst, atMs: nowMs }
    const tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) / 1000) * perSecond)
    const granted = tokens >= 1
    buckets.set(key, { tokens: granted ? tokens - 1 : tokens, atMs: nowMs })
    return granted ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond))
  }

  return {
    countPost: (channel: string): number => (rate === 'off' ? 0 : spendToken(channel, POST_LIMIT)),
    countCall(method: string, installId: string): number {
      const perMinute = rate === 'tiers' ? CALLS_PER_MINUTE[method] : undefined
      return perMinute === undefined
        ? 0
        : spendToken(`${installId} ${method}`, { burst: perMinute, perSecond: perMinute / 60 })
    },
  }
}
