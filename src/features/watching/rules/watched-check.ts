import type { CheckFacts, Outage } from '../../../domain/outages/outage.ts'
import type { Silence } from './silence.ts'
import type { Watch } from './watch.ts'

type WatchingChannel = Pick<Watch, 'channelId' | 'paused'>

/** The watches, silences, and outages of one check. */
export interface WatchedCheck {
  check: CheckFacts
  /** Channels that are notified about it. A paused one has the reason. */
  channels: readonly WatchingChannel[]
  /** Silences that cover it in the current channel. */
  silences: readonly Silence[]
  runbooks: readonly string[]
  /** Its latest outages, newest first. */
  latest: readonly Outage[]
  /** The current channel, for the **Watch here** button. */
  channelId: string | undefined
}
