import type { HealthCheckRow } from './health-check-rows.ts'

/** Knows which checks are to be checked and when. */
export interface Schedule {
  /** Checks it from now on, with these settings instead of earlier ones. */
  track(check: HealthCheckRow): void
  forget(uuid: string): void
}

/** For a sandbox in which statuses change by hand only. */
export const idleSchedule: Schedule = { track: () => {}, forget: () => {} }
