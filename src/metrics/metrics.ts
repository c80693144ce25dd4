// This folder has the metrics that /metrics serves.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'
import type { OutgoingCall } from '@signalman/runtime'
import { VERSION } from '../version.ts'
import { createGauges, type GaugeSources } from './gauges.ts'

export type Metrics = ReturnType<typeof createMetrics>

const FAST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3]
const SLOW_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]

/** Default metrics whose names `promtool check metrics` rejects. Each has an equivalent that it accepts. */
const MISNAMED_METRICS = [
  'nodejs_eventloop_lag_min_seconds',
  'nodejs_eventloop_utilization_summary',
  'nodejs_eventloop_utilization_histogram',
  'nodejs_active_resources_total',
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
]

let processRegistry: Registry | undefined

/** Default metrics, created once even if a process starts several apps in turn: the library can't stop its timers and observers. */
function processMetrics(): Registry {
  if (processRegistry) return processRegistry
  processRegistry = new Registry()
  collectDefaultMetrics({ register: processRegistry })
  for (const name of MISNAMED_METRICS) processRegistry.removeSingleMetric(name)
  return processRegistry
}

/**
 * The metrics of this process. None names a workspace, a person, or a check. Names follow
 * https://prometheus.io/docs/practices/naming (November 2026).
 */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const build = new Gauge({
    name: 'signalman_build_info',
    help: 'Always 1. The label is the version of this process.',
    labelNames: ['version'],
    registers,
  })
  build.set({ version: VERSION }, 1)
  const acknowledgements = new Histogram({
    name: 'signalman_slack_acknowledgement_seconds',
    help: 'Time from receiving a request from Slack to acknowledging it. Slack waits 3 s. `way` is `http` or `socket`.',
    labelNames: ['way'],
    buckets: FAST_SECONDS,
    registers,
  })
  const requests = new Histogram({
    name: 'signalman_request_duration_seconds',
    help: 'Time from acknowledging a request to answering it. `problem` means that the person got an error message.',
    labelNames: ['kind', 'outcome'],
    buckets: SLOW_SECONDS,
    registers,
  })
  const calls = callHistograms(registers)
  const undecryptableRows = new Counter({
    name: 'signalman_unopened_rows_total',
    help: 'Rows that couldn’t be decrypted when read (a key is missing, or the row is damaged), by kind of content.',
    labelNames: ['what'],
    registers,
  })
  const refusedSignatures = new Counter({
    name: 'signalman_slack_signatures_refused_total',
    help: 'Requests to /slack/events without a valid signature.',
    registers,
  })
  let updateGauges = async (): Promise<void> => undefined
  return {
    recordAcknowledgement: (way: 'http' | 'socket', ms: number): void =>
      acknowledgements.observe({ way }, ms / 1000),
    recordRequest: (kind: string, outcome: 'done' | 'problem' | 'failed', ms: number): void =>
      requests.observe({ kind, outcome }, ms / 1000),
    recordCall({ to, method, outcome, ms }: OutgoingCall): void {
      calls[to].observe({ method, outcome }, ms / 1000)
    },
    countRefusedSignature: (): void => refusedSignatures.inc(),
    countUndecryptableRow: (what: string): void => undecryptableRows.inc({ what }),
    setGaugeSources(sources: GaugeSources): void {
      updateGauges = createGauges(sources, registers)
    },
    /** All metrics in Prometheus's text format. */
    async text(): Promise<string> {
      await updateGauges()
      return Registry.merge([processMetrics(), registry]).metrics()
    },
    contentType: registry.contentType,
  }
}

function callHistograms(registers: Registry[]) {
  const labelNames = ['method', 'outcome'] as const
  const shared = { labelNames, buckets: SLOW_SECONDS, registers }
  return {
    slack: new Histogram({
      name: 'signalman_slack_call_duration_seconds',
      help: 'Calls to the Web API and to response_urls. `outcome` is `ok` or Slack’s error code.',
      ...shared,
    }),
    service: new Histogram({
      name: 'signalman_service_call_duration_seconds',
      help: 'Requests to the service, with each retry counted. `outcome` is `ok`, the HTTP status, or the network error.',
      ...shared,
    }),
  }
}
