import type { CheckFacts, Outage } from '../../../domain/outages/outage.ts'
import type { MaintenanceWindow } from '../maintenance/rules.ts'
import type { Mute, Watch } from './watch.ts'

type WatchingChannel = Pick<Watch, 'channelId' | 'paused'>

/** What watching knows of one check. */
export interface WatchedCheck {
  check: CheckFacts
  /** Channels that are told of it, and why one of them cannot be told now. */
  channels: readonly WatchingChannel[]
  /** Whether it is muted in the channel where it is asked. */
  mute: Mute | undefined
  /** What is planned or under way for it, as far as this channel is concerned: the next. */
  maintenance: MaintenanceWindow | undefined
  runbooks: readonly string[]
  /** Its last outages, newest first. */
  latest: readonly Outage[]
  /** The channel where it is asked; a button there can watch the check. */
  channelId: string | undefined
}
