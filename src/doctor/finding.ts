import { SealError } from '@signalman/durable'

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

const TIMED_OUT = 'no response in time: the host may be overloaded, or a firewall drops the connection'
/** Codes of Node and undici, such as ETIMEDOUT and UND_ERR_CONNECT_TIMEOUT. */
const TIMEOUT_CODE = /^(?:ETIMEDOUT|\w+_TIMEOUT)$/

/** Descriptions of errors that have no code, by the error's name. `new URL` throws a TypeError for an invalid URL. */
const ERROR_NAMES: Readonly<Record<string, string>> = {
  TimeoutError: TIMED_OUT,
  TypeError: 'invalid address',
}

/** A DOMException has a numeric code, which isn't helpful. */
const readTextCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** A short reason. Other libraries' messages may contain secrets, so only their codes are shown. */
export function describeError(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined
  const [code, causeCode] = [readTextCode(error), readTextCode(cause)]
  const name = error instanceof Error ? error.name : ''
  if (TIMEOUT_CODE.test(causeCode || code) || cause?.name === 'TimeoutError') return TIMED_OUT
  // For some fetch errors, only the message of the cause has the reason, such as `bad port`.
  return causeCode || code || cause?.message || ERROR_NAMES[name] || name || 'unknown reason'
}
