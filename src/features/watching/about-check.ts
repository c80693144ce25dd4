import type { CommandContext } from '../../bot/routes/command-context.ts'
import { matchesWatch } from '../../domain/watching/filter.ts'
import type { CheckTransition, Outage } from '../../domain/watching/outage.ts'
import { isMutedBy, muteOf } from '../../domain/watching/subjects.ts'
import type { CheckFacts, Mute } from '../../domain/watching/watch.ts'
import type { WatchStore } from '../../store/store.ts'
import { type CheckNotes, checkNotes } from './views/check-notes.ts'

const LATEST = 5

/** What watching knows of one check. */
export interface WatchedCheck {
  check: CheckFacts
  /** Channels that are told of it. */
  channels: readonly string[]
  /** In the channel where it is asked. */
  mute: Mute | undefined
  outage: Outage | undefined
  /** The last changes, newest first. */
  latest: readonly CheckTransition[]
  /** Where it is asked; a button there can watch it. */
  channelId: string | undefined
}

/** What `/hc show` says of a check beside what the service says: since when, who is told, what changed last. */
export async function aboutCheck(
  { watches, mutes, history }: Pick<WatchStore, 'watches' | 'mutes' | 'history'>,
  { workspaceId, environment, channelId, now }: CommandContext,
  check: CheckFacts,
): Promise<CheckNotes> {
  const { uuid } = check
  const present = { workspaceId, environment, from: now, to: new Date(now.getTime() + 1), uuid, limit: 1 }
  const [all, muted, latest, [outage]] = await Promise.all([
    watches.list(workspaceId, { environment }),
    channelId ? mutes.list(workspaceId, { channelId }) : [],
    history.latest(workspaceId, environment, uuid, LATEST),
    history.outages(present),
  ])
  const here = muted.filter((mute) => mute.environment === environment && isMutedBy(mute.about, check))
  const channels = all.filter((watch) => matchesWatch(watch.filter, check)).map((watch) => watch.channelId)
  return checkNotes({
    check,
    channels: [...new Set(channels)],
    mute: muteOf(here, check, now),
    outage: outage?.endedAt ? undefined : outage,
    latest,
    channelId,
  })
}
