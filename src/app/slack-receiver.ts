import { hash } from 'node:crypto'
import type { Engine } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import {
  createBolt,
  createDeliveries,
  createFetchSocketUrl,
  createReceiver,
  type HandleSlack,
  type InFlight,
  type RequestDeadlines,
  type SocketMode,
  type SocketTimes,
  startSocketMode,
} from '@signalman/slack'
import { createActs } from '../bot/acts.ts'
import { createHandle } from '../bot/handle.ts'
import { registerListeners } from '../bot/listeners.ts'
import { type BudgetLimits, createBudgets } from '../bot/request/budgets.ts'
import type { Config } from '../config.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Backends } from './backends.ts'
import type { Bot } from './bot.ts'

export interface ReceiveDeps {
  config: Config
  log: Log
  now: () => Date
  bot: Bot
  engine: Pick<Engine, 'begin' | 'holdsForMs' | 'run'>
  metrics: Metrics
  requestDeadlines: RequestDeadlines
  socketTimes: Partial<SocketTimes> | undefined
  budgets: Partial<BudgetLimits> | undefined
  backends: Pick<Backends, 'observe'>
}

export interface SlackReceiver {
  readonly inFlight: InFlight
  readonly transport: { handlers: Readonly<Record<string, HandleSlack>> } | { openSockets: () => SocketMode }
}

export function createSlackReceiver(deps: ReceiveDeps): SlackReceiver {
  const { config, log, now, bot, engine, socketTimes, metrics, requestDeadlines } = deps
  const { observe } = deps.backends
  const deliveries = createDeliveries({
    log,
    requestDeadlines,
    onAcknowledged: metrics.recordAcknowledgement,
  })
  const handle = createHandle({
    find: bot.find,
    run: bot.run,
    acts: createActs({ engine, requestDeadlines, log }),
    log,
    budgets: createBudgets(deps.budgets),
  })
  registerListeners(createBolt(deliveries, log), handle, bot.handleEvent)
  const { inFlight } = deliveries
  const { receive: receiveConfig, apiUrl } = config.slack
  if ('signingSecret' in receiveConfig) {
    const { signingSecret } = receiveConfig
    const signed = { signingSecret, onSignatureRefused: metrics.countRefusedSignature, log, now }
    return {
      inFlight,
      transport: {
        handlers: { '/slack/events': createReceiver({ ...signed, deliveries }) },
      },
    }
  }
  const openSockets = () =>
    startSocketMode({
      fetchSocketUrl: createFetchSocketUrl(receiveConfig.appToken, apiUrl, observe),
      // Payloads over sockets have no signature, so a hash of the body identifies the delivery.
      handle: (body) => {
        const id = hash('sha256', JSON.stringify(body), 'base64url')
        return deliveries.handle({ transport: 'socket', body, id })
      },
      log,
      times: socketTimes,
    })
  return { inFlight, transport: { openSockets } }
}
