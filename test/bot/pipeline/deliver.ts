import { createBolt, type Request, type SlackEvent } from '@signalman/slack'
import type { App } from '@slack/bolt'
import { registerListeners } from '../../../src/bot/listeners.ts'
import { createLog } from '../../../src/log.ts'

/** Delivers a payload to Bolt. Returns the resulting requests, and how many listeners ran. */
export async function deliver(
  body: Record<string, unknown>,
): Promise<{ requests: (Request | SlackEvent)[]; listeners: number }> {
  let bolt: App | undefined
  const receiver = {
    init: (app: App) => {
      bolt = app
    },
    start: async () => undefined,
    stop: async () => undefined,
  }
  const requests: (Request | SlackEvent)[] = []
  let listeners = 0
  const app = createBolt(receiver, createLog('silent'))
  const countingApp = new Proxy(app, {
    get:
      (target, method: 'event') =>
      (...args: unknown[]) => {
        const listener = args.pop() as (args: object) => Promise<void>
        const countingListener = async (args: object): Promise<void> => {
          listeners += 1
          await listener(args)
        }
        // Each method takes an optional filter and the listener.
        return Reflect.apply(target[method], target, [...args, countingListener])
      },
  })
  const record = async (request: Request | SlackEvent) => void requests.push(request)
  registerListeners(countingApp, record, record)
  await bolt?.processEvent({ body, ack: async () => undefined })
  return { requests, listeners }
}
