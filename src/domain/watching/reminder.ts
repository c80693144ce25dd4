import { DAY_MS, HOUR_MS } from '../durations.ts'
import type { DueOutage } from './due.ts'

/** From the first reminder of an outage to the next, until it ends or somebody takes it on (`store/watching/cards.ts`). */
export const REMIND_AGAIN_MS = DAY_MS

/** When people are reminded first of what they are told at that time: as soon as any of the outages wants it. */
export function firstReminder(dues: readonly Pick<DueOutage, 'reminderMs'>[], at: Date): Date | undefined {
  const asked = dues.flatMap(({ reminderMs }) => reminderMs ?? [])
  return asked.length > 0 ? new Date(at.getTime() + Math.min(...asked)) : undefined
}

/** When people are reminded next of what is down since `since`, once the hours that the watches ask for have changed. */
export function changedReminder(
  hours: ReadonlySet<number>,
  at: { since: Date; scheduled: Date | undefined; wasReminded: boolean; now: Date },
): Date | undefined {
  const { since, scheduled, wasReminded, now } = at
  if (hours.size === 0) return undefined
  if (wasReminded) return scheduled ?? new Date(now.getTime() + REMIND_AGAIN_MS)
  return new Date(Math.max(now.getTime(), since.getTime() + Math.min(...hours) * HOUR_MS))
}
