import type { Requester } from '../../../bot/routes/command-context.ts'
import type { Watch } from '../../../domain/watching/watch.ts'
import type { WatchStore } from '../../../store/store.ts'
import { watchLine } from '../parse/watch-line.ts'
import type { FiledDigest, FiledWatch, FiledWatches } from './watch-file.ts'

/** What a file would change. */
export interface WatchPlan {
  added: readonly FiledWatch[]
  digests: readonly FiledDigest[]
  /** Watches that would end; only when everything that is not in the file is to end. */
  ended: readonly Watch[]
  same: number
}

/** Compares a file with the watches: two are the same when their channels and their lines are. */
export async function planWatches(
  { watches, digests }: Pick<WatchStore, 'watches' | 'digests'>,
  { workspaceId }: Pick<Requester, 'workspaceId'>,
  filed: FiledWatches,
  deletes: boolean,
): Promise<WatchPlan> {
  const [present, summed] = await Promise.all([watches.list(workspaceId), digests.list(workspaceId)])
  const keys = new Set(present.map(keyOf))
  const wanted = new Map(filed.watches.map((one) => [keyOf({ ...one, ...one.terms }), one]))
  const hasDigest = ({ channelId, environment, digest }: FiledDigest): boolean =>
    summed.some(
      (one) =>
        one.channelId === channelId &&
        one.environment === environment &&
        one.hour === digest.hour &&
        one.timeZone === (digest.timeZone ?? 'UTC'),
    )
  return {
    added: [...wanted].flatMap(([key, one]) => (keys.has(key) ? [] : [one])),
    digests: filed.digests.filter((one) => !hasDigest(one)),
    ended: deletes ? present.filter((watch) => !wanted.has(keyOf(watch))) : [],
    same: [...wanted.keys()].filter((key) => keys.has(key)).length,
  }
}

const keyOf = (watch: Pick<Watch, 'channelId' | 'environment'> & Parameters<typeof watchLine>[0]): string =>
  `${watch.channelId} ${watch.environment} ${watchLine(watch)}`
