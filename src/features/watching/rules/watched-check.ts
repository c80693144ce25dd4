import type { CheckFacts, Outage } from '../../../domain/outages/outage.ts'
import type { Silence } from './silence.ts'
import type { Watch } from './watch.ts'

type WatchingChannel = Pick<Watch, 'channelId' | 'paused'>

/** What watching knows of one check. */
export interface WatchedCheck {
  check: CheckFacts
  /** Channels that are told of it, and why one of them cannot be told now. */
  channels: readonly WatchingChannel[]
  /** Mutes and maintenance that cover it in the channel where somebody asks, with their state as of now. */
  silences: readonly Silence[]
  runbooks: readonly string[]
  /** Its last outages, newest first. */
  latest: readonly Outage[]
  /** The channel where it is asked; a button there can watch the check. */
  channelId: string | undefined
}
