import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { createInstalling } from '../slack/install/installing.ts'
import { createHttpServer } from '../slack/receive/http-server.ts'
import type { SocketMode } from '../slack/receive/socket/socket-mode.ts'
import { createReference } from '../tracing/reference.ts'
import type { Engine } from '../work/engine.ts'
import type { Outside } from './outside.ts'
import { readyChecks } from './readiness.ts'
import { type ReceiveParts, type Receiving, receive } from './receive.ts'
import { heardBy } from './replicas.ts'
import { type Stopping, stop } from './stop.ts'

const SLACK_REFUSES = 'Slack does not answer to SLACK_BOT_TOKEN: nothing can be said in Slack until it does.'

export interface Listening {
  readonly url: string
  readonly sockets: SocketMode | undefined
  /** Takes no more requests and work, lets finish what runs (10 s), and listens no longer. */
  stop(): Promise<void>
}

export interface ListenParts extends Omit<ReceiveParts, 'signOfLife'> {
  outside: Outside
  engine: Pick<Engine, 'owner' | 'drain'>
}

/** Takes requests from Slack, and answers whoever asks how the process is. */
export async function listen(parts: ListenParts): Promise<Listening> {
  const { config, now, log, outside, engine, metrics } = parts
  const { processes } = outside.store
  const signOfLife = heardBy(outside.replicas, () => processes.signOfLife(engine.owner))
  const receiving = receive({ ...parts, signOfLife })
  const { way } = receiving
  metrics.read({
    figures: () => outside.store.figures(),
    sockets: () => ('sockets' in way ? way.sockets.counts() : undefined),
    running: () => receiving.inFlight.count,
  })
  const stopping: Stopping = { isDraining: false, isRefusing: false }
  const isDraining = () => stopping.isDraining
  const ready = readyChecks({ config, now, outside, receiving, signOfLife, isDraining })
  const handlers = {
    ...('handle' in way && { '/slack/events': way.handle }),
    ...installHandlers(parts, receiving),
    ...(config.metricsPort === undefined && { '/metrics': showMetrics(metrics) }),
  }
  const front = createHttpServer({ handlers, ready, isRefusing: () => stopping.isRefusing, log })
  const { server } = front
  server.listen(config.port, config.host)
  await once(server, 'listening')
  const measures = await listenForMetrics(config, metrics, log)
  if (ready.slack) ready.slack().catch((error: unknown) => log.warn({ err: error }, SLACK_REFUSES))
  return {
    url: urlOf(server, config.host),
    sockets: 'sockets' in way ? way.sockets : undefined,
    stop: () => stop(stopping, { log, outside, engine, receiving, front, measures }),
  }
}

function showMetrics(metrics: Metrics) {
  return async (_: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await metrics.text()
    response.writeHead(200, { 'content-type': metrics.contentType }).end(text)
  }
}

/** On a port of their own, the metrics are nowhere else. */
async function listenForMetrics(config: Config, metrics: Metrics, log: Log): Promise<Server | undefined> {
  if (config.metricsPort === undefined) return undefined
  const handlers = { '/metrics': showMetrics(metrics) }
  const { server } = createHttpServer({ handlers, ready: {}, isRefusing: () => false, log })
  server.listen(config.metricsPort, config.host)
  await once(server, 'listening')
  return server
}

/** Where many workspaces install the app themselves: the pages for that. */
function installHandlers({ config, log, now, outside, bot }: ListenParts, { inFlight }: Receiving) {
  const { tenants, apiUrl, leftOut } = config.slack
  if (!('oauth' in tenants)) return {}
  const { store, clients } = outside
  const { commandPrefix: prefix } = config
  const { bindButtons } = bot
  return createInstalling({
    secrets: tenants.oauth,
    leftOut,
    apiUrl,
    store,
    clients,
    bindButtons,
    log,
    now,
    prefix,
    createReference,
    inFlight,
  }).handlers
}

function urlOf(server: Server, host: string): string {
  // A server that listens has an address with a port.
  const { port } = server.address() as AddressInfo
  return `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}`
}
