import type { Log } from '@signalman/runtime'
import { fieldsOfCause } from '@signalman/runtime'
import { type LoggerOptions, pino } from 'pino'

/** Never written at any level, wherever they turn up. Values that hold typed text or secrets are not logged at all. */
const NEVER: ReadonlySet<string> = new Set([
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
/** Deeper than any line of ours. */
const DEPTH = 4

/** The fields of a line without those. By hand: pino's own redaction over so many paths costs as much as the whole line. */
function withoutSecrets(fields: object, depth = DEPTH): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    const isNested = typeof value === 'object' && value !== null && !(value instanceof Error)
    if (NEVER.has(name)) kept[name] = '[cut]'
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

/** Tokens as Slack makes them, and what is sent as one: should another's error repeat it, it stops here. */
const TOKENS = /\bx(?:ox[a-z]|app)-[\w.-]+|\b(?:Bearer|Basic)\s+[\w.~+/=-]+/g

const clean = (words: string | undefined): string | undefined => words?.replace(TOKENS, '[cut]')

/** An error's own words and no other property: clients hang requests, headers and answers on theirs. */
function serializeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: 'Something that is no error was thrown.' }
  const { name, message, stack, cause } = error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return {
    name,
    code,
    message: clean(message),
    stack: clean(stack),
    ...(cause instanceof Error && { cause: serializeError(cause) }),
  }
}

/** The process's log: JSON lines on standard output (or `destination`), with the fields above cut out. */
export function createLog(level: string, destination?: { write(line: string): void } | undefined): Log {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    // Of a line's own fields and these, its own win.
    mixin: fieldsOfCause,
    serializers: { err: serializeError },
    formatters: { level: (label) => ({ level: label }), log: withoutSecrets },
  }
  return destination ? pino(options, destination) : pino(options)
}
