import { listRecipients } from '../alerts.ts'
import type { Database } from '../database.ts'
import type { HealthCheckStore, Status } from '../health-check-store.ts'
import type { Mailer } from './mailer.ts'

export interface StatusRecorder {
  /** Stores the result of a check and, if the status changed, emails the recipients of its alerts. */
  record(uuid: string, status: Status): void
}

/** Records the statuses of one environment. */
export function createStatusRecorder(
  db: Database,
  environment: string,
  checks: HealthCheckStore,
  mailer: Mailer,
): StatusRecorder {
  return {
    record(uuid, status) {
      const check = checks.find(uuid)
      if (!check || check.status === status) return
      checks.setStatus(check.uuid, status)
      for (const recipients of listRecipients(db, environment, check.uuid))
        mailer.send({ environment, check, oldStatus: check.status, newStatus: status, recipients })
    },
  }
}
