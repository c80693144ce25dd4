import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import type { FeatureFigures } from '../domain/feature-figures.ts'

/** Values read on each scrape. */
export interface Readings {
  /** Values of the whole deployment, from the database. Rejects if the database doesn't respond. */
  figures(): Promise<Figures>
  /** Set in Socket Mode. Returns undefined until the sockets are opened. */
  sockets: (() => { open: number; opened: number; gaps: number; gapMs: number } | undefined) | undefined
  /** Acknowledged requests that still run. */
  running(): number
  /** Watched environments that this process is late to poll. */
  overdueEnvironments(): number
  /** How long this process's most overdue poll has been due. */
  pollLagSeconds(): number
}

const createGaugeFactory =
  (registers: Registry[]) =>
  <T extends string = never>(name: string, help: string, ...labelNames: T[]) =>
    new Gauge<T>({ name: `signalman_${name}`, help, labelNames, registers })

/** Registers the gauges, and returns a function that updates them. */
export function createReadings(readings: Readings, registers: Registry[]): () => Promise<void> {
  const gauge = createGaugeFactory(registers)
  const running = gauge('requests_running', 'Acknowledged requests still running in this process.')
  const overdue = gauge(
    'polls_late',
    'Environments whose poll by this process is more than two intervals late.',
  )
  const lag = gauge('poll_lag_seconds', 'How long the most overdue poll of this process has been due.')
  const readFigures = createFigures(readings, registers)
  const { sockets } = readings
  const readSockets = sockets && createSockets(registers)
  return async () => {
    running.set(readings.running())
    overdue.set(readings.overdueEnvironments())
    lag.set(readings.pollLagSeconds())
    readSockets?.(sockets?.())
    await readFigures()
  }
}

/** After this time, a scrape is answered without the values from the database. */
const FIGURES_TIMEOUT_MS = 1000

/** These are the same from every process: aggregate them with max, not sum. */
function createFigures({ figures }: Readings, registers: Registry[]): () => Promise<void> {
  const gauge = createGaugeFactory(registers)
  const up = gauge(
    'database_up',
    '1 if the database responds. Otherwise 0, and metrics read from it are missing.',
  )
  const waiting = gauge('work_waiting', 'Work that is due and hasn’t started.', 'kind')
  const oldest = gauge('work_oldest_seconds', 'How long the oldest waiting work has been due.', 'kind')
  const unknown = gauge('orders_unknown', 'Certificate orders with an unknown outcome.')
  const blind = gauge('blind_environments', 'Environments whose watched checks Signalman can’t see.')
  const outboxWaiting = gauge(
    'outbox_waiting',
    'Messages about outages that are waiting to be sent or updated.',
  )
  const backup = gauge(
    'backup_age_seconds',
    'Time since the last backup. Missing if there has never been one.',
  )
  const anchor = gauge(
    'audit_anchor_age_seconds',
    'Time since the whole audit log was last anchored outside the database. Missing if it never was.',
  )
  const outboxAge = gauge(
    'outbox_oldest_seconds',
    'How long the oldest message in signalman_outbox_waiting has been waiting.',
  )

  function setGauges(values: Figures): void {
    for (const { kind, waiting: count, oldestSeconds } of values.work) {
      waiting.set({ kind }, count)
      oldest.set({ kind }, oldestSeconds)
    }
    unknown.set(values.ordersUnknown)
    blind.set(values.blind)
    outboxWaiting.set(values.cards.waiting)
    outboxAge.set(values.cards.oldestSeconds)
    if (values.backupAgeSeconds !== undefined) backup.set(values.backupAgeSeconds)
    if (values.anchorAgeSeconds !== undefined) anchor.set(values.anchorAgeSeconds)
  }

  return async () => {
    // Remove the previous values: if they can't be read now, an old value would look current.
    for (const one of [unknown, blind, outboxWaiting, outboxAge, backup, anchor]) one.remove()
    for (const one of [waiting, oldest]) one.reset()
    const read = await resolveWithin(FIGURES_TIMEOUT_MS, figures())
    up.set(read ? 1 : 0)
    if (read) setGauges(read)
  }
}

async function resolveWithin<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const limit = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => limit.resolve(undefined), ms)
  const result = await Promise.race([work.catch(() => undefined), limit.promise])
  clearTimeout(timer)
  return result
}

/** Metrics of the sockets to Slack. */
function createSockets(registers: Registry[]) {
  const open = createGaugeFactory(registers)(
    'slack_sockets',
    'Open sockets to Slack that have responded recently.',
  )
  const counter = (name: string, help: string) => {
    const one = new Counter({ name: `signalman_${name}`, help, registers })
    return (total: number) => {
      one.reset()
      one.inc(total)
    }
  }
  const opened = counter('slack_sockets_opened_total', 'Sockets to Slack opened so far.')
  const gaps = counter(
    'slack_socket_gaps_total',
    'How often there was no open socket, after the first one was opened.',
  )
  const gapSeconds = counter('slack_socket_gap_seconds_total', 'Total time without an open socket.')
  return (now: ReturnType<NonNullable<Readings['sockets']>>) => {
    if (!now) return
    open.set(now.open)
    opened(now.opened)
    gaps(now.gaps)
    gapSeconds(now.gapMs / 1000)
  }
}

/** Values read from the database, the same from every process. */
export interface Figures extends FeatureFigures {
  /** Work that is due and hasn't started, by kind, and how long the oldest has been due. */
  readonly work: readonly { kind: string; waiting: number; oldestSeconds: number }[]
  /** Time since the last backup. Undefined if there was none. */
  readonly backupAgeSeconds: number | undefined
  /** Time since the whole audit log was last anchored. Undefined if it never was. */
  readonly anchorAgeSeconds: number | undefined
}
