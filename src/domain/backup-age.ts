/** How far the clock of the machine that made the backup may be ahead. */
const MAX_CLOCK_SKEW_MS = 5 * 60_000

/** The age of a backup in ms, from its date in ISO 8601. Undefined if that is in the future, so that the age isn't known. */
export function findBackupAge(madeAt: string, now: Date): number | undefined {
  const ageMs = now.getTime() - Date.parse(madeAt)
  return ageMs < -MAX_CLOCK_SKEW_MS ? undefined : Math.max(0, ageMs)
}
