import { insertAlert } from '../alerts.ts'
import type { Database } from '../database.ts'
import { createHealthCheckRows } from '../health-check-rows.ts'
import { createThreatEvents } from '../threat-events.ts'
import { seedChecks } from './checks.ts'
import { seedThreatEvents } from './threat-events.ts'

const TEAMS = [
  ['oncall@example.com'],
  ['web-team@example.com', 'oncall@example.com'],
  ['network-team@example.net', 'oncall@example.net', 'duty.manager@example.com'],
  Array.from({ length: 40 }, (_, index) => `branch-${index + 1}@example.org`),
]

/** Fills the environment once per data file with checks, alerts for three out of four checks, and threat events. */
export function seedOnce(db: Database, environment: string, now: Date): void {
  db.transaction(() => {
    const { changes } = db.run(
      `INSERT INTO environment (name, created_at, seeded) VALUES (?, ?, 1)
       ON CONFLICT (name) DO UPDATE SET seeded = 1 WHERE seeded = 0`,
      [environment, now.toISOString()],
    )
    if (changes === 0) return
    const uuids = seedChecks(createHealthCheckRows(db, environment), environment, now)
    for (const [index, uuid] of uuids.entries()) {
      const alerts = [[TEAMS[1]], [TEAMS[0]], [], [TEAMS[2], TEAMS[index % 5 === 0 ? 3 : 0]]][index % 4] ?? []
      for (const recipients of alerts)
        insertAlert(db, environment, { healthCheck: uuid, type: 'EMAIL', recipients: recipients ?? [] }, now)
    }
    seedThreatEvents(createThreatEvents(db, environment), environment, now)
  })
}
