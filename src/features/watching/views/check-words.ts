import { durationWords } from '../../../domain/durations.ts'
import type { WatchedStatus } from '../../../domain/watching/watch.ts'

/** How a person says that a check is in a watched status. */
export const DOWN_WORDS: Readonly<Record<WatchedStatus, string>> = {
  UNHEALTHY: 'is down',
  INSTALLING: 'is still installing',
}
export const UP_WORDS: Readonly<Record<WatchedStatus, string>> = {
  UNHEALTHY: 'is up again',
  INSTALLING: 'is installed',
}
export const DOWN_SIGN: Readonly<Record<WatchedStatus, string>> = { UNHEALTHY: '🔴', INSTALLING: '🟡' }

/** How long something lasted, in words. */
export const lasted = (from: Date, to: Date): string => durationWords(to.getTime() - from.getTime())

/** `99.95 %`; never rounded up to 100 or down to 0. */
export function percent(share: number): string {
  if (share >= 1) return '100 %'
  if (share <= 0) return '0 %'
  const cut = Math.floor(share * 10_000) / 100
  return `${Math.min(99.99, Math.max(0.01, cut))} %`
}
