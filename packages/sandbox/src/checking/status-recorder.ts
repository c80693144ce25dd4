import type { HealthCheckStore, Status } from '../health-check-store.ts'

export interface StatusRecorder {
  /** Stores the result of a check. */
  record(uuid: string, status: Status): void
}

/** Records the statuses of one environment. */
export function createStatusRecorder(checks: HealthCheckStore): StatusRecorder {
  return {
    record(uuid, status) {
      const check = checks.find(uuid)
      if (check && check.status !== status) checks.setStatus(check.uuid, status)
    },
  }
}
