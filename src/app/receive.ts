import { hash } from 'node:crypto'
import type { Log } from '@signalman/runtime'
import { createReference, type ObserveCall, type Tracer } from '@signalman/runtime'
import {
  type AnswerTimes,
  createBolt,
  createDeliveries,
  createReadSigned,
  createReceiver,
  createRequestAddress,
  createResolveWorkspace,
  type HandleSlack,
  type InFlight,
  type SocketMode,
  type SocketTimes,
  startSocketMode,
} from '@signalman/slack'
import type { Acts } from '../bot/acts/acts.ts'
import { type BudgetLimits, createBudgets } from '../bot/pipeline/budgets.ts'
import { registerListeners } from '../bot/pipeline/listeners.ts'
import { createHandleRequest } from '../bot/pipeline/pipeline.ts'
import type { RunRequest } from '../bot/request/contract.ts'
import type { Config } from '../config.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { VERSION } from '../version.ts'
import type { Bot } from './bot.ts'
import { createSlackbotDoor } from './doors.ts'
import type { Outside } from './outside.ts'

export interface ReceiveParts {
  config: Config
  log: Log
  now: () => Date
  bot: Bot
  acts: Acts
  runRequest: RunRequest
  metrics: Metrics
  tracer: Tracer | undefined
  answerTimes: AnswerTimes
  socketTimes: Partial<SocketTimes> | undefined
  budgets: Partial<BudgetLimits> | undefined
  /** Called for every call to Slack. */
  observe: ObserveCall
  outside: Pick<Outside, 'store'>
  /** Sends a heartbeat, and resolves with the number of live processes. */
  sendHeartbeat: () => Promise<number>
}

/** Receives from Slack: over HTTP, or over the sockets once they are opened. */
export interface Receiving {
  readonly inFlight: InFlight
  readonly way: { handlers: Readonly<Record<string, HandleSlack>> } | { openSockets: () => SocketMode }
}

export function receive(parts: ReceiveParts): Receiving {
  const { config, log, now, bot, acts, runRequest, socketTimes, sendHeartbeat, metrics, answerTimes } = parts
  const { store } = parts.outside
  const deliveries = createDeliveries({ log, answerTimes, acknowledged: metrics.acknowledged })
  const handleRequest = createHandleRequest({
    handlerFor: bot.handlerFor,
    acts,
    runRequest,
    log,
    createReference,
    tracer: parts.tracer,
    resolveWorkspace: createResolveWorkspace({
      readPerson: bot.people.personOf,
      findOrganization: store.cached.organizationOf,
    }),
    budgets: createBudgets(parts.budgets),
  })
  registerListeners(createBolt(deliveries, log), handleRequest)
  const { inFlight } = deliveries
  const { receive: transport, apiUrl, leftOut } = config.slack
  if ('signingSecret' in transport) {
    const { signingSecret } = transport
    const signed = { signingSecret, signatureRefused: metrics.signatureRefused, log, now }
    const { ephemeralState } = store
    const { resolve, toolAnswers, routes } = bot
    const slackbot = createSlackbotDoor({
      readSigned: createReadSigned(signed),
      verbs: routes.verbs,
      resolve,
      handleRequest,
      toolAnswers,
      ephemeralState,
      inFlight,
      log,
      now,
      version: VERSION,
    })
    return {
      inFlight,
      way: {
        handlers: {
          '/slack/events': createReceiver({ ...signed, deliveries }),
          ...(!leftOut.has('slackbot') && { '/slack/mcp': slackbot }),
        },
      },
    }
  }
  const openSockets = () =>
    startSocketMode({
      requestAddress: createRequestAddress(transport.appToken, apiUrl, parts.observe),
      // Payloads over sockets have no signature, so a hash of the body identifies the delivery.
      handle: ({ body, retry }) => {
        const id = hash('sha256', JSON.stringify(body), 'base64url')
        return deliveries.handle({ way: 'socket', body, id, retry })
      },
      processes: sendHeartbeat,
      log,
      times: socketTimes,
    })
  return { inFlight, way: { openSockets } }
}
