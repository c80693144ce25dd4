import type { Log as RuntimeLog } from '@signalman/runtime'

/** What the engine logs to: a pino logger, or `console`. */
export type Log = Pick<RuntimeLog, 'debug' | 'warn' | 'error'>
