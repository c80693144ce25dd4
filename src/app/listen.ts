import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Engine } from '@signalman/durable'
import { rootCause, runPeriodically } from '@signalman/runtime'
import { createHttpServer, type SocketMode, slackErrorCode } from '@signalman/slack'
import { createInstalling } from '../bot/install/installing.ts'
import { localUrl } from '../config.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { type Backends, createHeartbeat } from './backends.ts'
import { startCallingMonitor } from './call-monitor.ts'
import { describeDeployment, findForeignData, rememberDeployment } from './deployment.ts'
import { createReadyChecks } from './readiness.ts'
import { createSlackReceiver, type ReceiveDeps, type SlackReceiver } from './slack-receiver.ts'
import { type ShutdownState, type StopBudget, stop } from './stop.ts'

const HEARTBEAT_MS = 5000
const SOCKETS_PER_PROCESS = 2

interface RunningServer {
  readonly url: string
  readonly sockets: SocketMode | undefined
  /** Stops accepting requests and work, gives running work 10 s to finish, and closes the ports. */
  stop(): Promise<void>
}

export interface ListenDeps extends ReceiveDeps {
  backends: Backends
  engine: Pick<Engine, 'owner' | 'drain' | 'begin' | 'holdsForMs' | 'run'>
  /** How often this process sends a heartbeat with the key it encrypts with. After 30 s without one, it counts as dead. */
  heartbeatMs?: number | undefined
  monitorMs?: number | undefined
  /** Once aborted, shutdown doesn't wait for anything. */
  forceStop: AbortSignal
  budget: StopBudget
}

/**
 * Accepts requests from Slack and answers health probes. Opens the ports before the sockets to Slack, so that a second process on
 * the same port doesn't connect. If it throws, everything is closed again; port errors have `listen` as their `syscall`.
 */
export async function listen(deps: ListenDeps): Promise<RunningServer> {
  const { config, log, now, backends, engine, metrics, forceStop, budget } = deps
  const { heartbeatMs = HEARTBEAT_MS } = deps
  const { processes } = backends.store
  await using opened = new AsyncDisposableStack()
  const sendHeartbeat = createHeartbeat(backends.replicas, () => processes.heartbeat(engine.owner))
  const slackReceiver = createSlackReceiver(deps)
  const { transport } = slackReceiver
  let sockets: SocketMode | undefined
  const shutdown: ShutdownState = { isDraining: false, isRefusing: false }
  const isDraining = () => shutdown.isDraining
  const getSockets = 'openSockets' in transport ? () => sockets : undefined
  const readyChecks = createReadyChecks({
    config,
    now,
    backends,
    sockets: getSockets,
    sendHeartbeat,
    isDraining,
  })
  metrics.setGaugeSources({
    stats: () => backends.store.stats(),
    sockets: getSockets && (() => sockets?.counts()),
    running: () => slackReceiver.inFlight.count,
  })
  const metricsHandlers = { '/metrics': createMetricsHandler(metrics) }
  const handlers = {
    ...('handlers' in transport && transport.handlers),
    ...installHandlers(deps, slackReceiver),
    ...(config.metricsPort === undefined && metricsHandlers),
  }
  const mainServer = opened.use(createHttpServer({ handlers, readyChecks, stopping: shutdown, log }))
  await mainServer.listen(config.port, config.host)
  if (config.metricsPort !== undefined) {
    const metricsServer = opened.use(
      createHttpServer({ handlers: metricsHandlers, readyChecks, stopping: { isRefusing: false }, log }),
    )
    await metricsServer.listen(config.metricsPort, config.host)
  }
  if ('openSockets' in transport) sockets = opened.use(transport.openSockets())
  const isSqlite = config.databaseUrl.startsWith('sqlite:')
  const otherCopies = (await sendHeartbeat().catch(() => 1)) - 1
  // During an upgrade, two processes may overlap for a moment. Otherwise, someone has started a second copy by mistake.
  if (isSqlite && otherCopies > 0)
    log.warn(
      { others: otherCopies },
      'Another copy of Signalman is using this database file, or was until a moment ago.',
    )
  compareDeployment(deps).catch((err: unknown) =>
    log.warn({ err }, 'Couldn’t compare the workspace and the service with what is stored.'),
  )
  // Checks the connection to Slack last and in the background, so that it doesn't delay the answers to liveness probes.
  if (readyChecks.slack)
    readyChecks.slack().then(
      () => {
        // In Socket Mode, the first socket logs this.
        if (!getSockets) log.info('Slack is connected.')
      },
      (error: unknown) => {
        log.warn(
          { because: slackErrorCode(error) ?? rootCause(error) },
          'Signalman can’t connect to Slack, so nobody gets answers or notifications. Run signalman doctor.',
        )
      },
    )
  const warnOfOtherDeployment = createOtherDeploymentWarning(deps, () => sockets?.counts())
  const heartbeats = runPeriodically(
    heartbeatMs,
    async () => {
      await sendHeartbeat()
      warnOfOtherDeployment()
    },
    (error, failures) => {
      if (failures === 1) log.warn({ err: error }, 'The database is unavailable; retrying.')
      return heartbeatMs
    },
  )
  const { heartbeatUrl: url, watchIntervalSeconds: intervalSeconds } = config
  if (url !== undefined)
    opened.use(
      startCallingMonitor({
        ...{ url, intervalSeconds, sendHeartbeat, log },
        store: backends.store,
        everyMs: deps.monitorMs,
      }),
    )
  const servers = opened.move()
  return {
    url: listenUrl(mainServer.server, config.host),
    sockets,
    async stop() {
      heartbeats[Symbol.dispose]()
      await stop(shutdown, { log, backends, engine, slackReceiver, sockets, mainServer, forceStop, budget })
      await servers[Symbol.asyncDispose]()
    },
  }
}

/** Says what is stored for another workspace, Slack app, or service, and remembers these. */
async function compareDeployment({ config, log, now, backends }: ListenDeps): Promise<void> {
  const { store, clients } = backends
  const isSingle = 'botToken' in config.slack.tenants
  const owner = isSingle ? (await clients.forWorkspace({ workspaceId: '' })).findOwner() : undefined
  // Slack may refuse the token: that is logged on its own.
  const deployment = describeDeployment(config, await owner?.catch(() => undefined))
  for (const { state, message, fix } of await findForeignData(store, deployment, now()))
    log[state === 'fault' ? 'warn' : 'info'](`${message} ${fix}`)
  await rememberDeployment(store, deployment, now())
}

/** Warns if Slack counts more sockets than the processes here open, which is two for each: something else gets a part of the requests. */
function createOtherDeploymentWarning(
  { log, backends: { replicas } }: Pick<ListenDeps, 'log' | 'backends'>,
  readCounts: () => ReturnType<SocketMode['counts']> | undefined,
): () => void {
  let seen = 0
  return () => {
    const { opened = 0, elsewhere = 0 } = readCounts() ?? {}
    // Slack counts when a socket opens, so only then do both numbers belong to the same moment.
    const isNew = opened !== seen
    seen = opened
    if (isNew && elsewhere >= SOCKETS_PER_PROCESS * replicas.count)
      log.warn(
        { elsewhere },
        'Another deployment seems to use the same Slack app, and gets a part of its requests. Give it its own Slack app.',
      )
  }
}

function createMetricsHandler(metrics: Metrics) {
  return async (_: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await metrics.text()
    response.writeHead(200, { 'content-type': metrics.contentType }).end(text)
  }
}

/** The pages on which workspaces install the app themselves. */
function installHandlers({ config, log, now, backends }: ListenDeps, { inFlight }: SlackReceiver) {
  const { tenants, apiUrl } = config.slack
  if (!('oauth' in tenants)) return {}
  const { store, clients } = backends
  return createInstalling({
    secrets: tenants.oauth,
    apiUrl,
    store,
    clients,
    log,
    now,
    inFlight,
  }).handlers
}

function listenUrl(server: Server, host: string): string {
  // A server that listens has an address with a port.
  const { port } = server.address() as AddressInfo
  return localUrl({ host, port })
}
