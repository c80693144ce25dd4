import { setTimeout as wait } from 'node:timers/promises'
import { type Call, type Check, listChecks } from './sandbox-calls.ts'

/** An outage of fewer polls could end before Signalman has seen it. */
const SHORTEST_OUTAGE_POLLS = 2.5

export type Targets = ReturnType<typeof createTargets>

/** The servers that the demo's health checks watch. Of a stopped one, the sandbox says that its check is down. */
export function createTargets(call: Call, pollMs: number) {
  const stopped: Check[] = []
  let lastStopAtMs = Number.NEGATIVE_INFINITY
  const setStopped = ({ uuid }: Check, isStopped: boolean): Promise<unknown> =>
    call('PUT', `/_sandbox/health-checks/${uuid}/status`, { status: isStopped ? 'UNHEALTHY' : 'HEALTHY' })

  const untilSeen = () => wait(Math.max(0, lastStopAtMs + SHORTEST_OUTAGE_POLLS * pollMs - performance.now()))

  return {
    /** The checks whose servers were stopped, the latest last. */
    stopped: stopped as readonly Check[],
    listRunning: (): Promise<Check[]> => listChecks(call, 'status=HEALTHY&limit=500'),
    async stop(checks: readonly Check[]): Promise<void> {
      await Promise.all(checks.map((check) => setStopped(check, true)))
      stopped.push(...checks)
      lastStopAtMs = performance.now()
    },
    untilSeen,
    /** Starts every stopped server again, once Signalman has seen that it's down. Returns the checks. */
    async restart(): Promise<Check[]> {
      const checks = stopped.splice(0)
      await untilSeen()
      // Somebody may have deleted a check.
      await Promise.allSettled(checks.map((check) => setStopped(check, false)))
      return checks
    },
  }
}
