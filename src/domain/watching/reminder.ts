import { DAY_MS } from '../durations.ts'
import type { CardState } from './card.ts'
import type { DueOutage } from './due.ts'

/** From the first reminder of an outage to the next, and so on. */
export const REMIND_AGAIN_MS = DAY_MS

/** When people are reminded of a new card first: as soon as any of its outages wants it. */
export function reminderOf(dues: readonly DueOutage[], at: Date): Pick<CardState, 'remindAt'> {
  const asked = dues.flatMap(({ reminderMs }) => reminderMs ?? [])
  return asked.length > 0 ? { remindAt: new Date(at.getTime() + Math.min(...asked)) } : {}
}
