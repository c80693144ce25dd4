import type { Incident } from '../../../domain/outages/incident.ts'
import type { Unseen } from '../../../domain/outages/outage.ts'
import type { Post } from './channel/state.ts'
import type { ChannelAccess } from './channel-access.ts'
import type { InForce } from './silence.ts'
import type { Watch, WatchChannel } from './watch.ts'

export interface ShownPost {
  readonly post: Omit<Post, 'channelId'>
  readonly target: WatchChannel
  readonly at: Date
  /** Oldest first. */
  readonly incidents: readonly Incident[]
  /** Those in force. */
  readonly silences: readonly InForce[]
  readonly watches: readonly Watch[]
  /** The IDs of the incidents that were down before the watch. */
  readonly alreadyDown: ReadonlySet<string>
  readonly unseen: Unseen | undefined
  /** Whom Slack can notify of the next page that a card shows, or why nobody. Undefined if that wasn't looked up. */
  readonly nextPaged?: { readonly names: string } | { readonly nobody: string } | undefined
  /** Set while nothing is posted in its channel. */
  readonly paused?: ChannelAccess['paused']
}
