import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import type { FeatureFigures } from '../domain/feature-figures.ts'

/** What is asked for each time that the metrics are read. */
export interface Readings {
  /** Of the whole deployment: every process says the same. Rejects while the database does not answer. */
  figures(): Promise<Figures>
  /** In Socket Mode; undefined until they are opened. */
  sockets: (() => { open: number; opened: number; gaps: number; gapMs: number } | undefined) | undefined
  /** Acknowledged requests that still run. */
  running(): number
  /** Environments with watches that this process does not poll in time. */
  latePolls(): number
  /** For how long the poll has waited that this process should have begun first. */
  pollLagSeconds(): number
}

const gauges =
  (registers: Registry[]) =>
  <T extends string = never>(name: string, help: string, ...labelNames: T[]) =>
    new Gauge<T>({ name: `signalman_${name}`, help, labelNames, registers })

/** Puts what is read into metrics. */
export function createReadings(readings: Readings, registers: Registry[]): () => Promise<void> {
  const gauge = gauges(registers)
  const running = gauge('requests_running', 'Acknowledged requests that still run in this process.')
  const late = gauge(
    'polls_late',
    'Environments whose watched checks this process has not looked at for two intervals longer than it should.',
  )
  const lag = gauge(
    'poll_lag_seconds',
    'For how long the poll has been due that waits for longest in this process.',
  )
  const readFigures = createFigures(readings, registers)
  const { sockets } = readings
  const readSockets = sockets && createSockets(registers)
  return async () => {
    running.set(readings.running())
    late.set(readings.latePolls())
    lag.set(readings.pollLagSeconds())
    readSockets?.(sockets?.())
    await readFigures()
  }
}

/** Whoever reads the metrics is answered without them rather than not at all. */
const FIGURES_WITHIN_MS = 1000

/** The same in every process: take the maximum over all of them, not the sum. */
function createFigures({ figures }: Readings, registers: Registry[]): () => Promise<void> {
  const gauge = gauges(registers)
  const up = gauge(
    'database_up',
    '1 while the database answers, and the figures that are read from it are there.',
  )
  const waiting = gauge('work_waiting', 'Work that is due and not begun.', 'kind')
  const oldest = gauge('work_oldest_seconds', 'For how long the oldest work that waits has been due.', 'kind')
  const unknown = gauge(
    'orders_unknown',
    'Certificate orders of which nobody knows whether they were placed.',
  )
  const blind = gauge('blind_environments', 'Environments whose watched checks cannot be seen.')
  const behind = gauge('outbox_waiting', 'Messages about outages that are not shown as they should be.')
  const backup = gauge('backup_age_seconds', 'Since the last backup; absent where none was ever made.')
  const anchor = gauge(
    'audit_anchor_age_seconds',
    'Since all of the audit log was last known to be outside of the database too; absent where it never was.',
  )
  const age = gauge(
    'outbox_oldest_seconds',
    'For how long the oldest of the messages in signalman_outbox_waiting has waited.',
  )

  function show(read: Figures): void {
    for (const { kind, waiting: count, oldestSeconds } of read.work) {
      waiting.set({ kind }, count)
      oldest.set({ kind }, oldestSeconds)
    }
    unknown.set(read.ordersUnknown)
    blind.set(read.blind)
    behind.set(read.cards.waiting)
    age.set(read.cards.oldestSeconds)
    if (read.backupAgeSeconds !== undefined) backup.set(read.backupAgeSeconds)
    if (read.anchorAgeSeconds !== undefined) anchor.set(read.anchorAgeSeconds)
  }

  return async () => {
    // What is not read is not there: an old figure would look like a new one.
    for (const one of [unknown, blind, behind, age, backup, anchor]) one.remove()
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

/** How many sockets to Slack are open, and how often one was lost. */
function createSockets(registers: Registry[]) {
  const open = gauges(registers)(
    'slack_sockets',
    'Sockets to Slack that are open and have given a sign of life.',
  )
  const counter = (name: string, help: string) => {
    const one = new Counter({ name: `signalman_${name}`, help, registers })
    return (total: number) => {
      one.reset()
      one.inc(total)
    }
  }
  const opened = counter('slack_sockets_opened_total', 'Sockets to Slack that were opened.')
  const gaps = counter('slack_socket_gaps_total', 'Times without any socket, since the first one.')
  const gapSeconds = counter(
    'slack_socket_gap_seconds_total',
    'How long the times without any socket lasted together.',
  )
  return (now: ReturnType<NonNullable<Readings['sockets']>>) => {
    if (!now) return
    open.set(now.open)
    opened(now.opened)
    gaps(now.gaps)
    gapSeconds(now.gapMs / 1000)
  }
}

/** Figures of the database for monitoring: the same from every process. */
export interface Figures extends FeatureFigures {
  /** Work that is due and not begun, by kind, and how long the oldest has been due. */
  readonly work: readonly { kind: string; waiting: number; oldestSeconds: number }[]
  /** Since the last backup, and since all of the audit log was known to be anchored; undefined where that never happened. */
  readonly backupAgeSeconds: number | undefined
  readonly anchorAgeSeconds: number | undefined
}
