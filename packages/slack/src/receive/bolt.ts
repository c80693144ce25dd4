import type { Log } from '@signalman/runtime'
import {
  type AnyMiddlewareArgs,
  App,
  type Logger,
  LogLevel,
  type Middleware,
  type Receiver,
} from '@slack/bolt'

/**
 * Bolt with our receiver and one listener. No bot token leaves `authorize` (Bolt would keep a client per token for ever)
 * and no conversation store is asked on every request.
 */
export function createBolt(receiver: Receiver, dispatch: Middleware<AnyMiddlewareArgs>, log: Log): App {
  const app = new App({
    receiver,
    authorize: async () => ({}),
    convoStore: false,
    ignoreSelf: false,
    logger: boltLogger(log),
  })
  app.use(dispatch)
  // The receiver logs it, and answers Slack so that it sends the request again where that helps.
  app.error((error) => Promise.reject(error))
  return app
}

/** At debug level Bolt may log whole requests, so only its warnings and errors are logged. */
function boltLogger(log: Log): Logger {
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: (...words) => log.warn({ from: 'bolt' }, String(words[0])),
    error: (...words) => log.error({ from: 'bolt' }, String(words[0])),
    setLevel: () => undefined,
    getLevel: () => LogLevel.WARN,
    setName: () => undefined,
  }
}
