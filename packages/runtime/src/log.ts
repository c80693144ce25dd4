import type { Logger } from 'pino'

/** A JSON log with one line for each event that operators may need. */
export type Log = Logger
