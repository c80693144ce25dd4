import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createShortCache } from '../domain/short-cache.ts'
import type { SlackClients } from '../slack/client/clients.ts'
import { createInstalling } from '../slack/install/installing.ts'
import { createHttpServer, type ReadyChecks } from '../slack/receive/http-server.ts'
import { createReference } from '../slack/receive/reference.ts'
import type { SocketMode } from '../slack/receive/socket/socket-mode.ts'
import type { Outside } from './outside.ts'
import { type ReceiveParts, type Receiving, receive } from './receive.ts'

const SLACK_CHECK_LASTS_MS = 30_000
const DRAIN_LIMIT_MS = 10_000
const LAST_WORDS_LIMIT_MS = 2000
const SLACK_REFUSES = 'Slack does not answer to SLACK_BOT_TOKEN: nothing can be said in Slack until it does.'

export interface Listening {
  readonly url: string
  readonly sockets: SocketMode | undefined
  /** Takes no more work, lets finish what runs (10 s), and listens no longer. */
  stop(): Promise<void>
}

export interface ListenParts extends ReceiveParts {
  outside: Outside
}

/** Takes requests from Slack, and answers whoever asks how the process is. */
export async function listen(parts: ListenParts): Promise<Listening> {
  const { config, log, outside } = parts
  const receiving = receive(parts)
  const { inFlight, way } = receiving
  let isDraining = false
  const ready = readyChecks(parts, receiving, () => isDraining)
  const handlers = {
    ...('handle' in way && { '/slack/events': way.handle }),
    ...installHandlers(parts, receiving),
  }
  const server = createHttpServer({ handlers, ready, isStopping: () => isDraining, log })
  server.listen(config.port, config.host)
  await once(server, 'listening')
  if (ready.slack) ready.slack().catch((error: unknown) => log.warn({ err: error }, SLACK_REFUSES))
  return {
    url: urlOf(server, config.host),
    sockets: 'sockets' in way ? way.sockets : undefined,
    async stop() {
      // Still listening: `/readyz` must be able to say that no more work should be sent here.
      isDraining = true
      if ('sockets' in way) await way.sockets[Symbol.asyncDispose]()
      if ((await inFlight.drained(DRAIN_LIMIT_MS)) > 0) {
        // Calls to the service are cut, and who waits for them is told so before the way to Slack is closed.
        await outside.service[Symbol.asyncDispose]()
        const left = await inFlight.drained(LAST_WORDS_LIMIT_MS)
        if (left > 0) log.warn({ left }, 'Stopping although some requests still run.')
      }
      server.close()
      server.closeAllConnections()
    },
  }
}

function readyChecks(
  { config, outside, now }: ListenParts,
  { way }: Receiving,
  isDraining: () => boolean,
): ReadyChecks {
  const { store, clients } = outside
  const slackChecks = createShortCache<void>({ freshMs: SLACK_CHECK_LASTS_MS, failedMs: 2000, kept: 1, now })
  return {
    database: () => store.ping(),
    // Of many workspaces one dead token says nothing about the rest.
    ...('botToken' in config.slack.tenants && {
      slack: () => slackChecks.get('', () => slackAnswers(clients)),
    }),
    // A token may work although nothing comes over the sockets.
    ...('sockets' in way && { sockets: () => way.sockets.check() }),
    accepting: async () => {
      if (isDraining()) throw new Error('The app is about to stop.')
    },
  }
}

/** Where many workspaces install the app themselves: the pages for that. */
function installHandlers({ config, log, now, outside, bot }: ListenParts, { inFlight }: Receiving) {
  const { tenants, apiUrl } = config.slack
  if (!('oauth' in tenants)) return {}
  const { store, clients } = outside
  const { commandPrefix: prefix } = config
  const { bindButtons } = bot
  return createInstalling({
    secrets: tenants.oauth,
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

/** One workspace: its token must work. The ids are of no account then. */
async function slackAnswers(clients: SlackClients): Promise<void> {
  const client = await clients.of({ workspaceId: '', enterpriseId: undefined })
  await client.check()
}

function urlOf(server: Server, host: string): string {
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo
  return `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}`
}
