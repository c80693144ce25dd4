import { DONE, repeatAfter, type WorkKind } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import type { GetApi } from '../../../bot/request/context.ts'
import type { FirstProbe } from '../../../domain/outages/outage.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import { WATCH_WORK } from '../rows/watch-work.ts'
import type { WatchStore } from '../rows/watching.ts'

export interface LookDeps {
  readonly watching: Pick<WatchStore, 'looks'>
  readonly getApi: GetApi
  /** Connects to a check's target; undefined if the target isn't allowed. If absent, no first look is taken. */
  readonly probeFromHere?: ((check: HealthCheck) => Promise<FirstProbe | undefined>) | undefined
  readonly wake: () => void
  readonly log: Log
}

/** A DNS lookup blocks one of the four threads in the process's pool, and other work needs them too. */
const MAX_CONCURRENT = 2
const RETRY_WHEN_BUSY_MS = 500

/** Connects to the target of a new outage and shows the result on the card. Runs once per outage. */
export function createLookWork({
  watching: { looks },
  getApi,
  probeFromHere,
  wake,
  log,
}: LookDeps): WorkKind {
  let running = 0
  return {
    kind: WATCH_WORK.look,
    lane: 'lookup',
    async run(held) {
      const { workspaceId, key: outageId = '' } = held.work
      const unseen = probeFromHere && (await looks.findUnseen(workspaceId, outageId))
      if (!unseen) return DONE
      if (running >= MAX_CONCURRENT) return repeatAfter(RETRY_WHEN_BUSY_MS)
      running += 1
      try {
        const api = await getApi(workspaceId, unseen.environment, { signal: held.signal })
        const look = await probeFromHere(await api.healthChecks.get(unseen.uuid))
        if (look && (await looks.save(workspaceId, outageId, look))) wake()
      } catch (err) {
        held.signal.throwIfAborted()
        log.info({ workspace: workspaceId, err }, 'Couldn’t take a first look at a check that went down.')
      } finally {
        running -= 1
      }
      return DONE
    },
  }
}
