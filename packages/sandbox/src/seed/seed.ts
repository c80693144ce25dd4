// This folder has the data that the sandbox starts with.

import { insertAlert } from '../alerts.ts'
import type { Database } from '../database.ts'
import { createHealthCheckStore } from '../health-check-store.ts'
import { createThreatEventStore } from '../threat-event-store.ts'
import { seedChecks } from './checks.ts'
import { seedThreatEvents } from './threat-events.ts'

const ON_CALL = ['oncall@example.com']
const WEB_TEAM = ['web-team@example.com', 'oncall@example.com']
const NETWORK_TEAM = ['network-team@example.net', 'oncall@example.net', 'duty.manager@example.com']
const BRANCHES = Array.from({ length: 40 }, (_, index) => `branch-${index + 1}@example.org`)

/** The recipients of each alert of the nth check. One check in four has no alerts. */
function listAlertRecipients(checkIndex: number): string[][] {
  switch (checkIndex % 4) {
    case 0:
      return [WEB_TEAM]
    case 1:
      return [ON_CALL]
    case 2:
      return []
    default:
      return [NETWORK_TEAM, checkIndex % 5 === 0 ? BRANCHES : ON_CALL]
  }
}

/** Adds the example checks, alerts, and threat events to an environment, once per data file. If `healthy`, every check is up. */
export function seedOnce(db: Database, environment: string, now: Date, healthy: boolean): void {
  db.transaction(() => {
    const { changes } = db.run(
      `INSERT INTO environment (name, created_at, seeded) VALUES (?, ?, 1)
       ON CONFLICT (name) DO UPDATE SET seeded = 1 WHERE seeded = 0`,
      [environment, now.toISOString()],
    )
    if (changes === 0) return
    const uuids = seedChecks(createHealthCheckStore(db, environment), environment, now, healthy)
    for (const [index, uuid] of uuids.entries()) {
      for (const recipients of listAlertRecipients(index))
        insertAlert(db, environment, { healthCheck: uuid, type: 'EMAIL', recipients }, now)
    }
    seedThreatEvents(createThreatEventStore(db, environment), environment, now)
  })
}
