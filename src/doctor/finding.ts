import { SealError } from '@signalman/durable'
import { describeConnectionFault, findConnectionCode, rootCause } from '@signalman/runtime'

/** The result of one check. */
export interface DoctorFinding {
  /** The part of the deployment, such as `database`. */
  readonly part: string
  /** `advice` means that it works but could be better; `skipped` means that it couldn't be checked. */
  readonly state: 'ok' | 'fault' | 'advice' | 'skipped'
  readonly message: string
  /** How to fix it. */
  readonly fix?: string | undefined
}

const createFinding =
  (state: DoctorFinding['state']) =>
  (part: string, message: string, fix?: string): DoctorFinding => ({ part, state, message, fix })

export const ok = createFinding('ok')
export const fault = createFinding('fault')
export const advice = createFinding('advice')
export const skipped = createFinding('skipped')

/** For `.catch()`: returns `undecryptable` if a row can't be decrypted, and rethrows any other error. */
export function catchSealError(error: unknown): 'undecryptable' {
  if (error instanceof SealError) return 'undecryptable'
  throw error
}

/** Reports that another side can't be reached. `name` is said before what is wrong. */
export function unreachable(part: string, name: string, error: unknown): DoctorFinding {
  const connection = describeConnectionFault(error)
  if (connection === undefined) return fault(part, `${name} can’t be reached (${describeError(error)}).`)
  const { problem, fix } = connection
  return fault(part, `${name} ${problem}.`, `${fix.charAt(0).toUpperCase()}${fix.slice(1)}.`)
}

/** A short reason. Other libraries' messages may contain secrets, so only their codes are shown, or the message of the cause. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason'
  return error.cause instanceof Error ? rootCause(error.cause) : findConnectionCode(error) || error.name
}
