import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'
import type { OutgoingCall } from '@signalman/runtime'
import { VERSION } from '../version.ts'
import { createReadings, type Readings } from './readings.ts'

export type Metrics = ReturnType<typeof createMetrics>

const FAST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3]
const SLOW_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]

/** What the library measures by itself under names that `promtool check metrics` refuses; each has a sibling that it takes. */
const AGAINST_THE_NAMING = [
  'nodejs_eventloop_lag_min_seconds',
  'nodejs_eventloop_utilization_summary',
  'nodejs_eventloop_utilization_histogram',
  'nodejs_active_resources_total',
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
]

let collected: Registry | undefined

/** Once for a process, however many apps run in it one after the other: the library's timers and observers cannot be stopped. */
function ofProcess(): Registry {
  if (collected) return collected
  collected = new Registry()
  collectDefaultMetrics({ register: collected })
  for (const name of AGAINST_THE_NAMING) collected.removeSingleMetric(name)
  return collected
}

/**
 * What is measured of this process. Nothing in it names a workspace, a person or a check. Names by
 * https://prometheus.io/docs/practices/naming (November 2026).
 */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const build = new Gauge({
    name: 'signalman_build_info',
    help: 'Always 1: which version this process is, in its labels.',
    labelNames: ['version'],
    registers,
  })
  build.set({ version: VERSION }, 1)
  const acknowledgements = new Histogram({
    name: 'signalman_slack_acknowledgement_seconds',
    help: 'From the arrival of a request from Slack to its acknowledgement; Slack waits 3 s.',
    labelNames: ['way'],
    buckets: FAST_SECONDS,
    registers,
  })
  const requests = new Histogram({
    name: 'signalman_request_duration_seconds',
    help: 'From the acknowledgement of a request to its answer. Outcome problem: the person was told of one.',
    labelNames: ['kind', 'outcome'],
    buckets: SLOW_SECONDS,
    registers,
  })
  const calls = callHistograms(registers)
  const unopened = new Counter({
    name: 'signalman_unopened_rows_total',
    help: 'How often a row was read whose content does not open (a key is missing, or it is damaged), by what is sealed in it.',
    labelNames: ['what'],
    registers,
  })
  const refused = new Counter({
    name: 'signalman_slack_signatures_refused_total',
    help: 'Requests to /slack/events without a valid signature of Slack.',
    registers,
  })
  let readAll = async (): Promise<void> => undefined
  return {
    acknowledged: (way: 'http' | 'socket', ms: number): void => acknowledgements.observe({ way }, ms / 1000),
    handled: (kind: string, outcome: 'done' | 'problem' | 'failed', ms: number): void =>
      requests.observe({ kind, outcome }, ms / 1000),
    called({ to, method, outcome, ms }: OutgoingCall): void {
      calls[to].observe({ method, outcome }, ms / 1000)
    },
    signatureRefused: (): void => refused.inc(),
    /** A row whose content does not open, by what it is sealed as. */
    unopened: (what: string): void => unopened.inc({ what }),
    /** From now on these are read too. */
    read(readings: Readings): void {
      readAll = createReadings(readings, registers)
    },
    /** In Prometheus's text format. */
    async text(): Promise<string> {
      await readAll()
      return Registry.merge([ofProcess(), registry]).metrics()
    },
    contentType: registry.contentType,
  }
}

function callHistograms(registers: Registry[]) {
  const labelNames = ['method', 'outcome'] as const
  const rest = { labelNames, buckets: SLOW_SECONDS, registers }
  return {
    slack: new Histogram({
      name: 'signalman_slack_call_duration_seconds',
      help: 'Calls of the Web API and answers by response_url; the outcome is ok or Slack’s code.',
      ...rest,
    }),
    service: new Histogram({
      name: 'signalman_service_call_duration_seconds',
      help: 'Requests to the service, each repetition one; the outcome is ok, the status, or what the network did.',
      ...rest,
    }),
  }
}
