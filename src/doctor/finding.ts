import { SealError } from '@signalman/durable'

/** The result of one check. */
export interface DoctorFinding {
  /** The part of the deployment, such as `database`. */
  readonly part: string
  /** `advice` works but could be better; `skipped` couldn't be checked, and says why. */
  readonly state: 'ok' | 'fault' | 'advice' | 'skipped'
  readonly says: string
  /** How to fix it. */
  readonly mend?: string | undefined
}

const finding =
  (state: DoctorFinding['state']) =>
  (part: string, says: string, mend?: string): DoctorFinding => ({ part, state, says, mend })

export const ok = finding('ok')
export const fault = finding('fault')
export const advice = finding('advice')
export const skipped = finding('skipped')

/** Rethrows any other error. */
export function unopened(error: unknown): 'unopened' {
  if (error instanceof SealError) return 'unopened'
  throw error
}

/** What an error without a code means. */
const SAID: Readonly<Record<string, string>> = {
  TimeoutError: 'timeout',
  TypeError: 'invalid address',
}

/** A short reason. Other libraries' messages may contain secrets, so only their codes are shown. */
export function describeError(error: unknown): string {
  // A DOMException has a numeric code, which says nothing.
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined
  const inner = cause && 'code' in cause ? String(cause.code) : ''
  const name = error instanceof Error ? error.name : ''
  // For some fetch errors, only the message of the cause has the reason, such as `bad port`.
  return inner || code || cause?.message || SAID[name] || name || 'unknown reason'
}
