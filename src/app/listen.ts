import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Acts } from '../bot/acts/acts.ts'
import { createDispatch } from '../bot/dispatch.ts'
import type { Attend } from '../bot/requests/request-handler.ts'
import type { Config } from '../config.ts'
import { createShortCache } from '../domain/short-cache.ts'
import type { Log } from '../log.ts'
import type { SlackClients } from '../slack/client/clients.ts'
import { createInstalling } from '../slack/install/installing.ts'
import { createBolt } from '../slack/receive/bolt.ts'
import { createHttpServer, type ReadyChecks } from '../slack/receive/http-server.ts'
import { createReceiver, type SlackReceiver } from '../slack/receive/receiver.ts'
import { createReference } from '../slack/receive/reference.ts'
import type { Bot } from './bot.ts'
import type { Outside } from './outside.ts'

const SLACK_CHECK_LASTS_MS = 30_000
const DRAIN_LIMIT_MS = 10_000
const LAST_WORDS_LIMIT_MS = 2000
const SLACK_REFUSES = 'Slack does not answer to SLACK_BOT_TOKEN: nothing can be said in Slack until it does.'

export interface Listening {
  readonly url: string
  /** Takes no more work, lets finish what runs (10 s), and listens no longer. */
  stop(): Promise<void>
}

export interface ListenParts {
  config: Config
  log: Log
  now: () => Date
  outside: Outside
  bot: Bot
  acts: Acts
  attend: Attend
}

/** Takes requests from Slack, and answers whoever asks how the process is. */
export async function listen(parts: ListenParts): Promise<Listening> {
  const { config, log, now, bot, acts, attend, outside } = parts
  const receiver = createReceiver({ signingSecret: config.slack.signingSecret, log, now })
  createBolt(receiver, createDispatch({ plan: bot.plan, acts, attend, log, createReference }), log)
  let isDraining = false
  const ready = readyChecks(parts, () => isDraining)
  const handlers = { '/slack/events': receiver.handle, ...installHandlers(parts, receiver) }
  const server = createHttpServer({ handlers, ready, isStopping: () => isDraining, log })
  server.listen(config.port, config.host)
  await once(server, 'listening')
  if (ready.slack) ready.slack().catch((error: unknown) => log.warn({ err: error }, SLACK_REFUSES))
  return {
    url: urlOf(server, config.host),
    async stop() {
      // Still listening: `/readyz` must be able to say that no more work should be sent here.
      isDraining = true
      if ((await receiver.inFlight.drained(DRAIN_LIMIT_MS)) > 0) {
        // Calls to the service are cut, and who waits for them is told so before the way to Slack is closed.
        await outside.service[Symbol.asyncDispose]()
        const left = await receiver.inFlight.drained(LAST_WORDS_LIMIT_MS)
        if (left > 0) log.warn({ left }, 'Stopping although some requests still run.')
      }
      server.close()
      server.closeAllConnections()
    },
  }
}

function readyChecks({ config, outside, now }: ListenParts, isDraining: () => boolean): ReadyChecks {
  const { store, clients } = outside
  const slackChecks = createShortCache<void>({ freshMs: SLACK_CHECK_LASTS_MS, failedMs: 2000, kept: 1, now })
  return {
    database: () => store.ping(),
    // Of many workspaces one dead token says nothing about the rest.
    ...('botToken' in config.slack.tenants && {
      slack: () => slackChecks.get('', () => slackAnswers(clients)),
    }),
    accepting: async () => {
      if (isDraining()) throw new Error('The app is about to stop.')
    },
  }
}

/** Where many workspaces install the app themselves: the pages for that. */
function installHandlers({ config, log, now, outside, bot }: ListenParts, { inFlight }: SlackReceiver) {
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
