import type { Log as RuntimeLog } from '@signalman/runtime'

/** The engine's log: a pino logger, or `console`. */
export type Log = Pick<RuntimeLog, 'debug' | 'warn' | 'error'>
