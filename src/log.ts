import type { Log } from '@signalman/runtime'
import { traceContextFields } from '@signalman/runtime'
import { type LoggerOptions, pino } from 'pino'

/** Fields that are never logged, at any level. Other fields must not contain typed text or secrets. */
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
const MAX_DEPTH = 4

/** Replaces secret fields. Not done with pino's `redact`, which for so many paths takes as long as writing the line. */
function redactSecrets(fields: object, depth = MAX_DEPTH): Record<string, unknown> {
  const safe: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    const isNested = typeof value === 'object' && value !== null && !(value instanceof Error)
    if (SECRET_FIELDS.has(name)) safe[name] = '[cut]'
    else safe[name] = isNested ? redactNested(value, depth) : value
  }
  return safe
}

function redactNested(value: object, depth: number): unknown {
  if (depth === 0) return '[cut]'
  return Array.isArray(value)
    ? value.map((item) => (typeof item === 'object' && item !== null ? redactNested(item, depth - 1) : item))
    : redactSecrets(value, depth - 1)
}

/** Slack tokens and authorization headers, in case another library's error quotes one. */
const TOKENS = /\bx(?:ox[a-z]|app)-[\w.-]+|\b(?:Bearer|Basic)\s+[\w.~+/=-]+/g

const removeTokens = (text: string | undefined): string | undefined => text?.replace(TOKENS, '[cut]')

/** Keeps only these properties, because clients attach requests, headers, and responses to their errors. */
function serializeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: 'The thrown value isn’t an Error.' }
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

/** Creates the process's log, which writes JSON lines without secrets to standard output or `destination`. */
export function createLog(level: string, destination?: { write(line: string): void } | undefined): Log {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    // Fields of the line itself take precedence over these.
    mixin: traceContextFields,
    serializers: { err: serializeError },
    formatters: { level: (label) => ({ level: label }), log: redactSecrets },
  }
  return destination ? pino(options, destination) : pino(options)
}
