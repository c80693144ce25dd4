import type { Log } from '@signalman/runtime'
import { causeFields } from '@signalman/runtime'
import { type LoggerOptions, pino } from 'pino'

/** Never logged at any level. Other fields must not contain typed text or secrets. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
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
])
/** No log line of ours is nested deeper. */
const DEPTH = 4

/** Removes those fields. Written by hand, because pino's redaction of so many paths takes as long as writing the line. */
function withoutSecrets(fields: object, depth = DEPTH): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    const isNested = typeof value === 'object' && value !== null && !(value instanceof Error)
    if (SECRET_FIELDS.has(name)) kept[name] = '[cut]'
    else kept[name] = isNested ? nested(value, depth) : value
  }
  return kept
}

function nested(value: object, depth: number): unknown {
  if (depth === 0) return '[cut]'
  return Array.isArray(value)
    ? value.map((item) => (typeof item === 'object' && item !== null ? nested(item, depth - 1) : item))
    : withoutSecrets(value, depth - 1)
}

/** Slack tokens and authorization headers, in case another library's error quotes one. */
const TOKENS = /\bx(?:ox[a-z]|app)-[\w.-]+|\b(?:Bearer|Basic)\s+[\w.~+/=-]+/g

const removeTokens = (words: string | undefined): string | undefined => words?.replace(TOKENS, '[cut]')

/** Only these properties, because clients attach requests, headers, and responses to their errors. */
function serializeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: 'Something that is no error was thrown.' }
  const { name, message, stack, cause } = error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return {
    name,
    code,
    message: removeTokens(message),
    stack: removeTokens(stack),
    ...(cause instanceof Error && { cause: serializeError(cause) }),
  }
}

/** Creates the process's log: JSON lines on standard output or to `destination`, without secrets. */
export function createLog(level: string, destination?: { write(line: string): void } | undefined): Log {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    // Fields of the line itself take precedence over these.
    mixin: causeFields,
    serializers: { err: serializeError },
    formatters: { level: (label) => ({ level: label }), log: withoutSecrets },
  }
  return destination ? pino(options, destination) : pino(options)
}
