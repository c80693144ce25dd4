import { DONE, repeatAfter, type WorkKind } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import type { ApiOf } from '../../../bot/request/context.ts'
import type { FirstProbe } from '../../../domain/outages/outage.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import { WATCH_WORK } from '../rows/watch-work.ts'
import type { WatchStore } from '../rows/watching.ts'

export interface LookParts {
  readonly watching: Pick<WatchStore, 'looks'>
  readonly apiOf: ApiOf
  /** Connects to a check's target; undefined if the target isn't allowed. If absent, no first look is taken. */
  readonly probeFromHere?: ((check: HealthCheck) => Promise<FirstProbe | undefined>) | undefined
  readonly wake: () => void
  readonly log: Log
}

/** DNS lookups block one of the process's four threads, and others need them too. */
const MOST_AT_ONCE = 2
const BUSY_MS = 500

/** Connects to the target of a new outage and shows the result on the card. Runs once per outage. */
export function lookWork({ watching: { looks }, apiOf, probeFromHere, wake, log }: LookParts): WorkKind {
  let running = 0
  return {
    kind: WATCH_WORK.look,
    lane: 'look',
    async run(held) {
      const { workspaceId, key: outageId = '' } = held.work
      const wanted = probeFromHere && (await looks.findUnseen(workspaceId, outageId))
      if (!wanted) return DONE
      if (running >= MOST_AT_ONCE) return repeatAfter(BUSY_MS)
      running += 1
      try {
        const api = await apiOf(workspaceId, wanted.environment, { signal: held.signal })
        const look = await probeFromHere(await api.healthChecks.get(wanted.uuid))
        if (look && (await looks.save(workspaceId, outageId, look))) wake()
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
