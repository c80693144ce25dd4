import { setTimeout as pause } from 'node:timers/promises'
import { SealError } from '@signalman/durable'
import { describeConnectionFault, findConnectionCode, rootCause } from '@signalman/runtime'
import { pluralize } from '../domain/wording.ts'

export interface DoctorFinding {
  /** The part of the deployment, such as `database`. */
  readonly part: string
  /** `advice` means that it works but could be better; `skipped` means that it couldn't be checked. */
  readonly state: 'ok' | 'fault' | 'advice' | 'skipped'
  readonly message: string
  readonly fix?: string | undefined
  /** Nothing answered, so nothing else of the same address can be checked. */
  readonly isUnreachable?: true
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
  const finding =
    connection === undefined
      ? fault(part, `${name} can’t be reached (${describeError(error)}).`)
      : fault(
          part,
          `${name} ${connection.problem}.`,
          `${connection.fix.charAt(0).toUpperCase()}${connection.fix.slice(1)}.`,
        )
  return { ...finding, isUnreachable: true }
}

/** Long enough for the first token that isn't answered, also when it's tried again. */
const MAX_MS = 25_000
const AT_ONCE = 8

/** Resolves when the doctor gives up on what it hasn't checked. */
export const startTimeLimit = (): Promise<void> => pause(MAX_MS, undefined, { ref: false })

/**
 * Checks many tokens of one address: the first, then several at a time. Nobody goes on after one that can't be reached, or after the time
 * limit. Says how many weren't checked.
 */
export async function examineAll<T>(
  part: string,
  tokens: readonly T[],
  examineOne: (token: T) => Promise<DoctorFinding[]>,
  timeUp = startTimeLimit(),
): Promise<DoctorFinding[]> {
  const findings: DoctorFinding[] = []
  const waiting = tokens.values()
  let unchecked = tokens.length

  async function examineNext(): Promise<boolean> {
    const { value: token, done } = waiting.next()
    if (done) return false
    const found = await Promise.race([examineOne(token), timeUp])
    if (!found) return false
    unchecked -= 1
    findings.push(...found)
    return !found.some(({ isUnreachable }) => isUnreachable)
  }

  if (await examineNext())
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (await examineNext());
      }),
    )
  return unchecked === 0
    ? findings
    : [...findings, skipped(part, `${pluralize(unchecked, 'token wasn’t', 'tokens weren’t')} checked.`)]
}

/** A short reason. Other libraries' messages may contain secrets, so only their codes are shown, or the message of the cause. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason'
  return error.cause instanceof Error ? rootCause(error.cause) : findConnectionCode(error) || error.name
}
