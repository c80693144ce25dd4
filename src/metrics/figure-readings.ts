import { Gauge, type Registry } from '@prometheus-io/client'
import type { Figures } from '../store/figures.ts'
import type { Readings } from './readings.ts'

/** Whoever reads the metrics is answered without them rather than not at all. */
const FIGURES_WITHIN_MS = 1000

/** The same in every process: take the maximum over all of them, not the sum. */
export function createFigures({ figures }: Readings, registers: Registry[]): () => Promise<void> {
  const gauge = <T extends string = never>(name: string, help: string, ...labelNames: T[]) =>
    new Gauge<T>({ name: `signalman_${name}`, help, labelNames, registers })
  const up = gauge(
    'database_up',
    '1 while the database answers, and the figures that are read from it are there.',
  )
  const waiting = gauge('work_waiting', 'Work that is due and not begun.', 'kind')
  const oldest = gauge('work_oldest_seconds', 'For how long the first of it has been due.', 'kind')
  const unknown = gauge(
    'orders_unknown',
    'Certificate orders of which nobody knows whether they were placed.',
  )
  const lag = gauge('poll_lag_seconds', 'How late the latest poll of watched checks is.')
  const blind = gauge('blind_environments', 'Environments whose watched checks cannot be seen.')
  const behind = gauge('outbox_waiting', 'Messages about outages that are not shown as they should be.')
  const backup = gauge('backup_age_seconds', 'Since the last backup; absent where none was ever made.')
  const anchor = gauge(
    'audit_anchor_age_seconds',
    'Since an end of the audit log was last put outside of the database; absent where none ever was.',
  )
  const age = gauge('outbox_oldest_seconds', 'For how long the first of them has not been.')

  function show(read: Figures): void {
    for (const { kind, waiting: count, oldestSeconds } of read.work) {
      waiting.set({ kind }, count)
      oldest.set({ kind }, oldestSeconds)
    }
    unknown.set(read.ordersUnknown)
    lag.set(read.pollLagSeconds)
    blind.set(read.blind)
    behind.set(read.cards.waiting)
    age.set(read.cards.oldestSeconds)
    if (read.backupAgeSeconds !== undefined) backup.set(read.backupAgeSeconds)
    if (read.anchorAgeSeconds !== undefined) anchor.set(read.anchorAgeSeconds)
  }

  return async () => {
    // What is not read is not there: an old figure would look like a new one.
    for (const one of [unknown, lag, blind, behind, age, backup, anchor]) one.remove()
    for (const one of [waiting, oldest]) one.reset()
    const read = await within(FIGURES_WITHIN_MS, figures())
    up.set(read ? 1 : 0)
    if (read) show(read)
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const limit = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => limit.resolve(undefined), ms)
  const done = await Promise.race([work.catch(() => undefined), limit.promise])
  clearTimeout(timer)
  return done
}
