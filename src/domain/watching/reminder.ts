import { DAY_MS } from '../durations.ts'
import type { DueOutage } from './due.ts'

/** From the first reminder of an outage to the next, and so on. */
export const REMIND_AGAIN_MS = DAY_MS

/** When people are reminded first of what they are told at that time: as soon as any of the outages wants it. */
export function firstReminder(dues: readonly DueOutage[], at: Date): Date | undefined {
  const asked = dues.flatMap(({ reminderMs }) => reminderMs ?? [])
  return asked.length > 0 ? new Date(at.getTime() + Math.min(...asked)) : undefined
}
