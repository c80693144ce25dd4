import type { Logger } from 'pino'

/** Lines of JSON, one for each thing that an operator may have to know of. */
export type Log = Logger
