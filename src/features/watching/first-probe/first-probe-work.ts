import { DONE, repeatAfter, type WorkKind } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import type { GetApi } from '../../../bot/request/context.ts'
import type { FirstProbe } from '../../../domain/outages/outage.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import { WATCH_WORK } from '../rows/watch-work.ts'
import type { WatchStore } from '../rows/watching.ts'

export interface FirstProbeDeps {
  readonly watching: Pick<WatchStore, 'firstProbes'>
  readonly getApi: GetApi
  /** Connects to a check's target. Returns undefined if the target isn't allowed. If absent, nothing is probed. */
  readonly probeLocally?: ((check: HealthCheck) => Promise<FirstProbe | undefined>) | undefined
  readonly wake: () => void
  readonly log: Log
}

/** A DNS lookup blocks one of the four threads in the process's pool, and other work needs them too. */
const MAX_CONCURRENT = 2
const RETRY_WHEN_BUSY_MS = 500

/** Connects to the target of a check that went down, and shows the result on the card. Runs once per outage. */
export function createFirstProbeWork({
  watching: { firstProbes },
  getApi,
  probeLocally,
  wake,
  log,
}: FirstProbeDeps): WorkKind {
  let running = 0
  return {
    kind: WATCH_WORK.firstProbe,
    lane: 'lookup',
    async run(leased) {
      const { workspaceId, key: outageId = '' } = leased.work
      const check = probeLocally && (await firstProbes.findCheckToProbe(workspaceId, outageId))
      if (!check) return DONE
      if (running >= MAX_CONCURRENT) return repeatAfter(RETRY_WHEN_BUSY_MS)
      running += 1
      try {
        const api = await getApi(workspaceId, check.environment, { signal: leased.signal })
        const probe = await probeLocally(await api.healthChecks.get(check.uuid))
        if (probe && (await firstProbes.save(workspaceId, outageId, probe))) wake()
      } catch (err) {
        leased.signal.throwIfAborted()
        log.info({ workspace: workspaceId, err }, 'Couldn’t probe a check that went down.')
      } finally {
        running -= 1
      }
      return DONE
    },
  }
}
