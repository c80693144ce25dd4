import { SealError } from '@signalman/durable'

/** What was found about one part of the deployment. */
export interface DoctorFinding {
  /** The part, such as `database`. */
  readonly part: string
  /** `advice` works as it is; `skipped` could not be tried, and says why. */
  readonly state: 'ok' | 'fault' | 'advice' | 'skipped'
  readonly says: string
  /** What to do about it. */
  readonly mend?: string | undefined
}

const finding =
  (state: DoctorFinding['state']) =>
  (part: string, says: string, mend?: string): DoctorFinding => ({ part, state, says, mend })

export const ok = finding('ok')
export const fault = finding('fault')
export const advice = finding('advice')
export const skipped = finding('skipped')

/** Throws any other error. */
export function unopened(error: unknown): 'unopened' {
  if (error instanceof SealError) return 'unopened'
  throw error
}

/** What an error without a code is about. */
const SAID: Readonly<Record<string, string>> = {
  TimeoutError: 'timeout',
  TypeError: 'invalid address',
}

/** Our errors name what is wrong and hold no secret; of others only the code is repeated. */
export function describeError(error: unknown): string {
  // Those of a browser's errors are numbers, which say nothing.
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined
  const inner = cause && 'code' in cause ? String(cause.code) : ''
  const name = error instanceof Error ? error.name : ''
  // A fetch has its reason in the words of its cause alone, such as `bad port`.
  return inner || code || cause?.message || SAID[name] || name || 'unknown reason'
}
