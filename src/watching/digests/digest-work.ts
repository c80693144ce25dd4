import { nextDigest } from '../../domain/watching/digest-time.ts'
import type { Digest } from '../../domain/watching/watch.ts'
import { WATCH_WORK, type WatchStore, type WorkEnd } from '../../store/store.ts'
import type { WorkKind } from '../../work/engine.ts'
import { watchedOutages } from './digest-model.ts'

const DONE: WorkEnd = { state: 'done' }

/** Sums up a channel's day at its hour. A day without an outage gets no message. */
export function digestWork(watching: WatchStore): WorkKind {
  return {
    kind: WATCH_WORK.digest,
    lane: 'tell',
    async run({ work }) {
      const [channelId = '', environment] = (work.key ?? '').split(' ')
      const digest = await watching.digests.find(
        work.workspaceId,
        channelId,
        environment === 'ote' ? 'ote' : 'production',
      )
      if (!digest) return DONE
      const now = await watching.polls.time()
      const due = nextDigest(digest, digest.since)
      // When no process ran for some days, one digest sums up all of them.
      if (due <= now) {
        await watching.digests.close(digest, now, await hasOutage(watching, digest, now))
      }
      const next = due <= now ? nextDigest(digest, now) : due
      return { state: 'waiting', dueInMs: Math.max(1000, next.getTime() - now.getTime()), isAnew: true }
    },
  }
}

async function hasOutage(watching: WatchStore, digest: Digest, to: Date): Promise<boolean> {
  for await (const page of watchedOutages(watching, digest, { from: digest.since, to }))
    if (page.length > 0) return true
  return false
}
