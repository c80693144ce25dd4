import { constants, openSync } from 'node:fs'
import type { Log } from '@signalman/runtime'
import { traceContextFields } from '@signalman/runtime'
import { type LoggerOptions, pino } from 'pino'
import sonicBoom from 'sonic-boom'

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

/** How many bytes of unwritten lines to keep. Lines beyond that are dropped. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024
const RETRY_MS = 1000
const FLUSH_TIMEOUT_MS = 500

/**
 * Opens standard output for the log, so that no full disk, stuck reader, or dead terminal blocks the process. This is the stream of
 * `pino.destination`, without its exit handler, which repeats a failing write forever.
 */
export function openLogOutput() {
  // A `minLength` of 0 would turn `flush` off.
  const output = new sonicBoom.SonicBoom({
    fd: openStandardOutput(),
    maxLength: MAX_BUFFERED_BYTES,
    minLength: 1,
  })
  let dropped = 0
  let retry: NodeJS.Timeout | undefined
  output.on('error', () => {
    // What couldn't be written is still buffered, and a full buffer isn't written again on its own.
    clearTimeout(retry)
    retry = setTimeout(() => output.flush(), RETRY_MS).unref()
  })
  output.on('drop', () => {
    dropped += 1
  })
  output.on('drain', () => {
    if (dropped === 0) return
    const line = { level: 'warn', time: new Date().toISOString(), dropped }
    dropped = 0
    output.write(
      `${JSON.stringify({ ...line, msg: 'Dropped log lines, because the output didn’t accept them.' })}\n`,
    )
  })
  return {
    write: (line: string): void => void output.write(line),
    /** Resolves when everything is written, or after half a second. */
    flush: () =>
      new Promise<void>((resolve) => {
        setTimeout(resolve, FLUSH_TIMEOUT_MS)
        output.flush(() => resolve())
      }),
  }
}

/**
 * Node makes pipes and sockets nonblocking, but terminals blocking. A write that blocks would also keep the process from exiting, so this
 * opens a terminal again.
 */
function openStandardOutput(): number {
  const { fd, isTTY } = process.stdout
  if (!isTTY) return fd
  try {
    return openSync(`/dev/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
  } catch {
    // Windows, or a terminal that is gone.
    return fd
  }
}

/** Creates the process's log, which writes JSON lines without secrets to `destination`. */
export function createLog(level: string, destination: { write(line: string): void } = openLogOutput()): Log {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    // Fields of the line itself take precedence over these.
    mixin: traceContextFields,
    serializers: { err: serializeError },
    formatters: { level: (label) => ({ level: label }), log: redactSecrets },
  }
  return pino(options, destination)
}
