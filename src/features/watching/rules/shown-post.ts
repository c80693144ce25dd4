import type { Incident } from '../../../domain/outages/incident.ts'
import type { Unseen } from '../../../domain/outages/outage.ts'
import type { Silence } from './silence.ts'
import type { Post } from './step.ts'
import type { Responder, Watch, WatchChannel } from './watch.ts'

/** A message with everything that it shows. */
export interface ShownPost {
  readonly post: Omit<Post, 'channelId'>
  readonly target: WatchChannel
  readonly at: Date
  /** Oldest first. */
  readonly incidents: readonly Incident[]
  /** Those in force. */
  readonly silences: readonly Silence[]
  readonly watches: readonly Watch[]
  readonly unseen: Unseen | undefined
}

/** Someone whom a page mentions. `insteadOf`: nobody whom the watch pages can be notified there. */
export interface FoundMention {
  readonly mention: Responder
  readonly insteadOf?: string | undefined
  /** The page goes to this admin's direct messages, because nobody can be notified in the channel. */
  readonly adminId?: string | undefined
}
