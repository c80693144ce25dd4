import { DONE, repeatAfter, type WorkKind } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import type { ApiOf } from '../../../bot/request/context.ts'
import type { FirstLook } from '../../../domain/outages/outage.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import { WATCH_WORK } from '../rows/watch-work.ts'
import type { WatchStore } from '../rows/watching.ts'

export interface LookParts {
  readonly watching: Pick<WatchStore, 'looks'>
  readonly apiOf: ApiOf
  /** Looks at the target of a check; undefined where nothing may be looked at. Without it nobody looks. */
  readonly lookFromHere?: ((check: HealthCheck) => Promise<FirstLook | undefined>) | undefined
  readonly wake: () => void
  readonly log: Log
}

/** Names are resolved in threads of which a process has four, and others need some. */
const MOST_AT_ONCE = 2
const BUSY_MS = 500

/** Looks, when a card opens, at what it tells of: what is seen from here stands on the card and in its thread. Nothing is tried twice. */
export function lookWork({ watching: { looks }, apiOf, lookFromHere, wake, log }: LookParts): WorkKind {
  let running = 0
  return {
    kind: WATCH_WORK.look,
    lane: 'look',
    async run(held) {
      const { workspaceId, key: outageId = '' } = held.work
      const wanted = lookFromHere && (await looks.wanted(workspaceId, outageId))
      if (!wanted) return DONE
      if (running >= MOST_AT_ONCE) return repeatAfter(BUSY_MS)
      running += 1
      try {
        const api = await apiOf(workspaceId, wanted.environment, { signal: held.signal })
        const look = await lookFromHere(await api.healthChecks.get(wanted.uuid))
        if (look && (await looks.saw(workspaceId, outageId, look))) wake()
      } catch (err) {
        held.signal.throwIfAborted()
        log.info({ workspace: workspaceId, err }, 'A check that fell could not be looked at from here.')
      } finally {
        running -= 1
      }
      return DONE
    },
  }
}
