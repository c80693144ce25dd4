import { DAY_MS } from '@signalman/runtime'

/**
 * Days before the end on which people are reminded: at a third of the lifetime (at most 30), at a third of that, at a tenth of that,
 * and on the day of the end.
 */
export function listReminderDays(lifetimeDays: number): number[] {
  const first = Math.min(30, Math.floor(lifetimeDays / 3))
  return first < 1 ? [0] : [...new Set([first, Math.ceil(first / 3), Math.ceil(first / 10), 0])]
}

/** `reminded`: the days of the last reminder that was sent. */
export interface Reminded {
  notBefore: Date
  notAfter: Date
  reminded?: number | undefined
  ended?: string | undefined
}

const listOpenDays = ({ notBefore, notAfter, reminded }: Reminded): number[] =>
  listReminderDays(Math.round((notAfter.getTime() - notBefore.getTime()) / DAY_MS)).filter(
    (days) => reminded === undefined || days < reminded,
  )

const toTime = ({ notAfter }: Reminded, days: number): Date => new Date(notAfter.getTime() - days * DAY_MS)

/** When the next reminder is due, which may be in the past; undefined if there is none. */
export function findNextReminder(certificate: Reminded): Date | undefined {
  const [days] = certificate.ended === undefined ? listOpenDays(certificate) : []
  return days === undefined ? undefined : toTime(certificate, days)
}

/** A certificate that ended longer ago is only listed. */
const REMINDS_AFTER_END_MS = 7 * DAY_MS

/**
 * The reminder to send now. After a long pause, only the newest one that is due. `isFirst`: it's the first one of the certificate's
 * lifetime, which only the owner gets.
 */
export function findDueReminder(
  certificate: Reminded,
  now: Date,
): { days: number; isFirst: boolean } | undefined {
  if (certificate.ended !== undefined) return undefined
  if (now.getTime() - certificate.notAfter.getTime() > REMINDS_AFTER_END_MS) return undefined
  const days = listOpenDays(certificate).findLast((open) => toTime(certificate, open) <= now)
  if (days === undefined) return undefined
  const [first] = listOpenDays({ ...certificate, reminded: undefined })
  return { days, isFirst: days === first && days > 0 }
}

/**
 * Whether a certificate replaces another one: it ends later, and has all of its names. One that was ordered to replace it may also end
 * at the same time, as a reissued one does.
 */
export const replaces = (
  later: { notAfter: Date; names: readonly string[] },
  earlier: { notAfter: Date; names: readonly string[] },
  isOrderedFor = false,
): boolean =>
  (isOrderedFor ? later.notAfter >= earlier.notAfter : later.notAfter > earlier.notAfter) &&
  earlier.names.length > 0 &&
  earlier.names.every((name) => later.names.includes(name))
