import {
  DatabaseUnavailable,
  describeDatabaseError,
  describeFileFault,
  errorCode,
  StoreError,
} from '@signalman/durable'
import { describeListenFault } from '../config/listen-faults.ts'
import { describeStoreError } from '../config/store-hints.ts'
import { ConfigError } from '../config.ts'
import { isUnconfigured, NO_CONFIGURATION } from './env-file.ts'
import { OperatorError } from './operator.ts'

/** The message and the exit code of an error: 2 for wrong usage, otherwise 1. */
export function explainError(error: unknown): { text: string; exitCode: number } {
  if (!(error instanceof Error)) return { text: String(error), exitCode: 1 }
  const { message: text } = error
  if (error instanceof OperatorError) return { text, exitCode: error.exitCode }
  if (error instanceof StoreError) return { text: describeStoreError(error), exitCode: 1 }
  if (error instanceof ConfigError) return { text: withoutFile(text), exitCode: 1 }
  if (error instanceof DatabaseUnavailable) return { text, exitCode: 1 }
  const databaseFault = describeDatabaseError(error)
  if (databaseFault !== undefined) return { text: `The database ${databaseFault}.`, exitCode: 1 }
  const code = errorCode(error)
  // Errors of `parseArgs`: an unknown flag, a flag without its value, or an unexpected word.
  if (code.startsWith('ERR_PARSE_ARGS')) return { text, exitCode: 2 }
  // Standard output, which is the only output without a path.
  if ('syscall' in error && error.syscall === 'write' && !('path' in error))
    return { text: `Not all of the output could be written (${code}).`, exitCode: 1 }
  const systemFault = describeListenFault(error) ?? describeAnyFile(error)
  // Any other error is a bug, so show its stack.
  return { text: systemFault ?? String(error.stack ?? error), exitCode: 1 }
}

/** Node's message names the call and its subject, but not the fix. */
const describeAnyFile = (error: Error): string | undefined =>
  'path' in error
    ? `${error.path} ${describeFileFault(error)}.`
    : 'syscall' in error
      ? `${error.message}.`
      : undefined

/** Missing variables aren't the problem of somebody who is in the wrong folder. */
const withoutFile = (text: string): string =>
  isUnconfigured(process.env) ? `${NO_CONFIGURATION}\n${text}` : text
