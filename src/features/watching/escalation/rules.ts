import { HOUR_MS, MINUTE_MS, readDuration, UserError } from '@signalman/runtime'
import type { Outage } from '../../../domain/outages/outage.ts'
import type { CardState } from '../rules/card.ts'
import { FLAPPING_QUIET_MS } from '../rules/flapping.ts'
import { fitting, type ReadyWatch } from '../rules/subjects.ts'

/** A user group or a person; without an id as it is typed, which is looked up before it is kept. */
export interface Called {
  readonly name: string
  readonly id?: string | undefined
  readonly isGroup?: boolean | undefined
}

/** Nobody is on it after so long: these are called. */
export interface EscalationStep {
  readonly afterMs: number
  readonly call: readonly Called[]
}

const MOST_STEPS = 3
const MOST_CALLED = 5
const HOW =
  'takes up to 3 steps, such as "10m @on-call, 30m @lead @ann": after how long nobody is on it, and who is called.'

/** Throws UserError. */
export function readEscalation(typed: string): readonly EscalationStep[] {
  const steps = typed.split(',').map((part) => {
    const words = part.trim().split(/\s+/)
    const at = words.findIndex((word) => readDuration(word) === undefined)
    const afterMs = readDuration(words.slice(0, at).join(' '))
    const call = words.slice(at).map((name) => ({ name: name.replace(/^@?/, '@') }))
    if (
      at < 1 ||
      afterMs === undefined ||
      call.length > MOST_CALLED ||
      call.some(({ name }) => name.length > 82)
    )
      throw new UserError(HOW)
    if (afterMs < MINUTE_MS || afterMs > 24 * HOUR_MS) throw new UserError('takes times from 1m to 24h.')
    return { afterMs, call }
  })
  const isRising = steps.every(({ afterMs }, index) => afterMs > (steps[index - 1]?.afterMs ?? 0))
  if (steps.length > MOST_STEPS || !isRising) throw new UserError(HOW)
  return steps
}

/** As it is typed. */
export const writeEscalation = (steps: readonly EscalationStep[]): string =>
  steps.map(({ afterMs, call }) => `${afterMs / MINUTE_MS}m ${namesOf(call)}`).join(', ')

export const namesOf = (call: readonly Called[]): string => call.map(({ name }) => name).join(' ')

/** A step that was taken for a card. */
export interface PastCall extends EscalationStep {
  readonly at: Date
  /** Its message stands in the thread. */
  readonly isTold: boolean
}

/** What flaps calls once; so does what is down again so soon. */
const AGAIN_MS = HOUR_MS

/** Since when nobody is on what the card tells of now: since the first that fell after somebody was on it, and after all was over, last. */
export function aloneSince({ kind, openedAt, takings }: CardState, outages: readonly Outage[]): Date {
  if (kind === 'still-down') return openedAt
  const left = takings?.at(-1)?.at
  const later = outages.filter(({ startedAt }) => !left || startedAt > left)
  // What flaps is over once it is quiet.
  const quietMs = kind === 'flapping' ? FLAPPING_QUIET_MS : 0
  let since = openedAt
  let until = Number.NEGATIVE_INFINITY
  for (const { startedAt, endedAt } of later.length > 0 ? later : outages.slice(-1)) {
    if (startedAt.getTime() > until + quietMs) since = startedAt
    until = Math.max(until, endedAt?.getTime() ?? Number.POSITIVE_INFINITY)
  }
  return kind === 'storm' && since < openedAt ? openedAt : since
}

export interface NextCall extends EscalationStep {
  /** Unless nobody looks for a time until then. */
  readonly at: Date
}

/**
 * The next step of the watches that are about anything which is down now; undefined when there is none. `unseenMs`: for how long nobody
 * has looked since, which counts for nothing.
 */
export function nextCall(
  watches: readonly ReadyWatch[],
  down: readonly Outage[],
  {
    since,
    past,
    unseenMs = 0,
  }: { since: Date; past: readonly Pick<PastCall, 'afterMs' | 'at'>[]; unseenMs?: number },
): NextCall | undefined {
  const wanting = new Set(down.flatMap(({ check }) => fitting(watches, check)))
  const steps = watches.flatMap((one) => (wanting.has(one) && one.watch.escalation) || [])
  const isTaken = (step: EscalationStep): boolean =>
    past.some(({ afterMs, at }) => afterMs === step.afterMs && at.getTime() >= since.getTime() - AGAIN_MS)
  const left = steps.filter((step) => !isTaken(step))
  const afterMs = Math.min(...left.map((step) => step.afterMs))
  if (left.length === 0) return undefined
  const called = left.filter((step) => step.afterMs === afterMs).flatMap(({ call }) => call)
  const call = [...new Map(called.map((one) => [one.id ?? one.name, one])).values()]
  return { at: new Date(since.getTime() + afterMs + unseenMs), afterMs, call }
}
