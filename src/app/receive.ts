import type { Acts } from '../bot/acts/acts.ts'
import { type BudgetLimits, createBudgets } from '../bot/budgets.ts'
import { createDispatch } from '../bot/dispatch.ts'
import type { RunRequest } from '../bot/requests/request-handler.ts'
import type { Config } from '../config.ts'
import type { ObserveCall } from '../domain/outgoing-call.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { AnswerTimes } from '../slack/receive/answer-times.ts'
import { createBolt } from '../slack/receive/bolt.ts'
import { createDeliveries } from '../slack/receive/deliveries.ts'
import type { InFlight } from '../slack/receive/in-flight.ts'
import { createReceiver, type HandleSlack } from '../slack/receive/receiver.ts'
import { createAskForAddress } from '../slack/receive/socket/address.ts'
import { type SocketMode, startSocketMode } from '../slack/receive/socket/socket-mode.ts'
import type { SocketTimes } from '../slack/receive/socket/times.ts'
import { createReference } from '../tracing/reference.ts'
import type { Tracer } from '../tracing/span.ts'
import type { Bot } from './bot.ts'

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
  /** Hears of every call to Slack. */
  observe: ObserveCall
  /** Says that this process lives, and resolves with how many do. */
  signOfLife: () => Promise<number>
}

/** The way in from Slack: what answers its requests by HTTP, or the sockets over which they come. */
export interface Receiving {
  readonly inFlight: InFlight
  readonly way: { handle: HandleSlack } | { sockets: SocketMode }
}

export function receive(parts: ReceiveParts): Receiving {
  const { config, log, now, bot, acts, runRequest, socketTimes, signOfLife, metrics, answerTimes } = parts
  const deliveries = createDeliveries({ log, answerTimes, acknowledged: metrics.acknowledged })
  createBolt(
    deliveries,
    createDispatch({
      requestHandlers: bot.requestHandlers,
      acts,
      runRequest,
      log,
      createReference,
      tracer: parts.tracer,
      budgets: createBudgets(parts.budgets),
    }),
    log,
  )
  const { inFlight } = deliveries
  const { receive: by, apiUrl } = config.slack
  if ('signingSecret' in by) {
    const { signingSecret } = by
    return { inFlight, way: { handle: createReceiver({ signingSecret, deliveries, log, now }) } }
  }
  const sockets = startSocketMode({
    askForAddress: createAskForAddress(by.appToken, apiUrl, parts.observe),
    // A socket repeats nothing byte by byte: the payload, which holds a trigger or an id of its own, stands for itself.
    take: ({ body, retry }) => deliveries.take({ way: 'socket', body, raw: JSON.stringify(body), retry }),
    processes: signOfLife,
    log,
    times: socketTimes,
  })
  return { inFlight, way: { sockets } }
}
