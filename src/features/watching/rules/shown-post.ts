import { type Incident, isNoData } from '../../../domain/outages/incident.ts'
import type { Unseen } from '../../../domain/outages/outage.ts'
import type { Post } from './decide-channel.ts'
import type { InForce } from './silence.ts'
import type { Watch, WatchChannel } from './watch.ts'

/** A message with everything that it shows. */
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
}

/**
 * What a note or reply is still about, whatever has happened since it was decided: a reply is about what is up, a note about what is
 * down, and unless somebody asked for it, about what is seen and needs someone.
 */
export function listNamed({
  post,
  incidents,
  silences,
  unseen,
  downNow,
}: Pick<ShownPost, 'incidents' | 'silences' | 'unseen'> & {
  readonly post: Pick<Post, 'kind' | 'responders' | 'askedBy' | 'openedAt'>
  /** The UUIDs of the checks that are down, maybe in a later incident. */
  readonly downNow: ReadonlySet<string>
}): Incident[] {
  if (post.kind === 'reply')
    return incidents.filter(
      ({ check, isInstalling, closedAt }) => !downNow.has(check.uuid) && !(isInstalling && !closedAt),
    )
  return incidents.filter((incident) => {
    const { isDown, onIt, check } = incident
    const isHidden =
      !isNoData(incident) && (unseen !== undefined || silences.some(({ covers }) => covers(check)))
    // Only what was said to be up again is told although somebody is on it. Others pressed the button since.
    const isTaken = onIt !== undefined && (post.responders !== undefined || onIt.at > post.openedAt)
    return isDown && (post.askedBy !== undefined || (!isTaken && !isHidden))
  })
}
