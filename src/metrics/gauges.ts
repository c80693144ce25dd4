import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import type { FeatureStats } from '../domain/feature-stats.ts'

export interface GaugeSources {
  /** Values of the whole deployment, from the database. Rejects if the database doesn't respond. */
  stats(): Promise<StoreStats>
  /** Set in Socket Mode. Returns undefined until the sockets are opened. */
  sockets: (() => { open: number; opened: number; gaps: number; elsewhere: number } | undefined) | undefined
  /** Acknowledged requests that still run. */
  running(): number
}

const createGaugeFactory =
  (registers: Registry[]) =>
  <T extends string = never>(name: string, help: string, ...labelNames: T[]) =>
    new Gauge<T>({ name: `signalman_${name}`, help, labelNames, registers })

/** Registers the gauges, and returns a function that updates them. */
export function createGauges(sources: GaugeSources, registers: Registry[]): () => Promise<void> {
  const gauge = createGaugeFactory(registers)
  const requestsRunning = gauge('requests_running', 'Acknowledged requests still running in this process.')
  const updateDatabaseGauges = createDatabaseGauges(sources, registers)
  const { sockets } = sources
  const updateSocketMetrics = sockets && createSocketMetrics(registers)
  return async () => {
    requestsRunning.set(sources.running())
    updateSocketMetrics?.(sockets?.())
    await updateDatabaseGauges()
  }
}

/** After this time, a scrape is answered without the values from the database. */
const STATS_TIMEOUT_MS = 1000

/** Values of the database that are one number. */
const NUMBERS: readonly (readonly [name: string, help: string, read: (stats: StoreStats) => number])[] = [
  ['orders_unknown', 'Certificate orders with an unknown outcome.', ({ ordersUnknown }) => ordersUnknown],
  [
    'environments_without_data',
    'Environments in which Signalman can’t see the status of watched checks.',
    ({ environmentsWithoutData }) => environmentsWithoutData,
  ],
  ['polls_late', 'Environments whose poll is more than two minutes late.', ({ polls }) => polls.late],
  ['poll_lag_seconds', 'How long the most overdue poll has been due.', ({ polls }) => polls.lagSeconds],
  [
    'outbox_waiting',
    'Messages about outages that are waiting to be sent or updated, except in paused channels.',
    ({ outbox }) => outbox.waiting,
  ],
  [
    'uninstalls_unconfirmed',
    'Uninstalls that Slack reported but hasn’t confirmed. The data is kept.',
    ({ unconfirmedUninstalls }) => unconfirmedUninstalls,
  ],
  [
    'outbox_oldest_seconds',
    'How long the oldest message in signalman_outbox_waiting has been waiting.',
    ({ outbox }) => outbox.oldestSeconds,
  ],
]

/** Every process reports the same values, so aggregate them with max, not sum. */
function createDatabaseGauges(
  { stats: readStats }: GaugeSources,
  registers: Registry[],
): () => Promise<void> {
  const gauge = createGaugeFactory(registers)
  const databaseUp = gauge(
    'database_up',
    '1 if the database responds. Otherwise 0, and metrics read from it are missing.',
  )
  const workWaiting = gauge('work_waiting', 'Work that is due and hasn’t started.', 'kind')
  const workOldest = gauge('work_oldest_seconds', 'How long the oldest waiting work has been due.', 'kind')
  const numbers = NUMBERS.map(([name, help, read]) => ({ gauge: gauge(name, help), read }))

  return async () => {
    // Removes the previous values. If the database doesn't respond, they would look current.
    for (const { gauge } of numbers) gauge.remove()
    for (const gauge of [workWaiting, workOldest]) gauge.reset()
    const stats = await resolveWithin(STATS_TIMEOUT_MS, readStats())
    databaseUp.set(stats ? 1 : 0)
    if (!stats) return
    for (const { gauge, read } of numbers) gauge.set(read(stats))
    for (const { kind, waiting: count, oldestSeconds } of stats.work) {
      workWaiting.set({ kind }, count)
      workOldest.set({ kind }, oldestSeconds)
    }
  }
}

/** Resolves with undefined if the work fails or takes too long. */
async function resolveWithin<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const timeout = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => timeout.resolve(undefined), ms)
  const result = await Promise.race([work.catch(() => undefined), timeout.promise])
  clearTimeout(timer)
  return result
}

function createSocketMetrics(registers: Registry[]) {
  const openSockets = createGaugeFactory(registers)(
    'slack_sockets',
    'Open sockets to Slack that have responded recently.',
  )
  const elsewhere = createGaugeFactory(registers)(
    'slack_sockets_elsewhere',
    'Sockets of the same Slack app in other processes, as Slack counted them when this process last opened one.',
  )
  const createTotalSetter = (name: string, help: string) => {
    const counter = new Counter({ name: `signalman_${name}`, help, registers })
    return (total: number) => {
      counter.reset()
      counter.inc(total)
    }
  }
  const setSocketsOpened = createTotalSetter('slack_sockets_opened_total', 'Sockets to Slack opened so far.')
  const setGaps = createTotalSetter(
    'slack_socket_gaps_total',
    'How often there was no open socket, after the first one was opened.',
  )
  return (counts: ReturnType<NonNullable<GaugeSources['sockets']>>) => {
    if (!counts) return
    openSockets.set(counts.open)
    elsewhere.set(counts.elsewhere)
    setSocketsOpened(counts.opened)
    setGaps(counts.gaps)
  }
}

/** Values read from the database, the same from every process. */
export interface StoreStats extends FeatureStats {
  /** Work that is due and hasn't started, by kind, and how long the oldest has been due. */
  readonly work: readonly { kind: string; waiting: number; oldestSeconds: number }[]
  /** Uninstalls that Slack reported but hasn't confirmed. */
  readonly unconfirmedUninstalls: number
}
