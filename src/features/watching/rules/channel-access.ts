import { MINUTE_MS } from '@signalman/runtime'
import type { Obstacle, PostPermission } from '../../../bot/routes/command-context.ts'

/** What is known about a channel: one row for all its watches. */
export interface ChannelAccess {
  /** Set while nothing is posted there. */
  readonly paused?: { readonly at: Date; readonly reason: Obstacle } | undefined
  /** When an admin agreed to post there, although people of another organization read it. */
  readonly agreedOutsideAt?: Date | undefined
}

/** What Slack says about a channel, and when a person asked it; `now` is later. */
interface SlackAnswer {
  readonly permission: PostPermission
  readonly asked?: { readonly at: Date; readonly now: Date }
}

/**
 * Whether anything may be posted in a channel now. One that became shared stays closed until a person asks Slack after that: then an admin
 * agrees, or it isn't shared anymore. Other pauses end as soon as Slack accepts a message.
 */
export function decidePermission(
  { paused, agreedOutsideAt }: ChannelAccess,
  { permission, asked }: SlackAnswer = { permission: 'yes' },
): PostPermission {
  // A time in the future is from before the clock was set back, but the clocks of two machines may differ.
  const isSince =
    !asked || (paused && paused.at > asked.at && paused.at.getTime() <= asked.now.getTime() + MINUTE_MS)
  if (paused?.reason === 'shared-outside' && isSince) return 'shared-outside'
  return permission === 'shared-outside' && agreedOutsideAt ? 'yes' : permission
}
