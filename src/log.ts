import { type Logger, type LoggerOptions, pino } from 'pino'

export type Log = Logger

/** Never written at any level, wherever they turn up. Values that hold typed text or secrets are not logged at all. */
const NEVER = [
  'token',
  'botToken',
  'authorization',
  'response_url',
  'responseUrl',
  'trigger_id',
  'text',
  'csr',
  'recipients',
  'signingSecret',
  'private_metadata',
  'state',
]

/** Tokens as Slack makes them, and what is sent as one: should another's error repeat it, it stops here. */
const TOKENS = /\bx(?:ox[a-z]|app)-[\w.-]+|\b(?:Bearer|Basic)\s+[\w.~+/=-]+/g

const clean = (words: string | undefined): string | undefined => words?.replace(TOKENS, '[cut]')

/** An error's own words and no other property: clients hang requests, headers and answers on theirs. */
function errorOf(error: unknown): object {
  if (!(error instanceof Error)) return { message: 'Something that is no error was thrown.' }
  const { name, message, stack, cause } = error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return {
    name,
    code,
    message: clean(message),
    stack: clean(stack),
    ...(cause instanceof Error && { cause: errorOf(cause) }),
  }
}

/** The process's log: JSON lines on standard output (or `destination`), with the fields above cut out. */
export function createLog(level: string, destination?: { write(line: string): void }): Log {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    serializers: { err: errorOf },
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: NEVER.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: '[cut]' },
  }
  return destination ? pino(options, destination) : pino(options)
}
